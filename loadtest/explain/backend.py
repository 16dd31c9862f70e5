#!/usr/bin/env python3
"""A location backend on SQLite that acknowledges every record, loses one, stores one twice, changes one and misfiles one.

  backend.py FILE N [N N N]   the n-th new record (from 1) that is dropped, doubled, changed, misfiled; the port is printed

GET /stored?device=NAME lists what is stored, GET /planted what was done to which record.
"""

import json
import sqlite3
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

ACTS = ["dropped", "doubled", "changed", "misfiled"]


class Store:
    def __init__(self, path, numbers):
        self.connection = sqlite3.connect(path, check_same_thread=False)
        self.connection.execute("CREATE TABLE records(uuid TEXT, device TEXT, body TEXT)")
        self.connection.execute("CREATE INDEX by_device ON records(device)")
        self.acts = dict(zip(numbers, ACTS))
        self.lock, self.seen, self.devices, self.planted, self.due = threading.Lock(), set(), [], {}, []

    def take(self, device, records):
        with self.lock:
            if device not in self.devices:
                self.devices.append(device)
            for record in records:
                self.take_one(device, record)
            self.connection.commit()

    def take_one(self, device, record):
        uuid = record["uuid"].lower()
        if uuid in self.seen:
            return
        self.seen.add(uuid)
        if len(self.seen) in self.acts:
            self.due.append(self.acts[len(self.seen)])
        act = self.due.pop(0) if self.due and self.suits(self.due[0], device, record) else None
        if act:
            self.planted[act] = {"uuid": uuid, "device": device}
        if act == "dropped":
            return
        if act == "changed":
            record["coords"]["latitude"] += 0.001
        if act == "misfiled":
            device = next(other for other in self.devices if other != device)
            self.planted[act]["under"] = device
        for _ in range(2 if act == "doubled" else 1):
            self.connection.execute("INSERT INTO records VALUES(?, ?, ?)", (uuid, device, json.dumps(record)))

    def suits(self, act, device, record):
        """Only of a position on the way a log shows the coordinates; misfiling takes another device."""
        if act == "changed":
            return record.get("event", "") in ("", None) and "geofence" not in record
        return act != "misfiled" or len(self.devices) > 1

    def stored(self, device):
        with self.lock:
            rows = self.connection.execute("SELECT body FROM records WHERE device = ?", (device,)).fetchall()
        return [json.loads(body) for (body,) in rows]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        records = body["location"]
        self.server.store.take(body["device_id"], records if isinstance(records, list) else [records])
        self.answer({})

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/planted":
            self.answer({"planted": self.server.store.planted, "records": len(self.server.store.seen)})
        else:
            self.answer({"records": self.server.store.stored(parse_qs(url.query)["device"][0])})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.store = Store(sys.argv[1], [int(word) for word in sys.argv[2:]])
print(server.server_address[1], flush=True)
server.serve_forever()
