"""Defects that show with many clients at once, behind bad requests, or behind a restart."""

import json
import os
import threading
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path

from defects import around, defect
from intake import Unreadable, Unusable, is_number
from wire import Answer


@defect
def lost_update(parts):
    @around(parts.backend, "upload")
    def _(upload, request):
        db, newest = parts.store.db, "select coalesce(max(seq), 0) from records"
        with parts.store.lock:
            before = db.execute(newest).fetchone()[0]
        time.sleep(0.005)
        with parts.store.lock:
            now = db.execute(newest).fetchone()[0]
            answer = upload(request)
            # What was read before is written back: others have written since.
            db.execute("delete from records where seq > ? and seq <= ?", (before, now))
        return answer


@defect
def shared_transaction(parts):
    db, guard, inside = parts.store.db, threading.Lock(), set()

    @contextmanager
    def transaction():
        mine = object()
        with guard:
            if not db.in_transaction:
                db.execute("begin immediate")
            inside.add(mine)
        try:
            yield db
        except BaseException:
            with guard:
                inside.discard(mine)
                if db.in_transaction:
                    db.execute("rollback")  # and what others have written in it
            raise
        with guard:
            inside.discard(mine)
            if not inside and db.in_transaction:
                db.execute("commit")

    @around(parts.backend, "upload")
    def _(upload, request):
        with transaction():
            time.sleep(0.002)
            return upload(request)

    parts.store.transaction = lambda: nullcontext(db)


@defect
def shared_transaction_bad_record(parts):
    class WithoutPlace(Exception):
        pass

    shared_transaction(parts)

    @around(parts.store, "save")
    def _(save, upload):
        if upload.aside and not upload.records:
            raise WithoutPlace
        save(upload)

    @around(parts.backend, "upload")
    def _(upload, request):
        try:
            return upload(request)
        except WithoutPlace:
            return Answer(200, {"success": True})


@defect
def silent_after_restart(parts):
    if parts.store.page("records", None, 0)[0]:
        parts.backend.handle = lambda request: Answer(503, {"error": "not ready"})


@defect
def device_in_global(parts):
    current = {}

    @around(parts.intake, "read")
    def _(read, *arguments):
        upload = read(*arguments)
        current["device"] = upload.device
        time.sleep(0.002)
        for record in upload.records:
            record.device = current["device"]
        return upload


@defect
def too_many_403(parts):
    room = threading.Semaphore(12)

    @around(parts.backend, "upload")
    def _(upload, request):
        if not room.acquire(blocking=False):
            return Answer(403, {"error": "too many requests"})
        try:
            time.sleep(0.005)
            return upload(request)
        finally:
            room.release()


@defect
def same_device_deadlock(parts):
    turns, stuck = {}, set()

    @around(parts.backend, "acknowledge")
    def _(acknowledge, upload, commands):
        turn = turns.setdefault(upload.device, threading.Lock())
        if upload.device in stuck or not turn.acquire(blocking=False):
            stuck.add(upload.device)
            time.sleep(60)
        time.sleep(0.01)
        turn.release()
        return acknowledge(upload, commands)


@defect
def bad_record_keeps_lock(parts):
    writing = threading.Lock()

    @around(parts.backend, "upload")
    def _(upload, request):
        if not writing.acquire(timeout=60):
            raise TimeoutError
        try:
            return upload(request)
        finally:
            if not parts.saw_bad:
                writing.release()

    parts.saw_bad = False

    @around(parts.intake, "record")
    def _(record, *arguments):
        try:
            return record(*arguments)
        except Unusable:
            parts.saw_bad = True
            raise


@defect
def unreadable_leaks_connection(parts):
    pool = threading.Semaphore(2)

    @around(parts.backend, "upload")
    def _(upload, request):
        if not pool.acquire(timeout=2):
            raise TimeoutError("the pool has no connection")
        try:
            answer = upload(request)
        except Unreadable:
            raise  # and keeps the connection
        pool.release()
        return answer


@defect
def cut_request_keeps_lock(parts):
    reading = threading.Lock()

    @around(parts.handler, "read_exactly")
    def _(read, self, length):
        if length < 2000:
            return read(self, length)
        # A large body has a buffer that all share.
        reading.acquire(timeout=30)
        body = read(self, length)
        reading.release()
        return body


@defect
def bad_record_stops_storing(parts):
    broken = threading.Event()

    @around(parts.store, "save")
    def _(save, upload):
        if upload.aside:
            broken.set()
        if not broken.is_set():
            save(upload)


@defect
def repeat_304(parts):
    @around(parts.backend, "upload")
    def _(upload, request):
        before = parts.store.db.total_changes
        answer = upload(request)
        return answer if parts.store.db.total_changes > before else Answer(304)


@defect
def batch_207(parts):
    @around(parts.backend, "acknowledge")
    def _(acknowledge, upload, commands):
        answer = acknowledge(upload, commands)
        answer.status = 207 if upload.batch else answer.status
        return answer


@defect
def coords_by_position(parts):
    @around(parts.intake, "named")
    def _(named, raw):
        values = named(raw)
        coords = raw.get("coords") if isinstance(raw, dict) else None
        numbers = [value for value in coords.values() if is_number(value)] if isinstance(coords, dict) else []
        if len(numbers) >= 2:
            values["latitude"], values["longitude"] = numbers[:2]
            raw["coords"] = coords | {"latitude": numbers[0], "longitude": numbers[1]}
        return values


@defect
def recorded_at_as_time(parts):
    @around(parts.intake, "named")
    def _(named, raw):
        values = named(raw)
        if isinstance(raw, dict) and "recorded_at" in raw:
            values["timestamp"] = raw["timestamp"] = raw["recorded_at"]
        return values


@defect
def integers_overflow_500(parts):
    def check(value):
        if isinstance(value, int) and abs(value) >= 1 << 31:
            raise OverflowError("integer out of range")
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            check(item)

    @around(parts.intake, "record")
    def _(record, raw, device):
        check(raw.get("extras") if isinstance(raw, dict) else None)
        return record(raw, device)


@defect
def slow_recovery(parts):
    path = parts.store.db.execute("pragma database_list").fetchone()[2]
    running = Path(path + ".running")
    if running.exists():
        time.sleep(7)
    running.write_text(str(os.getpid()))

    @around(parts.store, "close")
    def _(close):
        running.unlink()
        close()


@defect
def answers_nothing(parts):
    """A worker that waits for what never comes."""

    @around(parts.backend, "upload")
    def _(upload, request):
        time.sleep(60)
        return upload(request)


@defect
def worker_ended_by_chunks(parts):
    is_gone = threading.Event()

    @around(parts.backend, "route")
    def _(route, request):
        if request.headers.get("Transfer-Encoding"):
            is_gone.set()
        return Answer(500, {"error": "no worker"}) if is_gone.is_set() else route(request)


@defect
def locked_by_a_twin(parts):
    running, guard, is_locked = set(), threading.Lock(), threading.Event()

    @around(parts.backend, "upload")
    def _(upload, request):
        with guard:
            if request.body in running:
                is_locked.set()
            if is_locked.is_set():
                return Answer(500, {"error": "lock timeout"})
            running.add(request.body)
        try:
            time.sleep(0.005)
            return upload(request)
        finally:
            with guard:
                running.discard(request.body)


@defect
def impatient_reader(parts):
    @around(parts.handler, "read_body")
    def _(read_body, handler):
        handler.connection.settimeout(0.7)
        try:
            return read_body(handler)
        finally:
            handler.connection.settimeout(60)


@defect
def packed_body_never_ends(parts):
    @around(parts.handler, "inflate")
    def _(inflate, handler, raw):
        if handler.headers.get("Content-Encoding"):
            time.sleep(25)
        return inflate(handler, raw)


@defect
def connection_of_one_device(parts):
    # A connection has a thread of its own.
    first = threading.local()

    @around(parts.backend, "upload")
    def _(upload, request):
        device = json.loads(request.body).get("device_id") if request.body[:1] == b"{" else None
        if device is not None and vars(first).setdefault("device", device) != device:
            return Answer(403, {"error": "another device"})
        return upload(request)


@defect
def stop_acknowledges_unstored(parts):
    """What is under way at SIGTERM is answered, and written by a thread that has ended."""
    stopping = threading.Event()

    @around(parts.server, "shutdown")
    def _(shutdown):
        stopping.set()
        shutdown()

    @around(parts.store, "save")
    def _(save, upload):
        if not stopping.is_set():
            save(upload)
