"""Jobs that meet a full disk, a folder that cannot be written, commands that misbehave and workers that die.

Each job ends in order: it says in a message what happened, exits with 1 and frees the lock, what it did is kept, and
the next one goes on. For a clock that jumps see the unit tests of the execution.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ansible_ensemble.projects.gitfiles import IGNORED
from tests.integration.jobs.nodes import noted
from tests.integration.jobs.processes import roles, wait_for, working_in
from tests.integration.jobs.records.repositories import IDENTITY
from tests.integration.jobs.torture.folding import recorded
from tests.preloaded import PROGRAMS

#: Bytes of the small file system.
SIZE = 2_000_000
TROUBLE = ("Traceback", "During handling", "defect", "Exception")


def service(trouble: str, *, timeout: int = 0, through_ansible: bool = False) -> str:
    """A chain n0 to n4, in which n2 runs a command more, unless there is a file `spared`."""
    command = f"test $name != n2 || test -e spared || {{ {trouble}; }}; echo end create $name >> log"
    name = "{get_attribute: [SELF, tosca_name]}"
    primary, inputs = command, f"{{name: {name}}}"
    if through_ansible:
        primary, inputs = "ansible.builtin.shell", f'{{_raw_params: {{concat: ["name=", {name}, "; {command}"]}}}}'
    timing = f", timeout: {timeout}" if timeout else ""
    lines = [
        "tosca_definitions_version: tosca_simple_yaml_1_3",
        "node_types:",
        "  Troubled:",
        "    derived_from: tosca.nodes.Root",
        "    interfaces:",
        "      Standard:",
        "        operations:",
        "          create:",
        f"            implementation: {{primary: {json.dumps(primary)}{timing}}}",
        f"            inputs: {inputs}",
        "topology_template:",
        "  node_templates:",
        "    n0: {type: Troubled}",
        *(
            f"    n{number}: {{type: Troubled, requirements: [{{dependency: n{number - 1}}}]}}"
            for number in range(1, 5)
        ),
    ]
    return "\n".join(lines) + "\n"


def check_told(run, *said: str) -> None:
    """The job failed in order, and said so."""
    assert run.code == 1, run.output
    assert not [word for word in TROUBLE if word in run.output], run.output
    for words in said:
        assert words in run.output, run.output


def check_goes_on(run, folder: Path) -> None:
    """The job after the fault ended the work, and nothing ran twice."""
    assert run.code == 0, run.output
    assert noted(folder) == [f"create n{number}" for number in range(5)]
    assert set(recorded(folder).values()) == {"ok"}
    assert not (folder / "ensemble.yaml.lock").exists()
    assert not list((folder / "jobs").glob("*.journal"))


class Small:
    """A small file system that only the processes in its namespace see, and a test through /proc."""

    def __init__(self, mount: Path, holder: subprocess.Popen[str], command: Callable) -> None:
        self.folder = Path(f"/proc/{holder.pid}/root{mount}")
        self._enter = ("-t", str(holder.pid), "-U", "-m", "--preserve-credentials", f"--wd={self.folder}")
        self._mount = mount
        self._command = command

    def run(self, *arguments: str, program: str = "ansible-ensemble"):
        inside = f'cd {self._mount} && exec "$0" "$@"'
        return self._command(*self._enter, "sh", "-c", inside, program, *arguments, program=shutil.which("nsenter"))

    def remount(self, mode: str) -> None:
        done = self.run("-o", f"remount,{mode}", str(self._mount), program="mount")
        assert done.code == 0, done.output

    def git(self, *arguments: str) -> str:
        done = self.run(*IDENTITY, *arguments, program="git")
        assert done.code == 0, done.output
        return done.stdout.strip()

    def keep_in_git(self) -> None:
        """Put what is there into a repository, without git's samples of hooks: the disk is small."""
        (self.folder / ".gitignore").write_text("\n".join((*IGNORED, "log", "ballast", "spared")) + "\n")
        self.git("init", "--quiet", "--template=", "--initial-branch=main")
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", "start")

    def fill(self, left: int) -> None:
        """Write until so many bytes are free, less than a page."""
        free = os.statvfs(self.folder)
        (self.folder / "ballast").write_bytes(b"0" * (free.f_bavail * free.f_frsize - left))


@pytest.fixture
def small(tmp_path: Path, command: Callable) -> Iterator[Small]:
    mount = tmp_path / "small"
    mount.mkdir()
    if not shutil.which("unshare") or not shutil.which("nsenter"):
        pytest.skip("there is no unshare and nsenter to make a file system with")
    script = f"mount -t tmpfs -o size={SIZE} small {mount} && echo mounted && exec cat"
    with subprocess.Popen(
        ["unshare", "-Urm", "sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as holder:
        if (said := holder.stdout.readline().strip()) != "mounted":
            pytest.skip(f"no file system can be mounted here: {said}")
        try:
            yield Small(mount, holder, command)
        finally:
            holder.stdin.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "ensemble"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("left", [0, 4096, 20_480, 61_440])
def test_a_disk_that_is_full_when_the_job_begins(small, left):
    (small.folder / "service.yaml").write_text(service("true"))
    small.fill(left)
    check_told(small.run("deploy", "--approve", "service.yaml"), "No space left on device")
    (small.folder / "ballast").unlink()
    assert not (small.folder / "ensemble.yaml.lock").exists()
    check_goes_on(small.run("deploy", "--approve", "service.yaml"), small.folder)


def test_a_disk_that_becomes_full(small):
    (small.folder / "service.yaml").write_text(service("cat /dev/zero > ballast; exit 1"))
    small.keep_in_git()
    run = small.run("deploy", "--approve", "--commit", "service.yaml")
    check_told(run, "No space left on device", "n1: create changed", "the next job records what this one did")
    assert not (small.folder / "ensemble.yaml.lock").exists()
    (small.folder / "ballast").unlink()
    (small.folder / "spared").touch()
    assert noted(small.folder) == ["create n0", "create n1"]
    again = small.run("deploy", "--approve", "--commit", "service.yaml")
    assert "Plan: 2 to add, 1 to change" in again.output  # of n2 nobody knows, or that it failed
    assert "was killed" in again.output
    check_goes_on(again, small.folder)
    assert small.git("status", "--porcelain") == ""

    # full when git commits what is recorded
    hook = small.folder / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\ncat /dev/zero > ballast\n")
    hook.chmod(0o755)
    (small.folder / "log").unlink()
    run = small.run("deploy", "--approve", "--commit", "--force", "service.yaml")
    assert run.code == 1, run.output
    assert "git failed: " in run.output
    assert not [word for word in TROUBLE if word in run.output], run.output
    hook.unlink()
    (small.folder / "ballast").unlink()
    assert small.git("fsck", "--strict", "--no-dangling", "--no-progress") == ""
    check_goes_on(small.run("deploy", "--approve", "--commit", "service.yaml"), small.folder)
    assert small.git("status", "--porcelain") == ""
    assert small.git("fsck", "--strict", "--no-dangling", "--no-progress") == ""


def test_a_folder_that_cannot_be_written(small):
    (small.folder / "service.yaml").write_text(service("true"))
    small.keep_in_git()
    small.remount("ro")
    check_told(small.run("deploy", "--approve", "--commit", "service.yaml"), "Read-only file system")
    assert small.run("plan", "service.yaml").code in (0, 1)
    small.remount("rw")
    check_goes_on(small.run("deploy", "--approve", "--commit", "service.yaml"), small.folder)
    assert small.git("status", "--porcelain") == ""
    small.remount("ro")
    assert "n4" in small.run("status", "service.yaml").stdout
    check_told(small.run("undeploy", "--approve", "service.yaml"), "Read-only file system")


def test_a_command_that_ignores_being_ended(command, folder):
    (folder / "service.yaml").write_text(service("trap '' TERM; sleep 600", timeout=1))
    run = command("deploy", "--approve", "service.yaml", cwd=folder)
    check_told(run, "n2", "it took longer than 1 s and was ended")
    assert recorded(folder)["n1"] == "ok"
    assert working_in(folder) == []
    (folder / "spared").touch()
    check_goes_on(command("deploy", "--approve", "service.yaml", cwd=folder), folder)


#: Runs a command, and prints the memory of the largest of its processes, in kilobytes. A process that is started right
#: from the tests would count the memory of their interpreter as its own.
MEASURE = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print("largest", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def test_a_command_that_prints_much(start, command, folder):
    (folder / "service.yaml").write_text(service("head -c 300000000 /dev/zero | tr '\\0' x"))
    deploy = [str(PROGRAMS / "ansible-ensemble"), "deploy", "--approve", "service.yaml"]
    job = start("-c", MEASURE, *deploy, cwd=folder, program="python")
    output, _ = job.communicate()
    assert job.returncode == 0, output
    assert int(output.rpartition("largest ")[2]) < 200_000
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in written) < 5_000_000
    check_goes_on(command("deploy", "--approve", "service.yaml", cwd=folder), folder)


def test_output_that_cannot_be_written(start, command, folder):
    (folder / "service.yaml").write_text(service("true"))
    said = folder.parent / "said"
    with Path("/dev/full").open("w") as full, said.open("w") as errors:
        job = start("deploy", "--approve", "--output", "json", "service.yaml", cwd=folder, stdout=full, stderr=errors)
        assert job.wait() == 1
    assert "Error: what the command prints cannot be written: No space left on device" in said.read_text()
    assert not [word for word in TROUBLE if word in said.read_text()]
    check_goes_on(command("deploy", "--approve", "service.yaml", cwd=folder), folder)


def test_a_reader_of_the_output_who_leaves(start, command, folder):
    (folder / "service.yaml").write_text(service("sleep 1"))
    job = start("deploy", "--approve", "service.yaml", cwd=folder)
    while not job.stdout.readline().startswith("[1/"):
        assert job.poll() is None
    job.stdout.close()
    assert job.wait() == 0  # it has begun, and comes to its end
    assert len(noted(folder)) == 5
    check_goes_on(command("deploy", "--approve", "service.yaml", cwd=folder), folder)


@pytest.mark.parametrize(
    ("victim", "said"),
    [("executor", "the Ansible worker was killed"), ("worker", "the job was killed: 1 interrupted, 2 ok")],
)
def test_a_worker_that_is_killed(start, command, folder, victim, said):
    (folder / "service.yaml").write_text(service("touch begun; sleep 600", through_ansible=True))
    job = start("deploy", "--approve", "--jobs", "1", "service.yaml", cwd=folder)
    wait_for((folder / "begun").exists, "the operation that hangs")
    for process in roles(job.pid)[victim]:
        process.kill()
    output, _ = job.communicate()
    assert job.returncode == 1, output
    assert said in output
    assert not [word for word in TROUBLE if word in output], output
    wait_for(lambda: not working_in(folder), "the end of all that work in the folder")
    assert not (folder / "ensemble.yaml.lock").exists()
    assert recorded(folder)["n1"] == "ok"
    (folder / "spared").touch()
    check_goes_on(command("deploy", "--approve", "service.yaml", cwd=folder), folder)
