"""Defects of commands in answers."""

import json
import time
from decimal import Decimal

from defects import around, defect
from defects.content import walk
from intake import write
from wire import Answer


def answer_with(parts, edit):
    """`edit` changes the content of an answer that carries commands."""

    @around(parts.backend, "acknowledge")
    def _(acknowledge, upload, commands):
        answer = acknowledge(upload, commands)
        if commands:
            answer.content = edit(answer.content, commands)
        return answer


@defect
def command_objects(parts):
    answer_with(
        parts,
        lambda content, commands: content
        | {
            "background_geolocation": [
                {"command": command[0], "argument": command[1] if len(command) > 1 else None} for command in commands
            ]
        },
    )


@defect
def command_nested(parts):
    answer_with(parts, lambda content, commands: {"success": True, "data": {"background_geolocation": commands}})


@defect
def command_bare_string(parts):
    answer_with(parts, lambda content, commands: content | {"background_geolocation": commands[0][0]})


@defect
def command_camel_case(parts):
    answer_with(parts, lambda content, commands: {"success": True, "backgroundGeolocation": commands})


@defect
def command_flattened(parts):
    answer_with(
        parts,
        lambda content, commands: content
        | {"background_geolocation": [part for command in commands for part in command]},
    )


@defect
def command_single_quotes(parts):
    answer_with(parts, lambda content, commands: str(content).encode())


@defect
def command_arguments_as_text(parts):
    answer_with(
        parts,
        lambda content, commands: content
        | {
            "background_geolocation": [
                command[:1] + [argument if isinstance(argument, str) else write(argument) for argument in command[1:]]
                for command in commands
            ]
        },
    )


@defect
def command_reversed(parts):
    answer_with(parts, lambda content, commands: content | {"background_geolocation": commands[::-1]})


@defect
def command_last_only(parts):
    answer_with(parts, lambda content, commands: content | {"background_geolocation": commands[-1:]})


@defect
def command_wrong_device(parts):
    parts.commands.waiting = lambda device: parts.store.db.execute(
        "select seq, command, carrier from commands where device <> ? order by seq", (device,)
    ).fetchall()


@defect
def command_any_device(parts):
    parts.commands.waiting = lambda device: parts.store.db.execute(
        "select seq, command, carrier from commands order by seq"
    ).fetchall()


@defect
def command_for_ever(parts):
    parts.commands.take = lambda upload: [json.loads(command) for _, command, _ in parts.commands.waiting(upload.device)]


@defect
def command_stop_to_all(parts):
    @around(parts.commands, "take")
    def _(take, upload):
        return take(upload) or [["stop"]]


@defect
def command_not_to_batches(parts):
    @around(parts.commands, "take")
    def _(take, upload):
        return [] if upload.batch else take(upload)


@defect
def command_lost_with_204(parts):
    @around(parts.backend, "acknowledge")
    def _(acknowledge, upload, commands):
        return Answer(204)


@defect
def commands_forgotten_on_restart(parts):
    with parts.store.transaction() as db:
        db.execute("delete from commands")


@defect
def command_of_a_name_replaced(parts):
    @around(parts.commands, "queue")
    def _(queue, device, commands):
        with parts.store.transaction() as db:
            for command in commands:
                db.execute("delete from commands where device = ? and command like ?", (device, f'["{command[0]}"%'))
        queue(device, commands)


@defect
def command_letters_lost(parts):
    def plain(item):
        return item.encode("ascii", "replace").decode() if isinstance(item, str) else item

    answer_with(parts, lambda content, commands: content | {"background_geolocation": walk(commands, plain)})


@defect
def command_lost_with_its_answer(parts):
    @around(parts.commands, "take")
    def _(take, upload):
        due = take(upload)
        parts.store.db.execute("delete from commands where device = ?", (upload.device,))
        return due


@defect
def commands_beyond_five_dropped(parts):
    @around(parts.commands, "queue")
    def _(queue, device, commands):
        queue(device, commands[: max(0, 5 - len(parts.commands.waiting(device)))])


@defect
def commands_of_neighbours_swapped(parts):
    """Uploads that come at once are stored in one go, and their answers are taken in reverse."""
    last = {}

    @around(parts.backend, "acknowledge")
    def _(acknowledge, upload, commands):
        now = time.monotonic()
        other = last.get("device")
        swapped = commands and other and other != upload.device and now - last["at"] < 0.02
        last.update(device=upload.device, at=now)
        if swapped:
            last["commands"] = commands
            return acknowledge(upload, [])
        return acknowledge(upload, commands or last.pop("commands", []))


def queue_only(parts, is_wanted):
    @around(parts.commands, "queue")
    def _(queue, device, commands):
        return queue(device, [command for command in commands if is_wanted(command)])


@defect
def command_falsy_argument_lost(parts):
    queue_only(parts, lambda command: len(command) < 2 or bool(command[1]))


@defect
def command_long_lost(parts):
    queue_only(parts, lambda command: len(write(command)) <= 1000)


@defect
def command_digits_as_number(parts):
    def edit(value):
        return int(value) if isinstance(value, str) and value.isdigit() else value

    answer_with(
        parts, lambda content, commands: content | {"background_geolocation": [walk(command, edit) for command in commands]}
    )


@defect
def command_by_lower_case_name(parts):
    parts.commands.waiting = lambda device: parts.store.db.execute(
        "select seq, command, carrier from commands where lower(device) = lower(?) order by seq", (device,)
    ).fetchall()


@defect
def command_by_name_prefix(parts):
    parts.commands.waiting = lambda device: parts.store.db.execute(
        "select seq, command, carrier from commands where ? like device || '%' order by seq", (device,)
    ).fetchall()


@defect
def command_fractions_cut(parts):
    answer_with(
        parts,
        lambda content, commands: content
        | {"background_geolocation": walk(commands, lambda value: int(value) if is_fraction(value) else value)},
    )


def is_fraction(value):
    return isinstance(value, (float, Decimal)) and not isinstance(value, bool)
