"""What an operation's inputs say to Helm: the release, its chart, its values, and how it is made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.configurators.results import as_map
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.sensitive import is_sensitive, reveal
from ansible_ensemble.documents.paths import is_file, is_there, resolved

#: Inputs that are a flag of an upgrade where they are true -> the flag.
_FLAGS = {
    "create_namespace": "--create-namespace",
    "wait": "--wait",
    "atomic": "--atomic",
    "skip_crds": "--skip-crds",
    "no_hooks": "--no-hooks",
    "dependency_update": "--dependency-update",
}
_ELSEWHERE = ("oci://", "http://", "https://")


class Repository(Struct, frozen=True):
    """A repository of charts, or a registry of them.

    Attributes:
        name: what it is called, as a chart's name may begin.
        url: its address; `oci://` is a registry's.
    """

    name: str
    url: str
    username: str | None = None
    password: str | None = None
    ca_file: str | None = None
    insecure: bool = False
    plain_http: bool = False

    @property
    def is_registry(self) -> bool:
        """Whether it is a registry, which has no index."""
        return self.url.startswith("oci://")

    @property
    def arguments(self) -> list[str]:
        """How it is reached, as arguments of Helm's."""
        return [
            *(["--ca-file", self.ca_file] if self.ca_file else []),
            *(["--insecure-skip-tls-verify"] if self.insecure else []),
            *(["--plain-http"] if self.plain_http and self.is_registry else []),
        ]


def text_of(task: Task, name: str) -> str | None:
    """An input that is a text or a number; None if it is not given."""
    value = reveal(task.inputs.get(name))
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InvalidInput(f"the input {name} must be a text, not {value!r}", task.operation.place)
    return str(value)


def release_name(task: Task) -> str:
    """The name of the release."""
    name = text_of(task, "name")
    if name is None:
        raise InvalidInput("the release has no name", task.operation.place)
    return name


def repository_of(task: Task) -> Repository | None:
    """The repository that the inputs describe, by a map; None without one."""
    given = as_map(task.inputs.get("repository"), "the input repository must be", task)
    found = {str(name): reveal(value) for name, value in given.items() if value is not None}
    if not found:
        return None
    url = found.get("url")
    if not isinstance(url, str) or not url.strip():
        raise InvalidInput("the repository has no url", task.operation.place)
    if found.get("username") and found.get("password") is None:
        raise InvalidInput("the repository has a username and no password", task.operation.place)
    known = set(Repository.__struct_fields__)
    if unknown := sorted(found.keys() - known):
        raise InvalidInput(f"the repository has no {unknown[0]}", task.operation.place, nearest(unknown[0], known))
    name = str(found.pop("name", None) or "repository")
    ca_file = found.pop("ca_file", None)
    return Repository(name.replace("/", "-"), ca_file=_path(task, ca_file) if ca_file else None, **found)


def _path(task: Task, written: Any) -> str:
    return str(resolved(task.base / str(written)))


def chart_of(task: Task, repository: Repository | None) -> str:
    """The chart as Helm takes it: an address, an absolute path, or a name in a repository.

    What a folder or an archive holds is a part of what the operation read.
    """
    chart = text_of(task, "chart")
    if chart is None:
        raise InvalidInput("the release has no chart", task.operation.place, "add chart:")
    if chart.startswith(_ELSEWHERE):
        return chart
    path = resolved(task.base / chart)
    if repository is None or chart.startswith((".", "/")):
        if not is_there(path):
            hint = "a folder, an archive, an oci:// or https:// address, or a name in a repository that is required"
            raise InvalidInput(f'there is no chart "{chart}"', task.operation.place, hint)
        _read(task, path)
        return str(path)
    name = chart.removeprefix(f"{repository.name}/")
    return f"{repository.url.rstrip('/')}/{name}" if repository.is_registry else f"{repository.name}/{name}"


def is_pinned(task: Task, chart: str) -> bool:
    """Whether a chart is the same each time, but for what its own files say."""
    return text_of(task, "version") is not None or chart.startswith(("/", "http://", "https://"))


def values_of(task: Task) -> Mapping[str, Any]:
    """The values that win over those of files, secrets marked."""
    return as_map(task.inputs.get("values"), "the values of the release must be", task)


def arguments_of(task: Task, chart: str, private: Path) -> tuple[list[str], str | None]:
    """Arguments of an upgrade, and its standard input: the values, so that they are in no file and no command line."""
    version, values = text_of(task, "version"), reveal(values_of(task))
    arguments = [release_name(task), chart, "--install", "--reset-values", "--output", "json"]
    arguments += ["--version", version] if version is not None else []
    arguments += ["--history-max", str(_count(task, "history_max", 10)), *_timeout(task)]
    arguments += [flag for name, flag in _FLAGS.items() if task.inputs.get(name) is True]
    for file in values_files(task):
        arguments += ["--values", file]
    arguments += ["--values", "-"] if values else []
    for number, (path, value) in enumerate(as_map(task.inputs.get("set"), "the input set must be", task).items()):
        arguments += _set(task, str(path), value, private / f"set-{number}")
    return arguments, json.dumps(values) if values else None


def check_inputs(task: Task) -> None:
    """Look at the inputs before anything runs."""
    release_name(task)
    chart_of(task, repository_of(task))
    values_of(task)
    values_files(task)
    wait_arguments(task)
    _count(task, "history_max", 10)
    as_map(task.inputs.get("set"), "the input set must be", task)
    patterns_of(task)


def patterns_of(task: Task) -> list[str]:
    """Which objects of the release are shown as instances."""
    given = task.inputs.get("objects") or []
    if not isinstance(given, list | tuple):
        raise InvalidInput(f"the input objects must be a list, not {given!r}", task.operation.place)
    return [str(reveal(one)) for one in given]


def wait_arguments(task: Task) -> list[str]:
    """How long an operation other than an upgrade may take, and whether it waits for what it does."""
    wait = ["--wait"] if task.inputs.get("wait") is True else []
    return [*wait, *_timeout(task)]


def _timeout(task: Task) -> list[str]:
    return ["--timeout", f"{_count(task, 'timeout', 300)}s"]


def values_files(task: Task) -> list[str]:
    """The files with values, the last of which wins."""
    given = task.inputs.get("values_files") or []
    if not isinstance(given, list | tuple):
        raise InvalidInput(f"the input values_files must be a list, not {given!r}", task.operation.place)
    paths = [resolved(task.base / str(reveal(one))) for one in given]
    for path, written in zip(paths, given, strict=True):
        if not is_file(path):
            raise InvalidInput(f'there is no file "{written}" with values', task.operation.place, f"looked for {path}")
        _read(task, path)
    return list(map(str, paths))


def _read(task: Task, path: Path) -> None:
    task.query({"file": str(path)})


def _count(task: Task, name: str, default: int) -> int:
    value = reveal(task.inputs.get(name))
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidInput(f"the input {name} must be a whole number, not {value!r}", task.operation.place)
    return value


def _set(task: Task, path: str, value: Any, file: Path) -> list[str]:
    """Arguments that set one value; a secret goes by a file, as others of the machine see a command line."""
    if not is_sensitive(value):
        return ["--set-json", f"{path}={json.dumps(reveal(value))}"]
    plain = reveal(value)
    if not isinstance(plain, str):
        message = f"the secret {path} of the input set is no text"
        raise InvalidInput(message, task.operation.place, "write it among the values")
    file.touch(mode=0o600)
    file.write_text(plain, encoding="utf-8")
    return ["--set-file", f"{path}={file}"]
