"""Defects of HTTP and connections."""

import os
import threading
import time

from defects import around, defect
from wire import Answer, BadRequest


def is_upload(handler):
    return handler.command in ("POST", "PUT", "PATCH") and handler.path.partition("?")[0] == "/locations"


def on_upload(parts, edit):
    """`edit` changes the answer to an upload that was acknowledged."""

    @around(parts.backend, "acknowledge")
    def _(acknowledge, upload, commands):
        return edit(acknowledge(upload, commands))


@defect
def answer_before_body(parts):
    @around(parts.handler, "exchange")
    def _(exchange, self):
        if not is_upload(self):
            return exchange(self)
        self.answer(Answer(200, {"success": True}))
        self.respond(self.read_body())


@defect
def body_with_204(parts):
    def edit(answer):
        return Answer(204, answer.content, {"Content-Length": str(len(answer.data()))})

    on_upload(parts, edit)
    parts.handler.send_data = lambda self, answer, data: self.wfile.write(data)


@defect
def page_instead_of_json(parts):
    on_upload(
        parts, lambda answer: Answer(200, b"<!DOCTYPE html><html><body>OK</body></html>", {"Content-Type": "text/html"})
    )


@defect
def proxy_page_200(parts):
    page = b"<!DOCTYPE html><html><title>Welcome to nginx!</title><body></body></html>"

    @around(parts.backend, "upload")
    def _(upload, request):
        return Answer(200, page, {"Content-Type": "text/html"})


@defect
def type_says_html(parts):
    on_upload(parts, lambda answer: Answer(answer.status, answer.content, {"Content-Type": "text/html; charset=utf-8"}))


@defect
def length_in_characters(parts):
    text = '{"success":true,"message":"gespeichert – danke ✓"}'
    on_upload(parts, lambda answer: Answer(200, text.encode(), {"Content-Length": str(len(text))}))


@defect
def length_too_long(parts):
    on_upload(parts, lambda answer: Answer(200, answer.content, {"Content-Length": str(len(answer.data()) + 2)}))


@defect
def idle_closed_unanswered(parts):
    @around(parts.handler, "exchange")
    def _(exchange, self):
        waited = time.monotonic() - getattr(self, "answered", time.monotonic())
        if waited > 3:
            self.close_connection = True
            return
        exchange(self)
        self.answered = time.monotonic()


@defect
def closes_unsaid(parts):
    @around(parts.handler, "answer")
    def _(answer, self, given):
        answer(self, given)
        self.close_connection = True


@defect
def close_ignored(parts):
    @around(parts.handler, "exchange")
    def _(exchange, self):
        self.close_connection = False
        exchange(self)


@defect
def chunked_unread(parts):
    @around(parts.handler, "read_chunks")
    def _(read, self):
        read(self)
        return b"[]"


@defect
def chunks_decoded_alone(parts):
    parts.handler.joined = lambda self, pieces: "".join(piece.decode("utf-8", "replace") for piece in pieces).encode()


@defect
def gzip_as_text(parts):
    parts.handler.inflate = lambda self, raw: raw

    @around(parts.intake, "read")
    def _(read, body, *rest):
        if body[:2] == b"\x1f\x8b":
            upload = read(b"[]", *rest)
            upload.aside.append((rest[0] or "unknown", body.decode("latin-1"), "no JSON"))
            return upload
        return read(body, *rest)


@defect
def expect_unread(parts):
    def acknowledge(self):
        self.close_connection = True
        self.answer(Answer(200, {"success": True}))
        return False

    parts.handler.handle_expect_100 = acknowledge


def redirect(parts, status):
    @around(parts.backend, "route")
    def _(route, request):
        if request.path == "/locations":
            return Answer(status, None, {"Location": "/locations/"})
        request.path = request.path.removesuffix("/") or "/"
        return route(request)


@defect
def redirect_301(parts):
    redirect(parts, 301)


@defect
def redirect_302(parts):
    redirect(parts, 302)


@defect
def redirect_307(parts):
    redirect(parts, 307)


@defect
def head_options_crash(parts):
    def crash(self):
        raise NotImplementedError(self.command)

    parts.handler.do_HEAD = parts.handler.do_OPTIONS = crash


@defect
def header_case(parts):
    @around(parts.handler, "content_length")
    def _(content_length, self):
        return content_length(self) if "Content-Length" in self.headers.keys() else 0


@defect
def pipelined_lost(parts):
    @around(parts.handler, "answer")
    def _(answer, self, given):
        answer(self, given)
        self.rfile = self.connection.makefile("rb")  # forgets what was read ahead


@defect
def pipelined_close_lost(parts):
    @around(parts.handler, "read_body")
    def _(read, self):
        body = read(self)
        if self.close_connection and getattr(self, "served", False):
            raise ConnectionResetError
        self.served = True
        return body


@defect
def one_at_a_time(parts):
    turn = threading.Lock()

    @around(parts.handler, "exchange")
    def _(exchange, self):
        with turn:
            exchange(self)


@defect
def eight_workers(parts):
    workers = threading.Semaphore(8)

    @around(parts.handler, "handle")
    def _(handle, self):
        with workers:
            handle(self)


@defect
def garbage_ends_server(parts):
    @around(parts.handler, "send_error")
    def _(send_error, self, code, *rest):
        os._exit(1)


@defect
def slow_body_cut(parts):
    @around(parts.handler, "read_exactly")
    def _(read, self, length):
        begin, pieces, total = time.monotonic(), [], 0
        while total < length:
            piece = self.rfile.read1(length - total)
            if not piece or time.monotonic() - begin > 1.5:
                raise ConnectionResetError("request timeout")
            pieces.append(piece)
            total += len(piece)
        return b"".join(pieces)


@defect
def one_read(parts):
    parts.handler.read_exactly = lambda self, length: self.rfile.read1(length) if length else b""


@defect
def long_header_431(parts):
    @around(parts.handler, "read_body")
    def _(read, self):
        body = read(self)
        if any(len(value) > 2048 for value in self.headers.values()):
            raise BadRequest(431, "request header fields too large")
        return body


@defect
def unknown_path_200(parts):
    parts.backend.unknown_path = lambda request: Answer(200, {"success": True})


@defect
def refused_body_unread(parts):
    """The rest of a refused request is taken for the next one."""

    @around(parts.handler, "answer")
    def _(answer, self, given):
        answer(self, given)
        if given.status >= 400 and self.command == "POST" and not self.close_connection:
            self.send_error(400, "no request line")


@defect
def refusal_closes_unsaid(parts):
    @around(parts.handler, "answer")
    def _(answer, self, given):
        answer(self, given)
        if given.status >= 400:
            self.close_connection = True


@defect
def known_204_with_body(parts):
    known = set()

    @around(parts.backend, "acknowledge")
    def _(acknowledge, upload, commands):
        keys = {(record.device, record.key) for record in upload.records}
        is_known = keys and keys <= known
        known.update(keys)
        answer = acknowledge(upload, commands)
        if not is_known:
            return answer
        return Answer(204, answer.content, {"Content-Length": str(len(answer.data()))})

    parts.handler.send_data = lambda self, answer, data: self.wfile.write(data)


@defect
def fiftieth_closes_unsaid(parts):
    @around(parts.handler, "answer")
    def _(answer, self, given):
        answer(self, given)
        self.count = getattr(self, "count", 0) + 1
        if self.count == 50:
            self.close_connection = True


@defect
def large_body_closes_unsaid(parts):
    @around(parts.handler, "respond")
    def _(respond, self, body):
        self.is_large = len(body) > 1_000_000
        return respond(self, body)

    @around(parts.handler, "answer")
    def _(answer, self, given):
        answer(self, given)
        if getattr(self, "is_large", False):
            self.close_connection = True


@defect
def full_buffer_waits(parts):
    """Reads pieces of 1,024 bytes until one is shorter."""
    read = parts.handler.read_exactly

    def read_exactly(self, length):
        return read(self, length + 1 if length and length % 1_024 == 0 else length)

    parts.handler.read_exactly = read_exactly
