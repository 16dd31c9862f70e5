"""Defects of finding records in a body, and the device that they belong to."""

import threading

from defects import around, defect
from wire import Answer


@defect
def array_500(parts):
    @around(parts.intake, "split")
    def _(split, body):
        records, params, batch = split(body)
        if batch:
            raise TypeError("list indices must be integers or slices, not str")
        return records, params, batch


@defect
def object_500(parts):
    @around(parts.intake, "split")
    def _(split, body):
        records, params, batch = split(body)
        if not batch:
            raise TypeError("string indices must be integers, not 'str'")
        return records, params, batch


@defect
def root_fixed(parts):
    @around(parts.intake, "split")
    def _(split, body):
        return split(body) if isinstance(body, dict) and "location" in body else ([], {}, False)


@defect
def bare_unread(parts):
    @around(parts.intake, "split")
    def _(split, body):
        return ([], {}, False) if isinstance(body, list) or parts.intake.is_record(body) else split(body)


@defect
def root_of_first_upload(parts):
    learned = {}

    @around(parts.intake, "split")
    def _(split, body):
        if not isinstance(body, dict) or parts.intake.is_record(body):
            return split(body)
        records, params, batch = split(body)
        device = parts.intake.device(records[0] if records else None, params)
        root = learned.setdefault(device, parts.intake.root(body))
        return (records, params, batch) if root in body else ([], params, False)


@defect
def template_array_split(parts):
    @around(parts.intake, "is_record")
    def _(is_record, value):
        return not isinstance(value, list) and is_record(value)


@defect
def template_object_unread(parts):
    @around(parts.intake, "split")
    def _(split, body):
        records, params, batch = split(body)
        return [raw for raw in records if not isinstance(raw, dict) or "coords" in raw], params, batch


@defect
def template_mixed_lost(parts):
    @around(parts.intake, "split")
    def _(split, body):
        records, params, batch = split(body)
        plain = [isinstance(raw, dict) and "coords" in raw for raw in records]
        usable = [parts.intake.is_record(raw) for raw in records]
        if any(plain) and any(known and not default for known, default in zip(usable, plain)):
            records = [raw for raw, default in zip(records, plain) if not default]
        return records, params, batch


@defect
def first_key_is_root(parts):
    parts.intake.root = lambda body: next(iter(body), None)


@defect
def charset_415(parts):
    @around(parts.backend, "upload")
    def _(upload, request):
        kind = request.headers.get("Content-Type")
        return Answer(415, {"error": f"{kind} is not JSON"}) if kind and "charset" in kind.lower() else upload(request)


@defect
def query_404(parts):
    @around(parts.backend, "route")
    def _(route, request):
        return parts.backend.unknown_path(request) if request.query and request.path == "/locations" else route(request)


@defect
def put_404(parts):
    @around(parts.backend, "route")
    def _(route, request):
        return parts.backend.unknown_path(request) if request.method in ("PUT", "PATCH") else route(request)


@defect
def device_of_connection(parts):
    own = threading.local()  # a connection has a thread of its own

    @around(parts.intake, "read")
    def _(read, *arguments):
        upload = read(*arguments)
        own.device = getattr(own, "device", None) or upload.device
        for record in upload.records:
            record.device = own.device
        return upload


@defect
def device_ignored(parts):
    @around(parts.intake, "read")
    def _(read, *arguments):
        upload = read(*arguments)
        for record in upload.records:
            record.device = "1"
        return upload


@defect
def devices_folded(parts):
    @around(parts.intake, "read")
    def _(read, *arguments):
        upload = read(*arguments)
        for record in upload.records:
            record.device = record.device.lower().lstrip("0")
        return upload


@defect
def params_dropped(parts):
    @around(parts.store, "insert")
    def _(insert, record, params):
        return insert(record, {})


@defect
def params_of_text_alone(parts):
    @around(parts.store, "insert")
    def _(insert, record, params):
        return insert(record, {name: value for name, value in params.items() if isinstance(value, str)})


@defect
def params_forgotten_on_restart(parts):
    with parts.store.transaction() as db:
        db.execute("update records set params = '{}'")


@defect
def device_cut_at_48(parts):
    @around(parts.intake, "read")
    def _(read, *arguments):
        upload = read(*arguments)
        for record in upload.records:
            record.device = record.device[:48]
        return upload


@defect
def long_device_unstored(parts):
    """A column of 32 letters, an insert that ignores errors, and a list that knows no device without a record."""

    @around(parts.store, "insert")
    def _(insert, record, params):
        return len(record.device) <= 32 and insert(record, params)

    @around(parts.backend, "listing")
    def _(listing, table, request):
        answer = listing(table, request)
        return answer if answer.content["records"] else Answer(404, {"error": "no such device"})
