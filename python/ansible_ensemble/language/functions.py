"""The functions of the expression language: their names and shapes, declared once, and which values are calls of them.

[TOSCA 1.3, 4]; the room functions has what they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.core.hints import nearest_or_known, slip_of
from ansible_ensemble.documents.yaml import read_yaml

#: Names that stand for an entity in functions [TOSCA 1.3, 4.1], the last one in Unfurl's dialect.
KEYWORDS = ("SELF", "SOURCE", "TARGET", "HOST", "ORCHESTRATOR", "OPERATION_HOST")

#: Begins a template whose first line sets Jinja's options.
TEMPLATE_HEADER = "#jinja2:"
_FILE = Path(__file__).with_suffix(".yaml")
_KINDS = {"list": list, "text": str}

#: What is wrong with a call, and a hint.
Fault = tuple[str, str | None]


class FunctionDeclaration(Struct, frozen=True, eq=False):
    """Name and shape of a function.

    Attributes:
        section: its subject.
        meaning: what it does.
        example: a call of it.
        aliases: its other names.
        arguments: how many arguments it takes, at least and at most; None: one value, whatever it is.
        takes: what the arguments are, in words.
        kinds: of what kind each of the first arguments has to be, unless it is computed: `text`, `list`,
            `index` (a whole number, as text too) or `any`.
        needs_list: whether its arguments have to stand in a list, even if there is one.
        options: what the keys mean that may stand beside its name; empty where `meaning` tells.
        top: whether it may stand without `eval` around it.
        list_only: whether without `eval` it is one only if it is given a list (its name is a common key of data).
    """

    name: str
    section: str
    meaning: str
    example: str
    aliases: tuple[str, ...] = ()
    arguments: tuple[int, int | None] | None = None
    takes: str = ""
    kinds: tuple[str, ...] = ()
    needs_list: bool = False
    options: Mapping[str, str] = field(default_factory=dict)
    top: bool = False
    list_only: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Its name and aliases."""
        return (self.name, *self.aliases)

    def operands(self, given: Any) -> list[Any]:
        """The arguments in what is given to it."""
        if self.arguments is None:
            return [given]
        if given is None and self.arguments[0] == 0:
            return []
        return given if isinstance(given, list) else [given]

    def fault(self, name: str, call: Mapping[Any, Any]) -> Fault | None:
        """What is wrong with the shape of a call of it by one of its names."""
        extra = next((key for key in call if key != name and key not in self.options), None)
        if extra is not None:
            return f'it takes no "{extra}"', nearest_or_known(extra, self.options)
        return None if self._fits(call[name]) else (f"it takes {self.takes or self._counted()}", self.example)

    def _fits(self, given: Any) -> bool:
        operands = self.operands(given)
        least, most = self.arguments or (1, 1)
        in_list = not self.needs_list or isinstance(given, list) or is_computed(given)
        pairs = zip(operands, self.kinds, strict=False)
        return in_list and least <= len(operands) <= (most or len(operands)) and all(_may_be(*pair) for pair in pairs)

    def _counted(self) -> str:
        least, most = self.arguments or (1, 1)
        wanted = str(least) if least == most else f"{least} or more" if most is None else f"{least} to {most}"
        return f"{wanted} argument{'' if least == most == 1 else 's'}"


@cache
def functions() -> Mapping[str, FunctionDeclaration]:
    """All functions by name and alias, in the order in which they are documented."""
    return {name: one for one in _declarations() for name in one.names}


def _declarations() -> Iterator[FunctionDeclaration]:
    for section, declared in read_yaml(_FILE).data.items():
        for name, entry in declared.items():
            made: dict[str, Any] = {key: tuple(item) if isinstance(item, list) else item for key, item in entry.items()}
            options = made.pop("options", ())
            named = dict(options) if isinstance(options, Mapping) else dict.fromkeys(options, "")
            yield FunctionDeclaration(name=name, section=section, options=named, **made)


def function_name(value: Any, *, nested: bool = False) -> str | None:
    """The name of the function that a value is a call of, None if it is plain data; nested in `eval`, any counts."""
    for name in value if isinstance(value, Mapping) else ():
        found = functions().get(name) if isinstance(name, str) else None
        if found is None or not all(key == name or key in found.options for key in value):
            continue
        return str(name) if nested or (found.top and (not found.list_only or isinstance(value[name], list))) else None
    return None


def is_template(text: str) -> bool:
    """Whether text of the spec is a template."""
    return "{{" in text or "{%" in text or text.startswith(TEMPLATE_HEADER)


def is_computed(value: Any) -> bool:
    """Whether a value is known only when it is evaluated: a function, an expression or a template."""
    if isinstance(value, str):
        return is_template(value)
    return isinstance(value, Mapping) and function_name(value) is not None


def meant(name: object) -> str | None:
    """The function that a name with a slip means; None for a word that is like none of them."""
    return slip_of(str(name), (one for one, declared in functions().items() if declared.top))


def _may_be(value: Any, kind: str) -> bool:
    if kind == "any" or is_computed(value):
        return True
    if kind == "index":
        whole = isinstance(value, int) and not isinstance(value, bool)
        return whole or (isinstance(value, str) and value.removeprefix("-").isdecimal())
    return isinstance(value, _KINDS[kind])
