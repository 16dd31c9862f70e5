"""crowd.py PORT PROCESS AUTHORITY COUNT: so many clients with TLS, each with one request behind it and idle; prints the KiB
that each costs the process."""
import resource, socket, ssl, sys

port, process, authority, count = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
resource.setrlimit(resource.RLIMIT_NOFILE, (count + 100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
context = ssl.create_default_context(cafile=authority)


def rss():
    return next(int(line.split()[1]) for line in open(f"/proc/{process}/status") if line.startswith("VmRSS"))


def client():
    sock = context.wrap_socket(socket.create_connection(("127.0.0.1", port)), server_hostname="localhost")
    sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b"200 OK" in sock.recv(4096)
    return sock


first = [client() for _ in range(50)]
before = rss()
clients = [client() for _ in range(count)]
print(round((rss() - before) / count, 1))
