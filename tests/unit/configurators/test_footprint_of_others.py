"""What was there before stays, whatever a resource is changed to later."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ansible_ensemble.configurators.module import ModuleConfigurator
from ansible_ensemble.configurators.protocol import Conversation, Note
from ansible_ensemble.core.orders import ModuleCall, Outcome

from .test_footprint import asked

APT = {"module": "apt", "kept": {"name": "name"}, "more": {"state": "absent"}}
USER = {"module": "user", "kept": {"name": "name"}, "more": {"state": "absent"}}
COPY = {"module": "ansible.builtin.file", "kept": {"dest": "path"}, "more": {"state": "absent"}}
LINE = {"module": "lineinfile", "kept": {"path": "path", "line": "line"}, "more": {"state": "absent"}}
FILE = "ansible.builtin.file"


class Machine:
    """This machine: shell commands are run, modules are told what they do."""

    def __init__(self, task: Any, made: dict[str, Any] | None = None) -> None:
        self._task = task
        self.made: dict[str, Any] = made or {}
        self.removed: list[Any] = []

    def run(
        self, module: str, inputs: Any, teardown: Any, act: Callable[[ModuleCall], Outcome], **given: Any
    ) -> list[Any]:
        name = given.pop("name", "configure")
        one = self._task({"primary": module, "teardown": teardown}, name=name, inputs=inputs, made=self.made, **given)
        configurator = ModuleConfigurator(module)
        configurator.render(one)
        steps, orders, reply = configurator.run(one), [], None
        try:
            while True:
                order = steps.send(reply)
                orders.append(order)
                if isinstance(order, Conversation):
                    for note in asked(order, lambda call: self._answer(call, act)):
                        orders.append(note)
                        self.made = one.made = note.made
                    order = replace(order.order, first=())
                reply = self._answer(order, act) if isinstance(order, ModuleCall) else None
                if isinstance(order, Note):
                    self.made = one.made = order.made
        except StopIteration as stop:
            assert stop.value.success, stop.value.error
        return orders

    def undeploy(self, module: str, inputs: Any, way: str) -> list[Any]:
        return self.run(module, inputs, {"way": way}, lambda _call: Outcome(ok=True, changed=True), name="delete")

    def _answer(self, call: ModuleCall, act: Callable[[ModuleCall], Outcome]) -> Outcome:
        if "argv" not in call.args:
            return act(call)
        stdin = call.args.get("stdin")
        done = subprocess.run(call.args["argv"], input=stdin, capture_output=True, text=True, check=False)
        result = {"stdout": done.stdout.removesuffix("\n")}
        return Outcome(ok=done.returncode == 0, changed=True, result=result, error=done.stderr)


@pytest.fixture
def machine(task: Any) -> Machine:
    return Machine(task)


def copying(call: ModuleCall, text: str, folder: bool = True) -> Outcome:
    """What `copy` with a backup does to a file in a folder that it is given."""
    target = Path(call.args["dest"]) / "app.conf" if folder else Path(call.args["dest"])
    result = {"dest": str(target), "state": "file"}
    if target.exists():
        backup = target.with_name(f"{target.name}.{len(list(target.parent.iterdir()))}~")
        backup.write_text(target.read_text())
        result["backup_file"] = str(backup)
    target.parent.mkdir(exist_ok=True)
    target.write_text(text)
    return Outcome(ok=True, changed=True, result=result)


def test_a_backup_of_a_file_in_a_folder_is_put_back(machine: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "etc"
    folder.mkdir()
    (folder / "app.conf").write_text("theirs")
    args = {"content": "x", "dest": f"{folder}/", "backup": True}
    for text in ("one", "two"):
        machine.run("ansible.builtin.copy", args, COPY, lambda call, text=text: copying(call, text))
    machine.undeploy(FILE, {"path": f"{folder}/", "state": "absent"}, "files")
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("app.conf", "theirs")]


def test_a_file_in_a_folder_that_is_made_with_it_goes(machine: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    args = {"content": "x", "dest": f"{folder}/"}
    machine.run("ansible.builtin.copy", args, COPY, lambda call: copying(call, "x"))
    assert (folder / "app.conf").exists()
    machine.undeploy(FILE, {"path": f"{folder}/", "state": "absent"}, "files")
    assert not folder.exists()


def test_the_backup_of_what_others_made_is_never_removed(machine: Machine, tmp_path: Path) -> None:
    """Of a resource that was moved from a file of its own to one of somebody else."""
    own, theirs = tmp_path / "own", tmp_path / "theirs"
    theirs.write_text("theirs\n")

    def edit(call: ModuleCall) -> Outcome:
        path, backup = Path(call.args["path"]), tmp_path / "backup"
        told = {"backup": str(backup)} if path.exists() else {}
        if told:
            backup.write_text(path.read_text())
        path.write_text("theirs\na\n")
        return Outcome(ok=True, changed=True, result=told)

    for path in (own, theirs):
        args = {"path": str(path), "line": "a", "backup": True, "create": True}
        machine.run("ansible.builtin.lineinfile", args, LINE, edit)
    machine.undeploy("ansible.builtin.lineinfile", {"path": str(theirs), "line": "a", "state": "absent"}, "part")
    assert theirs.read_text() == "theirs\n"


def test_what_others_put_into_a_folder_meanwhile_is_not_noted(machine: Machine, tmp_path: Path) -> None:
    source, folder = tmp_path / "source", tmp_path / "etc"
    for one in (source, folder):
        one.mkdir()
    (source / "mine").write_text("x")

    def act(_call: ModuleCall) -> Outcome:
        (folder / "mine").write_text("x")
        (folder / "theirs").write_text("x")  # by an operation that runs at the same time
        return Outcome(ok=True, changed=True, result={"dest": str(folder)})

    machine.run("ansible.builtin.copy", {"src": f"{source}/", "dest": str(folder)}, COPY, act)
    assert machine.made["paths"] == [str(folder / "mine")]


def installing(installed: set[str]) -> Callable[[ModuleCall], Outcome]:
    def act(call: ModuleCall) -> Outcome:
        given = call.args["name"]
        names = set(given if isinstance(given, list) else [given])
        if call.check:
            return Outcome(ok=True, changed=bool(installed & names))
        installed.update(names)
        return Outcome(ok=True, changed=True)

    return act


@pytest.mark.parametrize("first", [["new"], ["new", "old"]])
def test_packages_that_are_added_to_a_list_are_looked_for(machine: Machine, first: list[str]) -> None:
    act = installing({"old", "theirs"})
    machine.run("ansible.builtin.apt", {"name": first}, APT, act)
    machine.run("ansible.builtin.apt", {"name": [*first, "theirs", "later"]}, APT, act)
    orders = machine.undeploy("apt", {"name": [*first, "theirs", "later"], "state": "absent"}, "state")
    assert [order.args["name"] for order in orders] == [["new", "later"]]


def test_another_account_is_asked_about(machine: Machine) -> None:
    act = installing({"theirs"})
    machine.run("ansible.builtin.user", {"name": "mine"}, USER, act)
    machine.run("ansible.builtin.user", {"name": "theirs"}, USER, act)
    assert machine.made["kept"] == "it was there before"


def test_another_service_is_asked_about(machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "systemctl"
    program.write_text("#!/bin/sh\ncase $* in *theirs*) exit 0;; esac\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    service = {"module": "service", "kept": {"name": "name"}, "more": {}}
    for name in ("mine", "theirs"):
        args = {"name": name, "state": "started"}
        machine.run("ansible.builtin.service", args, service, lambda _call: Outcome(ok=True, changed=True))
    assert machine.made["was"] == ["active", "enabled"]
    assert machine.undeploy("service", {"name": "theirs"}, "service") == []


def test_a_path_that_was_changed_after_a_failure_is_looked_at(machine: Machine, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("x")
    with pytest.raises(AssertionError):
        machine.run(
            "ansible.builtin.copy", {"content": "x", "dest": str(tmp_path / "one")}, COPY, lambda _: Outcome(ok=False)
        )
    done = Outcome(ok=True, changed=True, result={"dest": str(theirs), "state": "file"})
    machine.run("ansible.builtin.copy", {"content": "x", "dest": str(theirs)}, COPY, lambda _call: done)
    assert machine.made["kept"] == "it was there before"
    assert "paths" not in machine.made


def test_what_was_made_before_there_were_notes_is_not_taken_for_a_strangers(machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("made by an older version")
    args = {"content": "x", "dest": str(file)}
    machine.run("ansible.builtin.copy", args, COPY, lambda _call: Outcome(ok=True, changed=True), was_configured=True)
    assert not machine.made


def test_what_was_not_kept_for_it_is_secret_removes_nothing(machine: Machine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    machine.made = {"way": "files", "path": "<<REDACTED>>", "paths": ["<<REDACTED>>"]}
    machine.undeploy(FILE, {"path": str(tmp_path / "file"), "state": "absent"}, "files")
    assert (tmp_path / "file").exists()
