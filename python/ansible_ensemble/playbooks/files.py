"""Files that playbooks name: templates, what these take in, and files of tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ansible_ensemble.core.regex import regex
from ansible_ensemble.playbooks.words import scalars_in

#: What a template names that becomes a part of it.
_INCLUDED = regex(r"""\{%-?\s*(?:include|import|extends|from)\s+['"]([\w./-]+)['"]""")
_YAML = (".yml", ".yaml")
_COMPUTED = regex(r"(\{\{.*?\}\}|\*)+")


def files_named(raw: Any, folder: Path) -> Iterator[Path]:
    """The files of the project that a task names: templates, task files, variables."""
    kinds = ("", "templates", "files", "tasks", "vars")
    for text in set(scalars_in(raw)):
        if text and "\n" not in text and "{{" not in text and len(text) < 255 and not text.startswith("/"):
            yield from (path for kind in kinds if (path := folder / kind / text).is_file())


def task_files(name: str, folder: Path) -> Iterator[Path]:
    """The files of tasks that a name may mean: several, if a part of it is computed."""
    pattern = _COMPUTED.sub("*", name).strip()
    suffixes = _YAML if "*" in pattern else (Path(pattern).suffix,)
    for part in (folder, folder / "tasks"):
        if pattern and not pattern.startswith("/"):
            yield from (file for file in sorted(part.glob(pattern)) if file.suffix in suffixes and file.is_file())


def template_texts(file: Path) -> list[str]:
    """The text of a template, and of those that it takes in."""
    texts: dict[Path, str] = {}
    left = [file]
    while left:
        one = left.pop()
        if one not in texts and one.is_file():
            texts[one] = one.read_text(errors="replace")
            left += [one.parent / name for name in _INCLUDED.findall(texts[one])]
    return list(texts.values())


def yaml_files(folder: Path, part: str) -> list[Path]:
    """The YAML files in a part of a role, and below it."""
    return [file for file in sorted((folder / part).rglob("*")) if file.suffix in _YAML and file.is_file()]
