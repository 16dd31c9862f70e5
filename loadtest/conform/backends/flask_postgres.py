"""The same service by another architecture: Flask and waitress over PostgreSQL, signed access tokens, 204 without a body.

python3 flask_postgres.py --database DSN [--port PORT] [--tokens]
"""

import argparse
import base64
import gzip
import hashlib
import hmac
import json
import secrets
import signal
import sys
import threading
import time
import zlib

import psycopg2
from flask import Flask, Response, request
from psycopg2.extras import execute_values
from waitress.server import create_server

from intake import Intake, Unreadable, write

SCHEMA = """
create table if not exists locations (
  id bigserial primary key, device text not null, key text not null, uuid text, timestamp timestamptz not null,
  latitude double precision not null, longitude double precision not null, record json not null, params json not null,
  unique (device, key));
create index if not exists locations_by_device on locations (device, id);
create table if not exists aside (id bigserial primary key, device text not null, record json not null, reason text not null);
create table if not exists commands (
  id bigserial primary key, device text not null, command json not null, carrier text);
create table if not exists logins (id bigserial primary key, device text not null, current text not null, previous text);
create table if not exists secret (one boolean primary key default true check (one), value text not null);
"""
PAGE = 100


class Database:
    """A connection for each thread of the server; a request is one transaction."""

    def __init__(self, dsn):
        self.dsn, self.own = dsn, threading.local()
        with self.transaction() as cursor:
            cursor.execute("select pg_advisory_xact_lock(17)")
            cursor.execute(SCHEMA)
            cursor.execute("insert into secret (value) values (%s) on conflict do nothing", (secrets.token_hex(32),))
            cursor.execute("select value from secret")
            self.secret = cursor.fetchone()[0].encode()

    def transaction(self):
        return Transaction(self)

    def connection(self):
        connection = getattr(self.own, "connection", None)
        if connection is None or connection.closed:
            self.own.connection = connection = psycopg2.connect(self.dsn)
        return connection


class Transaction:
    def __init__(self, database):
        self.connection = database.connection()

    def __enter__(self):
        return self.connection.cursor()

    def __exit__(self, kind, *_):
        if kind is None:
            self.connection.commit()
        elif not self.connection.closed:
            self.connection.rollback()


class Signature:
    """JSON web tokens, HS256."""

    def __init__(self, secret):
        self.secret = secret

    def sign(self, claims):
        text = b".".join(self.encode(json.dumps(part).encode()) for part in ({"alg": "HS256", "typ": "JWT"}, claims))
        return (text + b"." + self.encode(self.mac(text))).decode()

    def claims(self, token):
        """The claims of a token with a right signature, or nothing."""
        text, _, mac = (token or "").encode("ascii", "replace").rpartition(b".")
        if not text or not hmac.compare_digest(mac, self.encode(self.mac(text))):
            return None
        part = text.split(b".")[1]
        return json.loads(base64.urlsafe_b64decode(part + b"=" * (-len(part) % 4)))

    def mac(self, text):
        return hmac.new(self.secret, text, hashlib.sha256).digest()

    def encode(self, data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")


class Logins:
    """A refresh token gives a new one. The one before the current goes on working: the phone may not have the current."""

    def __init__(self, database, life):
        self.database, self.life, self.signature = database, life, Signature(database.secret)

    def register(self, device):
        current = secrets.token_urlsafe(24)
        with self.database.transaction() as cursor:
            cursor.execute("insert into logins (device, current) values (%s, %s)", (device, current))
        return self.answer(device, current)

    def refresh(self, token):
        with self.database.transaction() as cursor:
            cursor.execute(
                "select id, device, current from logins where current = %s or previous = %s for update", (token, token)
            )
            found = cursor.fetchone()
            if not found:
                return None
            number, device, current = found
            if current == token:
                current = secrets.token_urlsafe(24)
                cursor.execute("update logins set current = %s, previous = %s where id = %s", (current, token, number))
        return self.answer(device, current)

    def answer(self, device, current):
        claims = {"sub": device, "exp": time.time() + self.life, "jti": secrets.token_hex(4)}
        return {"access_token": self.signature.sign(claims), "refresh_token": current, "expires_in": self.life}

    def device_of(self, token):
        claims = self.signature.claims(token)
        return claims["sub"] if claims and claims["exp"] > time.time() else None


def inflated():
    """The body without its content coding; nothing when the coding is not known."""
    coding, raw = request.headers.get("Content-Encoding", "identity").lower(), request.get_data()
    try:
        return raw if coding == "identity" else gzip.decompress(raw) if coding == "gzip" else None
    except (OSError, EOFError, zlib.error) as error:
        raise Unreadable(str(error)) from error


def application(database, logins):
    app, intake = Flask(__name__), Intake()

    def reply(content, status=200, headers=None):
        return Response(write(content), status, headers, content_type="application/json")

    def owner():
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        return logins.device_of(token.strip()) if scheme.lower() == "bearer" else None

    @app.route("/locations", methods=["POST", "PUT", "PATCH"])
    def upload():
        device = owner() if logins else None
        if logins and not device:
            return reply({"error": "unauthorized"}, 401, {"WWW-Authenticate": "Bearer"})
        body = inflated()
        if body is None:
            return reply({"error": "unsupported content coding"}, 415)
        taken = intake.read(body, request.headers.get("X-Device-Id") or request.args.get("device"), device)
        commands = save(database, taken)
        if commands:
            return reply({"background_geolocation": commands})
        nothing = Response(status=204)
        del nothing.headers["Content-Type"]
        return nothing

    @app.get("/stored")
    def stored():
        return reply(
            page(database, "locations", "id, device, uuid, timestamp, latitude, longitude, record::text, params::text")
        )

    @app.get("/aside")
    def aside():
        return reply(page(database, "aside", "id, device, record::text, reason"))

    @app.post("/commands")
    def queue():
        order = json.loads(request.get_data())
        with database.transaction() as cursor:
            rows = [(order["device"], write(command)) for command in order["commands"]]
            execute_values(cursor, "insert into commands (device, command) values %s", rows)
        return reply({"success": True})

    @app.post("/api/register")
    def register():
        form = request.get_json(silent=True) or request.form
        device = form.get("device_id") or form.get("uuid")
        return reply(logins.register(str(device)), 201) if logins and device else reply({"error": "no uuid"}, 400)

    @app.post("/api/refresh_token")
    def refresh():
        form = request.get_json(silent=True) or request.form
        answer = logins.refresh(form.get("refresh_token") or form.get("refreshToken") or "") if logins else None
        return reply(answer) if answer else reply({"error": "invalid_grant"}, 400)

    @app.errorhandler(Unreadable)
    def unreadable(error):
        return reply({"error": str(error)}, 400)

    return app


def save(database, upload):
    """Stores what is new and returns the commands that wait for the device, in one transaction."""
    with database.transaction() as cursor:
        rows = [
            (r.device, r.key, r.uuid, r.at / 1000, r.latitude, r.longitude, write(r.content), write(upload.params))
            for r in upload.records
        ]
        if rows:
            execute_values(
                cursor,
                "insert into locations (device, key, uuid, timestamp, latitude, longitude, record, params) values %s"
                " on conflict do nothing",
                rows,
                "(%s, %s, %s, to_timestamp(%s), %s, %s, %s, %s)",
                500,
            )
        if upload.aside:
            put_aside = [(device, write(content), reason) for device, content, reason in upload.aside]
            execute_values(cursor, "insert into aside (device, record, reason) values %s", put_aside)
        return take(cursor, upload.device, [record.key for record in upload.records])


def take(cursor, device, keys):
    """The commands for a device. Those of the last answer come again with an upload of the same records: it was lost."""
    cursor.execute(
        "delete from commands where device = %s and carrier is not null and carrier <> all(%s::text[])", (device, keys)
    )
    cursor.execute(
        "with taken as (update commands set carrier = %s where device = %s returning id, command)"
        " select command::text from taken order by id",
        (keys[0] if keys else "", device),
    )
    return [json.loads(command) for command, in cursor.fetchall()]


def page(database, table, columns):
    with database.transaction() as cursor:
        cursor.execute(
            f"select {columns} from {table} where id > %(after)s and (%(device)s::text is null or device = %(device)s)"
            " order by id limit %(page)s",
            {"after": int(request.args.get("cursor") or 0), "device": request.args.get("device"), "page": PAGE},
        )
        names, rows = [column.name for column in cursor.description], cursor.fetchall()
    records = [dict(zip(names, row)) for row in rows]
    for record in records:
        record.update({name: Intake().parse(record[name].encode()) for name in ("record", "params") if name in record})
        if "timestamp" in record:
            record["timestamp"] = record["timestamp"].isoformat(timespec="milliseconds")
    return {"records": records, "next": str(records[-1]["id"]) if len(records) == PAGE else None}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", required=True, metavar="DSN")
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--tokens", action="store_true", help="uploads need an access token")
    parser.add_argument("--token-life", type=float, default=3600, metavar="SECONDS", help="life of an access token")
    asked = parser.parse_args()
    database = Database(asked.database)
    logins = Logins(database, asked.token_life) if asked.tokens else None
    server = create_server(application(database, logins), host="127.0.0.1", port=asked.port, threads=16)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print(f"listening http://127.0.0.1:{server.effective_port}", flush=True)
    server.run()


if __name__ == "__main__":
    main()
