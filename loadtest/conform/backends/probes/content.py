"""Probes of what is stored of a record."""

import json
from decimal import Decimal

from probes.client import Connection
from probes.phone import instant, iso, need, parse, probe


def place(phone, latitude, longitude, tolerance=0.0):
    device = phone.new_device()
    phone.must_post(phone.record(coords={"latitude": latitude, "longitude": longitude}), device)
    row = phone.row(device)
    for found in (row, row["record"]["coords"]):
        off = max(abs(float(found["latitude"]) - latitude), abs(float(found["longitude"]) - longitude))
        need(off <= tolerance, f"{latitude}, {longitude} is stored as {found['latitude']}, {found['longitude']}")


@probe("coordinates-exact")
def _(phone):
    place(phone, 45.51909123456789, -116.29721487654321, 1e-7)


@probe("coordinates-not-swapped")
def _(phone):
    place(phone, 45.5, -116.25, 0.01)
    place(phone, -33.75, 151.25, 0.01)
    place(phone, -1.25, 36.75, 0.01)


@probe("coordinates-at-edges")
def _(phone):
    for latitude, longitude in ((0, 0), (90, 180), (-90, -180), (45, 7), (1e-7, -1e-7)):
        place(phone, latitude, longitude, 1e-9)


@probe("minus-one-kept")
def _(phone):
    coords = phone.content(coords={"speed": -1, "heading": -1, "accuracy": -1, "altitude": 0})["coords"]
    need([coords["speed"], coords["heading"], coords["altitude"]] == [-1, -1, 0], f"stored as {coords}")


def time_of(phone, text, at, **options):
    device = phone.new_device()
    phone.must_post(phone.record(timestamp=text), device, **options)
    row = phone.row(device)
    for found in (row["timestamp"], row["record"]["timestamp"]):
        off = instant(found) - at
        need(off == 0, f"{text} is stored {off} ms off")


@probe("time-to-the-millisecond")
def _(phone):
    at = phone.begin + 563
    phone.must_post(phone.record(timestamp=iso(at)))
    need(instant(phone.row()["timestamp"]) % 1000 == 563, "the milliseconds are lost")


@probe("time-is-utc")
def _(phone):
    midnight = phone.begin // 86_400_000 * 86_400_000
    for at in (phone.begin, *(midnight + hour * 3_600_000 - 86_383_000 for hour in (0, 9, 15))):
        device = phone.new_device()
        phone.must_post(phone.record(timestamp=iso(at)), device)
        off = abs(instant(phone.row(device)["timestamp"]) - at)
        need(off < 1000, f"the time is {off / 1000} s off")


@probe("time-epoch")
def _(phone):
    at = phone.begin + 563
    phone.must_post(phone.record(timestamp=at, recorded_at=at))
    need(abs(instant(phone.row()["timestamp"]) - at) < 1000, f"{at} is stored as {phone.row()['timestamp']}")


@probe("time-zone-and-fractions")
def _(phone):
    at = phone.begin
    time_of(phone, iso(at - 4 * 3_600_000)[:-1] + "-04:00", at)
    time_of(phone, iso(at)[:-5] + "Z", at)
    time_of(phone, iso(at)[:-1] + "000Z", at)


@probe("recorded-at-and-age-harmless")
def _(phone):
    records = [
        phone.record(recorded_at=..., age=...),
        phone.record(age=-5),
        phone.record(age=3_600_000),
        phone.record(timestampMeta={"time": 1}),
        phone.record(activities=[{"type": "still", "confidence": 9}]),
    ]
    for record in records:
        phone.must_post(record)
    phone.need_stored(records)


def extras(phone, text):
    """Uploads a record whose extras are this JSON text and compares them, digit by digit."""
    device = phone.new_device()
    body = phone.body(phone.record(extras="HERE"), device=device).replace(
        b'"HERE"', text.encode("utf-8", "surrogatepass")
    )
    answer = phone.raw(body, device)
    need(answer.good, f"answered {answer.status}")
    found, sent = phone.row(device)["record"]["extras"], parse(text)
    need(same(found, sent), f"extras {text} are stored as {found}")


def same(one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    numbers = (int, float, Decimal)
    if (
        isinstance(one, numbers)
        and isinstance(other, numbers)
        and not isinstance(one, bool)
        and not isinstance(other, bool)
    ):
        return float(one) == float(other) if isinstance(one, float) or isinstance(other, float) else one == other
    return type(one) is type(other) and one == other


@probe("extras-every-kind")
def _(phone):
    extras(phone, '{"s":"x","i":7,"t":true,"f0":false,"a":[1,"2",[3]],"o":{"k":{"d":1}},"e":"","z":0}')
    found = phone.content(extras={"speed": 1.5, "odometer": 7})
    need(float(found["coords"]["speed"]) == 1.85 and float(found["odometer"]) > 500, "extras are in the place of fields")


@probe("extras-numbers-not-integers")
def _(phone):
    extras(phone, '{"a":1.5,"b":0.25,"c":-0.25,"d":3.75}')


@probe("integers-exact")
def _(phone):
    extras(phone, '{"a":9007199254740991,"b":-9007199254740991,"c":2147483648,"d":16777217}')


@probe("integers-64-bit")
def _(phone):
    extras(phone, '{"a":9007199254740993,"b":9223372036854775807,"c":-9223372036854775808}')


@probe("long-decimals")
def _(phone):
    device = phone.new_device()
    body = phone.body(phone.record(extras={"a": 0}), device=device).replace(
        b'"a": 0', b'"a": 0.1234567890123456789, "b": 1e300'
    )
    answer = phone.raw(body, device)
    need(answer.good, f"answered {answer.status}")
    found = phone.row(device)["record"]["extras"]
    need(float(found["a"]) == 0.12345678901234568 and float(found["b"]) == 1e300, f"stored as {found}")


@probe("text-all-scripts")
def _(phone):
    extras(phone, '{"a":"Zürich 東京 🚗👩‍👩‍👧","ключ":"é"}')


@probe("text-escaped")
def _(phone):
    extras(phone, r'{"a":"\uD83D\uDE97 \/ \" \\ \n \u2028 \u00e9","b":" <a> & \u0027 "}')


@probe("text-nul")
def _(phone):
    text = phone.content(extras={"a": "a\0b"})["extras"]["a"]
    need(text[0] == "a" and text[-1] == "b", f"stored as {text!r}")


@probe("text-half-surrogate")
def _(phone):
    device, record = phone.new_device(), phone.record(extras={"a": "cut \ud83d"})
    body = json.dumps({"location": record, "device_id": device}).encode()
    answer = phone.raw(body, device)
    need(answer.good, f"answered {answer.status}")
    phone.need_stored([record], device)


@probe("null-fields")
def _(phone):
    record = phone.content(event=None, activity=None, extras={"a": None}, coords={"speed": None})
    need(
        [record["event"], record["activity"], record["extras"]["a"], record["coords"]["speed"]] == [None] * 4,
        f"null is stored otherwise: {record}",
    )


@probe("missing-fields")
def _(phone):
    record = {key: value for key, value in phone.record().items() if key in ("uuid", "timestamp", "coords")}
    record["coords"] = {key: record["coords"][key] for key in ("latitude", "longitude")}
    phone.must_post(record)
    phone.need_stored([record])


@probe("unknown-fields")
def _(phone):
    record = phone.content(vendor={"new": 1}, coords={"new_accuracy": 2})
    need(record["vendor"] == {"new": 1} and record["coords"]["new_accuracy"] == 2, "unknown fields are lost")


@probe("numbers-as-text")
def _(phone):
    phone.must_post(phone.record(coords={"latitude": "45.5190912", "longitude": "-116.25"}))
    need(abs(float(phone.row()["latitude"]) - 45.5190912) < 1e-6, "the latitude is another")


@probe("event-motionchange")
def _(phone):
    sent = {"event": "motionchange", "is_moving": False, "extras": {"own": "x"}}
    found = phone.content(**sent)
    need(found["event"] == "motionchange", "the event is lost")
    need(found.get("extras") == sent["extras"], "the extras are lost")
    need("level" in found["battery"] and "type" in found["activity"], "battery and activity are lost")


@probe("event-geofence")
def _(phone):
    fence = {"identifier": "Home", "action": "ENTER", "timestamp": iso(phone.begin), "extras": {"k": "v"}}
    record = phone.content(event="geofence", geofence=fence, extras={"own": "x"})
    need(record.get("geofence") == fence, f"the geofence is stored as {record.get('geofence')}")


@probe("event-heartbeat")
def _(phone):
    need(phone.content(event="heartbeat", is_moving=False)["event"] == "heartbeat", "the event is lost")


@probe("event-providerchange")
def _(phone):
    provider = {"enabled": True, "status": 3, "gps": True, "network": True, "accuracyAuthorization": 0}
    need(phone.content(event="providerchange", provider=provider).get("provider") == provider, "the provider is lost")


@probe("inaccurate-kept")
def _(phone):
    for accuracy in (1500, 4800):
        device = phone.new_device()
        phone.must_post(phone.record(coords={"accuracy": accuracy}, mock=True, activity={"type": "unknown", "confidence": 0}), device)
        phone.row(device)


@probe("standard-fields-kept")
def _(phone):
    sent = phone.record()
    phone.must_post(sent)
    found = phone.row()["record"]
    for name in ("speed", "heading", "altitude", "accuracy"):
        need(float(found["coords"][name]) == sent["coords"][name], f"{name} is stored as {found['coords'][name]}")
    need(abs(float(found["odometer"]) - sent["odometer"]) < 1e-9, f"odometer is stored as {found['odometer']}")
    need(found["is_moving"] is True and found["activity"]["type"] == "in_vehicle", "is_moving or activity is another")
    device = phone.new_device()
    sent = phone.record(coords={"floor": 3})
    phone.must_post(sent, device)
    found = phone.row(device)["record"]
    missing = [name for name in sent if name not in found] + [name for name in sent["coords"] if name not in found["coords"]]
    need(not missing, f"not stored are {missing}")
    device = phone.new_device()
    phone.must_post(phone.record(coords={"speed": 83.25}), device)
    need(float(phone.row(device)["record"]["coords"]["speed"]) == 83.25, "a speed of 83.25 is another")
    device = phone.new_device()
    sent = phone.record(activity={"type": "still", "confidence": 61}, battery={"level": 0.5, "is_charging": True})
    phone.must_post(sent, device)
    found = phone.row(device)["record"]
    need(found["battery"]["is_charging"] is True, "is_charging is another")
    device = phone.new_device()
    phone.must_post(phone.record(battery={"level": 1, "is_charging": True}), device)
    level = phone.row(device)["record"]["battery"]["level"]
    need(level == 1, f"a battery level of 1 is stored as {level}")
    need(found["activity"]["confidence"] == 61, "the confidence is another")
    device = phone.new_device()
    zeros = {"speed": 0, "heading": 0, "altitude": 0}
    battery, activity = {"level": 0, "is_charging": False}, {"type": "still", "confidence": 0}
    phone.must_post(phone.record(coords=zeros, odometer=0, battery=battery, activity=activity), device)
    found = phone.row(device)["record"]
    for name in zeros:
        need(found["coords"][name] == 0, f"a {name} of 0 is stored as {found['coords'][name]}")
    need(found["odometer"] == 0 and found["battery"]["level"] == 0, "an odometer or battery level of 0 is another")
    need(found["activity"]["confidence"] == 0, "a confidence of 0 is another")


@probe("extras-8-kb")
def _(phone):
    note = "0123456789" * 800
    need(phone.content(extras={"note": note})["extras"] == {"note": note}, "the text is cut")


@probe("time-in-every-season")
def _(phone):
    for days in range(0, 360, 30):
        at = phone.begin - days * 86_400_000
        device = phone.new_device()
        phone.must_post(phone.record(timestamp=iso(at)), device)
        need(instant(phone.row(device)["timestamp"]) == at, f"the time of {days} days ago is another")


@probe("jump-kept")
def _(phone):
    records = [
        phone.record(timestamp=iso(phone.begin - minutes * 60_000), coords={"latitude": 45 + minutes % 2})
        for minutes in (3, 2, 1)
    ]
    phone.must_post(records)
    need(len(phone.stored()) == len(records), "a record that lies far from the one before it is lost")


@probe("one-record-one-content")
def _(phone):
    records = [
        phone.record(),
        phone.record(event="geofence", geofence={"identifier": "Home", "action": "EXIT"}, extras={"a": 1}),
        phone.record(extras=..., battery=..., activity=...),
    ]
    phone.must_post(records)
    found = {row["uuid"]: row["record"] for row in phone.stored()}
    for record in records:
        stored = found.get(record["uuid"])
        need(
            stored is None or {"event", "geofence", "extras", "battery", "activity"} & set(stored) <= set(record),
            "a record has fields of its neighbour",
        )
    device = phone.new_device()
    records = [phone.record(extras={"own": number}) for number in range(3)]
    phone.must_post(records, device)
    found = {row["uuid"]: row["record"] for row in phone.stored(device)}
    for record in records:
        stored = found.get(record["uuid"], record).get("extras")
        need(stored == record["extras"], f"extras {record['extras']} are stored as {stored}")


@probe("right-device")
def _(phone):
    devices = {phone.new_device(): [phone.record(), phone.record()] for _ in range(3)}
    devices |= {phone.new_device().ljust(63, "n") + end: [phone.record(), phone.record()] for end in "12"}
    for index in range(2):
        for device, records in devices.items():
            phone.must_post(records[index], device)
    for device, records in devices.items():
        phone.need_stored(records, device)


@probe("device-per-request")
def _(phone):
    devices = {phone.new_device(): phone.records(2) for _ in range(2)}
    for device in devices:
        phone.headers(device)
    with Connection(phone.port) as connection:
        for index in range(2):
            for device, records in devices.items():
                need(connection.exchange(phone.upload(records[index], device)).good, "not acknowledged")
    for device, records in devices.items():
        phone.need_stored(records, device)


@probe("devices-look-alike")
def _(phone):
    mark = phone.new_device()[-6:]
    number = str(abs(hash(mark)) % 10**9 + 10**9)
    for one, other in ((f"00{number}", number), (f"P-{mark}", f"p-{mark}")):
        for device in (one, other):
            record = phone.record()
            phone.must_post(record, device)
            phone.need_stored([record], device)


@probe("params-kept")
def _(phone):
    sent = {"user_id": 1234, "trip": "T 1", "is_trial": True, "vehicle": {"axles": 3, "loads": [2]}}
    phone.must_post(phone.record(), **sent)
    params = phone.row()["params"]
    need(all(params.get(name) == sent[name] for name in sent), f"stored are the params {params}")
