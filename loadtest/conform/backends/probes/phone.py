"""What probes share: records, uploads, the look at the store, and the list of probes."""

import itertools
import json
import time
import uuid
from datetime import datetime, timezone
from decimal import Decimal

from probes.client import Connection, exchange, request

PROBES = {}  # clause → function of a phone


class Broken(Exception):
    """What is wrong with the backend."""


def probe(clause, tokens=False):
    def add(function):
        function.tokens = tokens
        PROBES[clause] = function
        return function

    return add


def need(condition, reason):
    if not condition:
        raise Broken(reason)


def parse(text):
    return json.loads(text, parse_float=Decimal)


def iso(ms):
    moment = datetime.fromtimestamp(ms // 1000, timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def instant(value):
    """ms since 1970 of a stored time."""
    return value if isinstance(value, int) else round(datetime.fromisoformat(value).timestamp() * 1000)


class Phone:
    """Uploads for as many devices as a probe wants, each with a name that nothing else uses."""

    numbers = itertools.count(1)

    def __init__(self, backend):
        self.backend, self.access, self.refreshes, self.stated = backend, {}, {}, {}
        self.device = self.new_device()
        self.count = itertools.count(1)
        self.begin = int(time.time() - 1800) * 1000

    @property
    def port(self):
        return self.backend.port

    def new_device(self):
        return f"phone-{next(self.numbers)}-{uuid.uuid4().hex[:6]}"

    def record(self, **changes):
        """A record of the default schema; no two have a time or a place in common."""
        number = next(self.count)
        at = self.begin + number * 2000 + number * 7 % 1000
        record = {
            "uuid": str(uuid.uuid4()).upper(),
            "timestamp": iso(at),
            "recorded_at": iso(at + 30),
            "age": 30,
            "is_moving": True,
            "odometer": 507.54 + number,
            "odometer_error": 10.0,
            "coords": {
                "latitude": 45.5190891 + number * 1e-4,
                "longitude": -116.2972148 + number * 1e-4,
                "accuracy": 5,
                "speed": 1.85,
                "speed_accuracy": 0.6,
                "heading": 31.06,
                "heading_accuracy": 12,
                "altitude": 41.8,
                "altitude_accuracy": 3,
                "ellipsoidal_altitude": 13.1,
            },
            "activity": {"type": "in_vehicle", "confidence": 100},
            "battery": {"level": 0.92, "is_charging": False},
            "extras": {},
        }
        coords = changes.pop("coords", {})
        record.update(changes)
        record["coords"].update(coords)
        return {key: value for key, value in record.items() if value is not ...}

    def records(self, count):
        return [self.record() for _ in range(count)]

    def body(self, records, root="location", device=None, **params):
        """The body of an upload; the device is a param."""
        text = {root: records, "device_id": device or self.device, **params}
        return json.dumps(text, default=float, ensure_ascii=False).encode("utf-8", "surrogatepass")

    def headers(self, device=None):
        if not self.backend.tokens:
            return {}
        device = device or self.device
        if device not in self.access:
            self.register(device)
        return {"Authorization": f"Bearer {self.access[device]}"}

    def upload(self, records, device=None, **options):
        """The bytes of an upload."""
        extra = options.pop("headers", {})
        path, method = options.pop("path", "/locations"), options.pop("method", "POST")
        body = self.body(records, device=device, **options)
        return request(body, path, method, self.headers(device) | dict(extra))

    def post(self, records, device=None, **options):
        return exchange(self.port, self.upload(records, device, **options))

    def must_post(self, records, device=None, **options):
        answer = self.post(records, device, **options)
        need(answer.good, f"answered {answer.status} {answer.body[:80]!r}")
        return answer

    def raw(self, body, device=None, path="/locations", method="POST", **headers):
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return exchange(self.port, request(body, path, method, self.headers(device) | names))

    def get(self, path):
        answer = exchange(self.port, request(path=path, method="GET"), "GET")
        need(answer.good, f"GET {path} answered {answer.status}")
        return parse(answer.body)

    def stored(self, device=None):
        """All rows of a device."""
        rows, cursor = [], ""
        with Connection(self.port) as connection:
            while True:
                answer = connection.exchange(
                    request(path=f"/stored?device={device or self.device}&cursor={cursor}", method="GET")
                )
                need(answer.good, f"GET /stored answered {answer.status}")
                page = parse(answer.body)
                rows += page["records"]
                cursor = page["next"]
                if not cursor:
                    return rows

    def row(self, device=None):
        rows = self.stored(device)
        need(len(rows) == 1, f"{len(rows)} records are stored, not one")
        return rows[0]

    def content(self, **changes):
        """What is stored of one record that was uploaded alone."""
        self.must_post(self.record(**changes))
        return self.row()["record"]

    def need_stored(self, records, device=None):
        """Each record is stored exactly once, and nothing else of that device."""
        found = sorted((row["uuid"] or "").lower() for row in self.stored(device))
        sent = sorted(record["uuid"].lower() for record in records)
        missing, extra = len(set(sent) - set(found)), len(found) - len(set(found))
        need(found == sent, f"{len(sent)} sent, {len(found)} stored, {missing} missing, {extra} more than once")

    def register(self, device):
        body = json.dumps({"org": "test", "uuid": device, "model": "M", "manufacturer": "X", "version": "1"}).encode()
        answer = exchange(self.port, request(body, "/api/register"))
        need(answer.good, f"registration answered {answer.status}")
        return self.take(device, parse(answer.body))

    def take(self, device, tokens):
        need(isinstance(tokens, dict), "the answer with tokens is no object")
        access = tokens.get("accessToken") or tokens.get("access_token")
        need(isinstance(access, str), f"no access token in {sorted(tokens)}")
        self.access[device] = access
        self.refreshes[device] = tokens.get("refreshToken") or tokens.get("refresh_token") or self.refreshes.get(device)
        self.stated[device] = tokens.get("expires") or tokens.get("expires_in")
        return tokens
