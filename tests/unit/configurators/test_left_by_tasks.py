"""What a plan says of tasks that nothing takes away."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml

from ansible_ensemble.configurators.left_by_tasks import left_by_tasks
from ansible_ensemble.configurators.there_before import removing
from ansible_ensemble.language.entities import Implementation, NodeTemplate, Operation

COPY = {"name": "A 'page'", "copy": {"dest": "/a", "content": "x"}, "notify": "Restart"}
RESTART = {"name": "Restart", "service": {"name": "a", "state": "restarted"}}
GONE = {"name": removing("A 'page'"), "file": {"path": "/a", "state": "absent"}}
PLAY = [{"hosts": "all", "tasks": [GONE]}]


def left(folder: Path, made: Any, gone: Any) -> str:
    (folder / "made.yml").write_text(yaml.safe_dump(made))
    (folder / "gone.yml").write_text(yaml.safe_dump(gone))
    implementation = Implementation("made.yml", settings={"removal": {"tasks": "gone.yml"}})
    operation = Operation("Standard", "configure", implementation, base=folder)
    return left_by_tasks(cast(NodeTemplate, SimpleNamespace(operation=lambda *_names: operation)))


@pytest.mark.parametrize(
    ("made", "gone", "told"),
    [
        ([COPY], [GONE], ""),
        ([COPY, {"replace": {"path": "/b", "regexp": "a", "backup": True}}], [GONE], ""),
        ([COPY, RESTART], [GONE], "what 'Restart' does stays: nothing takes it away"),
        ([{"hosts": "all", "tasks": [COPY], "handlers": [RESTART]}], PLAY, "what 'Restart'"),
        ([{"hosts": "all", "tasks": [COPY], "roles": ["web"]}], PLAY, "what 'web'"),
        ([COPY, {"block": [RESTART]}], [{"block": [GONE]}], "what 'Restart'"),
        ([COPY, {"debug": {"msg": "x"}}, {"meta": "noop"}, {"command": "x", "changed_when": False}], [GONE], ""),
        (
            [COPY, {"file": {"path": "/b", "state": "absent"}}],
            [GONE],
            "of 'file /b' what it takes away is not restored",
        ),
        ([{"copy": "dest=/a content='x y'"}], [{**GONE, "name": removing("copy /a")}], ""),
        ([COPY, {"command": "a"}, {"shell": "b"}, {"raw": "c"}, RESTART], [GONE], "what 'command'"),
        ([COPY, RESTART], [{"file": {"path": "/a", "state": "absent"}}], ""),  # written by hand
    ],
)
def test_it_names_tasks_that_nothing_takes_away(tmp_path: Path, made: Any, gone: Any, told: str) -> None:
    found = left(tmp_path, made, gone)
    assert found.startswith(told) and bool(found) == bool(told)
    assert ("and 1 more" in found) == (len(made) == 5)


def test_it_names_tasks_of_the_files_that_tasks_run(tmp_path: Path) -> None:
    (tmp_path / "more.yml").write_text(yaml.safe_dump([RESTART, {"include_tasks": {"file": "made.yml"}}]))
    told = left(tmp_path, [COPY, {"import_tasks": "more.yml"}], [GONE])
    assert told == "what 'Restart' does stays: nothing takes it away"


def test_two_tasks_of_one_name_need_two_that_take_something_away(tmp_path: Path) -> None:
    same = {**RESTART, "name": COPY["name"]}
    assert left(tmp_path, [COPY, same], [GONE, GONE]) == ""
    assert "nothing takes it away" in left(tmp_path, [COPY, same], [GONE])


def test_it_names_tasks_of_a_role_and_of_the_files_that_it_runs(tmp_path: Path) -> None:
    tasks = tmp_path / "roles" / "web" / "tasks"
    tasks.mkdir(parents=True)
    (tasks / "main.yml").write_text(yaml.safe_dump([COPY, {"import_tasks": "more.yml"}]))
    (tasks / "more.yml").write_text(yaml.safe_dump([RESTART, {"include_tasks": {"file": "main.yml"}}]))
    (tmp_path / "gone.yml").write_text(yaml.safe_dump([GONE]))
    implementation = Implementation("web", class_name="role", settings={"removal": {"tasks": "gone.yml"}})
    operation = Operation("Standard", "configure", implementation, base=tmp_path)
    node = cast(NodeTemplate, SimpleNamespace(operation=lambda *_names: operation))
    assert left_by_tasks(node) == "what 'Restart' does stays: nothing takes it away"
