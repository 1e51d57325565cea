"""Where an expression is evaluated: what its keywords and relative paths mean, where its reads go, what it calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.sensitive import is_sensitive
from ansible_ensemble.documents.scalars import as_written, is_written
from ansible_ensemble.language.entities import Operation
from ansible_ensemble.language.functions import FunctionDeclaration
from ansible_ensemble.views.data import bare, child, shown
from ansible_ensemble.views.entities import NodeView, RelationshipView, RootView
from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment
from ansible_ensemble.views.graph import Graph
from ansible_ensemble.views.reads import Tracker
from ansible_ensemble.views.view import Model, View

TRUST = "review its files; `ansible-ensemble trust FOLDER` trusts them"

#: What one function may make of several texts, or of several lists.
_MOST_CHARACTERS = 16 * 1024 * 1024
_MOST_ITEMS = 1_000_000


class Frame(Struct, frozen=True):
    """What the keywords of an expression mean.

    Attributes:
        instance: SELF, or HOST's guest; of an operation of a relationship, the side it runs on.
        relationship: SELF of an expression in a relationship; it has SOURCE and TARGET.
        operation: the operation whose inputs are read, if any.
        inputs: its inputs.
        variables: variables of templates beside the job's.
    """

    instance: NodeView | None = None
    relationship: RelationshipView | None = None
    operation: Operation | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)

    @property
    def namespace(self) -> str:
        """The nested topology that the expression is in; empty for the root topology."""
        node = self.relationship.source if self.relationship is not None else self.instance
        return node.template.namespace if node is not None and node.template is not None else ""


def frame_of(view: View) -> Frame:
    """What keywords mean in the values of something."""
    owner = view.owner
    return Frame(owner if isinstance(owner, NodeView) else None, view if isinstance(view, RelationshipView) else None)


class Unreadable(Struct, frozen=True):
    """A variable whose value is an error."""

    error: EnsembleError


class TemplateEngine(Protocol):
    """What renders templates and opens secrets."""

    def render(self, text: str, context: Context, overrides: Mapping[str, Any] | None = None) -> Any:
        """The value of a template."""

    def encrypt(self, text: str, context: Context) -> str:
        """The text encrypted with Ansible Vault."""

    def decrypt(self, text: str, context: Context) -> str:
        """The clear text of a value encrypted with Ansible Vault."""


class Evaluating(Model, Protocol):
    """The model, what is around it and what evaluates it, as expressions know it."""

    functions: Mapping[str, Function]
    graph: Graph
    root: RootView

    @property
    def templates(self) -> TemplateEngine:
        """Ansible's template engine."""

    def evaluate(self, value: Any, context: Context) -> Any:
        """The value of raw data."""

    def query(self, expression: Any, context: Context, *, of_result: bool = False) -> Any:
        """The value of an expression."""

    def input_names(self, namespace: str) -> list[str]:
        """Names of the inputs of the topology, or of a nested one."""

    def imported(self, name: str, other: Evaluating, instance: str | None) -> View:
        """An instance of another ensemble, or its topology."""


class Context(Struct, frozen=True):
    """Where an expression is evaluated.

    Attributes:
        evaluator: the model, and what is around it.
        frame: what its keywords mean.
        tracker: where its reads go.
        current: what relative paths start from.
        variables: the `vars` around it, for `$name` in paths and for templates.
        base: the folder that relative file names start in.
        place: its position.
        expression: the innermost expression being evaluated, as written.
        safe: whether what is evaluated was put together from other values: then no text in it is a template, and
            functions that reach out of the model are refused.
        subject: what is computed: the reference of a property, input or output, and where in its value.
    """

    evaluator: Evaluating
    frame: Frame
    tracker: Tracker
    current: Any = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    base: Path | None = None
    place: Place | None = None
    expression: Any = None
    safe: bool = False
    subject: str = ""

    def at(self, current: Any, variables: Mapping[str, Any] | None = None) -> Context:
        """The same context with another start of relative paths, and more variables."""
        if variables:
            return replace(self, current=current, variables={**self.variables, **variables})
        return replace(self, current=current)

    @property
    def is_unfurl(self) -> bool:
        """Whether an expression is what Unfurl makes of it, also where that is not what its documentation says."""
        return self.evaluator.topology.is_unfurl

    def inside(self, expression: Any, place: Place | None = None) -> Context:
        """The context of an expression inside this one."""
        return replace(self, expression=expression, place=place or self.place)

    def evaluate(self, value: Any) -> Any:
        """The value of raw data: functions, expressions and templates in it are evaluated, other text is itself."""
        return self.evaluator.evaluate(value, self)

    def query(self, expression: Any, *, of_result: bool = False) -> Any:
        """The value of an expression: text is a path, anything else as in `evaluate`; see `values.query`."""
        return self.evaluator.query(expression, self, of_result=of_result)

    @property
    def environment(self) -> EvaluationEnvironment:
        """What expressions may reach outside the model."""
        return self.evaluator.environment

    @property
    def folder(self) -> Path:
        """The folder that relative file names start in."""
        return self.base or self.environment.folder

    def failure(self, message: str, hint: str | None = None) -> InvalidInput:
        """An error that names the expression and its position."""
        if self.expression is not None:
            message = f"{message}, in {shown(self.expression)}"
        return InvalidInput(self.environment.redactor.text(message), self.place, hint)

    def distrust(self, what: str) -> InvalidInput:
        """An error that says that something runs in trusted projects only."""
        return self.failure(f"{what} is not used in a project that is not trusted", TRUST)


class Call(Struct):
    """One call of a function.

    Attributes:
        name: the function's name.
        expression: the map it is in, with its options.
        context: where it is evaluated.
        sensitive: whether a value given to it was sensitive.
    """

    name: str
    expression: Mapping[Any, Any]
    context: Context
    sensitive: bool = False

    def value(self, raw: Any) -> Any:
        """The value of what is given: text is text."""
        return self._noted(self.context.evaluate(raw))

    def operand(self, raw: Any) -> Any:
        """The value of an operand: text is a path, `{q: text}` is text."""
        return self._noted(self.context.query(raw))

    def text(self, raw: Any) -> str:
        """The value of what is given as text."""
        given = self.value(raw)
        value = given if is_written(given) else bare(given)
        if isinstance(value, (dict, list)) or value is None:
            kind = "a map" if isinstance(value, dict) else "a list" if isinstance(value, list) else "null"
            raise self.failure(f"{self.name} needs text and got {kind}")
        return as_text(value)

    def joined(self, texts: Sequence[str], separator: str = "") -> str:
        """Texts as one, unless that is too long: what is made of itself twice soon takes all memory."""
        if sum(map(len, texts)) + len(separator) * len(texts) > _MOST_CHARACTERS:
            raise self.failure(f"{self.name} makes a text of more than {_MOST_CHARACTERS} characters")
        return separator.join(texts)

    def chained(self, lists: Sequence[Sequence[Any]]) -> list[Any]:
        """Lists as one, unless that is too long."""
        if sum(map(len, lists)) > _MOST_ITEMS:
            raise self.failure(f"{self.name} makes a list of more than {_MOST_ITEMS} items")
        return [child(items, item) for items in lists for item in items]

    def failure(self, message: str, hint: str | None = None) -> InvalidInput:
        """An error that names the expression and its position."""
        return self.context.failure(message, hint)

    def _noted(self, value: Any) -> Any:
        self.sensitive = self.sensitive or is_sensitive(value)
        return value


def as_text(value: Any) -> str:
    """A scalar as it is written in YAML."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return as_written(value)


class Function(Struct, frozen=True):
    """A function of the expression language: its declaration, and what it does.

    Attributes:
        declaration: its name and shape.
        run: computes it of a call, its arguments and its options, none of them evaluated.
        taints: whether its result is sensitive if a value given to it is.
        safe: whether an expression that was put together from other values may use it.
        runs: whether it runs code of the project or reaches the system, which takes trust.
    """

    declaration: FunctionDeclaration
    run: Callable[..., Any]
    taints: bool = True
    safe: bool = True
    runs: bool = False
