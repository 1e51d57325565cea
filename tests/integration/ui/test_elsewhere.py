"""A job that runs in another folder, as one of AWX does, is seen while it runs: both have their state elsewhere."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from tests.integration.ui.conftest import Served, begun, ended
from tests.integration.ui.test_watch import kill_all


@pytest.fixture
def folders(project: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two copies of a project whose state lives in a third folder."""
    other, state = tmp_path_factory.mktemp("other") / "copy", tmp_path_factory.mktemp("state")
    (project / "ensemble-project.yaml").write_text(f"environments: {{defaults: {{state: {{path: {state}}}}}}}\n")
    shutil.copytree(project, other)
    return project, other


@pytest.fixture
def pages(folders: tuple[Path, Path]) -> Iterator[Served]:
    """The pages of the second one."""
    served = Served(folders[1])
    yield served
    served.close()


def deploying(project: Path, go_on: Path) -> subprocess.Popen[str]:
    """A job whose first operation waits."""
    job = begun(project, "deploy", "--approve", "web/ensemble.yaml", WAITS_FOR=str(go_on))
    assert job.stdout is not None
    assert any("db: create ..." in line for line in job.stdout)
    return job


class Viewer:
    """Who looks at the pages, and follows their events."""

    def __init__(self, pages: Served) -> None:
        self._opener = build_opener(HTTPCookieProcessor())
        self._url = pages.url
        self._opener.open(pages.address(), timeout=60).close()
        self._events = self._opener.open(f"{self._url}/api/1/events?ensemble=web/ensemble.yaml", timeout=60)

    def get(self, path: str) -> dict:
        with self._opener.open(f"{self._url}/api/1/{path}", timeout=60) as answer:
            return json.load(answer)

    def hears(self, text: str) -> None:
        """Wait for an event with a text."""
        end = time.monotonic() + 120
        while text.encode() not in (line := self._events.readline()):
            assert line, "the events ended"
            assert time.monotonic() < end, text

    def close(self) -> None:
        self._events.close()


def until(look: Callable[[], Any], is_there: Callable[[Any], object]) -> Any:
    """What is seen once it is there: the state is fetched every few seconds."""
    end = time.monotonic() + 120
    while not is_there(found := look()):
        assert time.monotonic() < end, found
        time.sleep(0.1)
    return found


def begun_in(journal: dict) -> list[str]:
    return [one["key"] for one in journal["entries"] if one["event"] == "started"]


def test_it_is_seen_as_it_goes_and_followed_from_a_terminal(folders: tuple[Path, Path], pages: Served) -> None:
    project, other = folders
    go_on = project / "go-on"
    job = deploying(project, go_on)
    viewer = Viewer(pages)
    try:
        viewer.get("status?ensemble=web/ensemble.yaml")  # fetches the state, as each page does
        (listed,) = until(lambda: viewer.get("project")["ensembles"], lambda ensembles: ensembles[0]["running"])
        (name,) = listed["running"]
        assert (listed["lock"]["operation"], listed["lock"]["left"]) == ("deploy", False)
        journal = f"jobs/{name}/entries?ensemble=web/ensemble.yaml"
        entries = until(lambda: viewer.get(journal), lambda found: "db:Standard.create" in begun_in(found))
        assert entries["running"]
        assert f"Job {name} is running." in viewer.get("status?ensemble=web/ensemble.yaml")["warnings"]
        watcher = begun(other, "show", name, "--watch", "--ensemble", "web")
        assert watcher.stdout is not None
        assert watcher.stdout.readline() == "[1/2] db: create ...\n"
        go_on.touch()
        viewer.hears("event: changed")
        rest, _none = watcher.communicate(timeout=120)
        assert watcher.returncode == 0, rest
        assert f"Job {name}" in rest
        job.communicate(timeout=120)
        entries = until(lambda: viewer.get(journal), lambda found: found["recorded"])
        assert not entries["running"]
        assert entries["entries"][-1]["event"] == "job-finished"
    finally:
        go_on.touch()
        job.wait(timeout=120)
        viewer.close()


def test_that_it_was_killed_is_said_there_too(folders: tuple[Path, Path]) -> None:
    project, other = folders
    never = project / "never"
    job = deploying(project, never)
    code, printed = ended(other, "status", "web")
    assert code == 0
    assert "is running." in printed
    kill_all(f"WAITS_FOR={never}")
    job.wait(timeout=120)
    _code, printed = ended(other, "status", "web")
    assert "was killed and is not recorded yet." in printed
