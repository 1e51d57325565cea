#!/usr/bin/env python3
"""The guestbook: a page of entries from the database, and a form that adds one. Called with its settings file."""

from __future__ import annotations

import html
import json
import sqlite3
import sys
from contextlib import closing
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

LONGEST = 10_000  # bytes of a form

PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{title}</title>
<style>body {{ font: 1.1em/1.5 sans-serif; max-width: 40em; margin: 3em auto }} time {{ color: #777 }}</style>
<h1>{title}</h1>
<ul>
{entries}
</ul>
<form method="post">
<input name="name" placeholder="Your name" required maxlength="80">
<input name="message" placeholder="Your message" required maxlength="500">
<button>Sign</button>
</form>
</html>
"""

ENTRY = "<li><b>{name}</b>: {message} <time>{signed}</time></li>"


class Guestbook(ThreadingHTTPServer):
    """The server, with what its requests need."""

    daemon_threads = True

    def __init__(self, title: str, port: int, database: str) -> None:
        super().__init__(("127.0.0.1", port), Request)
        self.title = title
        self.database = database

    def connect(self) -> sqlite3.Connection:
        """Connect to the database, which must exist."""
        return sqlite3.connect(f"file:{self.database}?mode=rw", uri=True, timeout=10)

    def page(self) -> str:
        """The page as it is now."""
        with closing(self.connect()) as database:
            rows = database.execute("SELECT name, message, signed FROM entry ORDER BY id DESC LIMIT 100").fetchall()
        entries = (
            ENTRY.format(name=html.escape(name), message=html.escape(message), signed=html.escape(signed))
            for name, message, signed in rows
        )
        return PAGE.format(title=html.escape(self.title), entries="\n".join(entries))

    def sign(self, name: str, message: str) -> None:
        """Add an entry."""
        with closing(self.connect()) as database, database:
            database.execute("INSERT INTO entry (name, message) VALUES (?, ?)", (name[:80], message[:500]))


class Request(BaseHTTPRequestHandler):
    """One request of a visitor."""

    server: Guestbook

    def do_GET(self) -> None:
        """Show the page."""
        if self.path != "/":
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            body = self.server.page().encode()
        except sqlite3.Error as error:
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, explain=f"the database does not answer: {error}")
            return
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        """Add an entry, and send the visitor back to the page."""
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > LONGEST:
            self.send_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        form = parse_qs(self.rfile.read(int(length)).decode(errors="replace"))
        name, message = (form.get(field, [""])[0].strip() for field in ("name", "message"))
        if not name or not message:
            self.send_error(HTTPStatus.BAD_REQUEST, explain="a name and a message are needed")
            return
        try:
            self.server.sign(name, message)
        except sqlite3.Error as error:
            self.send_error(HTTPStatus.SERVICE_UNAVAILABLE, explain=f"the database does not answer: {error}")
            return
        self.send_response(HTTPStatus.SEE_OTHER)
        self.send_header("Location", "/")
        self.send_header("Content-Length", "0")
        self.end_headers()


if __name__ == "__main__":
    Guestbook(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))).serve_forever()
