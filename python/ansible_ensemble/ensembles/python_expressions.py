"""Functions that service templates in Python call for expressions: each makes the expression that jobs evaluate."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

#: The module that has them in Unfurl's package.
EXPRESSIONS = "unfurl.tosca_plugins.expr"
#: Functions whose arguments are those of the expression, in a list.
_LISTED = ("concat", "token", "get_input", "get_env", "has_env", "get_ensemble_metadata")
#: Functions that begin with the object that they are about; without one it is the current instance.
_ABOUT = ("abspath", "get_dir")
#: Functions of one argument, or a list, and options by name.
_OPTIONS = (
    *("to_label", "to_dns_label", "to_kubernetes_label", "to_googlecloud_label", "urljoin", "generate_string"),
    *("tempfile", "to_env"),
)

#: By name; the options of properties are none, but stand among them.
Calls = dict[str, Any]


def expressions(tosca: ModuleType) -> Calls:
    """The functions for expressions by their names, which make values of the package `tosca`."""
    made = {name: _listed(name, tosca) for name in _LISTED} | {name: _about(name, tosca) for name in _ABOUT}
    made |= {name: _with_options(name, tosca) for name in _OPTIONS if name.startswith("t")}

    def lookup(name: str, *terms: Any, **options: Any) -> Any:
        return tosca.Eval({"eval": {"lookup": {name: _one_or_all(terms), **options}}})

    def template(_about: Any = None, *, path: str = "", contents: str = "", **options: Any) -> Any:
        return tosca.Eval({"eval": {"template": {"path": path} if path else contents, **options}})

    def get_nodes_of_type(kind: Any) -> Any:
        return tosca.Eval({"get_nodes_of_type": kind.tosca_type_name()})

    def if_expr(condition: Any, then: Any, otherwise: Any = None) -> Any:
        return tosca.Eval({"eval": {"if": condition, "then": _operand(then), "else": _operand(otherwise)}})

    def or_expr(left: Any, right: Any) -> Any:
        return tosca.Eval({"eval": {"or": [_operand(left), _operand(right)]}})

    def and_expr(left: Any, right: Any) -> Any:
        return tosca.Eval({"eval": {"and": [_operand(left), _operand(right)]}})

    def negate(value: Any) -> Any:
        return tosca.Eval({"eval": {"not": value}})

    def as_bool(value: Any) -> Any:
        return tosca.Eval({"eval": {"not": {"not": value}}})

    def uri(_about: Any = None) -> Any:
        return tosca.Eval({"eval": ".uri"})

    calls = (lookup, template, get_nodes_of_type, if_expr, or_expr, and_expr, negate, as_bool, uri)
    options = {
        "tfvar": tosca.PropertyOptions({"tfvar": True}),
        "tfoutput": tosca.AttributeOptions({"tfoutput": True}),
    }
    return {**made, **{call.__name__: call for call in calls}, "fallback": or_expr, **options}


def functions(tosca: ModuleType) -> Calls:
    """The functions for labels, URLs and passwords."""
    return {name: _with_options(name, tosca) for name in _OPTIONS if name not in ("tempfile", "to_env")}


def _operand(value: Any) -> Any:
    """A value as an operand of an expression, in which text is a path unless it is quoted."""
    return {"q": value} if isinstance(value, str) else value


def _one_or_all(values: tuple[Any, ...]) -> Any:
    return values[0] if len(values) == 1 else list(values)


def _listed(name: str, tosca: ModuleType) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        return tosca.Eval({"eval": {name: list(arguments) if name == "concat" else _one_or_all(arguments), **options}})

    return call


def _about(name: str, tosca: ModuleType) -> Callable[..., Any]:
    def call(about: Any = None, *arguments: Any, **options: Any) -> Any:
        if about is not None:
            raise ValueError(f"{name} is of the current instance: give None first")
        return tosca.Eval({"eval": {name: _one_or_all(arguments), **options}})

    return call


def _with_options(name: str, tosca: ModuleType) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        return tosca.Eval({"eval": {name: _one_or_all(arguments), **options}})

    return call
