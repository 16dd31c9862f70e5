"""Access and refresh tokens: opaque, kept in the store.

A refresh token is used once. Its repetition gets the same successor as long as the phone has not shown that it has
the successor, or for a grace time: the answer may have been lost, and a phone that is locked out does not come back.
"""

import secrets
import time


class Refused(Exception):
    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


class Tokens:
    def __init__(self, store, life, grace):
        self.store, self.life, self.grace = store, life, grace

    def register(self, device):
        with self.store.transaction() as db:
            return self.answer(*self.new_pair(db, device))

    def new_pair(self, db, device):
        access, refresh, pair = secrets.token_urlsafe(24), secrets.token_urlsafe(24), secrets.token_hex(8)
        db.execute("insert into access values (?, ?, ?, ?)", (access, device, time.time() + self.life, pair))
        db.execute("insert into refresh values (?, ?, ?, null, null)", (refresh, device, pair))
        return access, refresh

    def answer(self, access, refresh):
        return {"accessToken": access, "refreshToken": refresh, "expires": self.life}

    def device_of(self, token):
        """The device of a valid access token."""
        if not token:
            raise Refused(401, "no access token")
        with self.store.lock:
            row = self.store.db.execute("select device, until, pair from access where token = ?", (token,)).fetchone()
            if not row:
                raise self.unknown()
            device, until, pair = row
            if until <= time.time():
                raise self.expired()
            self.seen(pair)
            return device

    def unknown(self):
        return Refused(401, "unknown access token")

    def expired(self):
        return Refused(401, "expired access token")

    def seen(self, pair):
        """The phone has this pair: the refresh token before it is no longer needed."""
        db = self.store.db
        if db.execute("select 1 from refresh where successor = ?", (pair,)).fetchone():
            db.execute("delete from refresh where successor = ? and used < ?", (pair, time.time() - self.grace))

    def refresh(self, token):
        with self.store.transaction() as db:
            row = db.execute("select device, pair, successor from refresh where token = ?", (token or "",)).fetchone()
            if not row:
                raise Refused(401, "unknown refresh token")
            device, pair, successor = row
            self.seen(pair)
            return self.answer(*self.successor(db, token, device, successor))

    def successor(self, db, token, device, successor):
        if successor:
            access = db.execute("select token from access where pair = ?", (successor,)).fetchone()[0]
            refresh = db.execute("select token from refresh where pair = ?", (successor,)).fetchone()
            if refresh:
                db.execute("update access set until = ? where token = ?", (time.time() + self.life, access))
                return access, refresh[0]
        access, refresh = self.new_pair(db, device)
        db.execute(
            "update refresh set used = ?, successor = (select pair from access where token = ?) where token = ?",
            (time.time(), access, token),
        )
        return access, refresh
