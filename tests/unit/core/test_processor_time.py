from __future__ import annotations

import os
import re
import resource
import signal
import threading
from time import process_time, sleep

import pytest

from ansible_ensemble.core import processor_time
from ansible_ensemble.core.budget import Fault
from ansible_ensemble.core.processor_time import OutOfTime, allow, at_most


def endless() -> None:
    re.search("(a+)+$", "a" * 40 + "b")


def test_what_takes_long_ends_and_what_waits_does_not() -> None:
    with pytest.raises(Fault, match=r"more than 0\.1 s of processor time"), at_most(0.1):
        endless()
    with at_most(0.1):
        sleep(0.2)
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_no_handler_of_errors_swallows_it() -> None:
    with pytest.raises(Fault), at_most(0.1):
        try:
            endless()
        except Exception:
            pytest.fail("it was swallowed")


class _Destroyed:
    def __del__(self) -> None:
        endless()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_a_destructor_drops_is_told_at_the_end() -> None:
    with pytest.raises(Fault, match=r"more than 0\.1 s of processor time"), at_most(0.1):
        _Destroyed()


def test_what_is_within_counts_for_the_whole_process() -> None:
    begun = process_time()
    try:
        allow(0.4)
        with pytest.raises(Fault), at_most(0.2):
            endless()
        with pytest.raises(OutOfTime):
            endless()
    finally:
        allow(0)
    assert process_time() - begun < 3


def test_nothing_runs_where_nothing_bounds_it() -> None:
    told: list[str] = []

    def run() -> None:
        try:
            with at_most(1):
                told.append("ran")
        except Fault as fault:
            told.append(str(fault))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert told == ["nothing bounds it but in the main thread"]


def test_memory_is_bounded_until_something_else_is_said() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    try:
        allow(60, 2**30)
        with pytest.raises(MemoryError):
            bytearray(2**31)
    finally:
        allow(0)
    assert resource.getrlimit(resource.RLIMIT_DATA) == (before[1], before[1])
    assert len(bytearray(2**20)) == 2**20


def test_the_kernel_ends_what_hears_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor_time, "_GRACE", 0.1)
    child = os.fork()
    if child == 0:
        allow(0.1)
        ("a" * 2_000_000).rfind("ab" + "a" * 1_000_000)
        os._exit(0)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGPROF
