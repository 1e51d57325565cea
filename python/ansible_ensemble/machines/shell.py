"""Programs for the POSIX shell of a host: what an agent needs done there, each in one exchange.

A script runs detached, in a session of its own. What is known of it is in a folder beside it: `pid` of its process
group, `boot` of the host, `output`, and `status` as soon as it ended.
"""

from __future__ import annotations

from shlex import quote

from msgspec import Struct

from ansible_ensemble.provision.agent.host import Script

#: Bytes of a script's output that are fetched at once.
PART = 262_144
#: The folder beside a script ends so.
STATE = ".state"

_MARK = "ensemble-script:"
#: Seconds that a start waits for the end of a script that is soon done, and a stop for one that is told to end.
_AT_ONCE, _GRACE = 0.3, 5.0
_NAP = 0.1
_SLEEP = f"sleep {_NAP} 2>/dev/null || sleep 1"

#: The kernel's boot, and when the first process began: a container is booted without the kernel.
_KERNEL = "cat /proc/sys/kernel/random/boot_id || sysctl -n kern.boottime"
_FIRST_PROCESS = "sed 's/.*) //' /proc/1/stat | cut -d ' ' -f 20"
BOOT = f"{{ {_KERNEL}; {_FIRST_PROCESS}; }} 2>/dev/null | tr '\\n' ' '"
SYSTEM = "uname -s"
KEXEC_LOADED = '[ "$(cat /sys/kernel/kexec_loaded 2>/dev/null)" = 1 ]'


class Part(Struct, frozen=True):
    """What came of a script since one looked last.

    Attributes:
        output: what it printed.
        status: its exit status; None while it runs.
        lost: it ended without one: it was killed, or the host was rebooted.
    """

    output: bytes
    status: int | None = None
    lost: bool = False

    @property
    def is_last(self) -> bool:
        """Whether no more output follows."""
        return (self.status is not None or self.lost) and len(self.output) < PART


def whole(program: str) -> str:
    """A program that runs only if all of it has arrived, and that cannot read its own text as input."""
    return f"{{\n{program}\n}} </dev/null\n"


def make_folder(parent: str, prefix: str) -> str:
    """Print the path of a new folder."""
    place = quote(parent) if parent else '"${TMPDIR:-/tmp}"'
    return f"mkdir -p {place} && mktemp -d {place}/{quote(prefix)}XXXXXXXX"


def remove_folder(path: str) -> str:
    """Remove a folder with what is in it."""
    return f"rm -rf -- {quote(path)}"


def write(path: str, content: str, mode: int) -> str:
    """Write a file, whole or not at all."""
    folder, beside = quote(path.rpartition("/")[0] or "."), quote(f"{path}.new")
    return (
        f"set -e\nmkdir -p {folder}\n(umask 077; printf %s {quote(content)} >{beside})\n"
        f"chmod {mode:o} {beside}\nmv -f {beside} {quote(path)}"
    )


def exists(path: str) -> str:
    """Succeed if there is a file."""
    return f"[ -e {quote(path)} ]"


def start(script: Script, state: str) -> str:
    """Start a script, unless that was done, and print its first part."""
    return f"""state={quote(state)}
if (umask 077; mkdir "$state" 2>/dev/null); then
  (umask 077; {BOOT}) >"$state/boot"
  (umask 077; printf %s {quote(_runner(script, state))} >"$state/run")
  if command -v setsid >/dev/null; then setsid sh "$state/run" >"$state/output" 2>&1 &
  else set -m; sh "$state/run" >"$state/output" 2>&1 & fi
  echo $! >"$state/pid"
  {_awaited('[ -f "$state/status" ]', _AT_ONCE)}
fi
{_part(0)}"""


def look(state: str, offset: int) -> str:
    """Print the part of a script that begins there."""
    return f"state={quote(state)}\n{_part(offset)}"


def part_of(text: str) -> Part:
    """What a program has printed of a script; a host may greet before.

    Raises:
        ValueError: it has printed nothing of one.
    """
    head, found, output = text.partition(_MARK)[2].partition("\n")
    if not found:
        raise ValueError("the host has not said what became of the script")
    status = int(head) if head.isdigit() else None
    return Part(output.encode("utf-8", "surrogateescape"), status, head == "lost")


def stop(state: str) -> str:
    """End a script with all of its process group."""
    return f"state={quote(state)}\n{_STOP}"


def stop_all(folder: str) -> str:
    """End all scripts that run below a folder."""
    found = f"find {quote(folder)} -type d -name {quote('*' + STATE)}"
    return f"{found} 2>/dev/null | while read -r state; do {_STOP}\ndone"


def _runner(script: Script, state: str) -> str:
    """The program that runs a script and keeps its status; it holds the script's secrets, and is a file."""
    home = script.environment.get("RS_RUNNER_DIR", script.folder)
    exported = f'export HOME="${{HOME:-}}"; [ "$HOME" ] || HOME={quote(home)}\n'
    exported += "".join(f"export {name}={quote(value)}\n" for name, value in script.environment.items())
    path = quote(script.path)
    if script.interpreter:
        command = " ".join([*map(quote, script.interpreter.split()), path])
    else:
        # a shell would take a file without #! for a program of its own
        missing = f"echo {path}: no interpreter in its first line; exit 126"
        command = f'[ "$(head -c 2 {path})" = "#!" ] || {{ {missing}; }}; {path}'
    return (
        f"(cd {quote(script.folder)} || exit 126\n{exported}{command}\n) </dev/null\n"
        f"status=$?; state={quote(state)}\n"
        'echo $status >"$state/ended"; mv "$state/ended" "$state/status"\n'
    )


def _part(offset: int) -> str:
    return f"""if [ -f "$state/status" ]; then ended=$(cat "$state/status")
elif {_IS_HERE} && kill -0 "$(cat "$state/pid")" 2>/dev/null; then ended=
elif [ -f "$state/status" ]; then ended=$(cat "$state/status")
else ended=lost; fi
echo "{_MARK}$ended"
tail -c +{offset + 1} "$state/output" 2>/dev/null | head -c {PART}"""


def _awaited(condition: str, seconds: float) -> str:
    return f"n=0; until {condition} || [ $n -ge {round(seconds / _NAP)} ]; do {_SLEEP}; n=$((n + 1)); done"


_IS_HERE = f'[ "$(cat "$state/boot")" = "$({BOOT})" ]'
_STOP = f"""if {_IS_HERE} && group=$(cat "$state/pid" 2>/dev/null); then
  kill -TERM "-$group" 2>/dev/null
  {_awaited('! kill -0 "-$group" 2>/dev/null', _GRACE)}
  kill -KILL "-$group" 2>/dev/null
fi
:"""
