"""Probes of HTTP, connections and trouble."""

import gzip
import socket
import struct
import threading
import time

from probes.client import Connection, Cut, exchange, request
from probes.phone import need, parse, probe


def on(connection, phone, record=None, **options):
    """An upload on this connection."""
    connection.send(phone.upload(record or phone.record(), **options))
    answer = connection.answer()
    need(answer.good, f"answered {answer.status}")
    return answer


@probe("keep-alive")
def _(phone):
    with Connection(phone.port) as connection:
        for _ in range(20):
            need(connection.exchange(phone.upload(phone.record())).good, "not acknowledged")


@probe("close-announced")
def _(phone):
    with Connection(phone.port) as connection:
        for _ in range(60):
            need(connection.exchange(phone.upload(phone.record())).good, "not acknowledged")
    with Connection(phone.port) as connection:
        large = [phone.record(extras={"note": "n" * 800}) for _ in range(1_000)]
        need(connection.exchange(phone.upload(large)).good, "a large body is not acknowledged")
        need(connection.exchange(phone.upload(phone.record())).good, "not acknowledged")


@probe("idle-then-upload")
def _(phone):
    phone.headers()
    with Connection(phone.port) as connection:
        on(connection, phone)
        time.sleep(4)
        phone.access.clear()  # it may have expired meanwhile
        phone.headers()
        if not connection.ended():
            on(connection, phone)


@probe("close-honoured")
def _(phone):
    with Connection(phone.port) as connection:
        on(connection, phone, headers={"Connection": "close"})
        need(connection.ended(2), "the connection stays open")


@probe("answer-length-true")
def _(phone):
    with Connection(phone.port, timeout=3) as connection:
        try:
            on(connection, phone)
        except TimeoutError:
            need(False, "the answer is shorter than its length")
        need(
            not connection.rest and not connection.pending(0.1) or connection.ended(),
            f"beyond the answer came {connection.rest[:40]!r}",
        )


@probe("no-body-with-204")
def _(phone):
    record = phone.record()
    for _ in range(2):
        with Connection(phone.port) as connection:
            if on(connection, phone, record).status == 204:
                need(not connection.pending(0.2) or connection.ended(), f"204 has the body {connection.rest[:40]!r}")


@probe("answer-type-true")
def _(phone):
    answer = phone.must_post(phone.record())
    if answer.body:
        kind = answer.headers.get("content-type", "")
        try:
            is_json = parse(answer.body) is not None
        except ValueError:
            is_json = False
        need(is_json == ("json" in kind), f"{kind!r} is the type of {answer.body[:40]!r}")


@probe("no-page-with-200")
def _(phone):
    answers = [phone.post(phone.record()), phone.post([phone.record(), phone.record() | {"coords": {}}])]
    if phone.backend.tokens:
        answers.append(exchange(phone.port, request(phone.body(phone.record()))))
    for answer in answers:
        need(
            not (answer.good and answer.body.lstrip().startswith(b"<")),
            f"{answer.status} with the page {answer.body[:40]!r}",
        )


@probe("no-redirect")
def _(phone):
    status = phone.post(phone.record()).status
    need(not 300 <= status < 400, f"answered {status}")


@probe("expect-continue")
def _(phone):
    record = phone.record()
    head, body = phone.upload(record, headers={"Expect": "100-continue"}).split(b"\r\n\r\n", 1)
    with Connection(phone.port) as connection:
        connection.send(head + b"\r\n\r\n")
        connection.pending(1)
        connection.send(body)
        status = connection.answer().status
        need(200 <= status < 300, f"answered {status}")
    phone.need_stored([record])


def chunked(data, *cuts):
    head, body = data.split(b"\r\n\r\n", 1)
    head = b"\r\n".join(line for line in head.split(b"\r\n") if not line.startswith(b"Content-Length"))
    places = [0, *cuts, len(body)]
    pieces = [body[begin:end] for begin, end in zip(places, places[1:])]
    chunks = b"".join(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in pieces)
    return head + b"\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"


@probe("chunked-body")
def _(phone):
    record = phone.record(extras={"a": "東京"})
    data = phone.upload(record)
    cut = data.split(b"\r\n\r\n", 1)[1].index("東".encode()) + 1
    answer = exchange(phone.port, chunked(data, 10, cut))
    if answer.good:
        need([row["uuid"] for row in phone.stored()] == [record["uuid"]], "acknowledged and not stored")
        need(phone.row()["record"]["extras"] == {"a": "東京"}, "the text is spoilt")


@probe("gzip-body")
def _(phone):
    record = phone.record()
    answer = phone.raw(gzip.compress(phone.body(record)), Content_Encoding="gzip")
    need(not answer.good or [row["uuid"] for row in phone.stored()] == [record["uuid"]], "acknowledged and not stored")


@probe("slow-body")
def _(phone):
    record = phone.record()
    data = phone.upload(record)
    with Connection(phone.port) as connection:
        step = len(data) // 60 + 1
        for begin in range(0, len(data), step):
            connection.send(data[begin : begin + step])
            time.sleep(0.05)
        need(connection.answer().good, "not acknowledged")
    phone.need_stored([record])


@probe("split-request")
def _(phone):
    record = phone.record(extras={"a": "🚗"})
    data = phone.upload(record)
    car = data.index("🚗".encode())
    with Connection(phone.port) as connection:
        for piece in (data[:20], data[20 : car + 2], data[car + 2 : -30], data[-30:]):
            connection.send(piece)
            time.sleep(0.05)
        need(connection.answer().good, "not acknowledged")
    need(phone.row()["record"]["extras"] == {"a": "🚗"}, "the text is spoilt")


def pipeline(phone, *headers):
    phone.headers()
    records = phone.records(len(headers))
    data = b"".join(phone.upload(record, headers=fields) for record, fields in zip(records, headers))
    with Connection(phone.port, timeout=4) as connection:
        connection.send(data)
        answered = []
        for record in records:
            try:
                answer = connection.answer()
            except (TimeoutError, OSError):
                need(False, f"{len(answered)} of {len(records)} pipelined requests are answered")
            need(answer.good, f"answered {answer.status}")
            answered.append(record)
            if answer.headers.get("connection", "").lower() == "close":
                break
        phone.need_stored(answered)
        return connection.ended(2)


@probe("pipelined")
def _(phone):
    pipeline(phone, {}, {})


@probe("pipelined-close")
def _(phone):
    need(pipeline(phone, {}, {"Connection": "close"}), "the connection stays open")


@probe("header-case")
def _(phone):
    record = phone.record()
    head, body = phone.upload(record).split(b"\r\n\r\n", 1)
    lines = head.split(b"\r\n")
    lower = [line.partition(b":")[0].lower() + b":" + line.partition(b":")[2] for line in lines[1:]]
    answer = exchange(phone.port, b"\r\n".join(lines[:1] + lower) + b"\r\n\r\n" + body)
    need(answer.good, f"answered {answer.status}")
    phone.need_stored([record])


@probe("long-headers")
def _(phone):
    phone.must_post(phone.record(), headers={"X-Long": "x" * 4096} | {f"X-{number}": "y" * 40 for number in range(10)})


@probe("head-options-get")
def _(phone):
    for method in ("HEAD", "OPTIONS", "GET"):
        try:
            status = exchange(phone.port, request(method=method, length=False), method).status
        except (Cut, OSError) as error:
            need(False, f"{method} is not answered: {error}")
        need(status < 500, f"{method} is answered {status}")


@probe("unknown-path-refused")
def _(phone):
    need(not phone.post(phone.record(), path="/locatoins").good, "acknowledged")


@probe("upload-after-refusal")
def _(phone):
    phone.headers()
    for refused in (request(b'{"location":', headers=phone.headers()), phone.upload(phone.record(), path="/locatoins")):
        with Connection(phone.port) as connection:
            answer = connection.exchange(refused)
            need(not answer.good, "acknowledged")
            try:
                need(connection.exchange(phone.upload(phone.record())).good, "not acknowledged")
            except (Cut, OSError) as error:
                need(False, f"not answered: {error}")


@probe("slow-client-beside-others")
def _(phone):
    phone.headers()
    held = [Connection(phone.port) for _ in range(3)]
    for connection in held:
        connection.send(phone.upload(phone.record())[:-50])
    time.sleep(0.1)
    try:
        with Connection(phone.port, timeout=3) as connection:
            on(connection, phone)
    except TimeoutError:
        need(False, "no answer within 3 s")
    finally:
        for connection in held:
            connection.close()


@probe("idle-connections-beside-others")
def _(phone):
    phone.headers()
    held = []
    try:
        for _ in range(50):
            held.append(Connection(phone.port, timeout=3))
            on(held[-1], phone)
    except TimeoutError:
        need(False, f"no answer within 3 s beside {len(held) - 1} connections")
    finally:
        for connection in held:
            connection.close()


@probe("silent-connections-beside-others")
def _(phone):
    phone.headers()
    held = [Connection(phone.port) for _ in range(50)]
    try:
        with Connection(phone.port, timeout=3) as connection:
            on(connection, phone)
    except TimeoutError:
        need(False, "no answer within 3 s")
    finally:
        for connection in held:
            connection.close()


@probe("hundred-at-once")
def _(phone):
    devices = {phone.new_device(): phone.record() for _ in range(100)}
    uploads = {device: phone.upload(record, device) for device, record in devices.items()}
    refused = []

    def run(device):
        for _ in range(4):
            answer = exchange(phone.port, uploads[device])
            if answer.good:
                return
            refused.append(answer.status)
            time.sleep(0.02)

    threads = [threading.Thread(target=run, args=(device,)) for device in devices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    need(not [status for status in refused if status not in (429, 503)], f"answered {refused[:5]}")
    for device, record in devices.items():
        phone.need_stored([record], device)


@probe("reset-after-request")
def _(phone):
    record = phone.record()
    with Connection(phone.port) as connection:
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.send(phone.upload(record))
    phone.must_post(record)
    phone.need_stored([record])


@probe("alive-after-garbage")
def _(phone):
    for data in (
        b"GARBAGE\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"POST /locations HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /locations HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        b"POST /locations HTTP/1.1\r\nX: " + b"y" * 70000 + b"\r\n\r\n",
    ):
        try:
            answer = exchange(phone.port, data, timeout=3)
            need(answer.status >= 400, f"{data[:60]!r} is answered {answer.status}")
        except (Cut, OSError):
            pass
    need(phone.backend.alive(), "the process has ended")
    phone.must_post(phone.record())
