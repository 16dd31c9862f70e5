"""A server that misbehaves in twenty ways, each under a path of its own, and afterwards is sound."""
import hashlib, json, re, socket, struct, threading, time

SOUND = b'{"accepted":1}'
PAGE = b"<!DOCTYPE html><html><body>Welcome to the hotel. Please log in.</body></html>"


def answer(status, body=b"", *fields, length=None):
    lines = [f"HTTP/1.1 {status}", *fields, f"Content-Length: {len(body) if length is None else length}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


# What is written, and what follows: keep the connection, close it, reset it, hold it in silence, drip.
# The third word says whether the server has kept the records before: only then may the answer be a 2xx that counts.
WAYS = {
    "500": (answer("500 Internal Server Error", b"{}"), "keep", False),
    "503": (answer("503 Service Unavailable", b"", "Retry-After: 1"), "keep", False),
    "400": (answer("400 Bad Request", b"no"), "keep", False),
    "401": (answer("401 Unauthorized", b"{}", "WWW-Authenticate: Bearer"), "keep", False),
    "403": (answer("403 Forbidden"), "keep", False),
    "404": (answer("404 Not Found", PAGE), "keep", False),
    "413": (answer("413 Content Too Large"), "close", False),
    "429": (answer("429 Too Many Requests", b"", "Retry-After: 1"), "keep", False),
    "redirect": (answer("302 Found", b"", "Location: http://127.0.0.1:1/elsewhere"), "keep", False),
    "not-modified": (b"HTTP/1.1 304 Not Modified\r\n\r\n", "keep", False),
    "empty-200": (answer("200 OK"), "keep", True),
    "portal": (answer("200 OK", PAGE, "Content-Type: text/html"), "keep", False),
    "no-answer": (b"", "close", False),
    "half-a-head": (b"HTTP/1.1 200 OK\r\nContent-Le", "close", False),
    "half-a-body": (answer("200 OK", SOUND[:5], length=len(SOUND)), "close", False),
    "more-than-said": (answer("200 OK", SOUND + b"and more", length=len(SOUND)), "close", True),
    "reset": (b"", "reset", False),
    "reset-in-the-answer": (answer("200 OK", SOUND[:3], length=len(SOUND)), "reset", False),
    "silence": (b"", "hold", False),
    "slow": (answer("200 OK", SOUND), "drip", False),
}


class Course:
    """What one way has seen."""

    def __init__(self):
        self.lock = threading.Lock()
        self.begin = None
        self.requests, self.sent, self.changed = 0, {}, set()
        self.stored, self.misled = {}, set()
        self.unreadable = 0
        self.moments = []

    def see(self, device, records, keeps, is_portal):
        with self.lock:
            self.requests += 1
            self.moments.append(time.monotonic())
            for uuid, digest in records:
                if self.sent.setdefault(uuid, digest) != digest:
                    self.changed.add(uuid)
                if keeps:
                    self.stored[uuid] = device
                if is_portal:
                    self.misled.add(uuid)

    def busiest_second(self):
        best, start = 0, 0
        for end in range(len(self.moments)):
            while self.moments[end] - self.moments[start] > 1:
                start += 1
            best = max(best, end - start + 1)
        return best


class Server:
    """`trouble_seconds` after its first request a way is over. `now_serving` overrides the way of the path "any"."""

    def __init__(self, trouble_seconds):
        self.trouble_seconds = trouble_seconds
        self.courses = {name: Course() for name in [*WAYS, "any"]}
        self.now_serving = None
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            with connection, connection.makefile("rb") as reader:
                while self.serve_one(connection, reader):
                    pass
        except OSError:
            pass

    def serve_one(self, connection, reader):
        line = reader.readline()
        if not line:
            return False
        fields = {}
        while (field := reader.readline().strip()):
            name, _, value = field.partition(b":")
            fields[name.strip().lower()] = value.strip().decode()
        length = int(fields.get(b"content-length", "0"))
        body = reader.read(length)
        if len(body) < length:
            return False  # Whoever sent it was killed.
        path = line.split()[1].decode()
        name = path.split("/")[1].split("?")[0]
        course = self.courses.get(name)
        if course is None:
            # The simulator asks whether this is a Rolling Road, with a live page.
            connection.sendall(answer("404 Not Found", b""))
            return True
        if "/uuids" in path:
            device = re.search(r"device=([^&]*)", path)[1]
            with course.lock:
                found = [{"uuid": uuid} for uuid, owner in course.stored.items() if owner == device]
            connection.sendall(answer("200 OK", json.dumps(found).encode()))
            return True
        if not line.startswith(b"POST "):
            # The simulator asks before it begins whether anybody is there: that is no upload, and begins nothing.
            connection.sendall(answer("405 Method Not Allowed", b"", "Allow: POST"))
            return True
        return self.misbehave(connection, course, self.way(name, course), fields, body)

    def way(self, name, course):
        if name == "any":
            return self.now_serving
        course.begin = course.begin or time.monotonic()
        return name if time.monotonic() - course.begin < self.trouble_seconds else None

    def misbehave(self, connection, course, way, fields, body):
        output, ending, keeps = WAYS[way] if way else (answer("200 OK", SOUND), "keep", True)
        try:
            # Numbers stay the text that they are: a record must come again as the same bytes.
            records = json.loads(body, parse_float=str, parse_int=str)["location"]
            records = records if isinstance(records, list) else [records]
            digests = [(r["uuid"].lower(), hashlib.sha1(json.dumps(r).encode()).hexdigest()) for r in records]
        except (ValueError, LookupError, TypeError, AttributeError):
            with course.lock:
                course.unreadable += 1
            return False
        course.see(fields.get(b"x-device-id", ""), digests, keeps, way == "portal")
        if ending == "drip":
            for byte in output:
                connection.sendall(bytes([byte]))
                time.sleep(0.2)
        elif output:
            connection.sendall(output)
        if ending == "hold":
            connection.recv(1)
        if ending == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return ending == "keep"
