"""What a module made is taken away, by what was noted of it (`configurators.footprint`)."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from posixpath import normpath
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ansible_ensemble.configurators.backups import put_back
from ansible_ensemble.configurators.footprint import UNKNOWN, Footprint
from ansible_ensemble.configurators.looks import COMMAND, as_other, digest_of, look_at
from ansible_ensemble.configurators.made_files import FILE
from ansible_ensemble.configurators.protocol import Progress, Result, Task
from ansible_ensemble.configurators.results import to_result
from ansible_ensemble.configurators.teardown import Way, full_name
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.orders import ModuleCall, Outcome

#: Removes files, and folders that are empty, given one to a line; prints what stays, and `-` if anything went.
_REMOVE = """
tr '\\n\\001' '\\0\\n' | xargs -0 sh -c 'n=
for p; do
  if [ -d "$p" ] && [ ! -L "$p" ]; then rmdir -- "$p" 2>/dev/null && n=1 || printf "%s\\n" "$p"
  elif [ -e "$p" ] || [ -L "$p" ]; then rm -f -- "$p" && n=1 || { echo "!"; exit 1; }
  fi
done
[ -z "$n" ] || echo -' sh
"""
#: Removes a file that is empty, but for blank lines.
_REMOVE_EMPTY = 'if [ -f "$1" ] && ! grep -q "[^[:space:]]" "$1"; then rm -f -- "$1"; fi'
#: Removes the section of a file if nothing is in it.
_REMOVE_SECTION = """
[ -f "$1" ] || exit 0
if left=$(SECTION="[$2]" awk '
  { line[NR] = $0 }
  /^[[:space:]]*\\[/ { inside = 0 }
  $0 == ENVIRON["SECTION"] { inside = at = NR; next }
  inside && NF { at = 0 }
  END { if (!at) exit 1; for (n = 1; n <= NR; n++) if (n != at) print line[n] }
' "$1" && echo x); then printf %s "${left%x}" > "$1"; fi
"""


class Gone(Struct):
    """What was taken away.

    Attributes:
        changed: whether anything was.
        left: what stays, and why.
    """

    changed: bool = False
    left: list[str] = field(default_factory=list)


def take_away_made(
    task: Task, gone: ModuleCall, teardown: Mapping[str, Any]
) -> Generator[ModuleCall | Progress, Any, Result]:
    """Take away what a module made, by what was noted of it; `gone` is its own way, where it has one."""
    found, done = Footprint.of(task.made), Gone()
    if found is None:  # it was deployed before such notes were taken, or by somebody else
        found = yield from _unnoted(gone, Way(teardown["way"]))
    else:
        seen = (yield from look_at(gone, found.path, deep=False)) if found.path else None
        elsewhere = found.why_elsewhere(seen) if seen is not None else ""
        if elsewhere:
            yield Progress(f"{found.path} stays: {elsewhere}")
            return to_result(task, Outcome(ok=True, changed=False, lane="fast"), {}, modified=False)
    done.left += [f"{found.path}: what was made before stays: {why}" for why in found.elsewhere]
    outcome = yield from _take_away(gone, found, done)
    for text in done.left:
        yield Progress(text)
    ended = replace(outcome, changed=done.changed)
    result = to_result(task, ended, {}, modified=done.changed)
    return result


def _unnoted(gone: ModuleCall, way: Way) -> Generator[ModuleCall, Any, Footprint]:
    """What a module may have made of which nothing is noted: its own state, or the file of its path, but no folder."""
    path = str(next(iter(gone.args.values()), ""))
    if way in (Way.STATE, Way.PART):
        return Footprint(Way.STATE.value)
    if way is not Way.FILES:
        return Footprint(way.value, path, kept=UNKNOWN)
    seen = yield from look_at(gone, path, deep=False)
    if seen is not None and seen.is_there and not seen.is_folder:
        return Footprint(Way.STATE.value)
    is_own = full_name(gone.module) == FILE and seen is not None and not seen.inside
    return Footprint(Way.STATE.value) if is_own else Footprint(way.value, path, kept=UNKNOWN)


def _take_away(gone: ModuleCall, found: Footprint, done: Gone) -> Generator[ModuleCall, Any, Outcome]:
    outcome = Outcome(ok=True, changed=False, lane="fast")
    restored = False if gone.check else (yield from _restore(gone, found, done))
    if restored:
        pass
    elif found.kept:
        done.left.append(f"{found.path or 'what it is about'} stays: {found.kept}")
    elif found.way in (Way.STATE.value, Way.PART.value):
        args = dict(gone.args)
        if found.items and found.way == Way.STATE.value:
            args["name" if "name" in args else "pkg"] = list(found.items)
        outcome = yield replace(gone, args=args)
        done.changed |= bool(outcome.changed)
    elif found.way == Way.SERVICE.value and (changes := _opposite(found)):
        outcome = yield replace(gone, args={"name": gone.args.get("name"), **changes})
        done.changed |= bool(outcome.changed)
    if outcome.ok and not gone.check:
        if found.items and found.way == Way.PART.value:
            yield from _run(gone, ["sh", "-c", _REMOVE_SECTION, "sh", normpath(found.path), *found.items])
        yield from _remove(gone, found, done)
    elif outcome.ok:
        done.changed |= bool(found.paths or found.whole or found.originals)
    if found.replaced and not restored:
        done.left.append(f"what was replaced in {found.path} is not restored: there is no backup")
    return outcome


def _opposite(found: Footprint) -> dict[str, Any]:
    """Arguments with which a service is again what it was not."""
    return {
        **({} if "active" in found.was else {"state": "stopped"}),
        **({} if "enabled" in found.was else {"enabled": False}),
    }


def _restore(call: ModuleCall, found: Footprint, done: Gone) -> Generator[ModuleCall, Any, bool]:
    """Put backups back where nobody changed the file since; whether that of the path itself was."""
    restored = False
    for path, original in found.originals.items():
        if not (yield from put_back(call, path, original, done.left)):
            continue
        done.changed = True
        own = normpath(found.path)
        restored |= path == own or path.startswith(f"{own}/")
    return restored


def _remove(call: ModuleCall, found: Footprint, done: Gone) -> Generator[ModuleCall, Any, None]:
    """Remove files and folders that were made: the deepest first, and of folders only what holds nothing else."""
    if found.whole:
        path = found.whole["path"]
        seen = yield from look_at(call, path, deep=True)
        if seen is not None and seen.is_there and digest_of(seen.inside) == found.whole["digest"]:
            yield from _run(call, ["rm", "-rf", "--", path])
            done.changed = True
        elif seen is None or seen.is_there:
            done.left.append(f"{path} stays: it holds something else than what was made")
    paths = sorted([*found.paths, *found.backups], key=lambda path: (-path.count("/"), path))
    if found.way == Way.PART.value and found.paths:  # the file itself, and folders above it
        file = max(found.paths, key=len)
        yield from _run(call, ["sh", "-c", _REMOVE_EMPTY, "sh", file])
        paths.remove(file)
    if not paths:
        return
    lines = "".join(path.replace("\n", "\x01") + "\n" for path in paths)
    outcome = yield from _run(call, ["sh", "-c", _REMOVE], lines)
    said = str(outcome.result.get("stdout") or "").split("\n")
    done.changed |= "-" in said
    stay = [line for line in said if line and line not in ("-", "!")]
    if stay:
        done.left.append(f"{stay[0]} stays: it holds something else than what was made")


def _run(call: ModuleCall, argv: list[str], stdin: str = "") -> Generator[ModuleCall, Any, Outcome]:
    more = {"stdin": stdin, "stdin_add_newline": False} if stdin else {}
    outcome: Outcome = yield as_other(call, COMMAND, {"argv": argv, **more})
    if not outcome.ok:
        raise EnsembleError(f"what was made cannot be removed: {outcome.error}")
    return outcome
