"""Files of the project."""

from __future__ import annotations

import base64
import hmac
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.sensitive import is_sensitive, mark_sensitive
from ansible_ensemble.documents.emitter import emit_yaml
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.expressions.context import Call, as_text
from ansible_ensemble.expressions.files import file_path, note, read_contents
from ansible_ensemble.functions.folders import HOME, folder_of, make_folder
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.views.data import MISSING, bare, plain
from ansible_ensemble.views.evaluation_environment import key_bytes
from ansible_ensemble.views.lazy import ExternalValue

_NAME_DIGITS = 24
#: Encodings that are forms of data, in UTF-8.
_FORMATS = ("json", "yaml", "env")


@implements("file", taints=False, safe=False)
def _file(call: Call, name: Any, *, dir: Any = None, encoding: Any = None, contents: Any = MISSING) -> Any:
    codec = _codec(call, encoding)
    base = file_path(call.text(dir), call.context) if dir is not None else None
    path = file_path(call.text(name), call.context, base)
    if contents is not MISSING:
        _write(call, path, call.value(contents), codec)
    else:
        note(path, call.context)
    parts: dict[str, Callable[[], Any]] = {
        "path": lambda: str(path),
        "encoding": lambda: codec,
        "contents": lambda: _read(call, path, codec),
    }
    return ExternalValue(str(path), parts)


@implements("tempfile", taints=False, safe=False)
def _tempfile(call: Call, given: Any, *, encoding: Any = None, suffix: Any = None) -> Any:
    import tempfile

    contents = call.value(given)
    ending = call.text(suffix) if suffix is not None else ""
    codec = _codec(call, encoding) if encoding is not None else _fitting(contents, ending)
    if "/" in ending:
        raise call.failure("the suffix of a temporary file is not a path")
    if is_sensitive(call.value(suffix)):
        raise call.failure("the suffix of a temporary file is seen in its path, which is no place for a secret")
    environment = call.context.environment
    folder = environment.folders.get("tmp", Path(tempfile.gettempdir()))
    make_folder(call, folder)
    data = _encoded(call, contents, codec)
    name = hmac.new(key_bytes(environment.digest_key), data, "sha256").hexdigest()[:_NAME_DIGITS]
    path = folder / (name + ending)
    if environment.writes:
        _write_private(call, path, data)
    written = contents if codec in ("binary", "vault") else data.decode("utf-8" if codec in _FORMATS else codec)
    shown = mark_sensitive(written) if is_sensitive(contents) else written
    return ExternalValue(str(path), {"path": lambda: str(path), "encoding": lambda: codec, "contents": lambda: shown})


def _fitting(contents: Any, ending: str) -> str:
    """The format of data that is to be a file, by the end of its name; text stays what it is."""
    if isinstance(bare(contents), str):
        return "utf-8"
    kind = {"yml": "yaml"}.get(ending.rpartition(".")[2], ending.rpartition(".")[2])
    return kind if kind in _FORMATS else "json"


def _codec(call: Call, encoding: Any) -> str:
    return str(bare(call.value(encoding))) if encoding is not None else "utf-8"


def _write_private(call: Call, path: Path, data: bytes) -> None:
    aside = path.with_name(f".{path.name}.{os.urandom(4).hex()}.new")  # an operation may be reading the same contents
    try:
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        aside.replace(path)
    except OSError as error:
        raise call.failure(f'"{path}" cannot be written: {error.strerror}') from error


@implements("abspath")
def _abspath(call: Call, path: Any, folder: Any = None, mkdir: Any = None) -> Any:
    base = folder_of(call, call.text(folder)) if folder is not None else None
    file = file_path(call.text(path), call.context, base)
    if bare(call.value(mkdir)):
        make_folder(call, file.parent)
    return str(note(file, call.context) if file.is_file() or _is_source(file, call) else file)


def _is_source(path: Path, call: Call) -> bool:
    """Whether a path is a folder whose contents are a person's: none that jobs write in, which change by themselves."""
    environment = call.context.environment
    written = [folder.resolve() for name, folder in environment.folders.items() if name != HOME]
    written += [folder.parent for folder in written if folder.name == "tmp"]  # that of all that is planned
    holds = any(own.is_relative_to(path) for own in (environment.folder.resolve(), *written))
    return path.is_dir() and not holds and not any(path.is_relative_to(own) for own in written)


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
    return [(name.strip(), value.strip().strip("\"'")) for name, _separator, value in pairs]


def _write(call: Call, path: Path, contents: Any, encoding: str) -> None:
    if not call.context.environment.writes:
        return
    if is_sensitive(contents) and encoding != "vault":
        raise call.failure(
            "a sensitive value would be written in clear", hint="use encoding: vault, or `tempfile` for one task"
        )
    data = _encoded(call, contents, encoding)
    make_folder(call, path.parent)
    try:
        path.write_bytes(data)
    except OSError as error:
        raise call.failure(f'"{path}" cannot be written: {error.strerror}') from error


def _quoted(item: Any) -> str:
    text = item if isinstance(item, str) else str(item)
    return f"'{text}'" if text.isalnum() else repr(text)


def _encoded(call: Call, contents: Any, encoding: str) -> bytes:
    value = bare(contents)
    try:
        match encoding:
            case "binary":
                return base64.b64decode(as_text(value), validate=True)
            case "json":
                return json.dumps(value, indent=2, ensure_ascii=False).encode()
            case "yaml":
                return emit_yaml(value).encode()
            case "env" if isinstance(value, Mapping) and call.context.is_unfurl:
                return "\n".join(f"{name}={_quoted(item)}" for name, item in value.items()).encode()
            case "env" if isinstance(value, Mapping):
                return "".join(f"{name}={as_text(item)}\n" for name, item in value.items()).encode()
            case "vault":
                return call.context.evaluator.templates.encrypt(as_text(value), call.context).encode()
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return text.encode("utf-8" if encoding == "env" else encoding)
    except (ValueError, LookupError, TypeError) as error:
        raise call.failure(f"the contents cannot be written as {encoding}: {error}") from None
