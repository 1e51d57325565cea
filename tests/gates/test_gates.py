"""Gates: targets of the Makefile that check files. One that passed runs again when its answer can differ.

That is when a file that it reads has changed, its commands, or the version of something installed.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

#: What the collection's tarball holds (galaxy.yml).
TARBALL = ["[a-zA-Z]*", "!tests/*", "!examples/*", "!docsite/*", "!CONTRIBUTING.md", "!pyproject.toml", "!*.lock"]
#: The files that each gate reads, as patterns of their paths; `!` leaves some out.
#: Processes take two each, then the next one: a short gate follows a long one.
GATES = {
    "sanity": [*TARBALL, "!docs/*", "tests/sanity/*"],
    "lint": ["*.py", "*.yml", "*.yaml", ".yamllint", ".gitignore", "pyproject.toml"],
    "pylint": ["python/*.py", "plugins/*.py", "extensions/*.py", "galaxy.yml", "tests/sanity/*"],
    "types": ["*.py", "!tests/*", "pyproject.toml"],
    "collection": [*TARBALL, "!docs/*", "!python/*", ".ansible-lint", ".yamllint"],
    "rooms": ["python/*.py", "pyproject.toml"],
    "galaxy": [*TARBALL, "tests/galaxy/*"],
    "cores": ["python/*", "plugins/*", "roles/*", "playbooks/*", "tests/*", "pyproject.toml"],
}
#: Gates of `make test-all` alone.
MATRIX = {"pylint", "galaxy", "cores"}


@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "gate", [pytest.param(gate, marks=[pytest.mark.matrix] if gate in MATRIX else []) for gate in GATES]
)
def test_gate(repository: Path, gate: str, record_property: Callable[[str, str], None]) -> None:
    record_property("repeat", f"make {gate}")
    passed = repository / ".build" / "gates" / gate
    digest = digest_of(repository, gate)
    if passed.exists() and passed.read_text() == digest:
        return
    foreign = ("MAKE", "MFLAGS", "PYTEST_")  # of the make and the pytest that run this
    environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    done = subprocess.run(
        ["make", "--no-print-directory", gate],
        cwd=repository,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.fail(done.stdout, pytrace=False)
    passed.parent.mkdir(parents=True, exist_ok=True)
    passed.write_text(digest)


def digest_of(repository: Path, gate: str) -> str:
    """What the answer of a gate depends on."""
    installed = sorted(path.name for path in Path(sysconfig.get_path("purelib")).glob("*.dist-info"))
    found = hashlib.sha256("\n".join([sys.version, *installed]).encode())
    for name in ["Makefile", *files(repository, GATES[gate])]:
        found.update(f"\n{name} {hashlib.sha256((repository / name).read_bytes()).hexdigest()}".encode())
    return found.hexdigest()


def files(repository: Path, patterns: list[str]) -> Iterator[str]:
    """The files by these patterns that git knows, or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    left_out = [pattern.removeprefix("!") for pattern in patterns if pattern.startswith("!")]
    for name in sorted(set(subprocess.check_output(command, cwd=repository, text=True).split("\0"))):
        read = any(fnmatch(name, one) for one in patterns) and not any(fnmatch(name, one) for one in left_out)
        if read and (repository / name).is_file():
            yield name


@pytest.mark.parametrize(
    ("file", "gates"),
    [
        ("python/ansible_ensemble/core/option.py", {"sanity", "pylint", "types", "lint", "rooms", "galaxy", "cores"}),
        ("plugins/modules/lock.py", {"sanity", "pylint", "collection", "types", "lint", "galaxy", "cores"}),
        ("roles/job/tasks/main.yml", {"sanity", "collection", "lint", "galaxy", "cores"}),
        ("tests/conftest.py", {"lint", "cores"}),
        ("docs/jobs.md", {"galaxy"}),
        ("pyproject.toml", {"types", "lint", "rooms", "cores"}),
        ("Makefile", set(GATES)),
    ],
)
def test_a_change_concerns_the_gates_that_read_the_file(
    repository: Path, tmp_path: Path, file: str, gates: set[str]
) -> None:
    for name in ("Makefile", file):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((repository / name).read_text())
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    before = {gate: digest_of(tmp_path, gate) for gate in GATES}
    with (tmp_path / file).open("a") as changed:
        changed.write("\n")
    assert {gate for gate in GATES if digest_of(tmp_path, gate) != before[gate]} == gates
