"""Probes of storing, acknowledging, batches and order."""

import threading
import time

from probes.client import Connection, Cut, exchange
from probes.phone import iso, need, probe


@probe("stored-when-acknowledged")
def _(phone):
    records = phone.records(60)
    for record in records:
        phone.must_post(record)
    phone.need_stored(records)
    device, record = phone.new_device().ljust(36, "n"), phone.record()
    phone.must_post(record, device)
    phone.need_stored([record], device)


@probe("stays-stored")
def _(phone):
    record = phone.record(timestamp=iso(phone.begin - 7 * 86_400_000))
    phone.must_post(record)
    phone.need_stored([record])
    time.sleep(2)
    phone.need_stored([record])


@probe("resend-much-later")
def _(phone):
    record = phone.record()
    phone.must_post(record)
    time.sleep(6)
    phone.must_post(record)
    phone.need_stored([record])


@probe("good-record-acknowledged")
def _(phone):
    for record in phone.records(6):
        phone.must_post(record)


@probe("status-documented")
def _(phone):
    for records in (phone.record(), phone.records(2)):
        status = phone.must_post(records).status
        need(status in (200, 201, 204), f"answered {status}")


@probe("answer-in-time")
def _(phone):
    begin = time.monotonic()
    phone.must_post(phone.record())
    need(time.monotonic() - begin < 5, "more than 5 s")


def upload_and_end(phone, end):
    phone.headers()
    records = phone.records(20)
    for record in records:
        phone.must_post(record)
    end()
    phone.backend.start()
    phone.need_stored(records)


@probe("ack-survives-kill")
def _(phone):
    upload_and_end(phone, phone.backend.kill)


@probe("ack-survives-stop")
def _(phone):
    upload_and_end(phone, phone.backend.stop)
    device, record = phone.new_device(), phone.record()
    data = phone.upload(record, device)
    with Connection(phone.port) as connection:
        connection.send(data[:-100])
        stop = threading.Thread(target=phone.backend.stop)
        stop.start()
        time.sleep(0.5)
        try:
            connection.send(data[-100:])
            acknowledged = connection.answer().good
        except (OSError, Cut):
            acknowledged = False
        stop.join()
    phone.backend.start()
    if acknowledged:
        phone.need_stored([record], device)


@probe("ack-survives-kill-in-flight")
def _(phone):
    devices = {phone.new_device(): [] for _ in range(6)}
    open_batches, ended = {}, threading.Event()
    for device in devices:
        phone.headers(device)

    def run(device):
        while not ended.is_set() and len(devices[device]) < 2000:
            batch = phone.records(5)
            devices[device] += batch
            open_batches[device] = batch
            try:
                if phone.post(batch, device).good:
                    open_batches.pop(device)
            except (OSError, Cut):
                return

    threads = [threading.Thread(target=run, args=(device,)) for device in devices]
    for thread in threads:
        thread.start()
    time.sleep(0.4)
    phone.backend.kill()
    ended.set()
    for thread in threads:
        thread.join()
    phone.backend.start()
    for device, batch in open_batches.items():
        phone.must_post(batch, device)
    for device, records in devices.items():
        phone.need_stored(records, device)


@probe("same-before-and-after-restart")
def _(phone):
    phone.must_post([phone.record(), phone.record(timestamp=iso(phone.begin - 100 * 86_400_000))], trip="T 1")
    before = phone.stored()
    phone.backend.restart()
    need(phone.stored() == before, "the listing differs after a restart")


@probe("back-after-restart")
def _(phone):
    phone.must_post(phone.record())
    for killed in (False, True):
        phone.backend.restart(killed)
        status = phone.post(phone.record()).status
        need(status not in (502, 503, 504), f"answered {status}")


@probe("ready-after-kill")
def _(phone):
    phone.headers()
    begin = time.monotonic()
    phone.backend.restart(killed=True)
    phone.must_post(phone.record())
    need(time.monotonic() - begin < 5, "more than 5 s until the first upload")


@probe("cut-request-stores-nothing-half")
def _(phone):
    records = phone.records(10)
    data = phone.upload(records)
    with Connection(phone.port) as connection:
        connection.send(data[: len(data) // 2])
        need(not connection.pending(0.1), "answered before the whole body")
    phone.must_post(records)
    phone.need_stored(records)


@probe("answer-waits-for-body")
def _(phone):
    record = phone.record()
    data = phone.upload(record)
    with Connection(phone.port) as connection:
        connection.send(data[:-200])
        need(not connection.pending(0.5), "answered before the whole body")
        connection.send(data[-200:])
        need(connection.answer().good, "not acknowledged")
    phone.need_stored([record])


@probe("unreadable-not-acknowledged")
def _(phone):
    for _ in range(5):
        status = phone.raw(phone.body(phone.record())[:300]).status
        need(400 <= status < 500, f"answered {status}")
    body = phone.body(phone.records(4))
    status = phone.raw(body[: len(body) * 3 // 5]).status
    need(400 <= status < 500, f"a batch that was cut off is answered {status}")


@probe("empty-body-not-acknowledged")
def _(phone):
    need(not phone.raw(b"").good, "acknowledged")


@probe("store-reads-all")
def _(phone):
    records = [phone.record(timestamp=iso(phone.begin + number // 3 * 400)) for number in range(233)]
    for begin in range(0, 233, 50):
        phone.must_post(records[begin : begin + 50])
    phone.need_stored(records)


def batch(phone, count):
    records = phone.records(count)
    answer = exchange(phone.port, phone.upload(records), timeout=60)
    need(answer.good, f"a batch of {count} was answered {answer.status}")
    phone.need_stored(records)


@probe("batch-all-stored")
def _(phone):
    batch(phone, 10)


@probe("batch-of-one")
def _(phone):
    batch(phone, 1)


@probe("batch-over-midnight")
def _(phone):
    midnight = phone.begin // 86_400_000 * 86_400_000
    records = [phone.record(timestamp=iso(midnight + ms)) for ms in (-1437, 863, 2063)]
    phone.must_post(records)
    phone.need_stored(records)
    phone.must_post(records[1:])
    phone.need_stored(records)


@probe("batch-250")
def _(phone):
    batch(phone, 250)


@probe("body-over-1-mb")
def _(phone):
    batch(phone, 2500)


@probe("body-10-mb")
def _(phone):
    batch(phone, 17000)


@probe("backlog-5000")
def _(phone):
    records = phone.records(5000)
    for begin in range(0, 5000, 250):
        phone.must_post(records[begin : begin + 250])
    phone.need_stored(records)


@probe("newest-first")
def _(phone):
    records = phone.records(5)[::-1]
    for record in records:
        phone.must_post(record)
    phone.need_stored(records)


@probe("late-behind-newer")
def _(phone):
    records = [phone.record(), phone.record(timestamp=iso(phone.begin - 3_600_000))]
    for record in records:
        phone.must_post(record)
    phone.need_stored(records)


@probe("week-late")
def _(phone):
    record = phone.record(timestamp=iso(phone.begin - 7 * 86_400_000))
    phone.must_post(record)
    phone.need_stored([record])


@probe("minute-early")
def _(phone):
    record = phone.record(timestamp=iso(int(time.time() * 1000) + 60_000))
    phone.must_post(record)
    phone.need_stored([record])


@probe("day-early")
def _(phone):
    record = phone.record(timestamp=iso(int(time.time() * 1000) + 36 * 3_600_000))
    phone.must_post(record)
    phone.need_stored([record])


def without_place(phone):
    return phone.record(**{"coords": {}}) | {"coords": {"accuracy": 5}}


@probe("bad-record-in-batch")
def _(phone):
    for places in ((5,), (0,), (9,), (2, 6)):
        records, device = phone.records(10), phone.new_device()
        bad = {records[place]["uuid"] for place in places}
        for place in places:
            records[place] = without_place(phone) | {"uuid": records[place]["uuid"]}
        phone.must_post(records, device)
        found = {row["uuid"] for row in phone.stored(device)} - bad
        need(len(found) == 10 - len(bad), f"{len(found)} of {10 - len(bad)} good records are stored")


@probe("bad-record-alone")
def _(phone):
    answer = phone.post(without_place(phone))
    need(answer.good, f"answered {answer.status}")


@probe("alive-after-bad-record")
def _(phone):
    phone.post(without_place(phone))
    phone.post([without_place(phone), phone.record()])
    device, record = phone.new_device(), phone.record()
    phone.must_post(record, device)
    phone.need_stored([record], device)


@probe("kinds-in-one-batch")
def _(phone):
    kinds = ["motionchange", "geofence", "heartbeat", "providerchange"]
    records = [phone.record()] + [phone.record(event=kind) for kind in kinds]
    phone.must_post(records)
    found = [row["record"].get("event") for row in phone.stored()]
    need(sorted(map(str, found)) == sorted(["None", *kinds]), f"stored are {found}")


@probe("batch-order-kept")
def _(phone):
    records = phone.records(10)
    phone.must_post(records)
    found = [row["uuid"] for row in phone.stored()]
    sent = [record["uuid"] for record in records if record["uuid"] in found]
    need(found == sent, "the records of a batch are stored in another order")


@probe("many-devices-at-once")
def _(phone):
    devices, refused = {phone.new_device(): phone.records(10) for _ in range(20)}, []
    for device in devices:
        phone.headers(device)

    def run(device):
        with Connection(phone.port) as connection:
            for record in devices[device]:
                data = phone.upload(record, device)
                for _ in range(4):
                    answer = connection.exchange(data)
                    if answer.good:
                        break
                    refused.append(answer.status)
                    time.sleep(0.02)

    threads = [threading.Thread(target=run, args=(device,)) for device in devices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    need(not [status for status in refused if status not in (429, 503)], f"answered {refused[:5]}")
    for device, records in devices.items():
        phone.need_stored(records, device)


@probe("good-beside-bad")
def _(phone):
    good, done = phone.records(60), threading.Event()
    phone.headers()

    def trouble():
        while not done.is_set():
            phone.raw(phone.body(phone.record())[:200])
            phone.post(without_place(phone))

    threads = [threading.Thread(target=trouble) for _ in range(4)]
    for thread in threads:
        thread.start()
    kept = [record for record in good if phone.post(record).good]
    done.set()
    for thread in threads:
        thread.join()
    phone.need_stored(kept)
