"""A location backend for the SDK on http.server and SQLite, without other packages.

A right one, unless --defect asks for one of the planted defects of the folder `defects`.

  python3 plain.py --data FILE [--port PORT] [--tokens] [--defect NAME]
"""

import argparse
import json
import signal
import sys
import threading
from pathlib import Path
from urllib.parse import parse_qs

from commands import Commands
from intake import Intake, Unreadable
from store import Store
from tokens import Refused, Tokens
from wire import Answer, Handler, Server

UPLOADS = "/locations"


class Backend:
    def __init__(self, store, tokens):
        self.intake, self.store, self.tokens, self.commands = Intake(), store, tokens, Commands(store)

    def handle(self, request):
        try:
            return self.route(request)
        except Refused as refusal:
            return self.refuse(refusal)
        except Unreadable as error:
            return self.unreadable(error)
        except Exception as error:
            return self.failed(request, error)

    def route(self, request):
        handlers = {
            UPLOADS: {"POST": self.upload, "PUT": self.upload, "PATCH": self.upload},
            "/stored": {"GET": lambda asked: self.listing("records", asked)},
            "/aside": {"GET": lambda asked: self.listing("aside", asked)},
            "/commands": {"POST": self.queue},
        }
        if self.tokens:
            handlers |= {"/api/register": {"POST": self.register}, "/api/refresh_token": {"POST": self.refresh}}
        methods = handlers.get(request.path)
        if methods is None:
            return self.unknown_path(request)
        if request.method in methods:
            return methods[request.method](request)
        return Answer(204 if request.method == "OPTIONS" else 405, headers={"Allow": ", ".join([*methods, "OPTIONS"])})

    def unknown_path(self, request):
        return Answer(404, {"error": f"nothing is at {request.path}"})

    def upload(self, request):
        device = self.owner(request)
        upload = self.intake.read(request.body, self.hint(request), device)
        with self.store.transaction():
            self.store.save(upload)
            commands = self.commands.take(upload)
        return self.acknowledge(upload, commands)

    def owner(self, request):
        """The device of the token."""
        return self.tokens.device_of(request.bearer) if self.tokens else None

    def hint(self, request):
        """The device by header or query, for bodies that name none."""
        return request.headers.get("X-Device-Id") or request.query.get("device")

    def acknowledge(self, upload, commands):
        content = {"success": True}
        if commands:
            content["background_geolocation"] = commands
        return Answer(200, content)

    def listing(self, table, request):
        cursor = int(request.query.get("cursor") or 0)
        rows, following = self.store.page(table, request.query.get("device"), cursor)
        return Answer(200, {"records": rows, "next": following})

    def queue(self, request):
        order = json.loads(request.body)
        self.commands.queue(order["device"], order["commands"])
        return Answer(200, {"success": True})

    def register(self, request):
        form = self.form(request)
        device = form.get("device_id") or form.get("uuid")
        return Answer(200, self.tokens.register(str(device))) if device else Answer(400, {"error": "no uuid"})

    def refresh(self, request):
        form = self.form(request)
        return Answer(200, self.tokens.refresh(form.get("refresh_token") or form.get("refreshToken")))

    def form(self, request):
        """The fields of a JSON, form or multipart body: the SDK sends forms, and JSON when it is told to."""
        kind = request.headers.get_content_type()
        text = request.body.decode("utf-8", "replace")
        if kind == "multipart/form-data":
            parts = text.split("--" + (request.headers.get_param("boundary") or ""))
            pairs = [part.partition("\r\n\r\n") for part in parts if 'name="' in part]
            return {head.split('name="')[1].split('"')[0]: value.removesuffix("\r\n") for head, _, value in pairs}
        if text.lstrip().startswith("{"):
            return json.loads(text)
        return {name: values[-1] for name, values in parse_qs(text).items()}

    def refuse(self, refusal):
        challenge = {"WWW-Authenticate": 'Bearer error="invalid_token"'} if refusal.status == 401 else {}
        return Answer(refusal.status, {"error": str(refusal)}, challenge)

    def unreadable(self, error):
        return Answer(400, {"error": str(error)})

    def failed(self, request, error):
        print(f"{request.method} {request.path}: {error!r}", file=sys.stderr)
        return Answer(500, {"error": "internal error"})

    def stop(self):
        self.store.close()


def list_defects():
    described = json.loads((Path(__file__).parent.parent / "defects.json").read_text())["defects"]
    for name, defect in described.items():
        also = f" (also {', '.join(defect['mayAlsoBreak'])})" if defect["mayAlsoBreak"] else ""
        print(f"{name}: {defect['sentence']} -> {', '.join(defect['breaks'])}{also}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--data", help="the SQLite file")
    parser.add_argument("--tokens", action="store_true", help="uploads need an access token")
    parser.add_argument("--token-life", type=float, default=3600, metavar="SECONDS", help="life of an access token")
    parser.add_argument(
        "--grace", type=float, default=30, metavar="SECONDS", help="a used refresh token works that long"
    )
    parser.add_argument("--certificate", metavar="FILE", help="serve https; the file has certificate and key")
    parser.add_argument("--defect", metavar="NAME", help="plant this defect")
    parser.add_argument("--list-defects", action="store_true", help="defects, and the clauses that have to name them")
    parser.add_argument("--verbose", action="store_true", help="log requests")
    asked = parser.parse_args()
    if not asked.list_defects and not asked.data:
        parser.error("--data FILE is needed")
    return asked


def main():
    asked = arguments()
    if asked.list_defects:
        return list_defects()
    store = Store(asked.data)
    backend = Backend(store, Tokens(store, asked.token_life, asked.grace) if asked.tokens else None)
    server = Server(asked.port, Handler, backend, asked.verbose)
    if asked.certificate:
        server.secure(asked.certificate)
    if asked.defect:
        import defects

        defects.plant(asked.defect, server)
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    print(f"listening http{'s' if asked.certificate else ''}://127.0.0.1:{server.server_port}", flush=True)
    stopping.wait()
    server.shutdown()
    server.server_close()
    server.drain(3)
    backend.stop()


if __name__ == "__main__":
    main()
