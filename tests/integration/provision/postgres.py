"""A PostgreSQL server for tests: private, without TCP, gone with the tests however they end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

#: Where distributions keep the programs of the server, the newest version first.
_FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: -float(folder.parent.name))


def programs() -> Path | None:
    """The folder of the server's programs, if they are installed and can be run here."""
    if os.geteuid() == 0 and not shutil.which("setpriv"):  # the server refuses to run as root
        return None
    found = shutil.which("initdb")
    folders = [*_FOLDERS, *([Path(found).parent] if found else [])]
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


class Cluster:
    """A server in a folder of its own below the folder for temporary files; its sockets are there, too."""

    def __init__(self, folder: Path) -> None:
        self._programs = folder
        self._home = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # the path of a socket must be short
        if os.geteuid() == 0:
            shutil.chown(self._home, "nobody")
        self._data = self._home / "data"
        self._numbers = count()
        self._shared = ""
        self._run("initdb", "-D", str(self._data), "-U", "tests", "-A", "trust", "-E", "UTF8", "-N")
        self._server: subprocess.Popen[bytes] | None = None
        self.start()

    def _command(self, program: str, *arguments: str) -> list[str]:
        prefix = ["setpriv", "--pdeathsig", "INT"] if shutil.which("setpriv") else []
        if os.geteuid() == 0:
            prefix += ["--reuid", "nobody", "--clear-groups"]
        return [*prefix, str(self._programs / program), *arguments]

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(self._command(program, *arguments), check=True, capture_output=True, cwd=self._home)

    def start(self) -> None:
        """Start the server, and wait for it."""
        settings = {"listen_addresses": "", "unix_socket_directories": self._home, "max_connections": 200}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self._home / "log").open("ab") as log:
            command = self._command("postgres", "-D", str(self._data), *options)
            self._server = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._home)
        while not self._answers():
            if self._server.poll() is not None:
                raise RuntimeError((self._home / "log").read_text())
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, how: signal.Signals = signal.SIGQUIT) -> None:
        """Stop the server; by default at once, as when it crashes."""
        if self._server:
            self._server.send_signal(how)
            self._server.wait()

    def remove(self) -> None:
        """Stop the server, and remove all it had."""
        self.stop()
        shutil.rmtree(self._home)

    def database(self) -> str:
        """The URL of a new, empty database."""
        name = f"tests{next(self._numbers)}"
        self.run(self.url("postgres"), f"CREATE DATABASE {name}")
        return self.url(name)

    def emptied(self) -> str:
        """The URL of a database that is emptied each time; removing many databases takes long."""
        self._shared = self._shared or self.database()
        self.run(self._shared, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        return self._shared

    @property
    def processor(self) -> float:
        """The seconds of a processor that the server has used for its connections and itself."""
        assert self._server
        ticks = 0
        for file in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = [*map(int, file.read_text().rpartition(")")[2].split()[1:])]
            except OSError:
                continue  # the process has ended meanwhile
            if int(file.parent.name) == self._server.pid:
                ticks += sum(fields[10:14])  # with its children that ended
            elif fields[0] == self._server.pid:
                ticks += sum(fields[10:12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def run(self, url: str, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement beside the stores of a test; what it finds, if it is a query."""
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def url(self, name: str) -> str:
        """The URL of a database."""
        return f"postgresql://tests@/{name}?host={self._home}"
