"use strict";
// The case browser. All texts are set as text: nothing of a case becomes markup.
const data = JSON.parse(document.getElementById("data").textContent);
const by = (id) => document.getElementById(id);
const PAGE = 100;
const OUTCOMES = ["failed", "error", "undecided", "passed"];
const NAMES = { error: "without an answer", flips: "both ways" };
const FILTERS = ["outcome", "check", "tag", "severity", "change"];
const SIGNS = [["fail", "✕", "failed"], ["pass", "✓", "passed"], ["unscored", "?", "not scored"]];
const count = (number) => number.toLocaleString("en-US");

function el(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) made.addEventListener(event, listener);
    else if (name === "class") made.className = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

// ---- what is asked for: held by the address

function read() {
  const given = new URLSearchParams(location.hash.slice(1));
  const out = { q: given.get("q") ?? "", case: given.get("case"), slice: given.getAll("slice"), run: given.get("run") };
  for (const name of FILTERS) out[name] = given.get(name) ?? "";
  return out;
}
function address(state) {
  const out = new URLSearchParams();
  for (const name of ["q", ...FILTERS]) if (state[name]) out.append(name, state[name]);
  for (const slice of state.slice) out.append("slice", slice);
  if (state.case !== null) out.append("case", state.case);
  if (state.run) out.append("run", state.run);
  return `#${out}`;
}
let state = read();
let page = 0;
let matched = [];

function go(changed, keep = false) {
  state = { ...state, ...changed };
  if (!("run" in changed)) state.run = null;
  if (address(state) !== location.hash) history[keep ? "replaceState" : "pushState"](null, "", address(state));
  show();
}

// ---- what matches

const texts = [];
function haystack(at) {
  if (texts[at] === undefined) {
    const one = data.cases[at];
    texts[at] = JSON.stringify([one.id, one.inputs, one.tags, one.facts, one.trials, one.base ?? null], (_, value) => value)
      .replaceAll("\\n", " ").replaceAll('\\"', '"').toLowerCase();
  }
  return texts[at];
}
const outcomes = (one) => new Set(one.trials.map((trial) => trial.outcome));
const flips = (one) => { const seen = outcomes(one); return seen.has("passed") && seen.size > 1; };
const holds = (one, name, verdict) => one.trials.some((trial) => trial.checks.some((check) => check[0] === name && check[2] === verdict));
const tests = {
  outcome: (one, wanted) => (wanted === "flips" ? flips(one) : one.came === wanted),
  check: (one, name) => holds(one, name, 0) || holds(one, name, 2),
  tag: (one, tag) => one.tags.includes(tag),
  severity: (one, wanted) => (wanted === "blocking" ? one.blocking : one.severity === wanted),
  change: (one, wanted) => one.change === wanted,
};
const slices = new Map(data.slices.map(([axis, value], at) => [`${axis}=${value}`, at]));

function matching(but = "") {
  const words = but === "q" ? "" : state.q.toLowerCase().trim();
  const inside = state.slice.map((name) => slices.get(name) ?? -1);
  return data.cases.filter((one, at) =>
    FILTERS.every((name) => name === but || !state[name] || tests[name](one, state[name]))
    && inside.every((number) => one.slices.includes(number))
    && (!words || haystack(at).includes(words)));
}

// ---- the list

function options(id, first, listed, names = {}) {
  const select = by(id);
  if (!select) return;
  const chosen = state[id];
  if (chosen && !listed.some(([value]) => value === chosen)) listed.push([chosen, 0]);
  select.replaceChildren(el("option", { value: "" }, first),
    ...listed.map(([value, number]) => el("option", { value }, `${names[value] ?? value} · ${count(number)}`)));
  select.value = chosen;
  select.classList.toggle("set", Boolean(chosen));
  select.disabled = listed.length === 0;
}
function tally(name, values) {
  const found = new Map();
  for (const one of matching(name)) for (const value of new Set(values(one))) found.set(value, (found.get(value) ?? 0) + 1);
  return [...found];
}
const ordered = (listed, order) => listed.sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]));
const most = (listed) => listed.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));

function selects() {
  options("outcome", "any outcome",
    ordered(tally("outcome", (one) => (flips(one) ? [one.came, "flips"] : [one.came])), [...OUTCOMES, "flips"]), NAMES);
  options("check", "any check",
    most(tally("check", (one) => one.trials.flatMap((trial) => trial.checks.filter((check) => check[2] !== 1).map((check) => check[0])))));
  options("tag", "any tag", most(tally("tag", (one) => one.tags)));
  options("severity", "any severity",
    ordered(tally("severity", (one) => (one.blocking ? [one.severity, "blocking"] : [one.severity])), ["critical", "major", "minor", "blocking"]));
  if (by("change")) {
    options("change", "any change",
      ordered(tally("change", (one) => [one.change]), ["newly failing", "newly passing", "otherwise", "the same", "case changed", "only here"]));
  }
}

function opening(value) {
  return (typeof value === "string" ? value : JSON.stringify(value) ?? "").slice(0, 300);
}
function why(one) {
  for (const trial of one.trials) {
    if (trial.error) return trial.error;
    const found = trial.checks.find((check) => check[2] === 0) ?? trial.checks.find((check) => check[2] === 2);
    if (found) return found[3] ? `${found[0]}: ${found[3]}` : found[0];
  }
  return "";
}
const hereby = (one) => address({ ...state, case: one.id, run: null });
const dot = (outcome, said) => el("span", { class: `dot ${outcome}`, title: said ?? NAMES[outcome] ?? outcome, role: "img", "aria-label": said ?? NAMES[outcome] ?? outcome });

function row(one) {
  const here = one.id === state.case;
  return el("li", {}, el("a", { href: hereby(one), class: here ? "here" : undefined, "aria-current": here ? "true" : undefined, "data-case": one.id },
    el("span", { class: "head" },
      el("span", { class: "dots" }, one.trials.map((trial) => dot(trial.outcome))),
      el("b", {}, one.id),
      el("span", {}, one.severity),
      one.blocking && el("span", { class: "badge blocking" }, "blocking"),
      one.change?.startsWith("newly") && el("span", { class: `badge ${one.change === "newly failing" ? "failed" : "passed"}` }, one.change)),
    el("span", { class: "opening", dir: "auto" }, marked(opening(one.inputs[0]))),
    one.came !== "passed" && el("span", { class: "why", dir: "auto" }, marked(why(one).slice(0, 300)))));
}

function list() {
  const pages = Math.max(1, Math.ceil(matched.length / PAGE));
  page = Math.min(page, pages - 1);
  const rows = by("rows");
  rows.replaceChildren(...matched.slice(page * PAGE, (page + 1) * PAGE).map(row));
  if (!matched.length) rows.append(el("li", { class: "none" }, "No case is under these filters."));
  const turn = (by_, label) => el("button", { type: "button", disabled: page + by_ < 0 || page + by_ >= pages,
    on: { click: () => { page += by_; list(); rows.scrollTop = 0; } } }, label);
  by("pager").replaceChildren(...(pages > 1
    ? [turn(-1, "← earlier"), el("span", { class: "faint" }, `${count(page + 1)} of ${count(pages)}`), turn(1, "later →")] : []));
  const current = rows.querySelector("a.here");
  if (current && (current.offsetTop < rows.scrollTop || current.offsetTop + current.offsetHeight > rows.scrollTop + rows.clientHeight)) {
    rows.scrollTop = current.offsetTop - rows.clientHeight / 3;
  }
}

function chips() {
  by("chips").replaceChildren(
    ...state.slice.map((slice) => el("button", { type: "button", title: "Take this filter back",
      on: { click: () => go({ slice: state.slice.filter((other) => other !== slice) }) } }, `${slice.replace("=", ": ")} ×`)),
    ...(state.slice.length || state.q || FILTERS.some((name) => state[name])
      ? [el("button", { type: "button", on: { click: clear } }, "show all")] : []));
  for (const link of document.querySelectorAll("a[data-on]")) {
    const given = new URLSearchParams(link.dataset.on.slice(1));
    const on = given.has("slice") ? state.slice.includes(given.get("slice")) : state.check === given.get("check");
    link.classList.toggle("on", on);
  }
}
function clear() {
  go({ q: "", slice: [], outcome: "", check: "", tag: "", severity: "", change: "" });
}

// ---- the case

function marked(text) {
  const words = state.q.trim();
  const lower = text.toLowerCase();
  if (!words || lower.length !== text.length) return [text];
  const out = [];
  let begun = 0;
  for (let at = lower.indexOf(words.toLowerCase()); at >= 0; at = lower.indexOf(words.toLowerCase(), begun)) {
    out.push(text.slice(begun, at), el("mark", {}, text.slice(at, at + words.length)));
    begun = at + words.length;
  }
  return [...out, text.slice(begun)];
}
const json = (value) => JSON.stringify(value, null, 2) ?? "";
const short = (value) => { const line = JSON.stringify(value); return line.length <= 90 ? line : json(value); };
const plain = (value) => (typeof value === "string" ? value : json(value));
const took = (ms) => (ms === undefined ? null : ms > 0 && ms < 10 ? `${Number(ms.toPrecision(2))} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`);

function checksOf(trial, turn) {
  const found = trial.checks.filter((check) => check[1] === turn);
  if (!found.length) return [];
  return [el("h4", {}, "Checks"), el("ul", { class: "checks" }, found.map(([name, , verdict, reason, metric, score, judged]) => {
    const [kind, sign, said] = SIGNS[verdict];
    return el("li", { class: kind }, el("span", { class: "sign", role: "img", "aria-label": said, title: said }, sign),
      el("div", {}, el("b", {}, name),
        judged && el("span", { class: "tag rubric" }, score === null ? "judge" : `judge: ${score}`),
        !judged && score !== null && el("span", { class: "tag rubric" }, `score ${score}`),
        metric && el("span", { class: "tag", title: "counts for this metric" }, metric),
        reason && el("div", { class: "reason text", dir: "auto" }, marked(reason))));
  }))];
}

function answer(trial, turn) {
  const result = trial.results[turn];
  if (!result) return [el("p", { class: "meta" }, "No answer to this turn.")];
  const verdicts = trial.checks.filter((check) => check[1] === turn).map((check) => check[2]);
  const outcome = verdicts.includes(0) ? "failed" : verdicts.includes(2) ? "undecided" : verdicts.length ? "passed" : "";
  const tokens = (result.input_tokens ?? 0) + (result.output_tokens ?? 0);
  const told = [
    took(result.latency_ms), tokens ? `${count(tokens)} tokens` : null,
    result.confidence !== undefined ? `confidence ${result.confidence}` : null,
    result.abstained === undefined ? null : result.abstained ? "abstained" : "did not abstain",
    result.validator_rejected ? "rejected by the validator" : null,
    result.retrieved_ids ? `retrieved ${result.retrieved_ids.join(", ")}` : null,
  ].filter(Boolean);
  return [
    result.error && el("p", { class: "fault text" }, marked(result.error)),
    result.text !== undefined && el("div", { class: `answer text ${outcome}`, dir: "auto" }, marked(result.text)),
    result.text === undefined && result.output === undefined && !result.error && el("p", { class: "meta" }, "An empty answer."),
    result.output !== undefined && [result.text !== undefined && el("h4", {}, "Output"), el("pre", { class: `json answer ${outcome}`, dir: "auto" }, marked(json(result.output)))],
    result.tool_calls && [el("h4", {}, "Tools called"), result.tool_calls.map((call) =>
      el("div", { class: "call" }, el("code", {}, el("b", {}, call.name), `(${short(call.args ?? {})})`)))],
    told.length > 0 && el("p", { class: "meta" }, told.join(" · ")),
  ].flat(2);
}

function turnOf(one, number, sides) {
  const asked = one.inputs[number];
  const many = one.inputs.length > 1;
  return el("section", { class: `turn ${sides.length > 1 ? "two" : ""}` },
    el("h3", {}, many ? `Turn ${number + 1} of ${one.inputs.length}: asked` : "Asked"),
    el("div", { class: `asked text${typeof asked === "string" ? "" : " json"}`, dir: "auto" },
      typeof asked === "string" ? marked(asked) : el("code", {}, marked(plain(asked)))),
    el("div", { class: "sides" }, sides.map(([name, trial]) => el("div", { class: "side" },
      name ? el("h4", { class: "run" }, name, trial && el("span", { class: `badge ${trial.outcome}` }, NAMES[trial.outcome] ?? trial.outcome))
        : el("h4", {}, "Answer"),
      trial ? [answer(trial, number), checksOf(trial, number)].flat(2) : el("p", { class: "meta" }, "This case is not in the base run.")))));
}

function facts(one) {
  const fields = Object.entries(one.facts).map(([name, value]) => `${name}: ${opening(value).slice(0, 80)}`);
  return el("div", { class: "tags" }, [...one.tags, ...fields].map((text) => el("span", { class: "tag", dir: "auto" }, text)),
    one.links.length > 0 && el("span", { class: "tag" }, `linked with ${one.links.join(", ")}`));
}

function chosenRun(one) {
  const worst = OUTCOMES.map((outcome) => one.trials.find((trial) => trial.outcome === outcome)).find(Boolean);
  return one.trials.find((trial) => String(trial.run) === state.run) ?? worst ?? one.trials[0];
}

function detail() {
  const pane = by("case");
  const one = data.cases.find((other) => other.id === state.case);
  if (!one) {
    pane.replaceChildren(el("p", { class: "note" }, state.case === null ? "Nothing to show." : `There is no case ${state.case}.`));
    return;
  }
  const at = matched.indexOf(one);
  const trial = chosenRun(one);
  const step = (other, label, id, key) => other && el("a", { id, href: hereby(other), title: key }, label);
  const sides = one.base === undefined ? [["", trial]]
    : [["Base run", one.base.find((other) => other.run === trial.run) ?? one.base[0]], ["This run", trial]];
  const turns = Math.max(one.inputs.length, ...sides.map(([, side]) => side?.results.length ?? 0));
  pane.replaceChildren(
    el("div", { class: "bar" },
      el("h2", {}, `${one.id} `, el("span", { class: `badge ${one.came}` }, NAMES[one.came] ?? one.came), " ",
        el("span", { class: "badge" }, one.severity), " ", one.blocking && el("span", { class: "badge blocking" }, "blocking"), " ",
        one.change !== undefined && el("span", { class: "badge" }, one.change)),
      el("p", { class: "where" }, at < 0 ? "not under these filters" : `${count(at + 1)} of ${count(matched.length)}`,
        at > 0 && step(matched[at - 1], "↑ before", "before", "k"), at >= 0 && step(matched[at + 1], "↓ next", "after", "j"))),
    facts(one),
    one.trials.length > 1 ? el("div", { class: "runs", role: "group", "aria-label": "Runs" }, one.trials.map((other) =>
      el("button", { type: "button", "aria-pressed": String(other === trial), on: { click: () => go({ run: String(other.run) }, true) } },
        dot(other.outcome), `run ${other.run}`))) : "",
    ...(trial.error && !trial.results.some((result) => result.error) ? [el("p", { class: "fault text" }, trial.error)] : []),
    ...Array.from({ length: turns }, (_, number) => turnOf(one, number, sides)));
}

// The case that is open where none is asked for: of all cases the first that failed, blocking ones before others.
function opened() {
  if (matched.length < data.cases.length) return matched[0];
  const bad = matched.filter((one) => one.came === "failed" || one.came === "error");
  return bad.find((one) => one.blocking) ?? bad.find((one) => one.came === "failed") ?? bad[0] ?? matched[0];
}

function show() {
  matched = matching();
  state.case ??= opened()?.id ?? null;
  const at = matched.findIndex((one) => one.id === state.case);
  if (at >= 0) page = Math.floor(at / PAGE);
  if (document.activeElement !== by("search")) by("search").value = state.q;
  selects();
  chips();
  by("matched").textContent = matched.length === data.cases.length
    ? `${count(matched.length)} cases` : `${count(matched.length)} of ${count(data.cases.length)} cases`;
  list();
  detail();
}

// ---- what a reader does

let waiting = 0;
by("search").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => { const q = by("search").value; state.case = null; page = 0; go({ q }, true); }, 120);
});
by("filters").addEventListener("submit", (event) => event.preventDefault());
for (const name of FILTERS) {
  by(name)?.addEventListener("change", () => { state.case = null; page = 0; go({ [name]: by(name).value }); });
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const href = link.getAttribute("href");
  const given = new URLSearchParams(href.slice(1));
  const narrow = matchMedia("(max-width: 60rem)").matches;
  if (href === "#cases") { by("cases").scrollIntoView(); by("cases").focus({ preventScroll: true }); return; }
  const inside = by("cases").contains(link);
  if (given.has("slice") && !link.dataset.case && link.dataset.on) {
    const slice = given.get("slice");
    state.case = null;
    page = 0;
    go({ slice: state.slice.includes(slice) ? state.slice.filter((other) => other !== slice) : [...state.slice, slice] });
  } else if (inside) {
    go({ case: given.get("case") });
    if (narrow && link.dataset.case) by("case").scrollIntoView();
  } else {
    // from the overview: that and nothing else
    const changed = Object.fromEntries(FILTERS.map((name) => [name, given.get(name) ?? ""]));
    const back = link.classList.contains("on");
    page = 0;
    state.case = given.get("case");
    go({ ...(back ? Object.fromEntries(FILTERS.map((name) => [name, ""])) : changed), q: "", slice: [], case: given.get("case") });
    if (!back) (given.has("case") && narrow ? by("case") : by("cases")).scrollIntoView();
  }
});
const step = (by_) => {
  const at = matched.findIndex((one) => one.id === state.case);
  const next = matched[at < 0 ? 0 : at + by_];
  if (next) go({ case: next.id }, true);
};
const help = by("help");
const keys = {
  j: () => step(1),
  k: () => step(-1),
  f: () => { state.case = null; page = 0; go({ outcome: state.outcome === "failed" ? "" : "failed" }); },
  r: () => {
    const one = data.cases.find((other) => other.id === state.case);
    if (one) go({ run: String(one.trials[(one.trials.indexOf(chosenRun(one)) + 1) % one.trials.length].run) }, true);
  },
  x: () => { page = 0; clear(); },
  "/": () => { by("search").focus(); by("search").select(); },
  "?": () => (help.open ? help.close() : help.showModal()),
};
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
  if (help.open && event.key !== "?") return;
  event.preventDefault();
  keys[event.key]();
});
by("help-button").addEventListener("click", keys["?"]);
window.addEventListener("popstate", () => { state = read(); show(); });
if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".fold").open = false;
by("cases").hidden = false;
const linked = location.hash.length > 1;
show();
if (linked) by("cases").scrollIntoView();
