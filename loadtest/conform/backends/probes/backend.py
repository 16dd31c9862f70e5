"""The backends under test as processes, and the PostgreSQL that one of them needs."""

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent.parent


class Backend:
    """A running backend; can be stopped, killed and started again with the same data and port."""

    def __init__(self, program, *arguments):
        self.program, self.arguments, self.port, self.process = program, list(arguments), 0, None
        self.tokens = "--tokens" in arguments
        self.start()

    def start(self):
        """On the port of before; on another one when it is taken meanwhile."""
        ports = [self.port] * 20 + [0] if self.port else [0]
        if not any(self.launch(port) for port in ports):
            raise RuntimeError(f"{self.program} {' '.join(self.arguments)} does not start")

    def launch(self, port):
        command = [sys.executable, str(HERE / self.program), "--port", str(port), *self.arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        select.select([self.process.stdout], [], [], 20)
        found = re.fullmatch(r"listening http://127\.0\.0\.1:(\d+)\n", self.process.stdout.readline())
        if found:
            self.port = int(found[1])
        else:
            self.kill()
        return found is not None

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(8)
        except subprocess.TimeoutExpired:
            self.kill()

    def restart(self, killed=False):
        self.kill() if killed else self.stop()
        self.start()

    def alive(self):
        return self.process.poll() is None


class Plain(Backend):
    def __init__(self, *arguments):
        self.folder = Path(tempfile.mkdtemp(prefix="conform-"))
        super().__init__("plain.py", "--data", str(self.folder / "records.db"), *arguments)

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Flask(Backend):
    def __init__(self, cluster, *arguments):
        super().__init__("flask_postgres.py", "--database", cluster.database(), *arguments)

    def remove(self):
        self.kill()


class Cluster:
    """A PostgreSQL of its own in a temporary folder, reached by a socket in it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="conform-pg-")
        self.count = 0
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
        self.bin = f"{programs[-1]}/" if programs else ""
        self.user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "postgres")
        self.run(f"{self.bin}initdb", "-D", f"{self.folder}/data", "-U", "postgres", "-A", "trust", "--no-sync")
        options = f"-c listen_addresses= -c unix_socket_directories={self.folder} -c max_connections=200"
        self.run(
            f"{self.bin}pg_ctl", "-D", f"{self.folder}/data", "-w", "-l", f"{self.folder}/log", "-o", options, "start"
        )

    def run(self, *command):
        subprocess.run([*self.user, *command], check=True, stdout=subprocess.DEVNULL, cwd="/")

    def database(self):
        self.count += 1
        self.run(f"{self.bin}createdb", "-h", self.folder, "-U", "postgres", f"conform{self.count}")
        return f"host={self.folder} user=postgres dbname=conform{self.count}"

    def remove(self):
        self.run(f"{self.bin}pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)
