"""Whether a recorded process is still running: pids are reused, hosts reboot, containers hide processes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from msgspec import Struct


class Presence(Enum):
    """What is known of a process from here."""

    ALIVE = "alive"
    GONE = "gone"
    UNKNOWN = "unknown"


class Process(Struct, frozen=True):
    """A process, named so that it can be recognised later.

    Attributes:
        pid: its id.
        host: name of its host.
        start: when it started, in the words of its system; empty where unknown.
        boot: id of the host's boot; empty where the system has none.
        machine: digest of the host's machine id; empty where there is none (as in most containers).
        namespace: its pid namespace; a process of another one cannot be seen.
    """

    pid: int
    host: str = ""
    start: str = ""
    boot: str = ""
    machine: str = ""
    namespace: str = ""

    def to_json(self) -> dict[str, Any]:
        """The process as plain data."""
        return {
            "Pid": self.pid,
            "Host": self.host,
            "ProcessStart": self.start,
            "Boot": self.boot,
            "Machine": self.machine,
            "Namespace": self.namespace,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Process:
        """Read it back.

        Raises:
            KeyError, ValueError, TypeError: there is no usable pid.
        """
        texts = (str(data.get(key, "")) for key in ("Host", "ProcessStart", "Boot", "Machine", "Namespace"))
        return cls(int(data["Pid"]), *texts)


def describe_process(pid: int) -> Process:
    """A process of this host, as it is now."""
    machine = _first_line("/etc/machine-id")
    return Process(
        pid=pid,
        host=os.uname().nodename,
        start=_start_time(pid) or "",
        boot=_first_line("/proc/sys/kernel/random/boot_id"),
        # the id itself is confidential (machine-id(5)); a digest is enough to compare
        machine=hashlib.sha256(machine.encode()).hexdigest()[:16] if machine else "",
        namespace=_namespace(),
    )


def presence(process: Process) -> Presence:
    """Whether the process is still there; UNKNOWN if that cannot be determined from here.

    A process without a host (a bare pid) is taken for one of this host.
    """
    here = describe_process(process.pid)
    if process.host and process.host != here.host:
        return Presence.UNKNOWN
    if process.machine != here.machine and process.host and (process.machine or here.machine):
        return Presence.UNKNOWN
    if process.boot and process.boot != here.boot:
        # this machine for certain, and it was booted since; else it may be another one of the same name
        return Presence.GONE if process.machine and process.machine == here.machine else Presence.UNKNOWN
    if process.namespace and process.namespace != here.namespace:
        return Presence.UNKNOWN
    start = _start_time(process.pid)
    if start is None:
        return Presence.GONE
    return Presence.GONE if process.start and start and process.start != start else Presence.ALIVE


def _first_line(path: str) -> str:
    try:
        return Path(path).read_text(encoding="ascii").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _start_time(pid: int) -> str | None:
    """When the process started; None if it is gone or only not yet reaped, empty if the start is unknown."""
    if not Path("/proc/self/stat").exists():
        return _start_time_by_ps(pid)
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        # /proc may hide the processes of other users (hidepid)
        return "" if _exists(pid) else None
    # the name in parentheses may hold anything; the state is the first field behind it, the start time the 20th
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZXx" else fields[19]


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return pid > 0


def _start_time_by_ps(pid: int) -> str | None:
    import subprocess

    environment = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}
    try:
        shown = subprocess.run(
            ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False, env=environment
        )
    except OSError:
        return "" if _exists(pid) else None
    return shown.stdout.strip() or None


def ancestors(pid: int) -> set[int]:
    """The process ids that a process comes from, itself included; where /proc is not there, itself and its parent."""
    found: set[int] = set()
    while pid > 0 and pid not in found:
        found.add(pid)
        try:
            # the name in parentheses may hold anything; the parent's id is the second field behind it
            pid = int(
                Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1]
            )
        except (OSError, ValueError, IndexError):
            found.add(os.getppid() if pid == os.getpid() else pid)
            break
    return found
