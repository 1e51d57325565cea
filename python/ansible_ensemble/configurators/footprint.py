"""What a module made, and what was there before: noted at its first deploy, so that undeploy takes away just that.

The note is in the journal before the module runs. So it holds after the job was killed: a later look at what the module
had made by then would take it for what was there before.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping
from copy import deepcopy
from functools import partial
from pathlib import Path
from posixpath import basename, join, normpath, relpath
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from ansible_ensemble.configurators.backups import FORMER
from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.configurators.looks import (
    COMMAND,
    FOLDER,
    Look,
    as_other,
    can_look_at,
    digest_of,
    look_at,
    looking,
    seen_by,
)
from ansible_ensemble.configurators.protocol import Conversation, Note, Task
from ansible_ensemble.configurators.sent_files import sent_file
from ansible_ensemble.configurators.teardown import INI, PACKAGES, Way, full_name, makes_tree, path_of, way_of
from ansible_ensemble.core.orders import ModuleCall, Outcome, did_not_look
from ansible_ensemble.language.given_input import is_lost

#: The most paths of one folder that are noted one by one; of more, their digest is.
_MOST = 200
#: The most paths that a note holds while a module runs.
_MOST_BEFORE = 5000
_STATE = "state"
_UNARCHIVE = f"{BUILTIN}unarchive"
#: Modules that have a folder to themselves: what is new in it, they made.
_ALONE = frozenset({f"{BUILTIN}git", f"{BUILTIN}subversion"})
_THERE = "it was there before"
UNKNOWN = "whether it was there before is not known"
#: What was there before is looked at when its module begins.
_UNSEEN = {"unknown": True, "unseen": True}
#: Tells whether a service of systemd is active, and whether it is enabled.
_ASK_SERVICE = """
command -v systemctl >/dev/null || exit 3
systemctl is-active --quiet -- "$1" && echo active
systemctl is-enabled --quiet -- "$1" 2>/dev/null && echo enabled
exit 0
"""


class Footprint(Struct):
    """What a module made on its host.

    Attributes:
        way: how it is taken away, a value of `teardown.Way`.
        path: the argument that names it, as it was given.
        real: the same without symbolic links above it, if there are any.
        machine: a digest of the id of the machine on which it is.
        elsewhere: why something that was made before is not where the path leads now.
        kept: why it stays; empty if it goes.
        paths: files and folders that were not there before.
        whole: a folder that was not there before, with the digest of what it held, where `paths` would be too long.
        originals: files that were there before -> what the module kept of each (`backup`), the `digest` of what it
            left there, and those of what it left at `former` runs.
        backups: what it kept of files that it had made itself.
        names: of what has a name or is a list of packages, what was looked for.
        items: of a list of packages, those that were not there before; the section of a file that was not.
        was: of a service, what it was.
        before: what was there, while the module runs: nobody knows yet what it made.
        replaced: whether something was replaced of which there is no backup.
    """

    way: str
    path: str = ""
    real: str = ""
    machine: str = ""
    elsewhere: list[str] = field(default_factory=list)
    kept: str = ""
    paths: list[str] = field(default_factory=list)
    whole: dict[str, str] = field(default_factory=dict)
    originals: dict[str, dict[str, Any]] = field(default_factory=dict)
    backups: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    was: list[str] = field(default_factory=list)
    before: dict[str, Any] = field(default_factory=dict)
    replaced: bool = False

    @classmethod
    def of(cls, noted: Mapping[str, Any]) -> Footprint | None:
        """What is noted of an instance; None if nothing is."""
        values = deepcopy({key: value for key, value in noted.items() if key in cls.__struct_fields__})
        if is_lost(values):
            return cls(str(values.get("way")), kept="what was noted of it is secret, and was not kept")
        return cls(**values) if noted.get("way") else None

    def why_elsewhere(self, seen: Look) -> str:
        """Why what was made is not at the place that a look at the path sees now; empty if it is."""
        if self.machine and seen.machine and self.machine != seen.machine:
            return "what was made is on another machine"
        was = self.real or (seen.path if seen.path.startswith("/") else seen.real)
        return "its path leads elsewhere than before it was made" if seen.real not in ("", was) else ""

    def note(self) -> Note:
        """The order that has it noted."""
        return Note({name: value for name, value in asdict(self).items() if value})


#: What is ordered to note what a module makes.
_Noting = ModuleCall | Conversation | Note


def carry_out_noting(task: Task, call: ModuleCall, teardown: Mapping[str, Any]) -> Generator[_Noting, Any, Outcome]:
    """Call a module, and note what it makes.

    `teardown` says by which module, with which of the arguments and which more, it is taken away.
    """
    found = yield from _begin(task, call, teardown)
    if found is None:
        outcome: Outcome = yield call
        return outcome
    if found.before == _UNSEEN:
        look = looking(found.path, deep=False, most=_MOST_BEFORE + 2)
        outcome = yield Conversation(replace(call, first=look), partial(_note_seen, found))
        if found.before == _UNSEEN and not outcome.changed:
            return outcome  # it was skipped
    else:
        outcome = yield _listing(call, found)
    yield from _end(call, found, outcome)
    return _without_listing(call, outcome)


def _note_seen(found: Footprint, asked: Mapping[str, Any]) -> Generator[Note, Any, None]:
    _see(found, seen_by(asked["stdout"]) if asked["code"] == 0 else None, tree=False)
    yield found.note()


def _see(found: Footprint, seen: Look | None, *, tree: bool) -> None:
    if seen is not None and (why := found.why_elsewhere(seen)):
        if found.paths or found.whole:
            found.elsewhere = list(dict.fromkeys((*found.elsewhere, why)))
        found.paths, found.whole, found.originals, found.backups, found.items = [], {}, {}, [], []
    found.real = seen.real if seen is not None and seen.path.startswith("/") and seen.real != seen.path else ""
    found.machine = seen.machine if seen is not None else ""
    found.before = {**_before(seen), "tree": tree}


def _begin(
    task: Task, call: ModuleCall, teardown: Mapping[str, Any]
) -> Generator[ModuleCall | Note, Any, Footprint | None]:
    """What has to be known before a module runs; it is noted then."""
    module, args, noted = call.module, call.args, task.made
    given = {teardown["kept"][name]: value for name, value in args.items() if name in teardown["kept"]}
    gone = as_other(call, str(teardown["module"]), {**given, **teardown["more"]})
    tree = _is_tree(task, call)
    known, way = Footprint.of(noted), way_of(module, args)
    if known is None and task.was_configured:
        return None  # it was deployed before such notes were taken: what is there is no stranger's
    name = path_of(module, args)
    path = str(args.get(name) or "")
    found = deepcopy(known) if known is not None and known.way == way.value else Footprint(way.value)
    if found.before and found.path == path:
        return found  # it was begun before, and nobody saw its end
    if way in (Way.FILES, Way.PART, Way.RESTORE):
        if known is not None and known.path == path and not tree:
            return found
        if found.path != path:
            found.path, found.kept = path, ""
        is_section = full_name(module) == INI and way is Way.PART and args.get("section")
        if can_look_at(path) and not (tree or is_section):
            found.before = dict(_UNSEEN)
            return found
        _see(found, (yield from look_at(call, path, deep=tree, most=_MOST_BEFORE + 2)), tree=tree)
        if is_section:
            whole = {name: value for name, value in gone.args.items() if name in ("path", "dest", "section", _STATE)}
            outcome = yield replace(gone, args=whole, check=True)
            found.items = [str(args["section"])] if outcome.ok and not outcome.changed else []
    elif way is Way.SERVICE and found.names != [str(args.get("name"))]:
        found.names = [str(args.get("name"))]
        outcome = yield as_other(call, COMMAND, {"argv": ["sh", "-c", _ASK_SERVICE, "sh", *found.names]})
        found.was = str(outcome.result.get("stdout") or "").split()
        found.kept = "" if outcome.ok else "what the service was before is not known"
    elif way is Way.STATE:
        yield from _ask_module(found, module, gone)
    if found != known or found.before:
        yield found.note()
    return found


def _is_tree(task: Task, call: ModuleCall) -> bool:
    """Whether a module may make more than one file."""
    if full_name(call.module) != f"{BUILTIN}copy":
        return makes_tree(call.module)
    sent = sent_file(call.module, call.args, task.base)
    return sent.is_dir() if sent is not None else "content" not in call.args


def _before(seen: Look | None) -> dict[str, Any]:
    if seen is None or len(seen.inside) > _MOST_BEFORE:
        return {"unknown": True}
    return {"path": seen.path, "near": seen.near, "digest": seen.digest, "inside": sorted(seen.inside)}


def _ask_module(found: Footprint, module: str, gone: ModuleCall) -> Generator[ModuleCall, Any, None]:
    """Ask a module in check mode whether there is anything to take away, unless it was asked before."""
    key = next((name for name in ("name", "pkg", "path") if gone.args.get(name)), "")
    given = gone.args.get(key, "")
    asked, names = found.names, [given] if not isinstance(given, list) else given
    is_package = full_name(module) in PACKAGES
    is_list, bare = is_package and isinstance(given, list), _bare if is_package else str
    left = [one for one in names if bare(one) not in asked]
    if asked and not left:
        return
    found.names = [*(asked if is_list else ()), *map(bare, left if is_list else names)]
    if not is_list:
        found.kept = ""
    outcome = yield replace(gone, check=True, args={**gone.args, key: left} if is_list else gone.args)
    if not outcome.ok or did_not_look(outcome.result):
        found.kept, found.before = UNKNOWN, {"unknown": True}
    elif is_list:
        yield from _ask_of_each(found, gone, key, left, any_there=outcome.changed)
    elif outcome.changed:
        found.kept = _THERE


def _ask_of_each(
    found: Footprint, gone: ModuleCall, key: str, names: list[Any], *, any_there: bool
) -> Generator[ModuleCall, Any, None]:
    """Add to the packages that were not there before those of some names."""
    for one in names:
        if any_there and len(names) > 1:
            alone = yield replace(gone, check=True, args={**gone.args, key: [one]})
        if not any_there or (len(names) > 1 and alone.ok and not alone.changed):
            found.items.append(str(one))
    found.kept = "" if found.items else _THERE


def _bare(name: Any) -> str:
    """A name without the version of a package."""
    return re.split(r"[=<>!~\s]", str(name), maxsplit=1)[0]


def _listing(call: ModuleCall, found: Footprint) -> ModuleCall:
    """The call of a module, which lists the files of an archive where others may put files into the same folder."""
    if full_name(call.module) != _UNARCHIVE or found.before.get("digest") != FOLDER:
        return call
    return replace(call, args={**call.args, "list_files": True})


def _without_listing(call: ModuleCall, outcome: Outcome) -> Outcome:
    """What a module returned to a call, without the list that was asked for beside."""
    if full_name(call.module) != _UNARCHIVE or call.args.get("list_files"):
        return outcome
    return replace(outcome, result={name: value for name, value in outcome.result.items() if name != "files"})


def _end(call: ModuleCall, found: Footprint, outcome: Outcome) -> Generator[ModuleCall | Note, Any, None]:
    """Note what a module made, by what it returned and a look after it."""
    was = deepcopy(found)
    said = _said(outcome)
    if not outcome.ok:
        return  # nobody knows what it made: the next run goes on from what was there before
    if found.way == Way.STATE.value and found.before and outcome.changed:
        found.kept = ""  # its module says nothing in check mode, and now that it changed something
    if found.way in (Way.FILES.value, Way.PART.value, Way.RESTORE.value):
        if found.before:
            yield from _end_of_files(call, found, outcome)
        yield from _keep_backup(call, found, said)
    if found != was or found.before:
        found.before = {}
        yield found.note()


def _end_of_files(call: ModuleCall, found: Footprint, outcome: Outcome) -> Generator[ModuleCall, Any, None]:
    before, found.before = found.before, {}
    if before.get("unknown"):
        found.kept = found.kept or UNKNOWN
        return
    seen = Look(before["path"], before["near"], before["digest"], frozenset(before["inside"]))
    if found.way == Way.FILES.value:
        yield from _made_files(call, found, outcome, seen, tree=bool(before.get("tree")))
    elif not outcome.changed:
        found.kept = found.kept or _THERE
    elif not seen.is_there:
        found.paths = [*seen.missing(), *found.paths]
    found.replaced |= "replaced" in str(_said(outcome).get("msg"))


def _made_files(
    call: ModuleCall, found: Footprint, outcome: Outcome, seen: Look, *, tree: bool
) -> Generator[ModuleCall, Any, None]:
    """Note which files and folders are new."""
    result, made = _said(outcome), seen.missing()
    target = normpath(str(result.get("dest") or result.get("path") or seen.path))
    is_in_folder = seen.is_folder or (found.path.endswith("/") and not seen.is_there)
    if not tree and is_in_folder and result.get("state") == "file":
        one = join(seen.path, basename(target))
        made += [one] if one not in seen.inside else []
    elif tree:  # whatever it says of having changed: copying a folder, Ansible tells it of the last file alone
        after = yield from look_at(call, seen.path, deep=True)
        if after is None:
            found.kept = UNKNOWN
            return
        new = _sent(call, seen.path, after.inside - seen.inside)
        if seen.is_there and seen.path not in found.paths:
            new = _own(call, result, seen, new)
        if found.whole:  # another revision; what somebody else put there since is not to go with it
            mixed = digest_of(seen.inside) != found.whole["digest"]
            found.whole["digest"] = "" if mixed else digest_of(after.inside)
        elif not seen.is_there and len(new) > _MOST and len(new) == len(after.inside):
            found.whole = {"path": seen.path, "digest": digest_of(after.inside)}
            made.remove(seen.path)
        else:
            made += new
    found.paths = sorted({*found.paths, *made})
    if found.paths or found.whole:
        found.kept = "" if found.kept == _THERE else found.kept
    else:
        found.kept = found.kept or _THERE
        found.replaced |= bool(outcome.changed)


def _sent(call: ModuleCall, folder: str, paths: frozenset[str]) -> frozenset[str]:
    """Of new paths in a folder those that a module can have made there; others may write into it at the same time."""
    sent = sent_file(call.module, call.args, Path(call.base)) if call.base else None
    if sent is None or not sent.is_dir():
        return paths
    is_content = str(call.args["src"]).endswith("/")
    names = {one.name for one in sent.iterdir()} if is_content else {sent.name}
    return frozenset(path for path in paths if path.removeprefix(folder).strip("/").partition("/")[0] in names)


def _own(call: ModuleCall, result: Mapping[str, Any], seen: Look, new: frozenset[str]) -> frozenset[str]:
    """Of what is new in a folder that was there before, what is known to be of the module, and not of others."""
    module, args = full_name(call.module), call.args
    source = str(args.get("src") or "")
    top = "" if source.endswith("/") else basename(source)
    is_sent = module != _UNARCHIVE and sent_file(module, args, Path(call.base or "")) is not None
    if module in _ALONE or is_sent:
        return new
    if module == _UNARCHIVE:
        names = [str(name) for name in result.get("files") or ()]
    elif args.get("files"):  # of an image, each without its folder
        names = [basename(str(name)) for name in args["files"]]
    elif top and join(seen.path, top) not in seen.inside:
        return frozenset(path for path in new if relpath(path, seen.path).split("/")[0] == top)
    else:
        names = []
    known = _with_folders(names, stripped=bool(args.get("extra_opts")))
    return frozenset(path for path in new if relpath(path, seen.path) in known)


def _with_folders(names: Iterable[str], *, stripped: bool) -> set[str]:
    """Relative paths with the folders above them; `stripped` are also those without their first folders."""
    found: set[str] = set()
    for name in names:
        parts = normpath(name).strip("/").split("/")
        for first in range(len(parts) if stripped else 1):
            found.update("/".join(parts[first:last]) for last in range(first + 1, len(parts) + 1))
    return found


def _keep_backup(
    call: ModuleCall, found: Footprint, said: Mapping[str, Any]
) -> Generator[ModuleCall | Note, Any, None]:
    """Keep the first backup of a file that was there before; those of what was made here go with it."""
    backup = str(said.get("backup_file") or said.get("backup") or "")
    if not backup or backup in (*found.backups, *(one["backup"] for one in found.originals.values())):
        return
    path = normpath(found.path)
    seen = yield from look_at(call, path, deep=False)
    if seen is not None and seen.is_folder:  # the file is in it
        target = normpath(str(said.get("dest") or ""))
        path = join(path, target.removeprefix(f"{seen.path}/").removeprefix("/"))
        path = path if target.startswith(f"{seen.path}/") else join(normpath(found.path), basename(target))
        seen = yield from look_at(call, path, deep=False)
    digest, real = (seen.digest, seen.path) if seen is not None else ("", path)
    whole = found.whole.get("path")
    if path in found.originals:
        original = found.originals[path]
        original[FORMER] = list(dict.fromkeys((*original.get(FORMER, ()), original["digest"])))
        original["digest"] = digest
        found.backups.append(backup)
    elif real in found.paths or (whole and real.startswith(f"{whole}/")):
        found.backups.append(backup)
    else:
        found.originals[path], found.replaced = {"backup": backup, "digest": digest}, False


def _said(outcome: Outcome) -> Mapping[str, Any]:
    """What a module returned, be it hidden: only names of files are taken of it."""
    return outcome.hidden or outcome.result
