"""Where a task acts: on which machine, and where its paths really lead there."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

#: Prints the machine's id, and each path without symbolic links, as far as it exists.
_LOOK = """
m=
for f in /etc/machine-id /var/lib/dbus/machine-id /etc/hostid; do
  [ -n "$m" ] || { [ -r "$f" ] && read -r m < "$f"; }
done
printf '//%s\\n' "$m"
unset CDPATH
for p; do
  case $p in "~"|"~/"*) p=$HOME${p#"~"};; esac
  r= n=0
  while ! c=$(cd -P -- "$p" 2>/dev/null && pwd -P); do
    if [ -L "$p" ] && [ "$n" -lt 40 ]; then
      t=$(readlink -- "$p") n=$((n + 1))
      case $t,$p in /*) p=$t;; *,*/*) p=${p%/*}/$t;; *) p=$t;; esac
    else
      r=/${p##*/}$r
      case $p in .|/) break;; /*/*|[!/]*/*) p=${p%/*};; /*) p=/;; *) p=.;; esac
    fi
  done
  printf '//%s\\n' "${c%/}$r"
done
"""
#: What the id of a machine is that has not been started yet.
_NO_ID = "uninitialized"


class Place(Struct, frozen=True):
    """Where a task acts.

    Attributes:
        machine: its id; without one, its address.
        paths: where the paths lead.
    """

    machine: str
    paths: tuple[str, ...] = ()


def place_of(plugin: Any, paths: Sequence[str]) -> Place | None:
    """The place where an action plugin acts, as the user as whom it does; None if nobody can tell.

    A host that has no shell of POSIX is known by its address, and its paths as they are written.
    """
    address = f"{plugin._play_context.remote_addr} {plugin._play_context.port or ''}".strip()
    connection = plugin._connection
    shell = getattr(getattr(connection, "_shell", None), "SHELL_FAMILY", "")
    if shell != "sh" or getattr(connection, "force_persistence", False):
        return Place(address, tuple(paths))
    if any("\n" in path for path in paths):
        return None
    # only sudo may want a terminal
    piped = connection.has_pipelining and (connection.become is None or plugin._is_pipelining_enabled("new"))
    argv = ("sh", "-s", "--", *paths) if piped else ("sh", "-c", _LOOK, "sh", *paths)
    command = f"{plugin._compute_environment_string()} {shlex.join(argv)}".strip()
    given = {"in_data": _LOOK.encode()} if piped else {}
    result: Mapping[str, Any] = plugin._low_level_execute_command(command, **given)
    said = [line[2:] for line in str(result.get("stdout")).splitlines() if line.startswith("//")]
    machine, *led = said[-len(paths) - 1 :] or [""]
    if result.get("rc") or len(led) != len(paths):
        return None
    return Place(machine if machine not in ("", _NO_ID) else address, tuple(led))
