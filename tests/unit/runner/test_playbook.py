"""A real ansible-playbook through the runner; some tests end it by a signal."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import pexpect
import pytest

from ansible_ensemble.runner.playbook import run_playbook

PLAYBOOK = """
- hosts: localhost
  gather_facts: false
  tasks:
    - {tasks}
"""


def run(tmp_path: Path, task: str, *, shown: list[str] | None = None, on_line=None, **options):
    playbook = tmp_path / "playbook.yml"
    playbook.write_text(PLAYBOOK.replace("{tasks}", task), encoding="utf-8")
    lines: list[str] = [] if shown is None else shown

    def show(line: str) -> None:
        lines.append(line)
        if on_line is not None:
            on_line(line)

    return run_playbook(
        str(playbook), private_data_dir=tmp_path / "job.runner", ident="A1", extravars={}, show=show, **options
    )


def text_of(folder: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file())


def test_success(tmp_path):
    shown: list[str] = []
    result = run(tmp_path, "ansible.builtin.debug: {msg: hello}", shown=shown)
    assert (result.rc, result.status, result.failures, result.interrupted_by) == (0, "successful", [], None)
    assert shown == []


def test_nobody_waits_for_a_playbook_that_has_ended(tmp_path, monkeypatch):
    pauses: list[float] = []
    monkeypatch.setattr("ptyprocess.ptyprocess.time.sleep", lambda seconds: pauses.append(seconds))
    spawn = pexpect.spawn
    assert run(tmp_path, "ansible.builtin.meta: noop").rc == 0
    assert max(pauses) < 0.01  # ansible-runner's own after each read are a tenth of a millisecond
    assert pexpect.spawn is spawn


def test_failure_tells_the_message(tmp_path):
    result = run(tmp_path, "ansible.builtin.fail: {msg: the disk is full}")
    assert result.rc == 2
    assert result.failures == ["the disk is full"]


def test_everything_is_shown_at_vv(tmp_path):
    shown: list[str] = []
    run(tmp_path, "ansible.builtin.debug: {msg: hello}", shown=shown, verbosity=2)
    assert any(line.startswith("TASK [") for line in shown)


def test_a_playbook_that_is_not_there_is_shown(tmp_path):
    shown: list[str] = []
    result = run_playbook("no/such.yml", private_data_dir=tmp_path, ident="A1", extravars={}, show=shown.append)
    assert result.rc != 0
    assert any("no/such.yml" in line for line in shown)


def test_it_runs_in_the_working_directory_with_its_configuration(tmp_path, monkeypatch):
    (tmp_path / "ansible.cfg").write_text("[defaults]\nhost_key_checking = True\n", encoding="utf-8")
    tmp_path.chmod(0o700)
    monkeypatch.chdir(tmp_path)
    task = "ansible.builtin.assert: {that: [lookup('pipe', 'pwd') == word, lookup('config', 'HOST_KEY_CHECKING')]}"
    assert run(tmp_path, task, cmdline=["-e", f"word={tmp_path}"]).failures == []


def test_variables_and_options_arrive(tmp_path):
    task = "ansible.builtin.assert: {that: [word == 'a b', ansible_check_mode]}"
    result = run(tmp_path, task, cmdline=["-e", "word='a b'", "--check"])
    assert result.failures == []


def test_the_record_holds_the_output_and_no_environment(tmp_path):
    result = run(
        tmp_path,
        "ansible.builtin.debug: {msg: hello}",
        environment={"MY_TOKEN": "canary-123"},
        cmdline=["-e", "a=canary-9"],
    )
    assert "hello" in (result.artifacts / "stdout").read_text(encoding="utf-8")
    assert result.artifacts == tmp_path / "job.runner" / "artifacts" / "A1"
    assert "canary" not in text_of(tmp_path / "job.runner")
    assert not (tmp_path / "job.runner" / "env").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_playbook(tmp_path, number):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)

    def interrupt() -> None:
        fifo.read_text(encoding="utf-8")
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=interrupt)
    thread.start()
    shown: list[str] = []
    result = run(tmp_path, f"ansible.builtin.shell: 'echo started > {fifo}; exec sleep 100'", shown=shown)
    thread.join()
    assert result.interrupted_by == number
    assert result.rc != 0
    assert any(line.startswith("Interrupted: ") for line in shown)


def test_the_handlers_of_signals_come_back(tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    run(tmp_path, "ansible.builtin.meta: noop")
    assert signal.getsignal(signal.SIGTERM) is before


def test_the_ansible_of_our_interpreter_comes_first(tmp_path):
    task = "ansible.builtin.assert: {that: [\"lookup('env', 'PATH').split(':')[0] == word\"]}"
    assert run(tmp_path, task, cmdline=["-e", f"word={Path(sys.executable).parent}"]).failures == []


@pytest.mark.parametrize("original", [None, "minimal"])
def test_it_runs_within_another_run_of_ansible_runner(tmp_path, monkeypatch, original):
    monkeypatch.setenv("ANSIBLE_STDOUT_CALLBACK", "awx_display")
    if original:
        monkeypatch.setenv("ORIGINAL_STDOUT_CALLBACK", original)
    else:
        monkeypatch.delenv("ORIGINAL_STDOUT_CALLBACK", raising=False)
    result = run(tmp_path, "ansible.builtin.debug: {msg: hello}")
    assert result.rc == 0
