"""Probes of repetition: what is sent again, and what only looks like it."""

import time

from probes.client import Connection
from probes.phone import iso, need, probe


def cut_answer(phone, records, **options):
    """An upload whose answer the phone does not see."""
    with Connection(phone.port) as connection:
        connection.send(phone.upload(records, **options))
        connection.pending(2)


@probe("resend-after-cut-answer")
def _(phone):
    record = phone.record()
    cut_answer(phone, record)
    phone.must_post(record)
    phone.need_stored([record])


@probe("resend-batch-after-cut-answer")
def _(phone):
    records = phone.records(10)
    cut_answer(phone, records)
    phone.must_post(records)
    phone.need_stored(records)


@probe("resend-grown-batch")
def _(phone):
    records = phone.records(8)
    cut_answer(phone, records[:5])
    phone.must_post(records)
    phone.need_stored(records)
    later = phone.records(3)
    phone.must_post(later + records[:2])
    phone.need_stored(records + later)


@probe("resend-acknowledged-again")
def _(phone):
    record = phone.record()
    for _ in range(3):
        phone.must_post(record)
    phone.need_stored([record])
    old, device = phone.record(timestamp=iso(phone.begin - 50 * 3_600_000)), phone.new_device()
    for _ in range(2):
        phone.must_post(old, device)
    phone.need_stored([old], device)


@probe("resend-after-many")
def _(phone):
    records = phone.records(60)
    for record in records + records[:1]:
        phone.must_post(record)
    phone.need_stored(records)


@probe("resend-after-restart")
def _(phone):
    record = phone.record()
    phone.must_post(record)
    time.sleep(0.2)
    phone.backend.restart()
    phone.must_post(record)
    phone.need_stored([record])


@probe("same-record-at-once")
def _(phone):
    records = phone.records(10)
    for record in records:
        data = phone.upload(record)
        with Connection(phone.port) as one, Connection(phone.port) as other:
            one.send(data)
            other.send(data)
            answers = [one.answer(), other.answer()]
        if not all(answer.good for answer in answers):
            phone.must_post(record)
    phone.need_stored(records)


@probe("two-records-at-once")
def _(phone):
    records = []
    for _ in range(10):
        pair = phone.records(2)
        uploads = [phone.upload(record, headers={"X-Device-Id": phone.device}) for record in pair]
        with Connection(phone.port) as one, Connection(phone.port) as other:
            one.send(uploads[0])
            other.send(uploads[1])
            records += [record for record, answer in zip(pair, (one.answer(), other.answer())) if answer.good]
    phone.need_stored(records)


def both(phone, one, other, reason):
    """Two records in one batch, and two like them in two uploads."""
    phone.must_post([one, other])
    need(len(phone.stored()) == 2, reason)
    second = phone.new_device()
    phone.must_post(one, second)
    phone.must_post(other, second)
    need(len(phone.stored(second)) == 2, reason)


@probe("same-time-two-records")
def _(phone):
    one = phone.record()
    both(phone, one, phone.record(timestamp=one["timestamp"]), "one of two records of one instant is lost")


@probe("same-second-two-records")
def _(phone):
    at = phone.begin
    both(
        phone,
        phone.record(timestamp=iso(at + 100)),
        phone.record(timestamp=iso(at + 400)),
        "one of two records of one second is lost",
    )


@probe("same-place-two-records")
def _(phone):
    one = phone.record()
    both(phone, one, phone.record(coords=one["coords"]), "one of two records of one place is lost")
    one, phone.device = phone.record(is_moving=False), phone.new_device()
    both(phone, one, phone.record(coords=one["coords"], is_moving=False), "one of two records of a rest is lost")


@probe("same-time-and-place-two-events")
def _(phone):
    one = phone.record(event="motionchange", is_moving=False)
    other = phone.record(
        event="geofence",
        geofence={"identifier": "Home", "action": "ENTER"},
        coords=one["coords"],
        timestamp=one["timestamp"],
    )
    both(phone, one, other, "one of two events of one instant and place is lost")


@probe("twin-in-one-batch")
def _(phone):
    record = phone.record()
    phone.must_post([record, record])
    phone.need_stored([record])


@probe("resend-other-params")
def _(phone):
    record = phone.record()
    phone.must_post(record, trip=1)
    phone.must_post(record, trip=2)
    phone.need_stored([record])


@probe("resend-other-root")
def _(phone):
    record = phone.record()
    phone.must_post([record])
    phone.must_post([record], root="data")
    phone.need_stored([record])


@probe("no-uuid-two-records")
def _(phone):
    phone.must_post([phone.record(uuid=...), phone.record(uuid=...)])
    need(len(phone.stored()) == 2, "one of two records without uuid is lost")
