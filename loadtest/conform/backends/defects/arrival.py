"""Defects of what is stored of a good record, by the way in which it came."""

import re
import time

from defects import around, defect
from defects.content import put
from defects.storage import drop, forget_key
from defects.storage import known as is_known
from intake import Unreadable, is_number, parse


def after_reading(parts, edit):
    """`edit` changes each upload that was read, before it is stored; it gets the length of the body, too."""

    @around(parts.intake, "read")
    def _(read, body, *arguments):
        upload = read(body, *arguments)
        edit(upload, len(body))
        return upload


def move(record, latitude, longitude):
    record.latitude, record.longitude = latitude, longitude
    put(record, "latitude", latitude)
    put(record, "longitude", longitude)


def swap(record):
    """East for north, as far as that is a place."""
    move(record, max(-90.0, min(90.0, record.longitude)), record.latitude)


def event(record):
    return record.content.get("event") if isinstance(record.content, dict) else None


@defect
def single_swapped(parts):
    after_reading(parts, lambda upload, _: [swap(record) for record in upload.records if not upload.batch])


@defect
def single_without_extras(parts):
    def edit(upload, _):
        for record in upload.records:
            if not upload.batch and isinstance(record.content, dict):
                record.content = {name: value for name, value in record.content.items() if name != "extras"}

    after_reading(parts, edit)


@defect
def long_batch_at_one_place(parts):
    def edit(upload, _):
        if len(upload.records) > 100:
            first = upload.records[0]
            for record in upload.records:
                move(record, first.latitude, first.longitude)

    after_reading(parts, edit)


@defect
def large_body_at_zero(parts):
    def edit(upload, length):
        if length > 1 << 20:
            for record in upload.records:
                move(record, 0.0, 0.0)

    after_reading(parts, edit)


@defect
def heartbeat_swapped(parts):
    after_reading(parts, lambda upload, _: [swap(record) for record in upload.records if event(record) == "heartbeat"])


@defect
def motion_change_bare(parts):
    """A table of events that has a column for few fields."""

    def edit(upload, _):
        for record in upload.records:
            if event(record) == "motionchange":
                record.content = {**record.content, "battery": {}, "activity": {}}

    after_reading(parts, edit)


@defect
def motion_change_without_extras(parts):
    def edit(upload, _):
        for record in upload.records:
            if event(record) == "motionchange":
                record.content = {name: value for name, value in record.content.items() if name != "extras"}

    after_reading(parts, edit)


@defect
def provider_change_at_zero(parts):
    after_reading(
        parts, lambda upload, _: [move(record, 0.0, 0.0) for record in upload.records if event(record) == "providerchange"])


@defect
def shifted_by_a_bad_record(parts):
    def edit(upload, _):
        if upload.aside and len(upload.records) > 1:
            places = [(record.latitude, record.longitude) for record in upload.records]
            for record, place in zip(upload.records, places[1:] + places[:1]):
                move(record, *place)

    after_reading(parts, edit)


@defect
def place_of_another_upload(parts):
    """What is being read is kept for all connections."""
    now = {}

    def edit(upload, _):
        for record in upload.records:
            now["place"] = record.latitude, record.longitude
            time.sleep(0.002)
            move(record, *now["place"])

    after_reading(parts, edit)


def known(parts, record):
    """The newest of the device's records, as (timestamp, record)."""
    row = parts.store.db.execute(
        "select timestamp, record from records where device = ? order by timestamp desc limit 1", (record.device,)).fetchone()
    return row and (row[0], parse(row[1]))


def before_insert(parts, edit):
    @around(parts.store, "insert")
    def _(insert, record, params):
        edit(record)
        return insert(record, params)


@defect
def late_at_the_newest_place(parts):
    def edit(record):
        newest = known(parts, record)
        if newest and record.at < newest[0] - 60_000 and isinstance(newest[1], dict) and "coords" in newest[1]:
            move(record, newest[1]["coords"]["latitude"], newest[1]["coords"]["longitude"])

    before_insert(parts, edit)


@defect
def one_event_per_instant(parts):
    def edit(record):
        newest = known(parts, record)
        if newest and newest[0] == record.at and isinstance(newest[1], dict) and newest[1].get("event") and event(record):
            record.content = {**record.content, "event": newest[1]["event"]}

    before_insert(parts, edit)


@defect
def cut_batch_read(parts):
    """Like a parser that hands on each record as soon as it is whole."""

    @around(parts.intake, "parse")
    def _(read, body):
        try:
            return read(body)
        except Unreadable:
            *whole, _ = re.split(rb'(?<=\})\s*,\s*(?=\{)', body)
            if not whole:
                raise
            return read(b",".join(whole) + (b"]" if body.startswith(b"[") else b"]}"))


def at_a_bad_record(parts, place, react):
    """Where the record at this place of a batch is bad, `react` changes the upload."""

    @around(parts.intake, "read")
    def _(read, *arguments):
        upload = read(*arguments)
        records, _, batch = parts.intake.split(parts.intake.parse(arguments[0]))
        if batch and upload.records and any(content == records[place] for _, content, _ in upload.aside):
            react(upload)
        return upload


@defect
def bad_first_drops_batch(parts):
    at_a_bad_record(parts, 0, lambda upload: upload.records.clear())


@defect
def bad_last_refuses_batch(parts):
    def refuse(upload):
        raise Unreadable("the last record has no coordinates")

    at_a_bad_record(parts, -1, refuse)


@defect
def two_bad_refuse_batch(parts):
    @around(parts.intake, "read")
    def _(read, *arguments):
        upload = read(*arguments)
        if upload.batch and len(upload.aside) > 1:
            raise ValueError("quarantine: more than one record")
        return upload


@defect
def known_last_skips_batch(parts):
    @around(parts.store, "save")
    def _(save, upload):
        if not (len(upload.records) > 1 and is_known(parts, upload.records[-1])):
            save(upload)


def day(record):
    return record.at // 86_400_000


@defect
def other_days_lost(parts):
    def edit(upload, _):
        upload.records = [record for record in upload.records if day(record) == day(upload.records[0])]

    after_reading(parts, edit)


@defect
def key_with_the_day_of_the_first(parts):
    def edit(upload, _):
        for record in upload.records:
            record.key = f"{day(upload.records[0])} {record.key}"

    after_reading(parts, edit)


@defect
def rests_thinned(parts):
    """One record of each place is enough of a phone that does not move."""
    places = set()

    def is_there(record):
        if not isinstance(record.content, dict) or record.content.get("is_moving") is not False or event(record):
            return False
        place = (record.device, record.latitude, record.longitude)
        if place in places:
            return not is_known(parts, record)
        places.add(place)
        return False

    drop(parts, is_there)


@defect
def known_for_a_day(parts):
    """Knows the records of the last day only."""
    forget_key(parts)

    @around(parts.store, "insert")
    def _(insert, record, params):
        is_old = record.at < (time.time() - 86_400) * 1000
        return (is_old or not is_known(parts, record)) and insert(record, params)


@defect
def vague_dropped(parts):
    def is_vague(record):
        coords = record.content.get("coords") if isinstance(record.content, dict) else None
        return isinstance(coords, dict) and is_number(coords.get("accuracy")) and coords["accuracy"] > 2000

    drop(parts, is_vague)
