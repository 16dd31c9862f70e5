"""Probes of the shapes of bodies."""

import json

from probes.client import exchange, request
from probes.phone import need, probe


def bare(phone, data, headers=()):
    """A body of its own making; the device goes by header."""
    answer = exchange(
        phone.port,
        request(json.dumps(data).encode(), headers={"X-Device-Id": phone.device, **phone.headers(), **dict(headers)}),
    )
    need(answer.good, f"answered {answer.status}")


@probe("root-object")
def _(phone):
    record = phone.record()
    phone.must_post(record)
    phone.need_stored([record])


@probe("root-array")
def _(phone):
    records = phone.records(3)
    phone.must_post(records[:2])
    phone.must_post(records[2])
    phone.need_stored(records)


@probe("root-renamed")
def _(phone):
    records = phone.records(4)
    phone.must_post(records[0], root="myData")
    phone.must_post(records[1:], root="locations")
    phone.need_stored(records)


@probe("root-dot-object")
def _(phone):
    record = phone.record()
    bare(phone, record | {"device_id": phone.device})
    phone.need_stored([record])


@probe("root-dot-array")
def _(phone):
    records = phone.records(3)
    bare(phone, records)
    phone.need_stored(records)


@probe("root-changed-with-full-queue")
def _(phone):
    records = phone.records(6)
    phone.must_post(records[:3])
    phone.must_post(records[3:], root="data")
    phone.need_stored(records)


def template(phone, count):
    """Records as an object template renders them, and the coordinates to look for."""
    records = phone.records(count)
    return records, [
        {
            "lat": record["coords"]["latitude"],
            "lng": record["coords"]["longitude"],
            "t": record["timestamp"],
            "id": record["uuid"],
            "trip": 7,
        }
        for record in records
    ]


@probe("template-object")
def _(phone):
    records, rendered = template(phone, 2)
    phone.must_post(rendered[0])
    phone.must_post(rendered[1:])
    phone.need_stored(records)


def as_array(record):
    return [
        record["coords"]["latitude"],
        record["coords"]["longitude"],
        record["timestamp"],
        record["uuid"],
        "",
        True,
        {"trip": 7},
    ]


@probe("template-array")
def _(phone):
    record = phone.record()
    phone.must_post(as_array(record))
    phone.need_stored([record])


@probe("template-array-batch")
def _(phone):
    records = phone.records(3)
    phone.must_post([as_array(record) for record in records])
    phone.need_stored(records)


@probe("template-changed-with-full-queue")
def _(phone):
    records, rendered = template(phone, 4)
    phone.must_post(records[:2] + rendered[2:])
    found = {row["uuid"] for row in phone.stored()}
    need(found >= {record["uuid"] for record in records[:2]}, "records of before the template are lost")


@probe("keys-in-any-order")
def _(phone):
    record = phone.record()
    record["coords"] = dict(reversed(record["coords"].items()))
    text = {"user_id": 12, "device_id": phone.device, "location": dict(reversed(record.items()))}
    answer = phone.raw(json.dumps(text, indent="\t").encode())
    need(answer.good, f"answered {answer.status}")
    phone.need_stored([record])
    latitude = float(phone.row()["latitude"])
    need(abs(latitude - float(record["coords"]["latitude"])) < 1e-9, f"the latitude is {latitude}")


@probe("content-type-charset")
def _(phone):
    for kind in ("application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON"):
        phone.must_post(phone.record(), headers={"Content-Type": kind})


@probe("method-put-patch")
def _(phone):
    records = phone.records(2)
    for method, record in zip(("PUT", "PATCH"), records):
        phone.must_post(record, method=method)
    phone.need_stored(records)


@probe("query-and-slash")
def _(phone):
    record = phone.record()
    phone.must_post(record, path="/locations?tenant=7&x=%20")
    phone.need_stored([record])
