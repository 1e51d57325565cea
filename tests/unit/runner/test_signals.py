from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

import pytest

from ansible_ensemble.runner.signals import Interruption

WAITS = "import os, signal\nos.write(1, b'ready\\n')\nsignal.pause()\nsignal.pause()"
#: It notes an interrupt, and goes on.
NOTES = "import os, signal\nsignal.signal(signal.SIGINT, lambda *_: os.write(1, b'interrupted\\n'))\n" + WAITS


@contextlib.contextmanager
def running(program: str):
    with subprocess.Popen([sys.executable, "-c", program], start_new_session=True, stdout=subprocess.PIPE) as started:
        started.stdout.readline()
        yield started
        started.kill()


@pytest.fixture
def process():
    with running(WAITS) as started:
        yield started


def test_the_first_signal_is_passed_on_and_a_second_kills():
    shown: list[str] = []
    with running(NOTES) as process, Interruption(shown.append) as interruption:
        interruption.target(process.pid)
        os.kill(os.getpid(), signal.SIGTERM)
        assert interruption.received == signal.SIGTERM
        assert not interruption.is_final()
        assert process.stdout.readline() == b"interrupted\n"
        os.kill(os.getpid(), signal.SIGINT)
        assert interruption.is_final()
        assert process.wait(10) == -signal.SIGKILL
        assert interruption.received == signal.SIGTERM
    assert len(shown) == 1


def test_a_signal_before_the_process_is_known_reaches_it_later(process):
    with Interruption(lambda line: None) as interruption:
        os.kill(os.getpid(), signal.SIGINT)
        interruption.target(process.pid)
        assert process.wait(10) in (-signal.SIGINT, 1)


def test_a_process_that_is_gone_is_no_error(process):
    process.kill()
    process.wait()
    with Interruption(lambda line: None) as interruption:
        interruption.target(process.pid)
        os.kill(os.getpid(), signal.SIGINT)
        assert interruption.received == signal.SIGINT


def test_outside_the_main_thread_it_does_nothing():
    failed: list[BaseException] = []

    def enter() -> None:
        try:
            with Interruption(lambda line: None):
                pass
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert failed == []


def test_a_terminal_that_is_gone_does_not_keep_the_signal_from_the_process(process):
    def show(line: str) -> None:
        raise OSError("the terminal is gone")

    with Interruption(show) as interruption:
        interruption.target(process.pid)
        os.kill(os.getpid(), signal.SIGINT)
        assert process.wait(10) in (-signal.SIGINT, 1)


def test_an_ignored_signal_stays_ignored(process):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interruption(lambda line: None) as interruption:
            interruption.target(process.pid)
            os.kill(os.getpid(), signal.SIGHUP)
            assert interruption.received is None
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
