"""A function is declared once, and what it does is bound to its declaration."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from ansible_ensemble.functions import logic
from ansible_ensemble.functions.labels import LabelRules
from ansible_ensemble.functions.registration import functions_of, implements
from ansible_ensemble.functions.table import function_table
from ansible_ensemble.language.functions import functions


def test_each_declared_function_is_implemented_and_no_other() -> None:
    assert function_table().keys() == functions().keys()
    assert all(name in one.declaration.names for name, one in function_table().items())


WRONG: dict[str, tuple[str, Callable[..., Any], str]] = {
    "no declaration": ("no_such", lambda call, given: given, "no declaration of the function no_such"),
    "too few arguments": ("eq", lambda call, first: first, "eq is declared with other"),
    "too many arguments": ("has_env", lambda call, name, default: name, "has_env is declared with other"),
    "an argument that may be left out": ("eq", lambda call, first, second=None: first, "eq is declared with other"),
    "any number of arguments": ("eq", lambda call, *operands: operands, "eq is declared with other"),
    "a fixed number of arguments": ("concat", lambda call, value, *, sep=None: value, "concat is declared with other"),
    "an option that is not declared": ("q", lambda call, given, *, len=None: given, "q is declared with other"),
    "an option that is missing": ("if", lambda call, condition, *, then=None: then, "if is declared with other"),
    "options where there are none": ("q", lambda call, given, **options: given, "q is declared with other"),
}


@pytest.mark.parametrize(("name", "run", "message"), WRONG.values(), ids=WRONG)
def test_what_does_not_fit_its_declaration_is_an_error(name: str, run: Callable[..., Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        implements(name)(run)


def test_a_declaration_that_nothing_implements_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"nothing implements .*get_input"):
        functions_of((logic, ModuleType("empty")))


@pytest.mark.parametrize("name", [name for name in functions() if name.endswith("_label")])
def test_the_options_of_labels_are_their_rules(name: str) -> None:
    assert list(functions()[name].options) == list(LabelRules.__struct_fields__)
