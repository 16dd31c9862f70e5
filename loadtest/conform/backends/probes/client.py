"""Plain HTTP over sockets: what was sent and what came back, byte by byte."""

import select
import socket
import time
from dataclasses import dataclass


class Cut(Exception):
    """The connection ended within or before an answer."""


@dataclass
class Answer:
    status: int
    headers: dict  # names in lower case
    body: bytes

    @property
    def good(self):
        return 200 <= self.status < 300


class Connection:
    def __init__(self, port, timeout=10):
        self.port, self.timeout = port, timeout
        self.open()

    def open(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port), self.timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def exchange(self, data):
        """One of several requests; opens a new connection when the answer ends this one."""
        self.send(data)
        answer = self.answer()
        if answer.headers.get("connection", "").lower() == "close":
            self.close()
            self.open()
        return answer

    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise Cut(f"the connection ended after {self.rest[:40]!r}")
        self.rest += data

    def line_end(self, mark):
        while mark not in self.rest:
            self.more()
        head, self.rest = self.rest.split(mark, 1)
        return head

    def exactly(self, length):
        while len(self.rest) < length:
            self.more()
        data, self.rest = self.rest[:length], self.rest[length:]
        return data

    def answer(self, method="POST"):
        """The next final answer."""
        while True:
            head = self.line_end(b"\r\n\r\n").decode("latin-1").split("\r\n")
            if not head[0].startswith("HTTP/1."):
                raise Cut(f"not the beginning of an answer: {head[0][:60]!r}")
            status = int(head[0].split(" ")[1])
            headers = {
                name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])
            }
            if status >= 200:
                return Answer(status, headers, self.body(method, status, headers))

    def body(self, method, status, headers):
        if method == "HEAD" or status in (204, 304):
            return b""
        if headers.get("transfer-encoding", "").lower() == "chunked":
            body = b""
            while size := int(self.line_end(b"\r\n"), 16):
                body += self.exactly(size)
                self.exactly(2)
            self.line_end(b"\r\n")
            return body
        if "content-length" in headers:
            return self.exactly(int(headers["content-length"]))
        try:
            while True:
                self.more()
        except Cut:
            body, self.rest = self.rest, b""
            return body

    def pending(self, seconds=0.0):
        """Whether bytes or the end of the connection have come."""
        return bool(self.rest) or bool(select.select([self.socket], [], [], seconds)[0])

    def ended(self, seconds=0.0):
        """Whether the other side has closed without sending more."""
        if self.rest or not select.select([self.socket], [], [], seconds)[0]:
            return False
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            return True
        self.rest += data
        return not data


def request(body=b"", path="/locations", method="POST", headers=(), length=True):
    """The bytes of a request."""
    fields = {"Host": "127.0.0.1", "Content-Type": "application/json"} | dict(headers)
    if length:
        fields["Content-Length"] = str(len(body))
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value is not None)
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body


def exchange(port, data, method="POST", timeout=10):
    with Connection(port, timeout) as connection:
        connection.send(data)
        return connection.answer(method)


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
