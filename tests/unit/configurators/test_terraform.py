from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.protocol import Result
from ansible_ensemble.configurators.terraform import TerraformConfigurator
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.orders import Command, Outcome
from ansible_ensemble.core.sensitive import mark_sensitive
from tests.unit.configurators.conftest import FakeTask, operation


@dataclass
class Task(FakeTask):
    @contextmanager
    def open_secrets(self) -> Iterator[Path]:
        folder = self.base / "secrets"
        folder.mkdir(exist_ok=True)
        yield folder


@pytest.fixture
def task(tmp_path: Path) -> Callable[..., Task]:
    def make(name: str = "configure", **inputs: Any) -> Task:
        return Task(operation("Terraform", name=name, base=tmp_path), tmp_path, {"main": "{}", **inputs})

    return make


def drive(
    task: Task, answers: Mapping[str, Outcome], shown: Mapping[str, Any] | None = None
) -> tuple[Result, list[Command]]:
    """Run the configurator; orders are answered by the command of Terraform that they run, others succeed."""
    configurator = TerraformConfigurator()
    configurator.render(task)
    if "stateLocation" in task.inputs:  # as `init` leaves it
        (task.folder / ".terraform").mkdir()
        (task.folder / ".terraform" / "terraform.tfstate").write_text('{"backend": {"type": "http"}}')
    steps, orders, outcome = configurator.run(task), [], None
    try:
        while True:
            order = steps.send(outcome)
            orders.append(order)
            at = next(i for i, word in enumerate(order.argv) if word.startswith("-chdir="))
            (task.folder / ".terraform" / "answer.json").write_text(json.dumps(shown or {}))
            (task.folder / ".terraform" / "check.tfplan").touch()
            outcome = answers.get(order.argv[at + 1], Outcome(ok=True, changed=None, rc=0))
    except StopIteration as stop:
        return stop.value, orders


def change(*actions: str) -> dict[str, Any]:
    return {"change": {"actions": list(actions)}}


ONE = {"values": {"root_module": {"child_modules": [{"resources": [{"mode": "managed"}, {"mode": "data"}]}]}}}
NONE = {"values": {"root_module": {"resources": [{"mode": "data"}]}}}


@pytest.mark.parametrize(
    ("state", "changes", "status"),
    [
        (ONE, [], "ok"),
        (ONE, [change("no-op"), change("read")], "ok"),
        (ONE, [change("update"), change("no-op")], "degraded"),
        (ONE, [change("update"), change("create")], "error"),
        (ONE, [change("delete", "create")], "error"),
        (ONE, [change("delete")], "error"),
        (NONE, [change("create")], "absent"),
        ({}, [change("create")], "absent"),
        (NONE, [], "ok"),
    ],
)
def test_a_check_tells_the_status_by_the_plan(
    task: Callable[..., Task], state: Any, changes: list[Any], status: str
) -> None:
    planned = Outcome(ok=False, rc=2 if changes else 0)
    result, orders = drive(task("check"), {"plan": planned}, {"prior_state": state, "resource_changes": changes})
    assert (result.success, result.status.value if result.status else None) == (True, status)
    assert [word for order in orders for word in order.argv if word in ("apply", "destroy")] == []


@pytest.mark.parametrize("changes", [False, True])
def test_a_dry_run_says_whether_something_would_change(task: Callable[..., Task], changes: bool) -> None:
    """The module's command tells it by the exit code of its plan."""
    dry = task()
    dry.check = True
    planned = Outcome(ok=True, rc=2 if changes else 0, changed=changes, stdout="Terraform will perform ...")
    result, orders = drive(dry, {"plan": planned})
    assert (result.success, result.modified) == (True, changes)
    assert not [word for order in orders for word in order.argv if word in ("apply", "destroy")]


def test_a_check_without_a_plan_knows_nothing(task: Callable[..., Task]) -> None:
    error = "Error: Invalid provider\n\n  on main.tf line 3, in provider:\n"
    result, _ = drive(task("check"), {"plan": Outcome(ok=False, rc=1, stderr=error)})
    assert (result.success, result.status, result.error) == (False, None, "Invalid provider (main.tf:3)")


@pytest.mark.parametrize(
    ("name", "summary", "command", "changed"),
    [
        ("configure", "Apply complete! Resources: 1 imported, 0 added, 0 changed, 0 destroyed.", "apply", True),
        ("configure", "Apply complete! Resources: 0 added, 0 changed, 0 destroyed.", "apply", False),
        ("delete", "Destroy complete! Resources: 2 destroyed.", "destroy", True),
        ("configure", "another language", "apply", True),
    ],
)
def test_what_changed_is_in_the_summary(
    task: Callable[..., Task], name: str, summary: str, command: str, changed: bool
) -> None:
    result, orders = drive(task(name), {command: Outcome(ok=True, rc=0, stdout=summary)})
    assert result.outcome is not None
    assert result.outcome.changed is changed
    assert any(command in order.argv for order in orders)


@pytest.mark.parametrize(
    ("inputs", "timed_out", "modified"),
    [({}, False, False), ({}, True, None), ({"stateLocation": "remote"}, False, None)],
)
def test_a_failure_that_left_the_state_as_it_was(
    task: Callable[..., Task], inputs: dict[str, Any], timed_out: bool, modified: bool | None
) -> None:
    result, _ = drive(task(**inputs), {"apply": Outcome(ok=False, rc=1, timed_out=timed_out)})
    assert (result.success, result.modified) == (False, modified)


def test_secret_variables_are_in_the_environment_alone(task: Callable[..., Task]) -> None:
    secret = mark_sensitive({"key": "${s3cret}"})
    given = task(size=2, tfvars={"word": mark_sensitive("s3cret"), "map": secret})
    _, orders = drive(given, {})
    assert json.loads((given.folder / "ensemble.tfvars.json").read_text()) == {"size": 2}
    assert not [word for order in orders for word in order.argv if "s3cret" in word]
    environment = orders[1].environment
    assert (environment["TF_VAR_word"], environment["TF_VAR_map"]) == ("s3cret", '{"key": "$${s3cret}"}')


def test_a_remote_state_is_left_to_its_backend(task: Callable[..., Task]) -> None:
    _, orders = drive(task(stateLocation="remote", backend={"key": "web"}), {})
    words = [word for order in orders for word in order.argv]
    assert any(word.startswith("-backend-config=") for word in words)
    assert not any(word.startswith("-state") for word in words)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"main": "nowhere"}, 'there is no folder "nowhere" with a Terraform module'),
        ({"main": ""}, "there is no Terraform module to run"),
        ({"tfvars": ["a=1"]}, "the input tfvars must be a map"),
        ({"stateLocation": "artifacts"}, 'the state cannot be kept in "artifacts"'),
        ({"backend": "s3"}, "the input backend must be a map"),
    ],
)
def test_wrong_inputs_are_told_before_anything_runs(
    task: Callable[..., Task], inputs: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        TerraformConfigurator().render(task(**inputs))


@pytest.mark.parametrize(
    "main",
    [
        {"output": {"word": {"value": mark_sensitive("s3cret")}}},
        mark_sensitive('output "word" {\n value = "s3cret"\n}'),
    ],
)
def test_an_inline_module_with_secrets_is_on_disk_while_terraform_is_at_work(
    task: Callable[..., Task], main: Any
) -> None:
    given, configurator = task(main=main), TerraformConfigurator()

    def written() -> list[Path]:
        return [file for file in given.folder.iterdir() if file.is_file() and "s3cret" in file.read_text()]

    configurator.render(given)
    assert not written()
    steps = configurator.run(given)
    next(steps)
    (module,) = written()
    assert module.stat().st_mode & 0o777 == 0o600
    steps.close()
    assert not written()


def test_settings_of_the_backend_are_in_a_file_of_their_own_while_it_is_initialised(task: Callable[..., Task]) -> None:
    given = task(stateLocation="remote", backend={"encrypt": True, "password": mark_sensitive("s3cret")})
    steps = TerraformConfigurator().run(given)
    order = next(steps)
    assert not any("s3cret" in word for word in order.argv)
    (word,) = [word for word in order.argv if word.startswith("-backend-config=")]
    file = Path(word.partition("=")[2])
    assert json.loads(file.read_text()) == {"encrypt": True, "password": "s3cret"}
    assert file.stat().st_mode & 0o777 == 0o600
    steps.close()
    assert not file.exists()
