"""Where an expression is evaluated: what its keywords and relative paths mean, and where its reads go."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.sensitive import redact
from ansible_ensemble.expressions.data import plain
from ansible_ensemble.expressions.tracker import Tracker
from ansible_ensemble.language.entities import Operation

if TYPE_CHECKING:
    from ansible_ensemble.expressions.entities import NodeView
    from ansible_ensemble.expressions.evaluator import Evaluator
    from ansible_ensemble.expressions.parts import RelationshipView

_SHOWN = 160
TRUST = "look at its files; `ansible-ensemble trust FOLDER` lets them run"


@dataclass(frozen=True, slots=True)
class Frame:
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
        """The nested topology that the expression stands in; empty for the root topology."""
        node = self.relationship.source if self.relationship is not None else self.instance
        return node.template.namespace if node is not None and node.template is not None else ""


@dataclass(frozen=True, slots=True)
class Context:
    """Where an expression is evaluated.

    Attributes:
        evaluator: the model, and what is around it.
        frame: what its keywords mean.
        tracker: where its reads go.
        current: what relative paths start from.
        variables: the `vars` around it, for `$name` in paths and for templates.
        base: the folder that relative file names start in.
        place: where it stands.
        expression: the innermost expression being evaluated, as written.
        safe: whether what is evaluated was put together from other values: then no text in it is a template, and
            functions that reach out of the model are refused.
        subject: what is computed: the reference of a property, input or output, and where in its value.
    """

    evaluator: Evaluator
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

    def inside(self, expression: Any, place: Place | None = None) -> Context:
        """The context of an expression inside this one."""
        return replace(self, expression=expression, place=place or self.place)

    def evaluate(self, value: Any) -> Any:
        """The value of raw data: functions, expressions and templates in it are evaluated, other text is itself."""
        return self.evaluator.evaluate(value, self)

    def query(self, expression: Any) -> Any:
        """The value of an expression: text is a path, anything else as in `evaluate`."""
        return self.evaluator.query(expression, self)

    @property
    def folder(self) -> Path:
        """The folder that relative file names start in."""
        return self.base or self.evaluator.environment.folder

    def failure(self, message: str, hint: str | None = None) -> InvalidInput:
        """An error that names the expression and where it stands."""
        if self.expression is not None:
            message = f"{message}, in {shown(self.expression)}"
        return InvalidInput(self.evaluator.environment.redactor.text(message), self.place, hint)

    def distrust(self, what: str) -> InvalidInput:
        """An error that says that something runs in trusted projects only."""
        return self.failure(f"{what} is not used in a project that is not trusted", TRUST)


def shown(expression: Any) -> str:
    """An expression as errors show it: on one line, without secrets."""
    value = redact(plain(expression))
    text = " ".join((value if isinstance(value, str) else _flow(value)).split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def _flow(value: Any) -> str:
    """Plain data in YAML's flow style, for one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value) or '""'
