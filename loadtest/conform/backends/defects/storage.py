"""Defects of storing and acknowledging, of repetition, and of batches."""

import collections
import hashlib
import itertools
import math
import sqlite3
import threading
import time

from defects import around, defect
from intake import Unreadable, Unusable, write
from tokens import Refused
from wire import Answer, BadRequest

MEBIBYTE = 1 << 20


def commit_later(parts, seconds):
    store = parts.store

    def commit():
        with store.lock:
            if store.db.in_transaction:
                store.db.execute("commit")

    def begin():
        if not store.db.in_transaction:
            store.db.execute("begin immediate")
            timer = threading.Timer(seconds, commit)
            timer.daemon = True
            timer.start()

    store.begin, store.commit = begin, lambda: None
    return commit


@defect
def ack_before_commit(parts):
    commit = commit_later(parts, 0.3)

    @around(parts.store, "close")
    def _(close):
        commit()
        close()


@defect
def write_behind(parts):
    commit_later(parts, 1)


def forget_key(parts):
    parts.store.db.execute("drop index if exists one_record")
    parts.store.db.execute("create index one_record on records (device, key)")  # stays when the schema is made again


def known(parts, record):
    query = "select 1 from records where device = ? and key = ?"
    with parts.store.lock:
        return parts.store.db.execute(query, (record.device, record.key)).fetchone() is not None


@defect
def stores_repeats(parts):
    forget_key(parts)


@defect
def check_then_insert(parts):
    forget_key(parts)

    @around(parts.intake, "read")
    def _(read, *arguments):
        upload = read(*arguments)
        upload.records = [record for record in upload.records if not known(parts, record)]
        time.sleep(0.02)  # as a look-up of the address would take
        return upload


@defect
def dedupe_in_memory(parts):
    forget_key(parts)
    seen = set()

    @around(parts.store, "insert")
    def _(insert, record, params):
        identity = (record.device, record.key)
        return False if identity in seen else seen.add(identity) or insert(record, params)


@defect
def dedupe_last_only(parts):
    forget_key(parts)
    last = {}

    @around(parts.store, "insert")
    def _(insert, record, params):
        before, last[record.device] = last.get(record.device), record.key
        return before != record.key and insert(record, params)


@defect
def dedupe_last_200(parts):
    forget_key(parts)
    last = collections.deque(maxlen=200)

    @around(parts.store, "insert")
    def _(insert, record, params):
        identity = (record.device, record.key)
        if identity in last:
            return False
        last.append(identity)
        return insert(record, params)


@defect
def repeat_overwrites(parts):
    @around(parts.store, "insert")
    def _(insert, record, params):
        if insert(record, params):
            return True
        parts.store.db.execute(
            "update records set record = json_set(record, '$.odometer', 0) where device = ? and key = ?",
            (record.device, record.key),
        )
        return False


@defect
def repeat_409(parts):
    @around(parts.store, "insert")
    def _(insert, record, params):
        if not insert(record, params):
            raise Refused(409, "already stored")


@defect
def repeat_500(parts):
    @around(parts.store, "insert")
    def _(insert, record, params):
        if not insert(record, params):
            raise sqlite3.IntegrityError("UNIQUE constraint failed: records.uuid")


@defect
def known_record_fails_batch(parts):
    @around(parts.store, "save")
    def _(save, upload):
        if {known(parts, record) for record in upload.records} == {True, False}:
            raise sqlite3.IntegrityError("UNIQUE constraint failed: records.uuid")
        save(upload)


@defect
def known_batch_skipped(parts):
    @around(parts.store, "save")
    def _(save, upload):
        if not (upload.records and known(parts, upload.records[0])):
            save(upload)


def key_by(parts, key):
    @around(parts.intake, "record")
    def _(read, raw, device):
        record = read(raw, device)
        record.key = str(key(record))
        return record


@defect
def key_on_timestamp(parts):
    key_by(parts, lambda record: record.at)


@defect
def key_on_second(parts):
    key_by(parts, lambda record: record.at // 1000)


@defect
def key_on_place(parts):
    key_by(parts, lambda record: (record.latitude, record.longitude))


@defect
def key_of_body(parts):
    @around(parts.store, "insert")
    def _(insert, record, params):
        record.key = hashlib.sha256(write([record.content, params]).encode()).hexdigest()
        return insert(record, params)


@defect
def no_uuid_folded(parts):
    parts.intake.key = lambda uuid, raw: str(uuid).lower()


@defect
def batch_reversed(parts):
    @around(parts.intake, "split")
    def _(split, body):
        records, params, batch = split(body)
        return records[::-1], params, batch


@defect
def first_of_batch(parts):
    limit_batch(parts, 1)


@defect
def page_limit_100(parts):
    limit_batch(parts, 100)


def limit_batch(parts, limit):
    @around(parts.intake, "split")
    def _(split, body):
        records, params, batch = split(body)
        return records[:limit], params, batch


@defect
def body_cut_at_1_mb(parts):
    @around(parts.intake, "split")
    def _(split, body):
        records, params, batch = split(body)
        kept, total = [], 0
        for record in records:
            total += len(write(record))
            if total < MEBIBYTE:
                kept.append(record)
        return kept, params, batch


def limit_body(parts, limit):
    @around(parts.handler, "read_body")
    def _(read, self):
        body = read(self)
        if len(body) > limit:
            raise BadRequest(413, "request entity too large")
        return body


@defect
def body_limit_1_mb(parts):
    limit_body(parts, MEBIBYTE)


@defect
def body_limit_8_mb(parts):
    limit_body(parts, 8 * MEBIBYTE)


def drop(parts, unwanted):
    @around(parts.store, "insert")
    def _(insert, record, params):
        return not unwanted(record) and insert(record, params)


@defect
def old_dropped(parts):
    drop(parts, lambda record: record.at < (time.time() - 86400) * 1000)


@defect
def future_dropped(parts):
    drop(parts, lambda record: record.at > time.time() * 1000)


@defect
def day_ahead_dropped(parts):
    drop(parts, lambda record: record.at > (time.time() + 86400) * 1000)


@defect
def out_of_order_dropped(parts):
    parts.store.db.execute("create index if not exists newest on records (device, timestamp)")

    def behind(record):
        newest = parts.store.db.execute(
            "select max(timestamp) from records where device = ?", (record.device,)
        ).fetchone()[0]
        return newest is not None and record.at < newest

    drop(parts, behind)


@defect
def jumps_dropped(parts):
    """More than 300 km/h since the last one that was stored; a degree is 111 km."""
    last = {}

    def jumps(record):
        before = last.get(record.device)
        if before:
            degrees = math.hypot(record.latitude - before.latitude, record.longitude - before.longitude)
            if degrees * 111 * 3_600_000 > 300 * max(abs(record.at - before.at), 1):
                return True
        last[record.device] = record
        return False

    drop(parts, jumps)


@defect
def keeps_newest_1000(parts):
    @around(parts.store, "save")
    def _(save, upload):
        save(upload)
        parts.store.db.execute(
            "delete from records where device = ?1 and seq <= (select seq from records where device = ?1"
            " order by seq desc limit 1 offset 1000)",
            (upload.device,),
        )


@defect
def restart_empties(parts):
    parts.store.db.execute("delete from records")


@defect
def listing_stops_at_100(parts):
    @around(parts.store, "page")
    def _(page, *arguments):
        return page(*arguments)[0], None


@defect
def store_then_500(parts):
    parts.backend.acknowledge = lambda upload, commands: Answer(500, {"error": "internal error"})


@defect
def store_then_503(parts):
    parts.backend.acknowledge = lambda upload, commands: Answer(503, {"error": "busy"}, {"Retry-After": "1"})


@defect
def new_stored_then_503(parts):
    @around(parts.backend, "upload")
    def _(upload, request):
        before = parts.store.db.total_changes
        answer = upload(request)
        return answer if parts.store.db.total_changes == before else Answer(503, {"error": "busy"})


@defect
def third_stored_then_503(parts):
    count = itertools.count(1)

    @around(parts.backend, "upload")
    def _(upload, request):
        answer = upload(request)
        return answer if next(count) % 3 else Answer(503, {"error": "busy"})


@defect
def geofence_stored_then_500(parts):
    @around(parts.backend, "acknowledge")
    def _(acknowledge, upload, commands):
        kinds = [record.content.get("event") for record in upload.records if isinstance(record.content, dict)]
        return Answer(500, {"error": "webhook failed"}) if "geofence" in kinds else acknowledge(upload, commands)


@defect
def status_202(parts):
    @around(parts.backend, "acknowledge")
    def _(acknowledge, upload, commands):
        answer = acknowledge(upload, commands)
        answer.status = 202
        return answer


@defect
def unreadable_acknowledged(parts):
    parts.backend.unreadable = lambda error: Answer(200, {"success": True})


@defect
def empty_body_acknowledged(parts):
    @around(parts.backend, "upload")
    def _(upload, request):
        return upload(request) if request.body else Answer(200, {"success": True})


@defect
def bad_record_alone_400(parts):
    @around(parts.intake, "read")
    def _(read, *arguments):
        upload = read(*arguments)
        if upload.aside and not upload.batch:
            raise Unreadable(f"validation failed: {upload.aside[0][2]}")
        return upload


@defect
def bad_record_refuses_batch(parts):
    @around(parts.intake, "read")
    def _(read, *arguments):
        upload = read(*arguments)
        if upload.aside:
            raise Unreadable(f"validation failed: {upload.aside[0][2]}")
        return upload


@defect
def bad_record_ends_batch(parts):
    @around(parts.intake, "split")
    def _(split, body):
        records, params, batch = split(body)
        for index, raw in enumerate(records):
            try:
                parts.intake.record(raw, "")
            except Unusable:
                return records[:index], params, batch
        return records, params, batch


@defect
def bad_record_drops_batch(parts):
    @around(parts.intake, "read")
    def _(read, *arguments):
        upload = read(*arguments)
        if upload.aside:
            upload.records = []
        return upload


@defect
def bad_record_page_200(parts):
    bad_record_refuses_batch(parts)
    page = b"<!DOCTYPE html><html><body><h1>Something went wrong</h1></body></html>"
    parts.backend.unreadable = lambda error: Answer(200, page, {"Content-Type": "text/html"})


@defect
def transaction_left_open(parts):
    broken = threading.Event()

    @around(parts.store, "begin")
    def _(begin):
        if broken.is_set():
            raise sqlite3.OperationalError("cannot start a transaction within a transaction")
        begin()

    @around(parts.store, "save")
    def _(save, upload):
        if upload.aside:
            broken.set()
        save(upload)


@defect
def database_locked(parts):
    writing = threading.Lock()

    @around(parts.backend, "upload")
    def _(upload, request):
        if not writing.acquire(blocking=False):
            raise sqlite3.OperationalError("database is locked")
        try:
            time.sleep(0.005)
            return upload(request)
        finally:
            writing.release()


@defect
def day_behind_dropped(parts):
    """Takes what is a day older than the newest record of its device for a mistake of its clock."""
    newest = {}

    def behind(record):
        newest[record.device] = max(newest.get(record.device, 0), record.at)
        return record.at < newest[record.device] - 86_400_000

    drop(parts, behind)


def lose_last_full(parts, size):
    """A batch is stored in parts of this size, and its last one is lost if it is full."""

    @around(parts.store, "save")
    def _(save, upload):
        if upload.records and len(upload.records) % size == 0:
            upload.records = upload.records[:-size]
        save(upload)


@defect
def last_full_thousand_lost(parts):
    lose_last_full(parts, 1_000)


@defect
def last_full_256_lost(parts):
    lose_last_full(parts, 256)


@defect
def purges_eight_days(parts):
    """Each five seconds."""

    def purge():
        while True:
            time.sleep(5)
            with parts.store.transaction() as db:
                db.execute("delete from records where timestamp < ?", ((time.time() - 8 * 86_400) * 1_000,))

    threading.Thread(target=purge, daemon=True).start()


@defect
def last_second_of_days_dropped(parts):
    """As a table of each day does that ends at 23:59:59."""
    drop(parts, lambda record: record.at % 86_400_000 > 86_399_000)


@defect
def leap_days_dropped(parts):
    drop(parts, lambda record: time.gmtime(record.at / 1_000)[1:3] == (2, 29))
