"""trouble.py PORT PLAINPORT AUTHORITY PROCESS: clients that mistake or mean no good; what an honest one notices meanwhile (99th
percentile at most 50 ms), and what they cost the server (at most 45 MB at any time). Ends with 1 when something is not as it should be."""
import resource, socket, ssl, sys, time, urllib.request

port, plain, authority, process = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
resource.setrlimit(resource.RLIMIT_NOFILE, (8000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
context = ssl.create_default_context(cafile=authority)
problems = []


def check(what, isRight, detail=""):
    print(f"{'ok  ' if isRight else 'BAD '} {what} {detail}")
    if not isRight:
        problems.append(what)


def raw():
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def hello():
    """A ClientHello as a client would send it."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()


def honest(count=200):
    """The slowest 99th of so many requests, each over a connection of its own, in milliseconds."""
    times = []
    for _ in range(count):
        start = time.monotonic()
        with context.wrap_socket(raw(), server_hostname="localhost") as sock:
            sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert b"200 OK" in sock.recv(4096)
        times.append(time.monotonic() - start)
    return sorted(times)[int(count * 0.99) - 1] * 1000


def metric(name):
    text = urllib.request.urlopen(f"http://127.0.0.1:{plain}/metrics").read().decode()
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))


def peak():
    """Of the server's memory so far, in MB."""
    return next(int(line.split()[1]) for line in open(f"/proc/{process}/status") if line.startswith("VmHWM")) / 1024


before = honest()
check("alone, p99", before <= 50, f"{before:.1f} ms")
try:
    context.wrap_socket(raw(), server_hostname="other.test")
    check("another host is refused", False)
except ssl.SSLCertVerificationError:
    check("another host is refused", True)
try:
    ssl.create_default_context().wrap_socket(raw(), server_hostname="localhost")
    check("an unknown authority is refused", False)
except ssl.SSLCertVerificationError:
    check("an unknown authority is refused", True)
with raw() as sock:
    sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    check("plain HTTP is told so", b"400" in sock.recv(4096))

silent = [raw() for _ in range(3000)]
meanwhile = honest()
check("3,000 that say nothing: p99", meanwhile <= 50, f"{meanwhile:.1f} ms")
for sock in silent:
    sock.sendall(hello())
meanwhile = honest()
check("3,000 half-open handshakes: p99", meanwhile <= 50, f"{meanwhile:.1f} ms")
check("the oldest of them were ended", metric('rollingroad_tls_handshakes_failed_total{cause="crowded"}') >= 2000)
slow = [raw() for _ in range(500)]
for byte in hello()[:30]:
    for sock in slow:
        try:
            sock.sendall(bytes([byte]))
        except OSError:
            pass
meanwhile = honest()
check("500 with a byte at a time: p99", meanwhile <= 50, f"{meanwhile:.1f} ms")
for _ in range(500):
    with raw() as sock:
        sock.sendall(b"\x16\x03\x01\xff\xff" + bytes(60))
    with raw() as sock:
        sock.sendall(b"\x16\x03\x01\x00\x05hello")
    with context.wrap_socket(raw(), server_hostname="localhost") as sock:
        inner = socket.socket(fileno=sock.detach())
        inner.sendall(b"\x17\x03\x03\x40\x00abc")
        inner.close()
meanwhile = honest()
check("after 1,500 with garbage: p99", meanwhile <= 50, f"{meanwhile:.1f} ms")
check("memory at most", peak() <= 45, f"{peak():.1f} MB")
for sock in silent + slow:
    sock.close()
sys.exit(1 if problems else 0)
