"""Commands that wait for a device; each goes out once, in the next answer to that device."""

from intake import parse, write


class Commands:
    def __init__(self, store):
        self.store = store

    def queue(self, device, commands):
        with self.store.transaction() as db:
            db.executemany(
                "insert into commands (device, command) values (?, ?)", [(device, write(one)) for one in commands]
            )

    def take(self, upload):
        """The commands for the device of this upload; inside its transaction."""
        rows = self.waiting(upload.device)
        self.store.db.executemany("delete from commands where seq = ?", [(seq,) for seq, _ in rows])
        return [parse(command) for _, command in rows]

    def waiting(self, device):
        return self.store.db.execute(
            "select seq, command from commands where device = ? order by seq", (device,)
        ).fetchall()
