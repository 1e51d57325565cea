"""The library that scripts may source."""

from __future__ import annotations

import os
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

HELPER = files("ansible_ensemble.provision.agent") / "helper.sh"


def _run(folder: Path, script: str, *tools: str) -> subprocess.CompletedProcess[str]:
    """Run a script that has the library, with only these tools, each of which says how it was called."""
    programs = folder / "programs"
    programs.mkdir()
    for tool in tools:
        (programs / tool).write_text(f'#!/bin/sh\necho {tool} "$@"\n')
        (programs / tool).chmod(0o755)
    variables = {"PATH": str(programs), "RS_TASK_DIR": str(folder)}
    bash = next(Path(path) / "bash" for path in os.get_exec_path() if (Path(path) / "bash").exists())
    command = [str(bash), "-c", f". {HELPER}; {script}; echo done"]
    return subprocess.run(command, env=variables, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("exit_stop", 16),
        ("exit_shutdown", 32),
        ("exit_reboot", 64),
        ("exit_incomplete", 128),
        ("exit_incomplete_stop", 144),
        ("exit_incomplete_shutdown", 160),
        ("exit_incomplete_reboot", 192),
    ],
)
def test_ways_to_end(tmp_path: Path, word: str, code: int) -> None:
    assert _run(tmp_path, word).returncode == code
    assert (tmp_path / ".sane-exit-codes").exists()


@pytest.mark.parametrize(
    ("script", "tools", "called"),
    [
        ("install a b", ["apt-get", "dnf"], "apt-get install --yes a b"),
        ("install a", ["dnf", "yum"], "dnf install --assumeyes a"),
        ("install a", ["yum"], "yum install --assumeyes a"),
        ("install a", ["zypper"], "zypper --non-interactive install a"),
        ("install a", ["apk"], "apk add a"),
        ("service web restart", ["systemctl", "rc-service"], "systemctl restart web"),
        ("service web enable", ["rc-service", "rc-update"], "rc-update add web default"),
        ("service web disable", ["rc-service", "rc-update"], "rc-update del web default"),
        ("service web stop", ["rc-service"], "rc-service web stop"),
    ],
)
def test_packages_and_services(tmp_path: Path, script: str, tools: list[str], called: str) -> None:
    done = _run(tmp_path, script, *tools)
    assert done.stdout.splitlines() == [called, "done"], done.stderr


def test_a_failure_ends_the_script(tmp_path: Path) -> None:
    done = _run(tmp_path, "install a")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "install: there is no apt-get, dnf, yum, zypper or apk here\n"


def test_the_token_is_no_argument(tmp_path: Path) -> None:
    script = "export RS_TOKEN=secret RS_ENDPOINT=https://x RS_UUID=m; get_param name"
    (tmp_path / "cat").touch()
    done = _run(tmp_path, script, "curl")
    assert "https://x/api/v3/machines/m/params/name?aggregate=true" in done.stdout
    assert "secret" not in done.stdout


def test_the_value_of_a_param_is_sent_and_is_no_argument(tmp_path: Path) -> None:
    lines = ['echo "$@"', 'for each; do case $each in @*) echo "sent $(<"${each#@}")" ;; esac; done']
    (tmp_path / "lines").write_text("\n".join(lines))
    curl = tmp_path / "programs" / "curl"
    script = f"""export RS_TOKEN=token RS_ENDPOINT=https://x RS_UUID=m
        {{ echo "#!$BASH"; echo "$(<{tmp_path}/lines)"; }} >{curl}
        set_param name '"@hush"'"""
    done = _run(tmp_path, script, "curl")
    called, sent, *_ = done.stdout.splitlines()
    assert called.endswith("https://x/api/v3/machines/m/params/name")
    assert "hush" not in called
    assert sent == 'sent "@hush"', done.stderr
