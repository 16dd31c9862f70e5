"""Commands that wait for a device; each goes out with the next answer to that device.

They go out again when the upload that had this answer comes again, as the answer was lost then; other records show that it was read.
"""

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
        keys = [record.key for record in upload.records]
        due = []
        for seq, command, carrier in self.waiting(upload.device):
            if carrier is not None and carrier not in keys:
                self.store.db.execute("delete from commands where seq = ?", (seq,))
                continue
            self.store.db.execute("update commands set carrier = ? where seq = ?", (keys[0] if keys else "", seq))
            due.append(parse(command))
        return due

    def waiting(self, device):
        return self.store.db.execute(
            "select seq, command, carrier from commands where device = ? order by seq", (device,)
        ).fetchall()
