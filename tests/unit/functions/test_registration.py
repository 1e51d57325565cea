"""A function is declared once, and what it does is bound to its declaration."""

from __future__ import annotations

import inspect
from types import ModuleType

import pytest

from ansible_ensemble.expressions.values import parameter
from ansible_ensemble.functions import logic, version_2
from ansible_ensemble.functions.labels import LabelRules
from ansible_ensemble.functions.registration import functions_of
from ansible_ensemble.functions.table import function_table
from ansible_ensemble.language.functions import functions


def test_each_declared_function_is_implemented_and_no_other() -> None:
    assert function_table().keys() == functions().keys()
    assert all(name in one.declaration.names for name, one in function_table().items())


#: Functions of values take what the declaration says, which is checked where a call is read.
OF_VALUES = {one.declaration.name for one in version_2.OF_VALUES}


@pytest.mark.parametrize("name", [name for name in functions() if name not in OF_VALUES])
def test_a_function_takes_after_the_call_what_is_declared(name: str) -> None:
    function = function_table()[name]
    declaration = function.declaration
    _call, *parameters = inspect.signature(function.run).parameters.values()
    kinds = [one.kind for one in parameters]
    single = [one for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    required = sum(one.default is one.empty for one in single)
    least, most = declaration.arguments or (1, 1)
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        assert most is None
        assert required <= least
    else:
        assert (required, len(single)) == (least, most)
    if inspect.Parameter.VAR_KEYWORD in kinds:
        assert declaration.options
    else:
        options = {one.name for one in parameters if one.kind is one.KEYWORD_ONLY}
        assert options == {parameter(option) for option in declaration.options}


def test_a_declaration_that_nothing_implements_is_an_error() -> None:
    with pytest.raises(TypeError, match=r"nothing implements .*get_input"):
        functions_of((logic, ModuleType("empty")))


@pytest.mark.parametrize("name", [name for name in functions() if name.endswith("_label")])
def test_the_options_of_labels_are_their_rules(name: str) -> None:
    assert list(functions()[name].options) == list(LabelRules.__struct_fields__)
