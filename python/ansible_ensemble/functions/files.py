"""Files and folders of the project."""

from __future__ import annotations

import base64
import hmac
import json
import os
import secrets
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.sensitive import is_sensitive, mark_sensitive
from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.expressions.context import Call, as_text
from ansible_ensemble.expressions.files import file_path, note, read_contents
from ansible_ensemble.functions.registration import function
from ansible_ensemble.views.data import bare, plain
from ansible_ensemble.views.evaluation_environment import key_bytes
from ansible_ensemble.views.lazy import ExternalValue

_NAME_DIGITS = 24
_TASK_KINDS = ("tasks", "artifacts", "secrets")


@function("file", options=("dir", "encoding", "contents"), taints=False, safe=False)
def file(call: Call) -> Any:
    """A file of the project: its path; `path`, `encoding` and `contents` of it can be selected.

    `dir` is the folder a relative path starts in. `encoding` is `utf-8` or another codec, `json`, `yaml`, `env`,
    `binary` (base64) or `vault` (decrypted, sensitive). With `contents` the file is written first (not in a dry run).

    Example: `{eval: {file: settings.json, encoding: json}, select: contents}`
    """
    encoding = str(bare(call.option("encoding", "utf-8")))
    folder = call.option("dir")
    base = file_path(as_text(bare(folder)), call.context) if folder is not None else None
    path = file_path(call.text(call.raw), call.context, base)
    if "contents" in call.expression:
        _write(call, path, call.value(call.expression["contents"]), encoding)
    else:
        note(path, call.context)
    parts: dict[str, Callable[[], Any]] = {
        "path": lambda: str(path),
        "encoding": lambda: encoding,
        "contents": lambda: _read(call, path, encoding),
    }
    return ExternalValue(str(path), parts)


@function("tempfile", options=("encoding", "suffix"), safe=False)
def tempfile_(call: Call) -> Any:
    """The path of a temporary file with the given contents; the same contents give the same path.

    Example: `{eval: {tempfile: {get_property: [SELF, settings]}, encoding: json, suffix: .json}}`
    """
    contents = call.value(call.raw)
    encoding = str(bare(call.option("encoding", "utf-8")))
    suffix = str(bare(call.option("suffix", "")))
    if "/" in suffix:
        raise call.failure("the suffix of a temporary file is no path")
    environment = call.context.environment
    folder = environment.folders.get("tmp", Path(tempfile.gettempdir()))
    _make(call, folder)
    data = _encoded(call, contents, encoding)
    name = hmac.new(key_bytes(environment.digest_key), data, "sha256").hexdigest()[:_NAME_DIGITS]
    path = folder / (name + suffix)
    if environment.writes:
        _write_private(call, path, data)
    return str(path)


def _write_private(call: Call, path: Path, data: bytes) -> None:
    """Write a file that only this user can read."""
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.new")  # an operation may be reading the same contents
    try:
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        aside.replace(path)
    except OSError as error:
        raise call.failure(f'"{path}" cannot be written: {error.strerror}') from error


@function("abspath")
def abspath(call: Call) -> Any:
    """The absolute path of a file: `[path, folder, mkdir]`; `folder` as in `get_dir`; `mkdir` makes its folder.

    Example: `{eval: {abspath: [templates/site.conf, src]}}`
    """
    operands = call.operands(1, 3)
    base = _folder(call, call.text(operands[1])) if len(operands) > 1 else None
    path = file_path(call.text(operands[0]), call.context, base)
    if len(operands) > 2 and bare(call.value(operands[2])):
        _make(call, path.parent)
    return str(note(path, call.context) if path.is_file() or _is_source(path, call) else path)


def _is_source(path: Path, call: Call) -> bool:
    """Whether a path is a folder whose contents are a person's: none that jobs write in, which change by themselves."""
    environment = call.context.environment
    written = [folder.resolve() for folder in environment.folders.values()]
    written += [folder.parent for folder in written if folder.name == "tmp"]  # that of all that is planned
    holds = any(own.is_relative_to(path) for own in (environment.folder.resolve(), *written))
    return path.is_dir() and not holds and not any(path.is_relative_to(own) for own in written)


@function("get_dir")
def get_dir(call: Call) -> Any:
    """The absolute path of a folder by name: `[name, mkdir]`.

    `src` (where the file stands that the expression is in), `ensemble` or `spec.home` (the ensemble's),
    `project`, `.` (the current one), `tmp`, `local` (not in git), `artifacts` and `secrets` (of all operations that
    succeeded), `repository.<name>`; in an operation's input `tasks` (or `operation`), `artifacts` and `secrets` are the
    operation's own, which are kept when it succeeds.

    Example: `{eval: {get_dir: ensemble}}`
    """
    operands = call.operands(1, 2)
    path = _folder(call, call.text(operands[0]))
    if len(operands) > 1 and bare(call.value(operands[1])):
        _make(call, path)
    return str(path)


def _folder(call: Call, name: str) -> Path:
    environment = call.context.environment
    known: dict[str, Path] = {
        ".": call.context.folder,
        "src": call.context.folder,
        "spec.src": call.context.folder,
        "ensemble": environment.folder,
        "spec.home": environment.folder,
        "project": environment.root,
        **environment.folders,
        **_task_folders(call),
        **{f"repository.{key}": path for key, path in environment.repositories.items()},
    }
    if name not in known:
        raise call.failure(f'there is no folder "{name}"', hint=nearest_or_known(name, known))
    return known[name]


def _task_folders(call: Call) -> dict[str, Path]:
    """Folders of the operation that an expression is an input of."""
    frame, find = call.context.frame, call.context.environment.task_folder
    if find is None or frame.operation is None or frame.instance is None:
        return {}
    node = frame.relationship.source if frame.relationship is not None else frame.instance
    link = f"{frame.relationship.key}:" if frame.relationship is not None else ""
    found = {kind: find(kind, node.name, link + frame.operation.full_name) for kind in _TASK_KINDS}
    return {**found, "operation": found["tasks"]}


def _make(call: Call, folder: Path) -> None:
    environment = call.context.environment
    if not environment.writes:
        return
    try:
        if "tmp" in environment.folders and folder.is_relative_to(environment.folders["tmp"].parent):
            make_private(environment.folders["tmp"])
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise call.failure(f'"{folder}" cannot be made: {error.strerror}') from error


def _read(call: Call, path: Path, encoding: str) -> Any:
    data = read_contents(path, call.context)
    try:
        return _decoded(call, data, encoding, path)
    except (ValueError, LookupError) as error:
        raise call.failure(f'"{path}" is not {encoding}: {error}') from None


def _decoded(call: Call, data: bytes, encoding: str, path: Path) -> Any:
    match encoding:
        case "binary":
            return base64.b64encode(data).decode()
        case "json":
            return json.loads(data)
        case "yaml":
            return plain(parse_yaml(data.decode(), path).data)
        case "env":
            return dict(_env_lines(data.decode()))
        case "vault":
            templates = call.context.evaluator.templates
            return call.context.tracker.hide(mark_sensitive(templates.decrypt(data.decode(), call.context)))
    return data.decode(encoding)


def _env_lines(text: str) -> list[tuple[str, str]]:
    lines = [line.strip().removeprefix("export ") for line in text.splitlines()]
    pairs = [line.partition("=") for line in lines if line and not line.startswith("#") and "=" in line]
    return [(name.strip(), value.strip().strip("\"'")) for name, _, value in pairs]


def _write(call: Call, path: Path, contents: Any, encoding: str) -> None:
    if not call.context.environment.writes:
        return
    if is_sensitive(contents) and encoding != "vault":
        raise call.failure(
            "a sensitive value would be written in clear", hint="use encoding: vault, or `tempfile` for one task"
        )
    data = _encoded(call, contents, encoding)
    _make(call, path.parent)
    try:
        path.write_bytes(data)
    except OSError as error:
        raise call.failure(f'"{path}" cannot be written: {error.strerror}') from error


def _encoded(call: Call, contents: Any, encoding: str) -> bytes:
    value = bare(contents)
    try:
        match encoding:
            case "binary":
                return base64.b64decode(as_text(value), validate=True)
            case "json":
                return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
            case "yaml":
                return emit_yaml(value).encode()
            case "env" if isinstance(value, Mapping):
                return "".join(f"{name}={as_text(item)}\n" for name, item in value.items()).encode()
            case "vault":
                return call.context.evaluator.templates.encrypt(as_text(value), call.context).encode()
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return text.encode("utf-8" if encoding == "env" else encoding)
    except (ValueError, LookupError, TypeError) as error:
        raise call.failure(f"the contents cannot be written as {encoding}: {error}") from None
