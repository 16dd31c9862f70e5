"""A webhook that keeps what it takes: receiver.py PORT FILE. A line "ID DEVICE NUMBER" for each record, on disk before the answer."""

import http.server
import json
import os
import sys


class Hook(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        records = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["records"]
        lines = "".join(f"{r['id']} {r['device']} {r['record']['odometer']}\n" for r in records)
        # One call: a kill leaves all of a request or nothing.
        os.write(kept, lines.encode())
        os.fdatasync(kept)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


kept = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
http.server.ThreadingHTTPServer.allow_reuse_address = True
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Hook).serve_forever()
