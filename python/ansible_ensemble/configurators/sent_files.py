"""The files of a project that a module copies or renders: change one, and what was made of it is out of date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.argument_rules import FREE
from ansible_ensemble.configurators.jinja_texts import (
    included,
    looked_up,
    name_faults,
    needed_names,
    set_names,
    syntax_fault,
)
from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.sensitive import reveal

_TEMPLATES = frozenset({f"{BUILTIN}template", "ansible.windows.win_template"})
_SCRIPT, _ASSEMBLE, _VARIABLES = f"{BUILTIN}script", f"{BUILTIN}assemble", f"{BUILTIN}include_vars"
#: Modules that take a file from the controller -> the folder in which Ansible looks for it first.
_FOLDERS = {
    **dict.fromkeys((f"{BUILTIN}copy", f"{BUILTIN}unarchive", "ansible.windows.win_copy"), "files"),
    **dict.fromkeys((_SCRIPT, _ASSEMBLE), "files"),
    **dict.fromkeys(_TEMPLATES, "templates"),
    _VARIABLES: "vars",
}
#: What stands between the scheme of a URL and the rest of it.
_URL = "://"
_LONGEST = 1_000_000  #: bytes of a template that is read before it is rendered


def sent_file(module: str, args: Mapping[str, Any], base: Path) -> Path | None:
    """The file or folder that a module by its FQCN takes from the controller; None if it takes none that is there."""
    return next((path for path in _candidates(module, args, base) if path.exists()), None)


def _candidates(module: str, args: Mapping[str, Any], base: Path) -> list[Path]:
    """Where the file may be that a module takes from the controller; nowhere if it takes none."""
    source = _source(module, args)
    remote = args.get("remote_src", module == _ASSEMBLE)
    if module not in _FOLDERS or not isinstance(source, str) or not source or remote or _URL in source:
        return []
    path = Path(source).expanduser() if source.startswith("~") else Path(source)
    return list(dict.fromkeys(folder / path for folder in (base / _FOLDERS[module], base)))


def _source(module: str, args: Mapping[str, Any]) -> Any:
    """What a module takes, as it is named in its arguments."""
    if module == _SCRIPT:
        command = args.get("cmd", args.get(FREE))
        return next(iter(command.split()), None) if isinstance(command, str) else None
    if module == _VARIABLES:
        return args.get("dir", args.get("file", args.get(FREE)))
    return args.get("src")


def file_faults(module: str, args: Mapping[str, Any], task: Task) -> Iterator[InvalidInput]:
    """What is wrong with the file that a module takes from the controller: it is not there, or is no good template."""
    candidates = _candidates(module, args, task.base)
    file = next((path for path in candidates if path.exists()), None)
    if candidates and file is None and not task.may_be_made(candidates):
        beside = {one.name for path in candidates if path.parent.is_dir() for one in path.parent.iterdir()}
        looked = ", ".join(dict.fromkeys(_shown(path.parent, task.base) for path in candidates))
        message = f"there is no file {_source(module, args)} for {module} of {task.operation.title}"
        hint = nearest(candidates[0].name, beside) or f"it is looked for in {looked}"
        yield InvalidInput(message, task.operation.place, hint)
    if file is not None and module in _TEMPLATES and file.is_dir():
        yield InvalidInput(f"{_shown(file, task.base)} is a folder, and no template", task.operation.place)
    if file is not None and module in _TEMPLATES and file.is_file() and file.stat().st_size <= _LONGEST:
        yield from _template_faults(file, args, task)


def _shown(folder: Path, base: Path) -> str:
    return str(folder.relative_to(base)) if folder.is_relative_to(base) and folder != base else str(folder)


def _template_faults(file: Path, args: Mapping[str, Any], task: Task) -> Iterator[InvalidInput]:
    """What of a template cannot be rendered on the host of its operation."""
    needed: dict[str, Place] = {}
    faults = [*template_faults(file, (task.base, task.root), args, needed)]
    yield from faults
    own = reveal(task.setting("vars")) if needed and not faults else None
    left = [name for name in needed if not isinstance(own, Mapping) or name not in own]
    for name, host in (task.undefined(left) if not faults else {}).items():
        message = f"the template needs the variable {name}, which the host {host} does not have"
        yield InvalidInput(message, needed[name], "set it, or give it a default: | default(...)")


def template_faults(
    file: Path, bases: Sequence[Path], signs: Mapping[str, Any] | None = None, needed: dict[str, Place] | None = None
) -> Iterator[InvalidInput]:
    """What is wrong with a template and those that it takes in, whatever variables there are.

    Args:
        file: the template.
        bases: folders of plugins and further templates, beside its own.
        signs: options of the module `template` that are options of Jinja.
        needed: takes the variables without which it always fails, each with its first place.
    """
    left, seen, own, reads = [file], set[Path](), set[str](), dict[str, Place]()
    while left:
        path = left.pop()
        if path in seen or path.stat().st_size > _LONGEST:
            continue
        seen.add(path)
        text = path.read_text(encoding="utf-8", errors="replace")
        if fault := syntax_fault(text, signs):
            yield InvalidInput(f"the template cannot be read: {fault[0]}", Place(str(path), fault[1]))
            continue
        for message, line, hint in name_faults(text, (path.parent, path.parent.parent, *bases), signs):
            yield InvalidInput(message, Place(str(path), line), hint)
        folders = dict.fromkeys(folder / kind for folder in (path.parent, *bases) for kind in ("", "templates"))
        for name, line in included(text, signs).items():
            taken = next((one for folder in folders if (one := folder / name).is_file()), None)
            if taken is None:
                beside = {one.name for folder in folders if folder.is_dir() for one in folder.iterdir()}
                yield InvalidInput(f"there is no template {name}", Place(str(path), line), nearest(name, beside))
            else:
                left.append(taken)
        for name, line in looked_up(text, signs).items():
            if not any(
                (folder / kind / name).exists() for folder in (path.parent.parent, *bases) for kind in ("files", "")
            ):
                yield InvalidInput(
                    f"there is no file {name} for the lookup", Place(str(path), line), "it is looked for in files/"
                )
        own |= set_names(text, signs)
        for name, line in needed_names(text, signs).items():
            reads.setdefault(name, Place(str(path), line))
    if needed is not None:
        needed.update({name: place for name, place in reads.items() if name not in own})
