"""Probes of tokens and commands."""

import base64
import json
import time
from urllib.parse import urlencode

from probes.client import Connection, exchange, request
from probes.phone import need, parse, probe

FORM = "application/x-www-form-urlencoded"


def refresh(phone, token=None, kind=FORM, bearer=True, headers=()):
    """The bytes of a refresh as the SDK sends it."""
    fields = {"refresh_token": token or phone.refreshes[phone.device]}
    body = json.dumps(fields) if kind == "application/json" else urlencode(fields)
    fields = {"Content-Type": kind, "Authorization": f"Bearer {phone.access[phone.device]}" if bearer else None}
    return request(body.encode(), "/api/refresh_token", headers=fields | dict(headers))


def tokens_of(phone, answer):
    need(answer.status in (200, 201), f"the refresh was answered {answer.status}")
    try:
        tokens = parse(answer.body)
    except ValueError:
        need(False, f"the refresh was answered with {answer.body[:40]!r}")
    return phone.take(phone.device, tokens)


def renew(phone, **options):
    return tokens_of(phone, exchange(phone.port, refresh(phone, **options)))


def status_with(phone, token):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return exchange(phone.port, request(phone.body(phone.record()), headers=headers))


def expire(phone):
    """An access token whose life is over; nothing when it lives longer than the probe wants to wait."""
    phone.register(phone.device)
    stated = phone.stated[phone.device]
    if not stated or stated > 10:
        return None
    status_with(phone, phone.access[phone.device])  # what was seen may be remembered
    time.sleep(float(stated) + 0.3)
    return phone.access[phone.device]


@probe("register-answer", tokens=True)
def _(phone):
    phone.register(phone.device)
    need(isinstance(phone.refreshes[phone.device], str), "no refresh token")


@probe("no-token-refused", tokens=True)
def _(phone):
    status = status_with(phone, None).status
    need(status in (401, 403), f"answered {status}")


@probe("expired-is-401", tokens=True)
def _(phone):
    token = expire(phone)
    status = status_with(phone, token).status if token else 401
    need(status == 401, f"answered {status}")
    need(not phone.stored(), "a record with an expired token is stored")


@probe("unknown-is-401", tokens=True)
def _(phone):
    for token in ("garbage", "a.b.c", "eyJhbGciOiJub25lIn0.e30."):
        status = status_with(phone, token).status
        need(status == 401, f"answered {status}")


@probe("changed-token-refused", tokens=True)
def _(phone):
    phone.register(phone.device)
    token = phone.access[phone.device]
    place = len(token) * 7 // 8
    changed = token[:place] + ("b" if token[place] == "a" else "a") + token[place + 1 :]
    need(status_with(phone, changed).status in (401, 403), "a token with another letter was taken")
    if token.count(".") == 2:
        header = base64.urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=").decode()
        unsigned = ".".join([header, token.split(".")[1], ""])
        need(status_with(phone, unsigned).status in (401, 403), "a token without a signature was taken")


@probe("challenge-with-401", tokens=True)
def _(phone):
    for token in ("garbage", expire(phone)):
        answer = status_with(phone, token)
        need(answer.status != 401 or "www-authenticate" in answer.headers, "a 401 without WWW-Authenticate")


@probe("refresh-form", tokens=True)
def _(phone):
    phone.register(phone.device)
    renew(phone)


@probe("refresh-json", tokens=True)
def _(phone):
    phone.register(phone.device)
    renew(phone, kind="application/json")


@probe("refresh-with-expired-bearer", tokens=True)
def _(phone):
    if expire(phone):
        renew(phone)


@probe("refresh-without-bearer", tokens=True)
def _(phone):
    phone.register(phone.device)
    renew(phone, bearer=False)


@probe("refresh-answer-found", tokens=True)
def _(phone):
    phone.register(phone.device)
    renew(phone)


@probe("refresh-answer-not-html", tokens=True)
def _(phone):
    phone.register(phone.device)
    answer = exchange(phone.port, refresh(phone))
    need(
        answer.status < 300 and not answer.body.lstrip().startswith(b"<") or answer.status >= 400,
        "answered with a page",
    )


@probe("refreshed-token-works", tokens=True)
def _(phone):
    phone.register(phone.device)
    renew(phone)
    phone.must_post(phone.record())


@probe("expires-true", tokens=True)
def _(phone):
    phone.register(phone.device)
    stated = phone.stated[phone.device]
    if stated and stated > 10:
        time.sleep(3.4)
        status = status_with(phone, phone.access[phone.device]).status
        need(status < 300, f"a token with a stated life of {stated} s is answered {status} after 3.4 s")


@probe("tokens-end", tokens=True)
def _(phone):
    token = expire(phone)
    need(not token or not status_with(phone, token).good, "a token is accepted after its stated life")


@probe("no-expiry-stated", tokens=True)
def _(phone):
    phone.register(phone.device)
    before = phone.stated[phone.device]
    renew(phone)
    need(not before or phone.stated[phone.device], "an expiry at registration, and none after a refresh")


@probe("refresh-answer-lost", tokens=True)
def _(phone):
    phone.register(phone.device)
    with Connection(phone.port) as connection:
        connection.send(refresh(phone))
        connection.pending(2)
    renew(phone)
    phone.must_post(phone.record())


@probe("refresh-twice-at-once", tokens=True)
def _(phone):
    for kept in range(2):
        phone.register(phone.device)
        data = refresh(phone)
        with Connection(phone.port) as one, Connection(phone.port) as other:
            one.send(data)
            other.send(data)
            answers = [one.answer(), other.answer()]
        for answer in answers:
            tokens_of(phone, answer)
            phone.must_post(phone.record())
        tokens_of(phone, answers[kept])
        renew(phone)


@probe("refresh-while-uploading", tokens=True)
def _(phone):
    record = phone.record()
    data = phone.upload(record)
    with Connection(phone.port) as connection:
        connection.send(data[:-100])
        renew(phone)
        connection.send(data[-100:])
        status = connection.answer().status
    need(status in (200, 201, 204, 401), f"answered {status}")
    phone.must_post(record)
    phone.need_stored([record])


@probe("refresh-chain", tokens=True)
def _(phone):
    phone.register(phone.device)
    for _ in range(10):
        renew(phone)
    phone.must_post(phone.record())


@probe("dead-refresh-refused", tokens=True)
def _(phone):
    phone.register(phone.device)
    status = exchange(phone.port, refresh(phone, "no-such-token")).status
    need(400 <= status < 500, f"answered {status}")


@probe("token-names-device", tokens=True)
def _(phone):
    other = phone.new_device()
    exchange(phone.port, request(phone.body(phone.record(), device=other), headers=phone.headers()))
    need(not phone.stored(other), "stored under the device of the body, not of the token")


@probe("same-device-after-refresh", tokens=True)
def _(phone):
    records = phone.records(2)
    phone.must_post(records[0])
    renew(phone)
    phone.must_post(records[1])
    phone.need_stored(records)


@probe("register-again", tokens=True)
def _(phone):
    records = phone.records(2)
    for record in records:
        phone.register(phone.device)
        phone.must_post(record)
    phone.need_stored(records)


@probe("tokens-survive-restart", tokens=True)
def _(phone):
    phone.register(phone.device)
    phone.backend.restart()
    if not phone.post(phone.record()).good:
        renew(phone)
        phone.must_post(phone.record())
    renew(phone)


KINDS = [
    ["start"],
    ["stop"],
    ["startGeofences"],
    ["changePace", True],
    ["setConfig", {"distanceFilter": 100}],
    ["addGeofence", {"identifier": "Zürich 東京", "radius": 200, "latitude": 45.5, "longitude": -116.3}],
    ["addGeofences", [{"identifier": "B", "radius": 200, "latitude": 45.5, "longitude": -116.3}]],
    ["removeGeofence", "A"],
    ["removeGeofences"],
    ["uploadLog", "http://127.0.0.1/log"],
    ["destroyLog"],
    ["startSchedule"],
    ["stopSchedule"],
    ["setOdometer", 1000],
    ["resetOdometer"],
]


def queue(phone, *commands):
    answer = exchange(
        phone.port, request(json.dumps({"device": phone.device, "commands": commands}).encode(), "/commands")
    )
    need(answer.good, f"POST /commands answered {answer.status}")


def commands_in(answer):
    """What the SDK finds: the list of commands, or nothing."""
    try:
        body = parse(answer.body)
    except ValueError:
        return []
    value = body.get("background_geolocation") if isinstance(body, dict) else None
    if not isinstance(value, list):
        return []
    return [value] if value and isinstance(value[0], str) else value


def next_commands(phone, device=None, records=None):
    return commands_in(phone.must_post(records or phone.record(), device))


@probe("command-form")
def _(phone):
    queue(phone, ["stop"], ["changePace", True], ["setConfig", {"distanceFilter": 100}])
    answer = phone.must_post(phone.record())
    try:
        body = parse(answer.body or b"{}")
    except ValueError:
        need(False, f"no JSON: {answer.body[:60]!r}")
    value = body.get("background_geolocation")
    need(isinstance(value, list), f"no array at the top level: {answer.body[:80]!r}")
    if value and isinstance(value[0], str):
        need(len(value) <= 2, f"a flat array is one command: {value}")
    else:
        need(all(isinstance(one, list) and one and isinstance(one[0], str) for one in value), f"commands are {value}")


@probe("command-kinds")
def _(phone):
    queue(phone, *KINDS)
    found = {command[0] for command in next_commands(phone) + next_commands(phone) if isinstance(command, list)}
    missing = [command[0] for command in KINDS if command[0] not in found]
    need(not missing, f"not delivered: {missing}")


@probe("command-argument-types")
def _(phone):
    queue(phone, *KINDS)
    sent = {command[0]: parse(json.dumps(command[1:])) for command in KINDS}
    for command in next_commands(phone):
        if isinstance(command, list):
            need(command[1:] == sent[command[0]], f"{command[0]} has the argument {command[1:]}")


@probe("command-right-device")
def _(phone):
    queue(phone, ["stop"])
    for _ in range(2):
        need(not next_commands(phone, phone.new_device()), "another device gets the command")
    for _ in range(3):
        queue(phone, ["stop"])
        for device in [phone.new_device(), phone.device, phone.new_device()]:
            found = next_commands(phone, device)
            need(device == phone.device or not found, "a neighbour gets the command")


@probe("command-once")
def _(phone):
    queue(phone, ["stop"])
    phone.must_post(phone.record())
    for _ in range(3):
        need(not next_commands(phone), "the command comes again")


@probe("command-order")
def _(phone):
    queue(phone, ["stop"], ["changePace", False], ["start"])
    queue(phone, ["changePace", True])
    found = [command[0] for _ in range(4) for command in next_commands(phone)]
    need(found == ["stop", "changePace", "start", "changePace"], f"delivered are {found}")
    for _ in range(12):
        queue(phone, ["start"])
    found = [command[0] for _ in range(4) for command in next_commands(phone)]
    need(len(found) == 12, f"of twelve commands {len(found)} are delivered")


@probe("command-after-lost-answer")
def _(phone):
    queue(phone, ["stop"])
    record = phone.record()
    data = phone.upload(record)
    with Connection(phone.port) as connection:
        connection.send(data)
        connection.pending(2)
    found = [command[0] for sent in (record, None, None) for command in next_commands(phone, records=sent)]
    need(found[:1] == ["stop"], f"delivered are {found}")


@probe("command-survives-restart")
def _(phone):
    queue(phone, ["stop"])
    phone.backend.restart()
    found = [command[0] for _ in range(3) for command in next_commands(phone)]
    need(found == ["stop"], f"delivered are {found}")


@probe("no-commands-unasked")
def _(phone):
    other = phone.new_device()
    queue(phone, ["stop"])
    need(not next_commands(phone, other), "a device for which nothing waits gets commands")


@probe("command-needs-body")
def _(phone):
    queue(phone, ["stop"])
    need(any(phone.must_post(phone.record()).body for _ in range(3)), "no answer has a body")


@probe("command-body-is-json")
def _(phone):
    queue(phone, ["stop"])
    answer = phone.must_post(phone.record())
    try:
        parse(answer.body or b"{}")
    except ValueError:
        need(False, f"no JSON: {answer.body[:60]!r}")


@probe("command-in-batch-answer")
def _(phone):
    queue(phone, ["stop"])
    need(
        any(next_commands(phone, records=phone.records(3)) for _ in range(3)), "the answers to batches carry no command"
    )
