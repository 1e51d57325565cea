"""What a text that a template prints is in Unfurl: the literal of Python that it looks like, else itself."""

from __future__ import annotations

import ast
import warnings
from typing import Any

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.views.data import MISSING, Printed

#: What a literal that is not text begins with.
_FIRST = frozenset("0123456789-.+([{NTF")
#: Longer texts are no literals that somebody has written.
_LONGEST = 1024 * 1024
#: Filters whose text stays one, unless another filter takes it.
_OF_TEXT = frozenset({"string", "to_json", "to_nice_json", "to_yaml", "to_nice_yaml", "ppretty", "json"})


def printed(text: str, template: str, environment: Any) -> str:
    """The text, with what it is as data if that is something else.

    Args:
        text: what the template gives.
        template: its text.
        environment: Jinja's, which has parsed it.
    """
    meant = literal(text)
    if meant is MISSING or _makes_text(template, environment):
        return text
    made = Printed(text)
    made.meant = meant
    return made


def literal(text: str) -> Any:
    """The data that a text is in Python; MISSING for a text, and for a number that is written in another way."""
    if text[:1] not in _FIRST or len(text) > _LONGEST:
        return MISSING
    try:
        with warnings.catch_warnings(action="ignore"):
            value = ast.literal_eval(ast.parse(text, mode="eval"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return MISSING
    if isinstance(value, int | float) and str(value) != text.strip():
        return MISSING  # the version 1.10 is not 1.1
    return value if value is None or isinstance(value, int | float | list | tuple | dict) else MISSING


def _makes_text(template: str, environment: Any) -> bool:
    from jinja2 import TemplateError, nodes

    try:
        tree = environment.parse(template)
    except (TemplateError, EnsembleError):
        return False
    waiting: list[Any] = [output.nodes[0] for output in tree.find_all(nodes.Output) if len(output.nodes) == 1]
    while waiting:
        node = waiting.pop()
        if isinstance(node, nodes.CondExpr):
            waiting += [node.expr1, node.expr2]
        elif isinstance(node, nodes.Filter) and node.name.rpartition(".")[2] in _OF_TEXT:
            return True
    return False
