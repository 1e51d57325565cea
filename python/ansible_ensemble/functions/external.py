"""Values from outside the topology: environment, local values, secrets, other ensembles, images."""

from __future__ import annotations

from functools import partial
from typing import Any

from ansible_ensemble.expressions.context import Call
from ansible_ensemble.expressions.external import read_external
from ansible_ensemble.functions.registration import function
from ansible_ensemble.views.lazy import ExternalValue


@function("get_env", top=True, taints=False)
def get_env(call: Call) -> Any:
    """An environment variable; null, or a default, where it is not set; without a name, all of them.

    Example: `{get_env: [HOME, /root]}`
    """
    environment = call.context.environment
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
    return call.text(call.operands(1, 1)[0]) in call.context.environment.environ


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
