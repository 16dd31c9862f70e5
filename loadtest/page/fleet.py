#!/usr/bin/env python3
"""Devices that drive about and upload, so that the page has something to show: fleet.py URL DEVICES SECONDS [EVERY].

Each device uploads a position every EVERY seconds (5) over one of 32 connections. Some rest, some are tunnelled and send
their queue later, one in a hundred sends what cannot be understood. Stops by itself."""

import asyncio, datetime, json, math, random, sys, urllib.parse, urllib.request, uuid

STREET = 120.0  # metres between two streets
METRE = 1 / 111_320


class Device:
    def __init__(self, number, centre, blocks, draw):
        self.draw = draw
        self.name = f"{draw.choice(['van', 'bus', 'bike', 'phone', 'truck'])}-{number:04}"
        self.centre = centre
        self.blocks = blocks
        self.x = draw.randrange(blocks) * STREET
        self.y = draw.randrange(blocks) * STREET
        self.direction = draw.randrange(4)
        self.speed = draw.uniform(4, 17)
        self.rests = draw.random() < 0.3
        self.queue = []
        self.tunnel = 0

    def drive(self, seconds):
        if self.draw.random() < 0.01:
            self.rests = not self.rests
        if self.rests:
            return
        left = self.speed * seconds
        while left > 0:
            along = self.x if self.direction in (1, 3) else self.y
            rest = STREET - along % STREET if self.direction in (0, 1) else along % STREET or STREET
            step = min(left, rest)
            self.x += {1: step, 3: -step}.get(self.direction, 0)
            self.y += {0: step, 2: -step}.get(self.direction, 0)
            left -= step
            if step == rest:
                self.turn()

    def turn(self):
        self.x, self.y = round(self.x / STREET) * STREET, round(self.y / STREET) * STREET
        if self.draw.random() < 0.45:
            self.direction = (self.direction + self.draw.choice((1, 3))) % 4
        limit = self.blocks * STREET
        if self.x <= 0: self.direction = 1
        elif self.x >= limit: self.direction = 3
        elif self.y <= 0: self.direction = 0
        elif self.y >= limit: self.direction = 2

    def record(self):
        half = self.blocks * STREET / 2
        latitude = self.centre[0] + (self.y - half) * METRE
        longitude = self.centre[1] + (self.x - half) * METRE / math.cos(math.radians(self.centre[0]))
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {
            "uuid": str(uuid.UUID(int=self.draw.getrandbits(128), version=4)), "timestamp": now,
            "is_moving": not self.rests, "odometer": 1,
            "coords": {
                "latitude": "north" if self.draw.random() < 0.0005 else round(latitude, 6),
                "longitude": round(longitude, 6), "accuracy": 5,
                "speed": 0 if self.rests else round(self.speed, 1), "heading": self.direction * 90},
            "activity": {"type": "still" if self.rests else "in_vehicle", "confidence": 90},
            "battery": {"level": 0.7, "is_charging": False}}

    def body(self, seconds):
        self.drive(seconds)
        self.queue.append(self.record())
        if self.tunnel == 0 and self.draw.random() < 0.002:
            self.tunnel = self.draw.randrange(5, 20)
        if self.tunnel > 0:
            self.tunnel -= 1
            return None
        batch, self.queue = self.queue[:50], self.queue[50:]
        return json.dumps({"location": batch if len(batch) > 1 else batch[0]}).encode()


async def carry(host, port, path, devices, every, deadline):
    loop = asyncio.get_running_loop()
    reader, writer = await asyncio.open_connection(host, port)
    due = loop.time()
    while due < deadline:
        for index, device in enumerate(devices):
            wait = due + every * index / len(devices) - loop.time()
            if wait > 0.002:
                await asyncio.sleep(wait)
            body = device.body(every)
            if body is None:
                continue
            head = f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nX-Device-Id: {device.name}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            try:
                writer.write(head.encode() + body)
                answer = await reader.readuntil(b"\r\n\r\n")
                length = [line for line in answer.split(b"\r\n") if line.lower().startswith(b"content-length:")]
                if length:
                    await reader.readexactly(int(length[0].split(b":")[1]))
                if b"onnection: close" in answer:
                    raise ConnectionError
            except (ConnectionError, asyncio.IncompleteReadError):  # a fault of the server: the SDK would come back too
                writer.close()
                reader, writer = await asyncio.open_connection(host, port)
        due += every
    writer.close()


def streets(url, centre, blocks):
    """Puts the grid on which the devices drive under them, as the simulator does."""
    half = blocks * STREET / 2
    def place(x, y):
        return [centre[1] + (x - half) * METRE / math.cos(math.radians(centre[0])), centre[0] + (y - half) * METRE]
    def feature(kind, numbers):
        lines = [[place(n * STREET, 0), place(n * STREET, 2 * half)] for n in numbers]
        lines += [[place(0, n * STREET), place(2 * half, n * STREET)] for n in numbers]
        return {"type": "Feature", "properties": {"kind": kind}, "geometry": {"type": "MultiLineString", "coordinates": lines}}
    features = [feature("artery", range(0, blocks + 1, 4)), feature("street", [n for n in range(blocks + 1) if n % 4])]
    body = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    urllib.request.urlopen(urllib.request.Request(url.rstrip("/") + "/admin/v1/map", body, method="PUT")).close()


async def main():
    url, count, seconds = urllib.parse.urlsplit(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    every = float(sys.argv[4]) if len(sys.argv) > 4 else 5.0
    draw = random.Random(7)
    blocks = max(8, round(math.sqrt(count) * 1.2))
    devices = [Device(number, (52.52, 13.405), blocks, random.Random(draw.getrandbits(64))) for number in range(count)]
    streets(sys.argv[1], (52.52, 13.405), blocks)
    connections = min(32, count)
    deadline = asyncio.get_running_loop().time() + seconds
    path = url.path.rstrip("/") + "/locations"
    await asyncio.gather(*(
        carry(url.hostname, url.port, path, devices[first::connections], every, deadline) for first in range(connections)))


asyncio.run(main())
