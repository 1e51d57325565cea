"""What is at a path of a host, by a look of its shell."""

from __future__ import annotations

import sys
from collections.abc import Container, Generator, Iterable, Mapping
from hashlib import sha256
from posixpath import dirname, normpath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.core.orders import ModuleCall, Outcome
from ansible_ensemble.language.playbook_keywords import CONNECTION

#: Task keywords by which also a look runs as the module does; what it tells is not hidden.
_KEYWORDS = CONNECTION - {"no_log"} | {"delegate_to", "environment"}

COMMAND = f"{BUILTIN}command"
#: How the last line of a look begins; what it tells of a folder.
_LAST, FOLDER = "//", "/"
#: Prints the path, what of it exists, a checksum of the file that it is, what is in the folder, one to a line, and in
#: one line the path without symbolic links above it and the id of the machine.
_LOOK = """
p=$1 m=$3
case $p in "~"|"~/"*) p=$HOME${p#"~"};; esac
a=$p
while ! { [ -e "$a" ] || [ -L "$a" ]; }; do
  case $a in .|/) break;; /*/*|[!/]*/*) a=${a%/*};; /*) a=/;; *) a=.;; esac
done
printf '%s\\n%s\\n' "$p" "$a"
if [ "$a" = "$p" ] && [ -d "$p" ]; then echo /; elif [ "$a" = "$p" ] && [ -f "$p" ]; then cksum < "$p"; else echo; fi
d=$a
[ "$a" = "$p" ] && case $p in /*/*|[!/]*/*) d=${p%/*};; /*) d=/;; *) d=.;; esac
r=$(cd -- "$d" 2>/dev/null && pwd -P)${p#"$d"}
if [ "$a" = "$p" ] && [ -d "$p" ]; then
  [ -z "$2" ] || set -- "$@" -maxdepth 1
  shift 3
  find "$p/." "$@" -print0 | tr '\\n\\0' '\\001\\n' | head -n "$m"
fi
read -r m 2>/dev/null < /etc/machine-id && [ "$m" != uninitialized ] || m=
printf '//%s//%s\\n' "$r" "$m"
"""


class Look(Struct, frozen=True):
    """What a look at a path saw.

    Attributes:
        path: as the host has it.
        near: the path itself, or the nearest folder above it that exists.
        digest: of the file that it is; of a folder a slash.
        inside: what is in the folder that it is.
        real: the path without symbolic links above it.
        machine: a digest of the machine's id; empty if it has none.
    """

    path: str
    near: str
    digest: str = ""
    inside: frozenset[str] = frozenset()
    real: str = ""
    machine: str = ""

    @property
    def is_there(self) -> bool:
        """Whether there is something at the path."""
        return self.near == self.path

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, or leads to one."""
        return self.digest == FOLDER

    def missing(self) -> list[str]:
        """The path and the folders above it that do not exist."""
        found, path = [], self.path
        while path not in (self.near, "", "."):
            found.append(path)
            path = dirname(path)
        return found


def look_at(
    call: ModuleCall, path: str, *, deep: bool, most: int = sys.maxsize
) -> Generator[ModuleCall, Outcome, Look | None]:
    """Look at a path on the host, and at so many paths in it; None where that does not tell."""
    if not can_look_at(path):
        return None
    outcome = yield as_other(call, COMMAND, {"argv": list(looking(path, deep=deep, most=most))})
    return seen_by(str(outcome.result.get("stdout") or "")) if outcome.ok else None


def can_look_at(path: str) -> bool:
    """Whether a path means the same to a shell; what others mean only their module knows.

    `..` behind a link is the folder above that to which the link leads, not what the text says.
    """
    return "$" not in path and ".." not in path.split("/") and not (path[:1] == "~" and path[1:2] not in ("", "/"))


def looking(path: str, *, deep: bool, most: int = sys.maxsize) -> tuple[str, ...]:
    """The command that looks at a path, and at so many paths in it."""
    return ("sh", "-c", _LOOK, "sh", normpath(path), "" if deep else "1", str(most))


def seen_by(printed: str) -> Look | None:
    """What a look saw, by what it printed; None if that does not tell."""
    lines = printed.split("\n")
    if len(lines) < 4 or not lines[-1].startswith(_LAST):
        return None
    inside = frozenset(normpath(line.replace("\x01", "\n")) for line in lines[3:-1])
    real, _separator, machine = lines[-1].removeprefix(_LAST).partition(_LAST)
    return Look(lines[0], lines[1], lines[2], inside - {lines[0]}, real, digest_of([machine])[:16] if machine else "")


def as_other(
    call: ModuleCall,
    module: str,
    args: Mapping[str, Any],
    keywords: Container[str] = _KEYWORDS,
    *,
    check: bool = False,
) -> ModuleCall:
    """The call of another module where and as whom one runs, with those of its keywords."""
    kept = {name: value for name, value in call.keywords.items() if name in keywords}
    return replace(call, module=module, args=dict(args), keywords=kept, check=check, diff=False)


def digest_of(inside: Iterable[str]) -> str:
    """A digest of the paths in a folder."""
    return sha256("\0".join(sorted(inside)).encode()).hexdigest()
