"""Rules between the arguments of a module: which exclude each other, need each other, or of which one is needed.

They stand where a module declares its arguments, beside `argument_spec`, and are read from the source, of which nothing
is run. What is computed there is not known, and refuses nothing. Some modules of Ansible have such rules in their code;
these are in a table here.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.configurators.locations import BUILTIN
from ansible_ensemble.configurators.module_sources import syntax_tree

#: What a module with a command line of its own takes beside its arguments.
FREE = "_raw_params"
_SPEC = "argument_spec"


class Condition(Struct, frozen=True):
    """Arguments that are needed where another one has a value.

    Attributes:
        one_is_enough: any of them will do.
    """

    argument: str
    value: Any
    needed: tuple[str, ...]
    one_is_enough: bool = False


class ArgumentRules(Struct, frozen=True):
    """The rules between the arguments of a module, by Ansible's names for them.

    Attributes:
        mutually_exclusive: of each group at most one is given.
        required_together: of each group all are given, or none.
        required_one_of: of each group at least one is given.
        required_if: what is needed where an argument has a value.
        required_by: an argument -> what is needed where it is given.
    """

    mutually_exclusive: tuple[tuple[str, ...], ...] = ()
    required_together: tuple[tuple[str, ...], ...] = ()
    required_one_of: tuple[tuple[str, ...], ...] = ()
    required_if: tuple[Condition, ...] = ()
    required_by: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def with_more(self, other: ArgumentRules) -> ArgumentRules:
        """These rules and others."""
        return ArgumentRules(
            (*self.mutually_exclusive, *other.mutually_exclusive),
            (*self.required_together, *other.required_together),
            (*self.required_one_of, *other.required_one_of),
            (*self.required_if, *other.required_if),
            {**self.required_by, **other.required_by},
        )


_FREE_COMMAND = ArgumentRules(required_one_of=((FREE, "cmd"),))
#: Rules that modules and action plugins of Ansible have in their code.
IN_CODE: Mapping[str, ArgumentRules] = {
    f"{BUILTIN}copy": ArgumentRules(mutually_exclusive=(("src", "content"),), required_one_of=(("src", "content"),)),
    f"{BUILTIN}shell": _FREE_COMMAND,
    f"{BUILTIN}script": _FREE_COMMAND,
    f"{BUILTIN}raw": ArgumentRules(required_one_of=((FREE,),)),
    f"{BUILTIN}lineinfile": ArgumentRules(
        required_if=(
            Condition("state", "present", ("line",)),
            Condition("state", "absent", ("line", "regexp", "search_string"), one_is_enough=True),
            Condition("backrefs", True, ("regexp",)),
        )
    ),
    f"{BUILTIN}cron": ArgumentRules(required_if=(Condition("state", "present", ("job",)),)),
    f"{BUILTIN}debug": ArgumentRules(mutually_exclusive=(("msg", "var"),)),
    f"{BUILTIN}wait_for": ArgumentRules(mutually_exclusive=(("path", "port"),)),
}
#: Rules for what is to be made: a task may do without these where it finds the thing there.
TO_MAKE: Mapping[str, ArgumentRules] = {
    f"{BUILTIN}file": ArgumentRules(
        required_if=tuple(Condition("state", state, ("src",)) for state in ("link", "hard"))
    ),
}


def read_rules(source: bytes) -> ArgumentRules:
    """The rules that the source of a module declares; none where they are computed, or several modules are declared."""
    if not any(name.encode() in source for name in _READERS):
        return ArgumentRules()
    tree = syntax_tree(source)
    if tree is None:
        return ArgumentRules()
    declared = [one for node in ast.walk(tree) if (one := entries_of(node)) is not None and _SPEC in one]
    if len(declared) != 1:
        return ArgumentRules()
    values = _Values(tree)
    found = {name: read(values.of(declared[0][name])) for name, read in _READERS.items() if name in declared[0]}
    return ArgumentRules(**found)


def entries_of(node: ast.AST) -> dict[str, ast.expr] | None:
    """What a call or a map gives by name."""
    if isinstance(node, ast.Call):
        return {one.arg: one.value for one in node.keywords if one.arg}
    if isinstance(node, ast.Dict):
        return {str(key.value): one for key, one in zip(node.keys, node.values) if isinstance(key, ast.Constant)}
    return None


class _Values:
    """Values that are written out in a source, by themselves or under a name that is assigned once."""

    def __init__(self, tree: ast.Module) -> None:
        self._assigned: dict[str, list[ast.expr | None]] = {}
        for node in ast.walk(tree):
            for name, value in _assignments(node):
                self._assigned.setdefault(name, []).append(value)

    def of(self, value: ast.expr) -> Any:
        """A value, without those of its items that are computed; None if all of it is."""
        value = self._meant(value)
        if isinstance(value, ast.List | ast.Tuple):
            return [known for one in value.elts if (known := self._whole(one)) is not None]
        entries = entries_of(value) if _is_map(value) else None
        if entries is not None:
            return {name: known for name, one in entries.items() if (known := self._whole(one)) is not None}
        return None

    def _whole(self, value: ast.expr) -> Any:
        try:
            return ast.literal_eval(self._meant(value))
        except (ValueError, TypeError, SyntaxError):
            return None

    def _meant(self, value: ast.expr) -> ast.expr:
        """What a name stands for."""
        known = self._assigned.get(value.id, []) if isinstance(value, ast.Name) else []
        return known[0] if len(known) == 1 and known[0] is not None else value


def _is_map(value: ast.expr) -> bool:
    is_call = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict"
    return is_call or isinstance(value, ast.Dict)


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Names that a part of a source assigns, each with its value; without one where it changes what is there."""
    if isinstance(node, ast.Assign):
        yield from ((one.id, node.value) for one in node.targets if isinstance(one, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, None
    elif (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
    ):  # a list that is added to
        yield node.func.value.id, None


def _names(value: Any) -> tuple[str, ...]:
    """A list of names; nothing if it is something else."""
    listed = [value] if isinstance(value, str) else value
    is_named = isinstance(listed, list | tuple) and all(isinstance(one, str) for one in listed)
    return tuple(listed) if is_named else ()


def _groups(value: Any) -> tuple[tuple[str, ...], ...]:
    if names := _names(value):  # one group alone
        return () if isinstance(value, str) else (names,)
    return tuple(names for one in value or () if len(names := _names(one)) > 1) if _is_list(value) else ()


def _conditions(value: Any) -> tuple[Condition, ...]:
    known = (one for one in value if _is_list(one) and len(one) in (3, 4)) if _is_list(value) else ()
    return tuple(
        Condition(str(one[0]), one[1], _names(one[2]), one_is_enough=len(one) == 4 and one[3] is True)
        for one in known
        if _names(one[2])
    )


def _by(value: Any) -> dict[str, tuple[str, ...]]:
    return {str(name): _names(one) for name, one in value.items()} if isinstance(value, Mapping) else {}


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "mutually_exclusive": _groups,
    "required_together": _groups,
    "required_one_of": _groups,
    "required_if": _conditions,
    "required_by": _by,
}
