from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import UsageError
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.projects.execution_settings import ExecutionSettings
from ansible_ensemble.projects.vault import Vault


def test_null_means_the_default() -> None:
    assert JobOptions.from_mapping({"jobs": None, "grace": 5.0}) == JobOptions(grace=5.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"job": 3}, 'there is no job option "job"'),
        ({"dirty": "maybe"}, 'dirty is "maybe"'),
        ({"repair": "all"}, 'repair is "all"'),
    ],
)
def test_what_is_no_option_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        JobOptions.from_mapping(values)
    assert caught.value.hint


def test_only_what_was_asked_for_is_recorded_and_no_password() -> None:
    options = JobOptions(force=True, jobs=3, vault=Vault(), vault_password_file="file", lock_timeout=3)
    assert options.changed() == {"force": True, "jobs": 3}


@pytest.mark.parametrize(
    ("values", "commits"),
    [({}, False), ({"commit": True}, True), ({"push": True}, True), ({"commit": True, "check": True}, False)],
)
def test_what_is_pushed_is_committed_and_a_dry_run_is_not(values: dict[str, Any], commits: bool) -> None:
    assert JobOptions(**values).commits is commits


def test_the_environment_says_what_the_options_leave_open() -> None:
    settings = ExecutionSettings(jobs=2, jobs_per_host=1, fast_modules=False, stock_modules=("copy", "a.b.c"))
    options = JobOptions(stock_modules=["a.b.c"])
    options.complete(settings)
    assert (options.jobs, options.jobs_per_host, options.fast) == (2, 1, False)
    assert options.stock_modules == ["a.b.c", "copy"]
    options = JobOptions(jobs=5, jobs_per_host=4)
    options.complete(ExecutionSettings(jobs=2, jobs_per_host=1))
    assert (options.jobs, options.jobs_per_host, options.fast, options.stock_modules) == (5, 4, True, [])


def test_side_by_side() -> None:
    assert JobOptions(jobs=3).parallel == 3
    assert JobOptions().parallel >= 4
