"""Reads upload bodies: which records they hold, of which device, at which time and place.

Understands what the SDK can be configured to send: one record or a batch, any root property or none, object and array
templates, ISO and epoch times. Numbers keep the digits that they came with.
"""

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from decimal import Decimal

ROOTS = ("location", "locations", "data", "positions", "myData")
NAMES = {
    "uuid": ("uuid", "id"),
    "timestamp": ("timestamp", "time", "t"),
    "latitude": ("latitude", "lat"),
    "longitude": ("longitude", "lng", "lon"),
}
# The order of this backend's array template; an object with extras may follow.
ARRAY_TEMPLATE = ("latitude", "longitude", "timestamp", "uuid", "event", "is_moving")
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class Unreadable(Exception):
    """The body is no JSON: not to be acknowledged."""


class Unusable(Exception):
    """A record without place or time: to be put aside, and acknowledged so that it does not block the phone's queue."""


@dataclass
class Record:
    device: str
    uuid: str | None
    key: str  # what makes it one record: its uuid, or its content when a template dropped the uuid
    at: int  # ms since 1970
    latitude: float
    longitude: float
    content: object


@dataclass
class Upload:
    records: list[Record] = field(default_factory=list)
    aside: list[tuple[str, object, str]] = field(default_factory=list)  # device, content, reason
    params: dict = field(default_factory=dict)
    batch: bool = False

    @property
    def device(self):
        return self.records[0].device if self.records else self.aside[0][0] if self.aside else None


def write(value):
    """JSON text; ASCII, so that every string that JSON can spell can be stored."""
    try:
        return json.dumps(value, separators=(",", ":"))
    except TypeError:  # a Decimal
        return write_digits(value)


def write_digits(value):
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{write_digits(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(write_digits, value)) + "]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


def number(text):
    """A float where it keeps the digits, as nearly always."""
    value = float(text)
    return value if repr(value) == text else Decimal(text)


def parse(text):
    def refuse(name):
        raise ValueError(f"{name} is no JSON number")

    return json.loads(text, parse_float=number, parse_constant=refuse)


def clean(value):
    """A text for a column: half surrogates and NUL replaced."""
    return str(value).encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def is_number(value):
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


class Intake:
    def read(self, body, hints, device=None):
        """The upload in `body`. `device` is the token's, if there is one; `hints` are the device ids of header and query."""
        found, params, batch = self.split(self.parse(body))
        upload = Upload(params=params, batch=batch)
        for raw in found:
            owner = clean(device or self.device(raw, params) or hints or "unknown")
            try:
                upload.records.append(self.record(raw, owner))
            except Unusable as reason:
                upload.aside.append((owner, raw, str(reason)))
        return upload

    def parse(self, body):
        try:
            value = parse(self.text(body))
        except (ValueError, RecursionError) as error:
            raise Unreadable(str(error)) from error
        if not isinstance(value, (dict, list)):
            raise Unreadable("neither object nor array")
        return value

    def text(self, body):
        return body.decode("utf-8-sig")

    def split(self, body):
        """The records of the body, the params around them, and whether it is a batch."""
        if self.is_record(body):
            return [body], {}, False
        if isinstance(body, list):
            return [self.unwrap(item) for item in body], {}, True
        root = self.root(body)
        if root is None:
            return [body], {}, False
        inside, params = body[root], {name: value for name, value in body.items() if name != root}
        batch = isinstance(inside, list) and not self.is_record(inside)
        return inside if batch else [inside], params, batch

    def is_record(self, value):
        if isinstance(value, list):
            return bool(value) and is_number(value[0])
        return isinstance(value, dict) and ("coords" in value or any(name in value for name in NAMES["latitude"]))

    def unwrap(self, item):
        """Old clients send [{"location": …}, …]."""
        return item["location"] if isinstance(item, dict) and set(item) == {"location"} else item

    def root(self, body):
        for name in ROOTS:
            if isinstance(body.get(name), (dict, list)):
                return name
        for name, value in body.items():
            if self.is_record(value) or (isinstance(value, list) and value and self.is_record(value[0])):
                return name
        return None

    def device(self, raw, params):
        extras = raw.get("extras") if isinstance(raw, dict) else raw[-1] if isinstance(raw, list) and raw else None
        for place in (params, raw, extras):
            if isinstance(place, dict) and place.get("device_id") is not None:
                return str(place["device_id"])
        return None

    def record(self, raw, device):
        values = self.named(raw)
        uuid = values.get("uuid")
        uuid = clean(uuid) if uuid not in (None, "") else None
        at = self.instant(values.get("timestamp"))
        latitude = self.degrees(values.get("latitude"), 90, "latitude")
        longitude = self.degrees(values.get("longitude"), 180, "longitude")
        return Record(device, uuid, self.key(uuid, raw), at, latitude, longitude, raw)

    def key(self, uuid, raw):
        return uuid.lower() if uuid else "content:" + hashlib.sha256(write(raw).encode()).hexdigest()

    def named(self, raw):
        """uuid, timestamp, latitude and longitude, wherever the schema or the template puts them."""
        if isinstance(raw, list):
            return dict(zip(ARRAY_TEMPLATE, raw))
        if not isinstance(raw, dict):
            raise Unusable("no object")
        coords = raw.get("coords") if isinstance(raw.get("coords"), dict) else {}
        return {
            name: next((place[key] for place in (coords, raw) for key in spellings if key in place), None)
            for name, spellings in NAMES.items()
        }

    def degrees(self, value, limit, name):
        try:
            degrees = float(value) if is_number(value) or isinstance(value, str) else None
        except ValueError:
            degrees = None
        if degrees is None or not -limit <= degrees <= limit:
            raise Unusable(f"no {name}")
        return degrees

    def instant(self, value):
        """ms since 1970 of an ISO 8601 text, or of a number: ms, or seconds when it is too small for that."""
        try:
            if isinstance(value, str) and not value.lstrip("-").isdigit():
                moment = datetime.fromisoformat(value)
                moment = moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)
                return (moment - EPOCH) // timedelta(milliseconds=1)
            number = int(value) if isinstance(value, str) else value
            if is_number(number):
                return int(number if abs(number) >= 10**11 else number * 1000)
        except (ValueError, OverflowError):
            pass
        raise Unusable("no timestamp")
