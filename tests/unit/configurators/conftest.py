"""A task without a job, and a driver that gives a configurator the outcomes of its orders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.protocol import Configurator, Result
from ansible_ensemble.core.errors import Place
from ansible_ensemble.core.orders import Host, Outcome
from ansible_ensemble.core.written_path import WrittenPath
from ansible_ensemble.language.entities import Artifact, Assignment, Implementation, Operation


def operation(
    implementation: str | Mapping[str, Any] | None = None,
    *,
    base: Path | None = None,
    name: str = "create",
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    artifact: tuple[str, str] | None = None,
) -> Operation:
    """An operation as the topology gives it; `artifact` is the type and the file of its primary."""
    written = {"primary": implementation} if isinstance(implementation, str) else dict(implementation or {})
    known = set(Implementation.__struct_fields__)
    settings = {key: value for key, value in written.items() if key not in known}
    made = Implementation(**{key: value for key, value in written.items() if key in known}, settings=settings)
    if artifact is not None:
        made.artifact = Artifact("primary", artifact[0], artifact[1], base=base)
    return Operation(
        "Standard",
        name,
        made,
        {key: Assignment(value) for key, value in (inputs or {}).items()},
        dict(outputs or {}),
        place=Place("service.yaml", 7, 3),
        base=base,
    )


@dataclass
class FakeTask:
    """A task whose values are what they are; a callable value is evaluated with the variables it is given."""

    operation: Operation
    base: Path
    inputs: dict[str, Any] = field(default_factory=dict)
    check: bool = False
    diff: bool = False
    workflow: str = "deploy"
    host: Host = field(default_factory=Host)
    environment: dict[str, str] = field(default_factory=dict)
    connected: dict[str, Any] = field(default_factory=dict)
    timeout: float | None = None
    tools: tuple[Path, ...] = ()
    attributes: frozenset[str] = frozenset()
    asked_outputs: frozenset[str] = frozenset()
    files: tuple[Path, ...] = ()
    parts: dict[str, Any] = field(default_factory=dict)
    paths: tuple[WrittenPath, ...] = ()
    overwritten: tuple[str, ...] = ()
    instead: dict[str, Any] = field(default_factory=dict)
    written: dict[str, Any] = field(default_factory=dict)
    followed: tuple[str, ...] = ()
    made: dict[str, Any] = field(default_factory=dict)
    was_configured: bool = False
    passed: list[str] = field(default_factory=list)

    def passed_options(self) -> AbstractContextManager[tuple[list[str], Path | None]]:
        return nullcontext((self.passed, None))

    @property
    def directory(self) -> Path:
        return self.base

    @property
    def root(self) -> Path:
        return self.base

    def note_file(self, path: Path) -> None:
        self.files = (*self.files, path)

    def may_be_made(self, _paths: Any) -> bool:
        return False

    def may_be_installed(self) -> bool:
        return False

    @property
    def plans_on_controller(self) -> bool:
        return False

    def undefined(self, _names: Any) -> dict[str, str]:
        return {}

    @property
    def folder(self) -> Path:
        made = self.base / "planned"
        made.mkdir(exist_ok=True)
        return made

    def left(self, path: str) -> Any:
        return self.written.get(path)

    def digest(self, checksum: str) -> str:
        return checksum

    def known(self, keyword: str, names: Any) -> Any:
        part = self.parts.get(keyword)
        return part if part is None or names is None else {name: part[name] for name in names if name in part}

    def exported(self) -> dict[str, Any]:
        return self.connected

    def raw_input(self, name: str) -> Any:
        return self.inputs[name]

    def setting(self, name: str, default: Any = None) -> Any:
        return self.operation.implementation.settings.get(name, default)

    def query(self, expression: Any) -> Any:
        return self.evaluate(expression)

    def evaluate(self, value: Any, variables: Mapping[str, Any] | None = None) -> Any:
        return value(dict(variables or {})) if callable(value) else value


@pytest.fixture
def task(tmp_path: Path) -> Callable[..., FakeTask]:
    def make(implementation: Any = "true", **given: Any) -> FakeTask:
        told = {key: given.pop(key) for key in ("name", "outputs") if key in given}
        made = operation(implementation, base=tmp_path, inputs=given.get("inputs"), **told)
        return FakeTask(made, tmp_path, **given)

    return make


def carry_out(configurator: Configurator, task: FakeTask, *outcomes: Outcome | Result) -> tuple[Result, list[Any]]:
    """Run a configurator with these outcomes of its orders; returns its result and the orders."""
    configurator.render(task)
    steps, answers, orders = configurator.run(task), [None, *outcomes], []
    try:
        for answer in answers:
            orders.append(steps.send(answer))
    except StopIteration as stop:
        return stop.value, orders
    raise AssertionError(f"it asks for more: {orders[-1]}")
