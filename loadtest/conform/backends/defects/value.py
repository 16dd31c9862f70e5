"""Defects that show in some values of a field, in some kinds of records, or in batches only."""

from defects import around, defect
from defects.content import edit_extras, edit_object, forget, walk
from defects.storage import drop


def clamp(parts, name, limit):
    edit_object(parts, "coords", lambda coords: coords | {name: min(float(coords[name]), limit)} if coords.get(name) else coords)


@defect
def altitude_of_four_digits(parts):
    clamp(parts, "altitude", 9999.99)


@defect
def speed_of_two_digits(parts):
    clamp(parts, "speed", 99.99)


@defect
def accuracy_of_three_digits(parts):
    clamp(parts, "accuracy", 999.99)


@defect
def numbered_keys_as_lists(parts):
    def edit(value):
        if isinstance(value, dict) and value and list(value) == [str(index) for index in range(len(value))]:
            return [edit(item) for item in value.values()]
        return {key: edit(item) for key, item in value.items()} if isinstance(value, dict) else value

    edit_extras(parts, edit)


@defect
def keys_of_letters_alone(parts):
    edit_extras(parts, lambda extras: {key: value for key, value in extras.items() if key.isascii()})


@defect
def long_keys_cut(parts):
    edit_extras(parts, lambda extras: {key[:64]: value for key, value in extras.items()})


@defect
def words_as_values(parts):
    words = {"true": True, "false": False, "null": None}
    edit_extras(
        parts,
        lambda extras: walk(extras, lambda value: words.get(value, value) if isinstance(value, str) else value),
    )


@defect
def location_off_dropped(parts):
    """A provider change without a provider looks like one without a position."""
    drop(parts, lambda record: isinstance(record.content, dict) and (record.content.get("provider") or {}).get("enabled") is False)


def seen_before(parts, mark):
    """Drops a record with the mark of an earlier one, unless it is the same record."""
    seen = {}

    def is_unwanted(record):
        key = mark(record) if isinstance(record.content, dict) else None
        return key is not None and seen.setdefault(key, record.key) != record.key

    drop(parts, is_unwanted)


@defect
def one_event_of_an_instant(parts):
    def mark(record):
        event = record.content.get("event")
        return event and (record.device, record.at, record.latitude, record.longitude, event)

    seen_before(parts, mark)


@defect
def same_state_dropped(parts):
    """A motion change that changes nothing since the last one."""
    states = {}

    def is_unwanted(record):
        if not isinstance(record.content, dict) or record.content.get("event") != "motionchange":
            return False
        state = record.content.get("is_moving")
        key, last = states.get(record.device, (None, None))
        if last == state and key != record.key:
            return True
        states[record.device] = (record.key, state)
        return False

    drop(parts, is_unwanted)


@defect
def geofence_names_cut(parts):
    edit_object(parts, "geofence", lambda fence: fence | {"identifier": str(fence.get("identifier"))[:40]})


@defect
def geofence_extras_flat(parts):
    edit_object(
        parts,
        "geofence",
        lambda fence: fence
        | {"extras": {key: value for key, value in (fence.get("extras") or {}).items() if not isinstance(value, (dict, list))}},
    )


@defect
def mock_lost(parts):
    forget(parts, "mock")


@defect
def params_with_the_first_alone(parts):
    @around(parts.store, "save")
    def _(save, upload):
        params, upload.params = upload.params, {}
        records = upload.records
        for index, record in enumerate(records):
            upload.records, upload.params = [record], params if index == 0 else {}
            save(upload)
            upload.aside = []
        if not records:
            save(upload)
        upload.records, upload.params = records, params


@defect
def lower_case_uuids_dropped(parts):
    drop(parts, lambda record: record.uuid is not None and record.uuid != record.uuid.upper())


@defect
def put_replaces(parts):
    @around(parts.backend, "upload")
    def _(upload, request):
        if request.method == "PUT":
            device = parts.intake.read(request.body, parts.backend.hint(request), parts.backend.owner(request)).device
            with parts.store.transaction() as db:
                db.execute("delete from records where device = ?", (device,))
        return upload(request)
