from __future__ import annotations

import shutil
import subprocess

import pytest

from ansible_ensemble.cli.catalogue import COMMANDS
from ansible_ensemble.cli.completion import SHELLS, completion_script


def complete(*words: str) -> list[str]:
    """What bash offers for the words, of which the last is being typed."""
    quoted = " ".join(f"'{word}'" for word in words)
    script = (
        'ansible-ensemble() { echo "$*" | sed "s/completion --values/one two/"; }\n'
        f"{completion_script('bash')}\nCOMP_WORDS=(ansible-ensemble {quoted})\nCOMP_CWORD={len(words)}\n"
        '_ansible_ensemble\necho "${COMPREPLY[@]}"'
    )
    return subprocess.run(["bash", "-c", script], text=True, check=True, capture_output=True).stdout.split()


def test_commands():
    assert complete("de") == ["deploy"]


def test_options():
    assert complete("deploy", "--app") == ["--approve"]
    assert complete("validate", "--app") == []


def test_parts_of_a_command():
    assert complete("provision", "ba") == ["backup"]
    assert complete("provision", "restore", "--for") == ["--force"]
    assert complete("provision", "serve", "--for") == []
    assert complete("provision", "restore", "--force", "--po") == []
    assert complete("provision", "restore", "--force", "--data") == ["--data", "--database"]


def test_files_are_left_to_the_shell():
    assert complete("deploy", "ens") == []


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["deploy", "--instance", ""], ["one", "two", "instances"]),
        (["deploy", "shop", "-l", "in"], ["instances"]),
        (["deploy", "--template", "t"], ["two", "templates"]),
        (["plan", "--workflow", "w"], ["workflows"]),
        (["run", "--operation", "op"], ["operations"]),
        (["outputs", "--raw", "out"], ["outputs"]),
        (["show", "ch"], ["changes"]),
        (["replay", "A1", "ch"], ["changes"]),
        (["rollback", "j"], ["jobs"]),
        (["forget", "one", "in"], ["instances"]),
        (["deploy", "--repair", ""], ["error", "degraded", "none"]),
        (["history", "--output", ""], ["text", "json"]),
        (["show", "--out"], ["--output"]),
        (["provision", "machines", "workflow", "--instance", ""], []),
    ],
)
def test_names_of_the_ensemble_and_choices(words, offered):
    assert complete(*words) == offered


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_is_there(shell):
    script = completion_script(shell)
    for entry in COMMANDS:
        for leaf in entry.leaves():
            assert f" {leaf.word} " in script or f'"{leaf.name} ' in script


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_shell_reads_it(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n"], input=completion_script(shell), text=True, check=True)
