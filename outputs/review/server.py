"""The server of a review: this machine only, its own pages only, and changes only from them."""

import secrets
import socketserver
import sys
from functools import partial
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

from evalspec.outputs.review import filters, pages
from evalspec.outputs.review.decisions import ReviewError, Verdict
from evalspec.outputs.review.desk import Desk, DeskError
from evalspec.spec.dataclass import dataclass

HOST = "127.0.0.1"
LARGEST_POST = 64 * 1024
VERDICTS = ("accepted", "rejected", "noted", "none")
HEADERS: dict[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Sent with every answer: a page runs no script but ours, and reaches nothing but this server."""


@dataclass(frozen=True, slots=True)
class Session:
    """A desk, and the token that a change of it must bring."""

    desk: Desk
    token: str


class Server(ThreadingHTTPServer):
    """Listens on loopback; `address` is what to open in a browser."""

    daemon_threads = True

    def __init__(self, desk: Desk, port: int = 0) -> None:
        """Listen on `port`, or on a free one. Raises OSError."""
        session = Session(desk, secrets.token_urlsafe(32))
        pages.page(desk, filters.Filters(), session.token)  # what the first page alone would wait for is loaded
        super().__init__((HOST, port), partial(_Handler, session))

    def server_bind(self) -> None:
        """Bind without looking up the machine's name, as the standard class does."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    @property
    def address(self) -> str:
        """The address of the first page."""
        return f"http://{HOST}:{self.server_port}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names that a request may call this server by."""
        return f"{HOST}:{self.server_port}", f"localhost:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that hangs up is no fault; all else is ours, and shown in the terminal."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 30
    server_version = "evalspec"
    sys_version = ""

    def __init__(self, session: Session, *arguments: Any) -> None:
        self.session = session
        super().__init__(*arguments)

    def do_GET(self) -> None:
        """A page, or a file that pages load."""
        if not self._is_for_us():
            return self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "this server answers on 127.0.0.1 only")
        target = urlsplit(self.path)
        name = target.path.removeprefix("/")
        if name in pages.ASSETS:
            return self._send(HTTPStatus.OK, pages.ASSETS[name], pages.asset(name))
        if name:
            return self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        try:
            wanted = filters.parse(target.query)
        except ValueError:
            return self._refuse(HTTPStatus.BAD_REQUEST, "too many fields")
        text = pages.page(self.session.desk, wanted, self.session.token)
        return self._send(HTTPStatus.OK, "text/html; charset=utf-8", text.encode("utf-8", "replace"))

    def do_POST(self) -> None:
        """A decision: it is written, and the next group is shown."""
        self.close_connection = True  # a body that was refused unread must not be taken for a request
        if not self._is_for_us():
            return self._refuse(HTTPStatus.MISDIRECTED_REQUEST, "this server answers on 127.0.0.1 only")
        if urlsplit(self.path).path != "/decide":
            return self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or int(length) > LARGEST_POST:
            return self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "that is too long")
        try:
            body = self.rfile.read(int(length)).decode("utf-8")
            form = dict(parse_qsl(body, keep_blank_values=True, max_num_fields=20))
        except ValueError:
            return self._refuse(HTTPStatus.BAD_REQUEST, "this is no form")
        if not compare_digest(form.get("token", "").encode(), self.session.token.encode()) or not self._is_from_us():
            return self._refuse(HTTPStatus.FORBIDDEN, "this form is of another session: load the page anew")
        return self._decide(form)

    def _decide(self, form: dict[str, str]) -> None:
        verdict, group = form.get("verdict", ""), form.get("group", "")
        if verdict not in VERDICTS:
            return self._refuse(HTTPStatus.BAD_REQUEST, "there is no such verdict")
        note = form.get("note", "").replace("\r\n", "\n")
        try:
            self.session.desk.decide(group, None if verdict == "none" else cast("Verdict", verdict), note)
            back = filters.parse(form.get("back", ""))
        except (DeskError, ReviewError, ValueError) as error:
            return self._refuse(HTTPStatus.CONFLICT, str(error))
        judged = verdict in ("accepted", "rejected")
        after = form.get("next", "") if judged else ""
        self.send_response(HTTPStatus.SEE_OTHER)
        return self._end({"Location": back.at(after or group).url, "Content-Length": "0"})

    def _is_for_us(self) -> bool:
        """Whether the request names this server; a name that someone else's DNS points here is not ours."""
        return self.headers.get("Host", "") in cast("Server", self.server).hosts

    def _is_from_us(self) -> bool:
        """Whether a browser says that the form was ours, where it says anything."""
        origin = self.headers.get("Origin")
        return origin is None or origin in {f"http://{host}" for host in cast("Server", self.server).hosts}

    def _refuse(self, status: HTTPStatus, reason: str) -> None:
        self._send(status, "text/plain; charset=utf-8", f"{reason}\n".encode())

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self._end({"Content-Type": kind, "Content-Length": str(len(body))})
        self.wfile.write(body)

    def _end(self, headers: dict[str, str]) -> None:
        if self.close_connection:
            headers = {**headers, "Connection": "close"}
        for name, value in {**HEADERS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """A request that cannot be read or is of no known method: said in plain text."""
        del explain
        self.close_connection = True
        self._refuse(HTTPStatus(code), message or HTTPStatus(code).phrase)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal is the user's."""
