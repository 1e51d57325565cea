"""Patches of documents: RFC 6902, with tests that tell true from 1."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import jsonpatch
from jsonpointer import JsonPointer, JsonPointerException

from ansible_ensemble.provision.objects.codec import Undecodable, decode_json, encode, refuse_deep, same
from ansible_ensemble.provision.rules.refusal import Refused

Operation: TypeAlias = Mapping[str, Any]

#: How many bytes of JSON a patch may copy: copies of copies grow without end.
_MOST_COPIED = 10 * 2**20

#: What a secret is shown as.
HIDDEN = "(hidden)"

_MEMBERS = {
    "add": ("value",),
    "remove": (),
    "replace": ("value",),
    "move": ("from",),
    "copy": ("from",),
    "test": ("value",),
}


class _StrictTest(jsonpatch.TestOperation):
    """A test by the types of JSON; Python takes true for 1."""

    def apply(self, document: Any) -> Any:
        if not same(self.pointer.resolve(document), self.operation["value"]):
            raise jsonpatch.JsonPatchTestFailed("differs")
        return document


_KINDS = {
    "add": jsonpatch.AddOperation,
    "remove": jsonpatch.RemoveOperation,
    "replace": jsonpatch.ReplaceOperation,
    "move": jsonpatch.MoveOperation,
    "copy": jsonpatch.CopyOperation,
    "test": _StrictTest,
}


def parsed(body: bytes, model: str, key: str) -> list[Operation]:
    """The operations of a patch.

    Raises:
        Refused: 400, it is no JSON, or no list of operations.
    """
    try:
        operations = decode_json(body)
    except Undecodable as error:
        raise Refused(400, str(error), type="PATCH", model=model, key=key) from None
    if not isinstance(operations, list):
        raise Refused(400, "A patch is a list of operations", type="PATCH", model=model, key=key)
    for line, operation in enumerate(operations):
        if problem := _problem(operation):
            raise Refused(400, f"Patch error at line {line}: {problem}", type="PATCH", model=model, key=key)
    return operations


def _problem(operation: Any) -> str | None:
    """What makes it no operation."""
    if not isinstance(operation, dict):
        return "It is no operation"
    if operation.get("op") not in list(_MEMBERS):
        return "It has no known op"
    members = _MEMBERS[operation["op"]]
    if missing := [name for name in ("path", *members) if name not in operation]:
        return f"It has no {missing[0]}"
    pointers = [operation[name] for name in ("path", *members) if name != "value"]
    if not all(isinstance(pointer, str) and pointer[:1] in ("", "/") for pointer in pointers):
        return "It has no path of the form /a/b"
    return None


def patched(
    document: Any,
    operations: Sequence[Operation],
    model: str,
    key: str,
    *,
    normal: Callable[[Any], Any] = lambda whole: whole,
    is_secret: Callable[[Operation], bool] = lambda _value: False,
) -> Any:
    """The document after all operations; it may be changed meanwhile.

    Args:
        document: dicts, lists, texts and numbers.
        operations: what `parsed` found.
        model: the kind of the object, for the refusal.
        key: its key, for the refusal.
        normal: brings a whole document into a form in which equal ones are the same.
        is_secret: whether the value of an operation must not be repeated.

    Raises:
        Refused: 409, an operation does not apply; `Patch error at line N`, with the patch; 406, what comes of it is
            nested too deep; 413, it copies too much.
    """
    budget = _MOST_COPIED
    for line, operation in enumerate(operations):
        try:
            budget -= _copied(document, operation)
            if budget < 0:
                raise Refused(
                    413, f"Patch error at line {line}: It copies too much", type="PATCH", model=model, key=key
                )
            document = _applied(document, operation, normal)
        except (jsonpatch.JsonPatchException, JsonPointerException, LookupError, TypeError):
            problem = f"Patch error at line {line}: {operation['op'].capitalize()} op failed."
            shown = f"Patch: {_pretty(operations, is_secret)}"
            raise Refused(409, problem, shown, type="PATCH", model=model, key=key) from None
        except RecursionError:
            raise _deep(model, key) from None
    try:
        refuse_deep(document)
    except Undecodable:
        raise _deep(model, key) from None
    return document


def _deep(model: str, key: str) -> Refused:
    return Refused(406, "nested too deep", type="PATCH", model=model, key=key)


def _copied(document: Any, operation: Operation) -> int:
    """How many bytes of JSON an operation copies."""
    if operation["op"] != "copy":
        return 0
    return len(encode(JsonPointer(operation["from"]).resolve(document)))


def _applied(document: Any, operation: Operation, normal: Callable[[Any], Any]) -> Any:
    if operation["op"] == "test" and operation["path"] == "":
        if not same(normal(document), normal(operation["value"])):
            raise jsonpatch.JsonPatchTestFailed("differs")
        return document
    return _KINDS[operation["op"]](dict(operation)).apply(document)


def _pretty(operations: Sequence[Operation], is_secret: Callable[[Operation], bool]) -> str:
    shown = [{**one, "value": HIDDEN} if "value" in one and is_secret(one) else one for one in operations]
    return json.dumps(shown, indent=2)
