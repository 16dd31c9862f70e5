"""Defects of what is stored of a record, and of which records are taken."""

import html
import struct
import time
from datetime import datetime, timedelta, timezone
from decimal import Decimal

from defects import around, defect
from defects.storage import drop
from intake import ARRAY_TEMPLATE, NAMES, Unreadable, is_number


def change(parts, edit):
    """`edit` changes each record before it is stored."""

    @around(parts.store, "insert")
    def _(insert, record, params):
        edit(record)
        return insert(record, params)


def put(record, name, value):
    """Sets a value of the stored record, wherever its schema or template has it."""
    raw = record.content
    if isinstance(raw, list):
        record.content = [value if index == ARRAY_TEMPLATE.index(name) else item for index, item in enumerate(raw)]
        return
    record.content = raw = dict(raw)
    if isinstance(raw.get("coords"), dict):
        raw["coords"] = dict(raw["coords"])
    for place in (raw.get("coords"), raw):
        for key in NAMES[name]:
            if isinstance(place, dict) and key in place:
                place[key] = value
                return


def walk(value, edit):
    if isinstance(value, dict):
        return {key: walk(item, edit) for key, item in value.items()}
    return [walk(item, edit) for item in value] if isinstance(value, list) else edit(value)


def move(parts, place):
    def edit(record):
        record.latitude, record.longitude = place(record.latitude, record.longitude)
        put(record, "latitude", record.latitude)
        put(record, "longitude", record.longitude)

    change(parts, edit)


@defect
def coordinates_5_digits(parts):
    move(parts, lambda latitude, longitude: (round(latitude, 5), round(longitude, 5)))


@defect
def coordinates_float32(parts):
    move(parts, lambda *place: struct.unpack("2f", struct.pack("2f", *place)))


@defect
def coordinates_swapped(parts):
    move(parts, lambda latitude, longitude: (longitude, latitude))


@defect
def zero_coordinate_missing(parts):
    @around(parts.intake, "degrees")
    def _(degrees, value, limit, name):
        if value is not None and not value:
            raise Unreadable(f"{name} is required")
        return degrees(value, limit, name)


def retime(parts, instant):
    def edit(record):
        record.at = instant(record.at)
        moment = datetime.fromtimestamp(0, timezone.utc) + timedelta(milliseconds=record.at)
        put(record, "timestamp", moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{record.at % 1000:03d}Z")

    change(parts, edit)


@defect
def time_to_seconds(parts):
    retime(parts, lambda at: at // 1000 * 1000)


@defect
def time_local_zone(parts):
    retime(parts, lambda at: at + 4 * 3_600_000)


@defect
def time_12_hours(parts):
    def clock(at):
        hour = at // 3_600_000 % 24
        return at + ((hour % 12 or 12) - hour) * 3_600_000

    retime(parts, clock)


@defect
def time_of_arrival(parts):
    retime(parts, lambda at: int(time.time() * 1000))


@defect
def epoch_500(parts):
    @around(parts.intake, "instant")
    def _(instant, value):
        if value is not None and not isinstance(value, str):
            raise TypeError("fromisoformat: argument must be str")
        return instant(value)


@defect
def epoch_as_seconds(parts):
    def edit(record):
        if is_number(parts.intake.named(record.content)["timestamp"]):
            record.at *= 1000
            put(record, "timestamp", record.at)

    change(parts, edit)


@defect
def offset_ignored(parts):
    def edit(record):
        text = parts.intake.named(record.content)["timestamp"]
        if isinstance(text, str) and text[-6:-5] in ("+", "-"):
            record.at = parts.intake.instant(text[:-6] + "Z")
            put(record, "timestamp", text[:-6] + "Z")

    change(parts, edit)


def edit_object(parts, name, edit):
    """`edit` gives another value for the object that a record has under a name."""

    def edit_record(record):
        if isinstance(record.content, dict) and isinstance(record.content.get(name), dict):
            record.content = record.content | {name: edit(record.content[name])}

    change(parts, edit_record)


def edit_extras(parts, edit):
    edit_object(parts, "extras", edit)


@defect
def extras_dropped(parts):
    edit_extras(parts, lambda extras: {})


@defect
def extras_numbers_to_int(parts):
    edit_extras(
        parts, lambda extras: walk(extras, lambda value: int(value) if isinstance(value, (float, Decimal)) else value)
    )


@defect
def extras_to_text(parts):
    edit_extras(
        parts, lambda extras: {key: value if isinstance(value, str) else str(value) for key, value in extras.items()}
    )


def edit_values(parts, edit):
    def edit_record(record):
        record.content = walk(record.content, edit)

    change(parts, edit_record)


@defect
def decimals_6_places(parts):
    edit_extras(
        parts,
        lambda extras: walk(
            extras,
            lambda value: round(value, 6) if isinstance(value, (float, Decimal)) and abs(value) < 1000 else value,
        ),
    )


@defect
def odometer_to_int(parts):
    def edit(record):
        if isinstance(record.content, dict) and is_number(record.content.get("odometer")):
            record.content = record.content | {"odometer": int(record.content["odometer"])}

    change(parts, edit)


@defect
def integers_through_double(parts):
    edit_values(parts, lambda value: int(float(value)) if type(value) is int else value)


@defect
def text_latin_1(parts):
    edit_values(
        parts, lambda value: value.encode("latin-1", "replace").decode("latin-1") if isinstance(value, str) else value
    )


def refuse_text(parts, unwanted, reason):
    def look(value):
        if isinstance(value, str) and unwanted(value):
            raise ValueError(reason)
        return value

    edit_values(parts, look)


@defect
def emoji_500(parts):
    refuse_text(parts, lambda text: any(ord(letter) > 0xFFFF for letter in text), "incorrect string value: \\xF0\\x9F")


@defect
def half_surrogate_500(parts):
    refuse_text(parts, lambda text: any(0xD800 <= ord(letter) < 0xE000 for letter in text), "surrogates not allowed")


@defect
def nul_500(parts):
    refuse_text(parts, lambda text: "\0" in text, "unsupported Unicode escape sequence: \\u0000")


@defect
def null_to_text(parts):
    edit_values(parts, lambda value: "null" if value is None else value)


def refuse_record(parts, check):
    """`check` returns why a record of the default schema is refused with 400, or nothing."""

    @around(parts.intake, "record")
    def _(read, raw, device):
        record = read(raw, device)
        if isinstance(raw, dict) and isinstance(raw.get("coords"), dict) and (reason := check(raw)):
            raise Unreadable(reason)
        return record


@defect
def null_400(parts):
    refuse_record(parts, lambda raw: "must not be null" if None in [*raw.values(), *raw["coords"].values()] else None)


@defect
def minus_one_400(parts):
    def check(raw):
        values = [raw["coords"].get(name) for name in ("speed", "heading", "accuracy")]
        return "must not be negative" if any(is_number(value) and value < 0 for value in values) else None

    refuse_record(parts, check)


@defect
def missing_field_500(parts):
    @around(parts.intake, "record")
    def _(read, raw, device):
        record = read(raw, device)
        if isinstance(raw, dict) and "coords" in raw:
            raw["activity"]["type"], raw["battery"]["level"]
        return record


@defect
def unknown_field_400(parts):
    fields = {
        "uuid",
        "timestamp",
        "recorded_at",
        "age",
        "is_moving",
        "odometer",
        "odometer_error",
        "event",
        "coords",
        "activity",
        "battery",
        "extras",
        "geofence",
        "provider",
        "mock",
        "timestampMeta",
        "activities",
        "device_id",
    }
    refuse_record(parts, lambda raw: f"unknown field {min(set(raw) - fields)}" if set(raw) - fields else None)


def drop_event(parts, event):
    drop(parts, lambda record: isinstance(record.content, dict) and record.content.get("event") == event)


@defect
def heartbeat_dropped(parts):
    drop_event(parts, "heartbeat")


@defect
def geofence_dropped(parts):
    drop_event(parts, "geofence")


@defect
def providerchange_dropped(parts):
    drop_event(parts, "providerchange")


@defect
def motionchange_dropped(parts):
    drop_event(parts, "motionchange")


def forget(parts, name):
    def edit(record):
        if isinstance(record.content, dict):
            record.content = {key: value for key, value in record.content.items() if key != name}

    change(parts, edit)


@defect
def geofence_forgotten(parts):
    forget(parts, "geofence")


@defect
def inaccurate_dropped(parts):
    def vague(record):
        coords = record.content.get("coords") if isinstance(record.content, dict) else None
        return isinstance(coords, dict) and is_number(coords.get("accuracy")) and coords["accuracy"] > 100

    drop(parts, vague)


@defect
def neighbour_fields(parts):
    @around(parts.intake, "split")
    def _(split, body):
        records, params, batch = split(body)
        row, merged = {}, []
        for raw in records:
            row = row | raw if isinstance(raw, dict) else {}
            merged.append(row or raw)
        return merged, params, batch


@defect
def text_number_refused(parts):
    @around(parts.intake, "degrees")
    def _(degrees, value, limit, name):
        if isinstance(value, str):
            raise Unreadable(f"{name} must be a number")
        return degrees(value, limit, name)


@defect
def unknown_battery_empty(parts):
    def edit(record):
        battery = record.content.get("battery") if isinstance(record.content, dict) else None
        if isinstance(battery, dict) and is_number(battery.get("level")) and battery["level"] < 0:
            record.content = record.content | {"battery": battery | {"level": 0}}

    change(parts, edit)


@defect
def year_of_the_week(parts):
    """The format of a year that says which week a day is of (%G for %Y)."""

    def instant(at):
        day = datetime.fromtimestamp(at // 1000, timezone.utc)
        return int(day.replace(year=day.isocalendar().year).timestamp()) * 1000 + at % 1000

    retime(parts, instant)


@defect
def texts_of_64_kb(parts):
    edit_extras(parts, lambda extras: walk(extras, lambda value: value[:65535] if isinstance(value, str) else value))


@defect
def dates_in_extras_rewritten(parts):
    """A library that takes each text that looks like a time for one, and writes it in UTC."""

    def edit(value):
        try:
            moment = datetime.fromisoformat(value) if isinstance(value, str) and "T" in value else None
        except ValueError:
            return value
        return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") if moment and moment.tzinfo else value

    edit_extras(parts, lambda extras: walk(extras, edit))


@defect
def odometer_float32(parts):
    def edit(record):
        if isinstance(record.content, dict) and is_number(record.content.get("odometer")):
            value = struct.unpack("f", struct.pack("f", record.content["odometer"]))[0]
            record.content = record.content | {"odometer": value}

    change(parts, edit)


@defect
def deep_extras_as_text(parts):
    def fold(value, depth):
        if not isinstance(value, dict):
            return value
        return str(value) if depth > 4 else {key: fold(item, depth + 1) for key, item in value.items()}

    edit_extras(parts, lambda extras: fold(extras, 1))


@defect
def lines_of_unix(parts):
    edit_extras(
        parts, lambda extras: walk(extras, lambda value: value.replace("\r\n", "\n") if isinstance(value, str) else value)
    )


@defect
def texts_escaped_for_html(parts):
    def edit(record):
        if isinstance(record.content, dict) and "extras" in record.content:
            extras = walk(record.content["extras"], lambda item: html.escape(item) if isinstance(item, str) else item)
            record.content = record.content | {"extras": extras}

    change(parts, edit)


@defect
def texts_trimmed(parts):
    def edit(record):
        if isinstance(record.content, dict) and "extras" in record.content:
            extras = walk(record.content["extras"], lambda item: item.strip() if isinstance(item, str) else item)
            record.content = record.content | {"extras": extras}

    change(parts, edit)


@defect
def full_battery_is_one_percent(parts):
    def edit(record):
        battery = record.content.get("battery") if isinstance(record.content, dict) else None
        if isinstance(battery, dict) and battery.get("level") == 1:
            record.content = record.content | {"battery": battery | {"level": 0.01}}

    change(parts, edit)


@defect
def month_old_deleted_at_a_start(parts):
    parts.store.db.execute("delete from records where timestamp < ?", ((time.time() - 30 * 86400) * 1000,))


def without(parts, *names):
    """Stores each record without some of its fields, and those of `coords`."""

    def edit(record):
        if not isinstance(record.content, dict):
            return
        record.content = {name: value for name, value in record.content.items() if name not in names}
        if isinstance(record.content.get("coords"), dict):
            coords = record.content["coords"].items()
            record.content["coords"] = {name: value for name, value in coords if name not in names}

    change(parts, edit)


@defect
def accuracies_dropped(parts):
    without(parts, "altitude_accuracy", "speed_accuracy", "heading_accuracy")


@defect
def floor_dropped(parts):
    without(parts, "floor")


@defect
def time_of_recording_dropped(parts):
    without(parts, "recorded_at", "age")


@defect
def keys_of_objects_dropped(parts):
    """As an object of JavaScript without a prototype of its own would lose them."""
    edit_extras(
        parts,
        lambda extras: {key: value for key, value in extras.items() if key not in ("__proto__", "constructor", "toString")},
    )


@defect
def extras_id_dropped(parts):
    edit_extras(parts, lambda extras: {key: value for key, value in extras.items() if key not in ("id", "type")})


@defect
def params_over_fields(parts):
    @around(parts.store, "insert")
    def _(insert, record, params):
        if isinstance(record.content, dict):
            record.content = record.content | {key: value for key, value in params.items() if key in record.content}
        return insert(record, params)


@defect
def hyphens_taken_from_names(parts):
    @around(parts.intake, "read")
    def _(read, body, hints, device=None):
        upload = read(body, hints, device)
        for record in upload.records:
            record.device = record.device.replace("-", "")
        return upload

    @around(parts.store, "page")
    def _(page, table, device, cursor):
        rows, following = page(table, device and device.replace("-", ""), cursor)
        return [row | {"device": device or row["device"]} for row in rows], following
