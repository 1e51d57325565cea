"""The files of a project that a module copies or renders: change one, and what was made of it is out of date."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.configurators.jinja_texts import needed_names, syntax_fault
from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.sensitive import reveal

_TEMPLATES = frozenset({f"{BUILTIN}template", "ansible.windows.win_template"})
#: Modules that take `src` from the controller -> the folder in which Ansible looks for it first.
_FOLDERS = {
    **dict.fromkeys((f"{BUILTIN}copy", f"{BUILTIN}unarchive", "ansible.windows.win_copy"), "files"),
    **dict.fromkeys(_TEMPLATES, "templates"),
}
#: What stands between the scheme of a URL and the rest of it.
_URL = "://"
_LONGEST = 1_000_000  #: bytes of a template that is read before it is rendered


def sent_file(module: str, args: Mapping[str, Any], base: Path) -> Path | None:
    """The file or folder that a module by its FQCN takes from the controller; None if it takes none that is there."""
    return next((path for path in _candidates(module, args, base) if path.exists()), None)


def _candidates(module: str, args: Mapping[str, Any], base: Path) -> list[Path]:
    """Where the file may be that a module takes from the controller; nowhere if it takes none."""
    source = args.get("src")
    if module not in _FOLDERS or not isinstance(source, str) or not source or args.get("remote_src") or _URL in source:
        return []
    path = Path(source).expanduser() if source.startswith("~") else Path(source)
    return list(dict.fromkeys(folder / path for folder in (base / _FOLDERS[module], base)))


def file_faults(module: str, args: Mapping[str, Any], task: Task) -> Iterator[InvalidInput]:
    """What is wrong with the file that a module takes from the controller: it is not there, or is no good template."""
    candidates = _candidates(module, args, task.base)
    file = next((path for path in candidates if path.exists()), None)
    if candidates and file is None and not task.may_be_made(candidates):
        beside = {one.name for path in candidates if path.parent.is_dir() for one in path.parent.iterdir()}
        looked = ", ".join(dict.fromkeys(_shown(path.parent, task.base) for path in candidates))
        message = f"there is no file {args['src']} for {module} of {task.operation.title}"
        hint = nearest(candidates[0].name, beside) or f"it is looked for in {looked}"
        yield InvalidInput(message, task.operation.place, hint)
    if file is not None and module in _TEMPLATES and file.is_file() and file.stat().st_size <= _LONGEST:
        yield from _template_faults(file, args, task)


def _shown(folder: Path, base: Path) -> str:
    return str(folder.relative_to(base)) if folder.is_relative_to(base) and folder != base else str(folder)


def _template_faults(file: Path, args: Mapping[str, Any], task: Task) -> Iterator[InvalidInput]:
    """What of a template cannot be rendered on the host of its operation."""
    text = file.read_text(encoding="utf-8", errors="replace")
    if fault := syntax_fault(text, args):
        yield InvalidInput(f"the template cannot be read: {fault[0]}", Place(str(file), fault[1]))
        return
    needed = needed_names(text, args)
    own = reveal(task.setting("vars")) if needed else None
    left = [name for name in needed if not isinstance(own, Mapping) or name not in own]
    for name, host in task.undefined(left).items():
        message = f"the template needs the variable {name}, which the host {host} does not have"
        yield InvalidInput(message, Place(str(file), needed[name]), "set it, or give it a default: | default(...)")
