"""Values from outside the topology: environment, local values, secrets, other ensembles, images."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.core.sensitive import mark_sensitive
from ansible_ensemble.expressions.context import Context
from ansible_ensemble.expressions.data import plain
from ansible_ensemble.expressions.evaluation_environment import Source, look_up
from ansible_ensemble.expressions.functions.protocol import Call, function
from ansible_ensemble.expressions.keywords import named
from ansible_ensemble.expressions.lazy import ExternalValue
from ansible_ensemble.expressions.scope import Scope


@function("get_env", top=True, taints=False)
def get_env(call: Call) -> Any:
    """An environment variable; null, or a default, where it is not set; without a name, all of them.

    Example: `{get_env: [HOME, /root]}`
    """
    environment = call.context.evaluator.environment
    operands = call.operands(0, 2) if call.raw is not None else []
    if not operands:
        return dict(environment.environ)
    name = call.text(operands[0])
    found = read_external("env", name, call.context)
    return call.value(operands[1]) if len(operands) > 1 and name not in environment.environ else found


@function("has_env", top=True)
def has_env(call: Call) -> Any:
    """Whether an environment variable is set.

    Example: `{has_env: HTTP_PROXY}`
    """
    return call.text(call.operands(1, 1)[0]) in call.context.evaluator.environment.environ


@function("local")
def local(call: Call) -> Any:
    """A value of the local environment, which is not saved with the ensemble.

    Example: `{eval: {local: proxy}}`
    """
    return read_external("local", call.text(call.operands(1, 1)[0]), call.context)


@function("secret", taints=False)
def secret(call: Call) -> Any:
    """A secret by name; it is sensitive.

    Example: `{eval: {secret: database_password}}`
    """
    return read_external("secret", call.text(call.operands(1, 1)[0]), call.context)


@function("external", taints=False)
def external(call: Call) -> Any:
    """An instance of another ensemble, by the name it is imported under; `select` takes a value of it.

    Always there are `localhost`, which is ORCHESTRATOR, and `local` and `secret`, which hold what these functions give.

    Example: `{eval: {external: network}, select: subnet}`
    """
    return read_external("external", call.text(call.operands(1, 1)[0]), call.context)


@function("container_image", taints=False)
def container_image(call: Call) -> Any:
    """A container image: its full name; `name`, `tag`, `digest`, `registry` and `hostname` of it can be selected.

    Example: `{eval: {container_image: "docker.io/library/nginx:1.27"}, select: tag}`
    """
    name = call.text(call.operands(1, 1)[0])
    read_external("image", name, call.context)
    parts = image_parts(name)
    return ExternalValue(name, {part: partial(parts.get, part) for part in parts})


def image_parts(name: str) -> dict[str, str | None]:
    """The parts of an image's full name."""
    path, _, digest = name.partition("@")
    head, _, last = path.rpartition("/")
    last, _, tag = last.partition(":")
    first, _, rest = head.partition("/")
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


def read_external(kind: str, name: str, context: Context) -> Any:
    """A value from outside the topology; its read is taken down.

    Args:
        kind: `env`, `local`, `secret`, `external` or `image`.
        name: its name.
        context: where the reads go.

    Raises:
        InvalidInput: there is none of this name; an environment variable that is not set is null.
    """
    if kind == "external":
        return _instance(name, context)
    if kind == "image":
        return context.tracker.read(f"image:{name}", name)
    environment = context.evaluator.environment
    sources: Mapping[str, Source] = {
        "env": environment.environ,
        "local": environment.locals,
        "secret": environment.secrets,
    }
    if kind == "env" and name not in environment.environ:
        return context.tracker.read(f"env::{name}", None)
    value = plain(_found(sources[kind], kind, name, context))
    return context.tracker.read(f"{kind}::{name}", mark_sensitive(value) if kind == "secret" else value)


_WORDS = {
    "local": "local value",
    "secret": "secret",
    "external": "imported instance",
}


def _found(source: Source, kind: str, name: str, context: Context) -> Any:
    try:
        return look_up(source, name)
    except KeyError:
        hint = nearest_or_known(name, source) if isinstance(source, Mapping) and kind != "env" else None
        raise context.failure(f'there is no {_WORDS[kind]} "{name}"', hint=hint) from None


def _instance(name: str, context: Context) -> Any:
    environment = context.evaluator.environment
    try:
        source = look_up(environment.externals, name)
    except KeyError:
        # what is imported without a word (seed unfurl-introduction: "Imports")
        if name == "localhost":
            return named(context, "ORCHESTRATOR")
        values = {"local": environment.locals, "secret": environment.secrets}.get(name)
        if isinstance(values, Mapping):
            return ExternalValue(name, {part: partial(read_external, name, part, context) for part in values})
        source = _found(environment.externals, "external", name, context)
    if isinstance(source, Scope):
        return context.evaluator.imported(name, source)
    return context.tracker.read(f"external::{name}", plain(source))
