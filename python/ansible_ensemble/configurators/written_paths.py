"""Which paths modules write, by their arguments: two operations that write one path on one host undo each other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from posixpath import basename, join, normpath
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.configurators.made_files import MAKES_FILE
from ansible_ensemble.configurators.sent_files import sent_file
from ansible_ensemble.configurators.set_things import sets_thing, setting_arguments, settings_of
from ansible_ensemble.core.errors import Place
from ansible_ensemble.documents.scalars import spoken_boolean

#: The names by which most modules that edit a file take it.
_PATHS = ("path", "dest", "name")
#: Modules that edit a part of a file, by their names without the collection -> the arguments that name it.
_EDITS: Mapping[str, tuple[str, ...]] = {
    "file": _PATHS,
    "lineinfile": ("path", "dest", "destfile", "name"),
    "blockinfile": ("path", "dest", "destfile", "name"),
    "replace": ("path", "dest", "destfile", "name"),
    "ini_file": ("path", "dest"),
    "toml_file": ("path", "dest"),
    "xml": ("path", "dest", "file"),
    "acl": ("path", "name"),
    "htpasswd": ("path", "dest", "destfile", "name"),
    "pam_limits": ("dest",),
    "sysctl": ("sysctl_file",),
}
#: Modules that fill a folder, whatever was in it.
_FILLS: Mapping[str, tuple[str, ...]] = dict.fromkeys(("unarchive", "git", "subversion", "synchronize"), ("dest",))
_WRITERS = {**_EDITS, **_FILLS, **{name: (argument,) for name, argument in MAKES_FILE.items()}}
#: Collections whose modules the table means.
_COLLECTIONS = (BUILTIN, "ansible.legacy.", "ansible.posix.", "community.general.")
#: Modules that read a file or folder of the host, and the argument that names it.
_READS = {"assemble": "src", "copy": "src", "unarchive": "src", "archive": "path", "iso_extract": "image"}
#: Those of them that read it on the host unless they are told otherwise.
_READS_THERE = frozenset({"assemble", "archive", "iso_extract"})
#: Modules whose check mode tells nothing of another mode or owner.
_OVERLOOK = frozenset({"get_url", "ini_file"})
_SOURCES = ("src", "url")
#: Arguments that say whose a file is, and who may do what with it.
_OWNING = ("mode", "owner", "group")
#: Arguments that say what is written, beside the path.
_SAYING = (*_SOURCES, "content", "state", "remote_src", "recurse", *_OWNING)


class Write(Struct, frozen=True):
    """A path that an operation writes, or reads.

    Attributes:
        path: without `.`, `..` and a slash at its end; a relative one starts where its host says.
        whole: all of what is there, whatever it was before; else a part of it, or its mode and owner.
        below: what is below the path as well: it is a folder that is filled, or changed with all that is in it.
        folder: the name that the file has where the path turns out to be a folder; empty if it cannot.
        is_folder: the path is said to be a folder.
        same: what two that say the same have in common: which of them is last makes no difference.
        place: where that is written.
        task: of a task in a file, the file and its line, as Ansible tells them.
        host: the host that a task names itself; empty if it does not.
        elsewhere: that is another one than the host of the operation.
        handlers: as `task`, of the handlers that it may notify.
        reads: it is only read, and what is below it.
        overlooked: its mode or owner is set, and no check mode tells that it is another one.
        argument: of what is no file, the argument that sets it, `*` if each who sets it makes all of it; `path` is what
            it is called.
    """

    path: str
    whole: bool = False
    below: bool = False
    folder: str = ""
    is_folder: bool = False
    same: str = ""
    place: Place | None = None
    task: str = ""
    host: str = ""
    elsewhere: bool = False
    handlers: tuple[str, ...] = ()
    reads: bool = False
    overlooked: bool = False
    argument: str = ""


def short_name(module: str) -> str:
    """The name of a module of the table, without its collection; itself if it is of another one."""
    return next((module.removeprefix(one) for one in _COLLECTIONS if module.startswith(one)), module)


def is_writer(module: str) -> bool:
    """Whether a module, by its FQCN or short name, writes or reads what its arguments name: a path, another thing."""
    return short_name(module) in _WRITERS.keys() | _READS or sets_thing(short_name(module))


def path_arguments(module: str) -> tuple[str, ...]:
    """The arguments of a module that say which path it writes, and what of it."""
    name = short_name(module)
    if sets_thing(name):
        return setting_arguments(name)
    reads = (_READS[name],) if name in _READS else ()
    return (*_WRITERS[name], *reads, *_SAYING) if name in _WRITERS else reads


def writes_of(module: str, args: Mapping[str, Any], base: Path | None) -> list[Write]:
    """What a module reads on its host, and writes, with arguments; nothing if they name nothing.

    `base` is the folder in which a file of the controller is looked for.
    """
    name = short_name(module)
    if sets_thing(name):
        found = settings_of(name, args)
        return [Write(one.path, whole=not one.adds, same=one.value, argument=one.argument) for one in found]
    path = next((args[one] for one in _WRITERS.get(name, ()) if args.get(one)), None)
    written = [_at_path(name, path, args, base)] if isinstance(path, str) else []
    if name in _OVERLOOK and any(args.get(one) is not None for one in _OWNING):
        written = [replace(one, overlooked=True) for one in written]
    read = args.get(_READS.get(name, ""))
    there = args.get("remote_src", name in _READS_THERE)
    if isinstance(read, str) and (there is True or spoken_boolean(there)):
        written.insert(0, Write(normal(read), reads=True))
    return written


def _at_path(name: str, path: str, args: Mapping[str, Any], base: Path | None) -> Write:
    if name == "file":
        return _of_file(path, args)
    if name in MAKES_FILE:
        return _of_file_made(name, path, args, base)
    return Write(normal(path), whole=name in _FILLS, below=name in _FILLS)


def normal(path: str) -> str:
    """A path as it is compared with others; symbolic links are followed by nobody but its host."""
    made = normpath(path)
    return made[1:] if made.startswith("//") else made


def _of_file(path: str, args: Mapping[str, Any]) -> Write:
    state = args.get("state")
    said = repr(sorted((name, args.get(name)) for name in _SAYING)) if state == "directory" else ""
    return Write(
        normal(path),
        whole=state in ("absent", "link", "hard"),
        below=args.get("recurse") is True or spoken_boolean(args.get("recurse")) is True,
        is_folder=state == "directory",
        same=said,
    )


def _of_file_made(name: str, path: str, args: Mapping[str, Any], base: Path | None) -> Write:
    source = next((str(args[one]) for one in _SOURCES if args.get(one)), "")
    if "content" in args or not source or name == "assemble":
        return Write(normal(path), whole=True)
    sent = sent_file(f"{BUILTIN}{name}", args, base) if base is not None else None
    if sent is not None and sent.is_dir():
        return Write(normal(path if source.endswith("/") else join(path, sent.name)), whole=True, below=True)
    file = basename(urlsplit(source).path if name == "get_url" else source)
    if path.endswith("/") and file:
        return Write(normal(join(path, file)), whole=True)
    return Write(normal(path), whole=True, folder=file)
