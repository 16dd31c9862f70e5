"""HTTP/1.1 of the backend: bodies with a length, in chunks, compressed; answers; connections that stay open."""

import socket
import ssl
import threading
import zlib
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from intake import write

LARGEST_BODY = 32 << 20
LARGEST_INFLATED = 128 << 20


@dataclass
class Request:
    method: str
    path: str
    query: dict
    headers: object  # looked up without regard to letter case
    body: bytes
    connection: object

    @property
    def bearer(self):
        scheme, _, token = (self.headers.get("Authorization") or "").partition(" ")
        return token.strip() if scheme.lower() == "bearer" else None


@dataclass
class Answer:
    status: int = 200
    content: object = None  # bytes, or what is written as JSON
    headers: dict = field(default_factory=dict)

    def data(self):
        if isinstance(self.content, bytes):
            return self.content
        return b"" if self.content is None else write(self.content).encode()


class BadRequest(Exception):
    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = 60
    wbufsize = 65536
    disable_nagle_algorithm = True

    def exchange(self):
        with self.server.at_work():
            try:
                body = self.read_body()
            except BadRequest as error:
                self.close_connection = True
                return self.answer(Answer(error.status, {"error": str(error)}))
            self.answer(self.respond(body))

    def do_POST(self):
        self.exchange()

    do_PUT = do_PATCH = do_GET = do_HEAD = do_OPTIONS = do_DELETE = do_POST

    def respond(self, body):
        target = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(target.query, keep_blank_values=True).items()}
        return self.server.backend.handle(Request(self.command, target.path, query, self.headers, body, self))

    def read_body(self):
        coding = self.headers.get("Transfer-Encoding")
        if coding is None:
            raw = self.read_exactly(self.content_length())
        elif coding.strip().lower() != "chunked":
            raise BadRequest(501, f"transfer coding {coding} is not supported")
        elif "Content-Length" in self.headers:
            raise BadRequest(400, "both Content-Length and Transfer-Encoding")
        else:
            raw = self.read_chunks()
        return self.inflate(raw)

    def content_length(self):
        lengths = set(self.headers.get_all("Content-Length", ["0"]))
        text = lengths.pop().strip()
        if lengths or not (text.isascii() and text.isdigit()):
            raise BadRequest(400, "no readable Content-Length")
        if int(text) > LARGEST_BODY:
            raise BadRequest(413, f"more than {LARGEST_BODY} bytes")
        return int(text)

    def read_exactly(self, length):
        data = self.rfile.read(length)
        if len(data) < length:
            raise ConnectionResetError("the body ends before its length")
        return data

    def read_chunks(self):
        pieces, total = [], 0
        while size := self.chunk_size():
            total += size
            if total > LARGEST_BODY:
                raise BadRequest(413, f"more than {LARGEST_BODY} bytes")
            pieces.append(self.read_exactly(size))
            if self.read_exactly(2) != b"\r\n":
                raise BadRequest(400, "a chunk does not end with its size")
        while self.rfile.readline(8192) not in (b"\r\n", b"\n", b""):
            pass  # trailers
        return self.joined(pieces)

    def chunk_size(self):
        line = self.rfile.readline(8192)
        digits = line.split(b";")[0].strip()
        if not digits or digits.strip(b"0123456789abcdefABCDEF"):
            raise BadRequest(400, "no readable chunk size")
        return int(digits, 16)

    def joined(self, pieces):
        return b"".join(pieces)

    def inflate(self, raw):
        coding = (self.headers.get("Content-Encoding") or "identity").strip().lower()
        if coding == "identity":
            return raw
        if coding not in ("gzip", "x-gzip"):
            raise BadRequest(415, f"content coding {coding} is not supported")
        inflater = zlib.decompressobj(31)
        try:
            body = inflater.decompress(raw, LARGEST_INFLATED)
        except zlib.error as error:
            raise BadRequest(400, f"no gzip: {error}") from error
        if inflater.unconsumed_tail or not inflater.eof:
            raise BadRequest(413 if inflater.unconsumed_tail else 400, "the gzip body is too large or cut")
        return body

    def answer(self, answer):
        data = answer.data()
        self.send_response(answer.status)
        for name, value in (self.framing(answer, data) | answer.headers).items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.send_data(answer, data)
        self.wfile.flush()

    def framing(self, answer, data):
        headers = {"Content-Type": "application/json"} if data else {}
        return headers if answer.status in (204, 304) else headers | {"Content-Length": str(len(data))}

    def send_data(self, answer, data):
        if answer.status not in (204, 304):
            self.wfile.write(data)

    def handle_expect_100(self):
        self.send_response_only(100)
        self.end_headers()
        self.wfile.flush()
        return True

    def send_error(self, code, message=None, explain=None):
        """What the base class finds wrong with a request line or a head."""
        self.close_connection = True
        self.command = self.command or "GET"
        self.answer(Answer(int(code), {"error": message or self.responses.get(code, ("",))[0]}))

    def version_string(self):
        return "backend"

    def log_message(self, form, *arguments):
        if self.server.verbose:
            super().log_message(form, *arguments)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 1024

    def __init__(self, port, handler, backend, verbose=False):
        self.backend, self.verbose = backend, verbose
        self.working, self.idle = 0, threading.Condition()
        super().__init__(("127.0.0.1", port), handler)

    def server_bind(self):
        """As in the base classes, without a look-up of the host's name."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = self.server_address[:2]

    def secure(self, certificate):
        """From now on https; the thread of a connection makes the handshake with its first read."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)

    def at_work(self):
        return Working(self)

    def drain(self, seconds):
        """Waits until the requests under way are answered."""
        with self.idle:
            self.idle.wait_for(lambda: self.working == 0, seconds)

    def handle_error(self, request, client_address):
        if self.verbose:
            super().handle_error(request, client_address)


class Working:
    def __init__(self, server):
        self.server = server

    def __enter__(self):
        with self.server.idle:
            self.server.working += 1

    def __exit__(self, *_):
        with self.server.idle:
            self.server.working -= 1
            self.server.idle.notify_all()
