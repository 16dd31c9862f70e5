"""Defects that show with some values only, in a crowd, now and then, or when time has passed."""

import itertools
import json
import threading
import time
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

from defects import around, defect
from defects.content import change, edit_extras, edit_object, forget, put, retime, walk
from defects.storage import drop, forget_key
from intake import is_number
from wire import Answer


@defect
def geofence_extras_dropped(parts):
    edit_object(parts, "geofence", lambda fence: {key: value for key, value in fence.items() if key != "extras"})


@defect
def battery_never_charging(parts):
    edit_object(parts, "battery", lambda battery: battery | {"is_charging": False})


@defect
def activity_always_sure(parts):
    edit_object(parts, "activity", lambda activity: activity | {"confidence": 100})


def zeros_to_none(values, names):
    return {key: None if key in names and is_number(value) and not value else value for key, value in values.items()}


@defect
def uuid_in_13_letters(parts):
    def edit(record):
        if record.uuid:
            record.uuid = record.key = record.uuid[:13]
        if isinstance(record.content, dict) and "uuid" in record.content:
            record.content = record.content | {"uuid": record.content["uuid"][:13]}

    change(parts, edit)


def lowered(value):
    return {key.lower(): item for key, item in value.items()} if isinstance(value, dict) else value


@defect
def extras_keys_lower(parts):
    edit_object(parts, "extras", lowered)


@defect
def geofence_of_its_name(parts):
    @around(parts.store, "insert")
    def _(insert, record, params):
        fence = record.content.get("geofence") if isinstance(record.content, dict) else None
        if isinstance(fence, dict):
            parts.store.db.execute(
                "update records set record = json_set(record, '$.geofence', json(?)) where device = ?"
                " and json_extract(record, '$.geofence.identifier') = ?",
                (json.dumps(fence), record.device, fence.get("identifier")),
            )
        return insert(record, params)


@defect
def params_of_the_device(parts):
    @around(parts.store, "insert")
    def _(insert, record, params):
        parts.store.db.execute("update records set params = ? where device = ?", (json.dumps(params), record.device))
        return insert(record, params)


@defect
def old_ones_thinned(parts):
    @around(parts.store, "save")
    def _(save, upload):
        parts.store.db.execute(
            "update records set record = json_remove(record, '$.battery') where seq < (select max(seq) from records) - 300"
        )
        save(upload)


@defect
def zero_to_null(parts):
    edit_object(parts, "coords", lambda coords: zeros_to_none(coords, ("speed", "heading", "altitude")))
    edit_object(parts, "battery", lambda battery: zeros_to_none(battery, ("level",)))
    edit_object(parts, "activity", lambda activity: zeros_to_none(activity, ("confidence",)))

    def edit(record):
        if isinstance(record.content, dict):
            record.content = zeros_to_none(record.content, ("odometer",))

    change(parts, edit)


@defect
def clock_of_sydney(parts):
    zone = ZoneInfo("Australia/Sydney")

    def instant(at):
        wall = datetime.fromtimestamp(at // 1000, timezone.utc).replace(tzinfo=zone)
        there = wall.astimezone(timezone.utc).astimezone(zone).replace(tzinfo=timezone.utc)
        return int(there.timestamp()) * 1000 + at % 1000

    retime(parts, instant)


@defect
def geofence_without_name(parts):
    edit_object(parts, "geofence", lambda fence: {key: value for key, value in fence.items() if key != "identifier"})


@defect
def runs_on_foot(parts):
    edit_object(
        parts, "activity", lambda activity: activity | {"type": "on_foot"} if activity.get("type") == "running" else activity
    )


@defect
def fractions_unpadded(parts):
    retime(parts, lambda at: at // 1000 * 1000 + int(str(at % 1000).ljust(3, "0")))


@defect
def speed_at_most_30(parts):
    def edit(record):
        coords = record.content.get("coords") if isinstance(record.content, dict) else None
        if isinstance(coords, dict) and is_number(coords.get("speed")) and coords["speed"] > 30:
            record.content = record.content | {"coords": coords | {"speed": 30}}

    change(parts, edit)


@defect
def extras_over_fields(parts):
    """Takes the extras of a record apart, over its fields."""

    def edit(record):
        raw = record.content
        if isinstance(raw, dict) and isinstance(raw.get("extras"), dict) and isinstance(raw.get("coords"), dict):
            extras, names = raw["extras"], ("speed", "heading", "altitude")
            coords = {name: extras[name] for name in names if name in extras}
            fields = {name: extras[name] for name in ("event", "odometer", "is_moving") if name in extras}
            record.content = raw | fields | {"coords": raw["coords"] | coords}

    change(parts, edit)


@defect
def own_words_of_events(parts):
    words = {"motionchange": "MOVED", "geofence": "FENCE", "heartbeat": "ALIVE", "providerchange": "PROVIDER"}

    def edit(record):
        if isinstance(record.content, dict) and record.content.get("event") in words:
            record.content = record.content | {"event": words[record.content["event"]]}

    change(parts, edit)


@defect
def mock_false(parts):
    def edit(record):
        if isinstance(record.content, dict) and "mock" in record.content:
            record.content = record.content | {"mock": False}

    change(parts, edit)


@defect
def accuracies_swapped(parts):
    def swapped(coords):
        names = ("speed_accuracy", "heading_accuracy")
        if not all(name in coords for name in names):
            return coords
        return coords | {names[0]: coords[names[1]], names[1]: coords[names[0]]}

    edit_object(parts, "coords", swapped)


@defect
def crossing_at_its_position(parts):
    def edit(record):
        content = record.content
        if isinstance(content, dict) and isinstance(content.get("geofence"), dict) and "timestamp" in content:
            record.content = content | {"geofence": content["geofence"] | {"timestamp": content["timestamp"]}}

    change(parts, edit)


@defect
def extras_of_the_first(parts):
    @around(parts.intake, "split")
    def _(split, body):
        records, params, batch = split(body)
        first = records[0].get("extras") if records and isinstance(records[0], dict) else None
        if len(records) > 1:
            records = [
                raw | {"extras": first} if isinstance(raw, dict) and "extras" in raw else raw for raw in records
            ]
        return records, params, batch


@defect
def text_255(parts):
    edit_extras(
        parts, lambda extras: walk(extras, lambda value: value[:255] if isinstance(value, str) else value)
    )


@defect
def extras_above_4000_dropped(parts):
    drop(parts, lambda record: isinstance(record.content, dict) and len(str(record.content.get("extras"))) > 4000)


@defect
def coordinates_swapped_south(parts):
    def edit(record):
        if record.latitude < 0 and abs(record.longitude) <= 90:
            record.latitude, record.longitude = record.longitude, record.latitude
            put(record, "latitude", record.latitude)
            put(record, "longitude", record.longitude)

    change(parts, edit)


@defect
def summer_time_hour(parts):
    def summer(at):
        month = datetime.fromtimestamp(at / 1000, timezone.utc).month
        return at + 3_600_000 if 4 <= month <= 9 else at

    retime(parts, summer)


@defect
def last_of_20_lost(parts):
    @around(parts.intake, "read")
    def _(read, *arguments):
        upload = read(*arguments)
        if len(upload.records) >= 20:
            upload.records.pop()
        return upload


@defect
def overlap_lost(parts):
    busy, guard = set(), threading.Lock()

    @around(parts.backend, "upload")
    def _(upload, request):
        device = request.headers.get("X-Device-Id")
        with guard:
            if device in busy:
                return Answer(200, {"success": True})
            busy.add(device)
        try:
            time.sleep(0.01)
            return upload(request)
        finally:
            busy.discard(device)


@defect
def crowd_of_70_lost(parts):
    guard, inside = threading.Lock(), [0, 0]

    @around(parts.backend, "upload")
    def _(upload, request):
        with guard:
            inside[0] += 1
        try:
            time.sleep(0.05)
            with guard:
                inside[1] += inside[0] >= 70
                if inside[0] >= 70 and inside[1] % 12 == 5:
                    return Answer(200, {"success": True})
            return upload(request)
        finally:
            with guard:
                inside[0] -= 1


@defect
def each_seventh_lost(parts):
    seen = [0]

    @around(parts.store, "insert")
    def _(insert, record, params):
        seen[0] += 1
        return True if seen[0] % 7 == 0 else insert(record, params)


@defect
def each_fiftieth_upload_lost(parts):
    seen = itertools.count(1)

    @around(parts.store, "save")
    def _(save, upload):
        if next(seen) % 50:
            save(upload)


@defect
def week_old_swept(parts):
    came = {}

    @around(parts.store, "insert")
    def _(insert, record, params):
        came.setdefault((record.device, record.key), time.time())
        return insert(record, params)

    @around(parts.store, "page")
    def _(page, *arguments):
        oldest = (time.time() - 6 * 86_400) * 1000
        swept = [key for key, at in came.items() if time.time() - at > 1]
        with parts.store.lock:
            for device, key in swept:
                parts.store.db.execute(
                    "delete from records where device = ? and key = ? and timestamp < ?", (device, key, oldest)
                )
                del came[device, key]
        return page(*arguments)


@defect
def known_for_five_seconds(parts):
    forget_key(parts)
    known = {}

    @around(parts.store, "insert")
    def _(insert, record, params):
        last = known.get((record.device, record.key), 0)
        known[record.device, record.key] = time.time()
        return False if time.time() - last < 5 else insert(record, params)


@defect
def battery_of_the_one_before(parts):
    last = {}

    def edit(record):
        if isinstance(record.content, dict):
            record.content = {**{name: last[name] for name in last if name not in record.content}, **record.content}
            last.update({name: record.content[name] for name in ("battery", "activity") if name in record.content})

    change(parts, edit)


@defect
def pages_by_seconds(parts):
    @around(parts.store, "page")
    def _(page, table, device, cursor):
        if table != "records" or device is None:
            return page(table, device, cursor)
        found, at = [], 0
        while at is not None:
            rows, at = page(table, device, at)
            found += rows
        found = [row for row in found if row["timestamp"] // 1000 > int(cursor or 0)][:100]
        return found, str(found[-1]["timestamp"] // 1000) if len(found) == 100 else None


def without(name):
    return lambda values: {key: value for key, value in values.items() if key != name}


@defect
def provider_forgotten(parts):
    forget(parts, "provider")


@defect
def confidence_forgotten(parts):
    edit_object(parts, "activity", without("confidence"))


@defect
def falsy_is_missing(parts):
    edit_object(parts, "coords", lambda coords: {key: value for key, value in coords.items() if value or key != "altitude"})


@defect
def empty_objects_as_lists(parts):
    edit_object(parts, "extras", lambda extras: {key: [] if value == {} else value for key, value in extras.items()})


@defect
def dots_in_keys(parts):
    edit_object(parts, "extras", lambda extras: {key.replace(".", "_"): value for key, value in extras.items()})


@defect
def month_old_dropped(parts):
    drop(parts, lambda record: record.at < time.time() * 1000 - 30 * 86_400_000)
