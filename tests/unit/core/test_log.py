from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_ensemble.core import log
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.sensitive import Redactor

_LOG = logging.getLogger("ansible_ensemble.core.test")
CANARY = "k9z-canary-log-3e1"


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    yield
    log.end()


def test_nothing_is_logged_by_default_though_others_log(capfd: pytest.CaptureFixture[str]) -> None:
    program = (
        "import logging, ansible_ensemble; logging.basicConfig(level=logging.DEBUG)\n"
        "logging.getLogger('ansible_ensemble.core.test').error('ours'); logging.error('theirs')"
    )
    subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert capfd.readouterr() == ("", "ERROR:root:theirs\n")


def test_a_line_tells_when_who_and_where() -> None:
    lines: list[str] = []
    log.show(lines.append)
    _LOG.debug("took %d", 1)
    (line,) = lines
    time, process, rest = line.split(" ", 2)
    assert (time[10], time[-1], process, rest) == ("T", "Z", str(os.getpid()), "ansible_ensemble.core.test: took 1")


def test_what_is_shown_is_shown_once_and_until_the_end() -> None:
    lines: list[str] = []
    log.show(lines.append)
    log.show(lines.append)
    _LOG.debug("one")
    log.end()
    _LOG.debug("two")
    assert len(lines) == 1


def test_what_a_redactor_knows_or_learns_is_masked() -> None:
    lines: list[str] = []
    log.show(lines.append)
    redactor = Redactor()
    log.mask(redactor)
    redactor.add(CANARY)
    try:
        raise ValueError(CANARY)
    except ValueError:
        _LOG.debug("it is %s, %r", CANARY, [CANARY], exc_info=True)
    assert "it is <<REDACTED>>" in lines[0]
    assert CANARY not in lines[0]


def test_a_record_is_one_line() -> None:
    lines: list[str] = []
    log.show(lines.append)
    _LOG.debug("a\nb\x1b[31m")
    assert lines[0].endswith(r"a\nb\x1b[31m")


def test_processes_write_to_the_end_of_one_private_file(tmp_path: Path) -> None:
    file = tmp_path / "log"
    log.keep(file)
    log.follow({log.VARIABLE: str(file)})
    _LOG.debug("parent")
    child = os.fork()
    if not child:
        _LOG.debug("child")
        os._exit(0)
    os.waitpid(child, 0)
    told = [(line.split()[1], line.split()[-1]) for line in file.read_text().splitlines()]
    assert told == [(str(os.getpid()), "parent"), (str(child), "child")]
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_a_fork_says_is_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    log.show(lambda line: os.write(1, line.encode()))
    child = os.fork()
    if not child:
        _LOG.debug("child")
        os._exit(0)
    os.waitpid(child, 0)
    assert capfd.readouterr().out == ""


def test_a_full_disk_stops_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    log.keep(Path("/dev/full"))
    _LOG.debug("lost")
    assert capfd.readouterr() == ("", "")


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="the log cannot be written: No such file"):
        log.follow({log.VARIABLE: str(tmp_path / "none" / "log")})
