"use strict";
// Keys only: every page works without this file.
const by = (id) => document.getElementById(id);
const follow = (id) => { const link = by(id); if (link) link.click(); };
const submit = (verdict) => {
  const button = document.querySelector(`form.verdict button[value="${verdict}"]`);
  if (button && !button.disabled) button.form.requestSubmit(button);
};
const help = by("help");
const keys = {
  j: () => follow("after"),
  k: () => follow("before"),
  a: () => submit("accepted"),
  r: () => submit("rejected"),
  u: () => submit("none"),
  n: () => { const note = by("note"); if (note) { note.focus(); note.select(); } },
  "/": () => { by("search").focus(); by("search").select(); },
  "?": () => (help.open ? help.close() : help.showModal()),
};
let sent = false;
document.addEventListener("submit", (event) => {
  if (event.target.method !== "post") return;
  if (sent) event.preventDefault();  // a key held down is one verdict
  sent = true;
});
document.addEventListener("keydown", (event) => {
  const writing = event.target.matches("input, textarea");
  if (writing) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "Enter" && event.ctrlKey && event.target.id === "note") submit("noted");
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || !Object.hasOwn(keys, event.key)) return;
  if (help.open && event.key !== "?") return;
  event.preventDefault();
  keys[event.key]();
});
by("help-button").addEventListener("click", keys["?"]);
window.addEventListener("pageshow", () => { sent = false; });
if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".fold").open = false;
for (const box of document.querySelectorAll("main .text")) {
  const mark = box.querySelector("mark");
  if (mark && box.scrollHeight > box.clientHeight) box.scrollTop = mark.offsetTop - box.offsetTop - box.clientHeight / 3;
}
const here = document.querySelector(".list a.here");
const list = document.querySelector(".list ol");
if (here && list.scrollHeight > list.clientHeight) {
  list.scrollTop = here.offsetTop - list.offsetTop - list.clientHeight / 3;
}
