"""Values from outside the topology: environment, local values, secrets, other ensembles, images."""

from __future__ import annotations

from functools import partial
from typing import Any

from ansible_ensemble.expressions.context import Call
from ansible_ensemble.expressions.external import read_external
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.views.lazy import ExternalValue


@implements("get_env", taints=False)
def _get_env(call: Call, name: Any = None, default: Any = None) -> Any:
    environ = call.context.environment.environ
    if name is None:
        return dict(environ)
    text = call.text(name)
    found = read_external("env", text, call.context)
    return found if text in environ else call.value(default)


@implements("has_env")
def _has_env(call: Call, name: Any) -> Any:
    return call.text(name) in call.context.environment.environ


@implements("local")
def _local(call: Call, name: Any) -> Any:
    return read_external("local", call.text(name), call.context)


@implements("secret", taints=False)
def _secret(call: Call, name: Any) -> Any:
    return read_external("secret", call.text(name), call.context)


@implements("external", taints=False)
def _external(call: Call, name: Any) -> Any:
    return read_external("external", call.text(name), call.context)


@implements("container_image", taints=False)
def _container_image(call: Call, image: Any) -> Any:
    name = call.text(image)
    read_external("image", name, call.context)
    parts = image_parts(name)
    return ExternalValue(name, {part: partial(parts.get, part) for part in parts})


def image_parts(name: str) -> dict[str, str | None]:
    """The parts of an image's full name."""
    path, _separator, digest = name.partition("@")
    head, _separator, last = path.rpartition("/")
    last, _separator, tag = last.partition(":")
    first, _separator, rest = head.partition("/")
    is_host = bool(first) and ("." in first or ":" in first or first == "localhost")
    repository = "/".join(part for part in ((rest if is_host else head), last) if part)
    return {
        "full_name": name,
        "name": repository,
        "tag": tag or None,
        "digest": digest or None,
        "hostname": first if is_host else None,
        "registry": first if is_host else "docker.io",
    }
