"""Who reads the output may go before the end, as in `... | head -1`: a job ends in order, a command without a word."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.jobs.conftest import PROGRAMS, environment
from tests.integration.jobs.nodes import noted, service
from tests.matrix import sampled

PLAYBOOK = ("ansible-playbook", "tosca.ensemble.deploy", "-e", "ensemble=service.yaml")
COMMAND = ("ansible-ensemble", "deploy", "--approve", "service.yaml")


@pytest.fixture
def unread(tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    """Run a program whose output nobody reads; gives its exit code, and what it said at the other stream.

    Args:
        words: the program and its arguments.
        after: wait for this text on stdout before its reader goes; without it there never is one.
        both: whether stderr has lost its reader as well.
    """
    (tmp_path / "service.yaml").write_text(service(3, chain=True))
    home = tmp_path / "home"
    home.mkdir()

    def run(*words: str, after: str = "", both: bool = False) -> tuple[int, str]:
        reader, writer = os.pipe()
        if not after:
            os.close(reader)
        process = subprocess.Popen(
            [PROGRAMS / words[0], *words[1:]],
            cwd=tmp_path, env=environment(home), stdin=subprocess.DEVNULL, stdout=writer,
            stderr=writer if both else subprocess.PIPE, text=True,
        )  # fmt: skip
        os.close(writer)
        if after:
            seen = ""
            while after not in seen:
                seen += os.read(reader, 4096).decode()
            os.close(reader)
        _, errors = process.communicate(timeout=240)
        return process.returncode, errors or ""

    return run


@pytest.mark.parametrize("both", sampled([False, True], 2), ids=["stdout", "stdout and stderr"])
@pytest.mark.parametrize("check", [False, True], ids=["real", "check"])
def test_a_playbook_comes_to_its_end(tmp_path: Path, unread: Callable, *, check: bool, both: bool) -> None:
    # a warning that cannot be printed ends ansible-playbook before it begins with anything of ours
    code, errors = unread(*PLAYBOOK, *(["--check"] if check else []), both=both, after="list is empty" if both else "")
    assert code == 0, errors
    assert not (tmp_path / "ensemble.yaml.lock").exists()
    assert noted(tmp_path) == ([] if check else ["create n0", "create n1", "create n2"])
    assert (tmp_path / "jobs.tsv").exists() is not check


@pytest.mark.parametrize("check", [False, True], ids=["real", "check"])
def test_a_command_that_nobody_reads_does_nothing(tmp_path: Path, unread: Callable, *, check: bool) -> None:
    code, errors = unread(*COMMAND, *(["--check"] if check else []))
    assert (code, errors) == (141, "")
    assert not (tmp_path / "ensemble.yaml.lock").exists()
    assert noted(tmp_path) == []


@pytest.mark.parametrize(("wrong", "code", "done"), [("none", 0, 3), ("n1", 1, 1)], ids=["ok", "failed"])
@pytest.mark.parametrize("both", sampled([False, True], 2), ids=["stdout", "stdout and stderr"])
def test_a_job_of_the_command_comes_to_its_end(
    tmp_path: Path, unread: Callable, wrong: str, code: int, done: int, *, both: bool
) -> None:
    text = (tmp_path / "service.yaml").read_text().replace("sleep 0.0;", f"test $name != {wrong} || exit 1;")
    (tmp_path / "service.yaml").write_text(text)
    ended, errors = unread(*COMMAND, after="[1/3]", both=both)
    assert (ended, errors) == (code, "")
    assert noted(tmp_path) == ["create n0", "create n1", "create n2"][:done]
    assert not (tmp_path / "ensemble.yaml.lock").exists()
    assert not list((tmp_path / "jobs").glob("*.journal"))


@pytest.mark.parametrize(
    "words",
    [("status",), ("plan",), ("history",), ("outputs", "--output", "json"), ("--help",), ("deploy", "--help"),
     ("--version",), ("graph",), ("validate",), ("status", "no/such/file")],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize("both", sampled([False, True], 2), ids=["stdout", "stdout and stderr"])
def test_a_command_that_only_tells_ends_without_a_word(
    tmp_path: Path, unread: Callable, command: Callable[..., Any], words: tuple[str, ...], *, both: bool
) -> None:
    (tmp_path / "ensemble.yaml").write_text(
        "apiVersion: tosca-ensemble/v1\nkind: Ensemble\nspec: {service_template: service.yaml}\n"
    )
    code, errors = unread("ansible-ensemble", *words, both=both)
    if words[-1] == "no/such/file":
        assert code == 3
        assert both or "Error: " in errors
    else:
        assert (code, errors) == (0 if words[-2:] == ("deploy", "--help") else 141, "")
