"""What loadtest/forward/run does; see there."""

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

program, work, away, rate, kind, commit, results = sys.argv[1:8]
away, rate = int(away), int(rate)
# What a server takes under load, 128 MiB of it the cache of SQLite.
MEMORY_KIB = 262_144
BATCH, DEVICES, LIVES = 50, 100, 5


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(what, holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            sys.exit(f"loadtest/forward: gave up waiting for {what}")
        time.sleep(0.05)


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Child:
    """A process that is killed and started again on its port."""

    def __init__(self, words, port):
        self.words, self.port, self.process = words, port, None

    def start(self):
        log = open(f"{work}/{os.path.basename(self.words[0])}.log", "ab")
        self.process = subprocess.Popen(self.words, stdout=log, stderr=log)
        wait_until(f"{self.words[0]} on port {self.port}", lambda: answers(self.port))

    def kill(self, number=signal.SIGKILL):
        if self.process:
            self.process.send_signal(number)
            self.process.wait()
            self.process = None


class Cluster:
    """A cluster of Kafka that is reached or not: what is in its memory would not survive a kill. kcat reads what is in it."""

    def __init__(self):
        words = [sys.executable, f"{os.path.dirname(__file__)}/cluster.py"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        kcat = ["kcat", "-q", "-E", "-X", "reconnect.backoff.max.ms=100", "-b", self.address, "-C", "-t", "road", "-o", "beginning", "-u", "-f", "%k\t%s\n"]
        self.reader = subprocess.Popen(kcat, stdout=open(f"{work}/taken", "wb"), stderr=subprocess.DEVNULL)

    def say(self, word):
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def start(self):
        self.say("up")

    def kill(self):
        self.say("down")

    def end(self):
        """All that was stored is read when nothing has come for three seconds."""
        size = -1
        while size != (size := os.path.getsize(f"{work}/taken")):
            time.sleep(3)
        for process in (self.reader, self.process):
            process.terminate()
            process.wait()

    @staticmethod
    def messages():
        with open(f"{work}/taken", encoding="utf-8") as lines:
            for line in lines:
                key, body = line.split("\t", 1)
                message = json.loads(body)
                assert message["device"] == key, "the device is the key"
                yield message["id"], message["device"], message["record"]["odometer"]


class Nats:
    """The little of the protocol of NATS that reading a stream takes."""

    def __init__(self, port):
        self.file = socket.create_connection(("127.0.0.1", port), 10).makefile("rwb")
        self.file.readline()
        self.file.write(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nSUB _IN.* 1\r\n')

    def ask(self, subject, body=b""):
        self.file.write(b"PUB %s _IN.1 %d\r\n%s\r\n" % (subject.encode(), len(body), body))
        self.file.flush()
        while True:
            words = self.file.readline().split()
            if not words:
                raise OSError("the server has gone")
            if words[0] == b"PING":
                self.file.write(b"PONG\r\n")
                self.file.flush()
            elif words[0] == b"MSG":
                body = self.file.read(int(words[-1]) + 2)[:-2]
                return b"", body
            elif words[0] == b"HMSG":
                whole = self.file.read(int(words[-1]) + 2)[:-2]
                return whole[: int(words[-2])], whole[int(words[-2]) :]


def stored_in_stream(port):
    nats = Nats(port)
    state = json.loads(nats.ask("$JS.API.STREAM.INFO.ROAD")[1])["state"]
    for sequence in range(state["first_seq"], state["last_seq"] + 1):
        head, body = nats.ask("$JS.API.DIRECT.GET.ROAD", json.dumps({"seq": sequence}).encode())
        if not body:
            continue
        message = json.loads(body)
        assert f"Nats-Msg-Id: {message['id']}".encode() in head, "the id is that of the header"
        yield message["id"], message["device"], message["record"]["odometer"]


class Load(threading.Thread):
    """Uploads at the rate; what was acknowledged is in `stored`, by device in order."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port, self.is_over, self.stored, self.failed = port, False, {}, 0
        self.next = [0] * DEVICES

    def run(self):
        connection, begun, sent, turn = None, time.monotonic(), 0, 0
        while not self.is_over:
            device = turn % DEVICES
            turn += 1
            numbers = range(self.next[device], self.next[device] + BATCH)
            body = json.dumps({"device_id": f"d{device}", "location": [self.record(device, n) for n in numbers]})
            # A phone sends a batch until it is acknowledged, and nothing before that.
            while not self.is_over:
                try:
                    connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
                    connection.request("POST", "/locations", body, {"Content-Type": "application/json"})
                    answer = connection.getresponse()
                    answer.read()
                    if answer.status == 200:
                        self.stored.setdefault(f"d{device}", []).extend(numbers)
                        self.next[device] += BATCH
                        break
                except (OSError, http.client.HTTPException):
                    connection = None
                self.failed += 1
                time.sleep(0.05)
            sent += BATCH
            time.sleep(max(0, begun + sent / rate - time.monotonic()))

    @staticmethod
    def record(device, number):
        day, hour = 1 + number // 500 % 20, number % 24
        return {
            "uuid": f"{device:08x}-0000-4000-8000-{number:012x}", "odometer": number,
            "timestamp": f"2026-07-{day:02}T{hour:02}:00:00.000Z", "coords": {"latitude": 45.5, "longitude": -73.5, "accuracy": 5},
            "extras": {"note": "x" * 200},
        }


def metric(port, name):
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10).read().decode()
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))


def resident(child):
    with open(f"/proc/{child.process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def main():
    hook, port = free_port(), free_port()
    if kind == "nats":
        url = f"nats://127.0.0.1:{hook}/road"
        sink = Child(["nats-server", "-a", "127.0.0.1", "-p", str(hook), "-js", "-sd", f"{work}/js"], hook)
        sink.start()
        stream = {"name": "ROAD", "subjects": ["road.>"], "storage": "file", "allow_direct": True, "duplicate_window": 120_000_000_000}
        made = json.loads(Nats(hook).ask("$JS.API.STREAM.CREATE.ROAD", json.dumps(stream).encode())[1])
        assert "error" not in made, made
    elif kind == "kafka":
        sink = Cluster()
        url = f"kafka://{sink.address}/road"
    else:
        url = f"http://127.0.0.1:{hook}/"
        sink = Child([sys.executable, f"{os.path.dirname(__file__)}/receiver.py", str(hook), f"{work}/taken"], hook)
        sink.start()
    server = Child(
        [program, "serve", "--listen", f"127.0.0.1:{port}", "--data", f"{work}/data", "--forward", f"sink={url}"], port)
    server.start()
    load = Load(port)
    load.start()
    time.sleep(5)
    sink.kill()
    memory, chance = [], random.Random(1)
    for life in range(LIVES):
        for _ in range(20):
            time.sleep(away / LIVES / 20)
            memory.append(resident(server))
        backlog = metric(port, "rollingroad_forward_lag_records")
        print(f"life {life}: {backlog:.0f} records wait, memory {memory[-1]} KiB", flush=True)
        if life < LIVES - 1:
            server.kill()
            server.start()
    sink.start()
    begun = time.monotonic()
    for _ in range(4):
        time.sleep(chance.uniform(0.5, 2))
        sink.kill()
        sink.start()
        time.sleep(chance.uniform(0.5, 2))
        server.kill()
        server.start()
    load.is_over = True
    load.join()
    wait_until("the backlog", lambda: metric(port, "rollingroad_forward_lag_records") == 0, 3_600)
    drained = time.monotonic() - begun
    memory.append(resident(server))
    server.kill(signal.SIGTERM)
    if kind == "nats":
        taken = list(stored_in_stream(hook))
        sink.kill()
    elif kind == "kafka":
        sink.end()
        taken = list(Cluster.messages())
    else:
        with open(f"{work}/taken") as lines:
            taken = [(i, d, int(n)) for i, d, n in (line.split() for line in lines)]
        sink.kill()
    judge(load, taken, memory, backlog, drained)


def judge(load, taken, memory, backlog, drained):
    first, meanings = {}, {}
    for identity, device, number in taken:
        if meanings.setdefault(identity, (device, number)) != (device, number):
            sys.exit(f"loadtest/forward: two records have the id {identity}")
        if identity not in first:
            first[identity] = (device, number)
    orders = {}
    for device, number in first.values():
        orders.setdefault(device, []).append(number)
    stored = {device: list(numbers) for device, numbers in load.stored.items()}
    count = sum(map(len, stored.values()))
    lost = sum(len(set(numbers) - set(orders.get(device, []))) for device, numbers in stored.items())
    # What was stored and whose acknowledgement was lost is sent again by the phone, and is one record.
    disordered = [device for device, numbers in orders.items() if numbers != sorted(numbers)]
    print(
        f"{kind}: {count} acknowledged, {len(first)} arrived, {len(taken) - len(first)} repetitions, {lost} lost, "
        f"{len(disordered)} devices out of order; {backlog:.0f} waited, gone after {drained:.0f} s; "
        f"memory {min(memory)} to {max(memory)} KiB")
    with open(results, "a") as file:
        line = {
            "commit": commit, "kind": kind, "seconds": away, "rate": rate, "acknowledged": count, "arrived": len(first),
            "repetitions": len(taken) - len(first), "lost": lost, "disordered": len(disordered), "backlog": int(backlog),
            "drainedSeconds": round(drained, 1), "memoryKiB": [min(memory), max(memory)], "processors": os.cpu_count()}
        file.write(json.dumps(line) + "\n")
    if lost or disordered or max(memory) > MEMORY_KIB:
        sys.exit("loadtest/forward: violated")


main()
