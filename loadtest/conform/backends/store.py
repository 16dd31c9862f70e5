"""The store: one SQLite file, every acknowledged upload on the disk before its answer."""

import sqlite3
import threading
from contextlib import contextmanager

from intake import parse, write

PAGE = 100
SCHEMA = """
create table if not exists records (
  seq integer primary key autoincrement, device text not null, key text not null, uuid text, timestamp integer not null,
  latitude real not null, longitude real not null, record text not null, params text not null);
create unique index if not exists one_record on records (device, key);
create index if not exists by_device on records (device);
create table if not exists aside (
  seq integer primary key autoincrement, device text not null, record text not null, reason text not null);
create table if not exists commands (
  seq integer primary key autoincrement, device text not null, command text not null, carrier text);
create table if not exists access (token text primary key, device text not null, until real not null, pair text not null);
create table if not exists refresh (
  token text primary key, device text not null, pair text not null, used real, successor text);
"""


class Store:
    def __init__(self, path):
        self.lock = threading.RLock()
        self.db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.db.execute("pragma journal_mode=wal")
        self.db.execute("pragma synchronous=full")
        self.db.executescript(SCHEMA)

    @contextmanager
    def transaction(self):
        with self.lock:
            self.begin()
            try:
                yield self.db
            except BaseException:
                self.db.execute("rollback")
                raise
            self.commit()

    def begin(self):
        self.db.execute("begin immediate")

    def commit(self):
        self.db.execute("commit")

    def save(self, upload):
        """Stores what is not yet stored; inside a transaction."""
        for record in upload.records:
            self.insert(record, upload.params)
        for device, content, reason in upload.aside:
            self.db.execute(
                "insert into aside (device, record, reason) values (?, ?, ?)", (device, write(content), reason)
            )

    def insert(self, record, params):
        """Whether the record is new."""
        row = (record.device, record.key, record.uuid, record.at, record.latitude, record.longitude)
        return self.insert_row(row + (write(record.content), write(params)))

    def insert_row(self, row):
        return (
            self.db.execute(
                "insert into records (device, key, uuid, timestamp, latitude, longitude, record, params) values (?,?,?,?,?,?,?,?)"
                " on conflict do nothing",
                row,
            ).rowcount
            == 1
        )

    def page(self, table, device, cursor):
        """Up to 100 rows after the cursor, as they are listed, and the cursor of the next page."""
        with self.lock:
            rows = self.db.execute(
                f"select * from {table} where seq > ? and (?2 is null or device = ?2) order by seq limit ?3",
                (cursor, device, PAGE),
            ).fetchall()
        names = {
            "records": ("seq", "device", "key", "uuid", "timestamp", "latitude", "longitude", "record", "params"),
            "aside": ("seq", "device", "record", "reason"),
        }[table]
        found = [dict(zip(names, row)) for row in rows]
        for row in found:
            row.pop("key", None)
            row.update({name: parse(row[name]) for name in ("record", "params") if name in row})
        return found, str(found[-1]["seq"]) if len(found) == PAGE else None

    def close(self):
        with self.lock:
            self.db.close()
