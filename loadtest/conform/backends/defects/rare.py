"""Defects that show with some values only: in one hemisphere, one season, beyond a length, or in a crowd."""

import threading
import time
from datetime import datetime, timezone

from defects import around, defect
from defects.content import change, edit_extras, put, retime, walk
from defects.storage import drop
from wire import Answer


def edit_object(parts, name, edit):
    """`edit` gives another value for the object that a record has under a name."""

    def edit_record(record):
        if isinstance(record.content, dict) and isinstance(record.content.get(name), dict):
            record.content = record.content | {name: edit(record.content[name])}

    change(parts, edit_record)


@defect
def geofence_extras_dropped(parts):
    edit_object(parts, "geofence", lambda fence: {key: value for key, value in fence.items() if key != "extras"})


@defect
def battery_never_charging(parts):
    edit_object(parts, "battery", lambda battery: battery | {"is_charging": False})


@defect
def activity_always_sure(parts):
    edit_object(parts, "activity", lambda activity: activity | {"confidence": 100})


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
