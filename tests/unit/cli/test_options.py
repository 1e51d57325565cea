from __future__ import annotations

import pytest

from ansible_ensemble.ensembles.options import JobOptions

OPTIONS = [
    ([], {}),
    (["--instance", "a", "--instance", "b"], {"instances": ["a", "b"]}),
    (["-l", "web:&prod:!db"], {"limit": "web:&prod:!db"}),
    (["--template", "t"], {"templates": ["t"]}),
    (["--repair", "degraded"], {"repair": "degraded"}),
    (["--change-detection", "always"], {"change_detection": "always"}),
    (["--skip-new", "--prune", "--upgrade"], {"skip_new": True, "prune": True, "upgrade": True}),
    (["--check-first"], {"check_first": True}),
    (["--force", "--destroyunmanaged"], {"force": True, "destroy_unmanaged": True}),
    (["--replace", "a", "--replace", "b"], {"replace": ["a", "b"]}),
    (["--check", "--diff"], {"check": True, "diff": True}),
    (["--jobs", "7", "--fail-fast", "--no-fast-modules"], {"jobs": 7, "fail_fast": True, "fast": False}),
    (["--jobs-per-host", "2"], {"jobs_per_host": 2}),
    (["--stock-module", "a.b.c", "--stock-module", "copy"], {"stock_modules": ["a.b.c", "copy"]}),
    (["--lock-timeout", "3m", "--grace", "5"], {"lock_timeout": 180.0, "grace": 5.0}),
    (["--commit", "--push", "-m", "why", "--dirty", "ok"],
     {"commit": True, "push": True, "message": "why", "dirty": "ok"}),
    (["--environment", "prod", "--skip-upstream-check", "--locked"],
     {"environment": "prod", "skip_upstream_check": True, "locked": True}),
    (["--vault-id", "a@f", "--vault-password-file", "p"], {"vault_ids": ["a@f"], "vault_password_file": "p"}),
    (["--input", "port=80", "--input", "name=a b"], {"inputs": {"port": 80, "name": "a b"}}),
    (["--var", "x", "1", "-e", "y=2 z='a b'", "-e", "{w: [1]}"],
     {"variables": {"y": "2", "z": "a b", "w": [1], "x": 1}}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "options"), OPTIONS, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_options_reach_the_job_by_their_names(command, words, options):
    done = command("deploy", "-a", *words)
    assert done.err == ""
    assert command.jobs.calls[0][3] == options
    JobOptions.from_mapping(options)


def test_the_environment_variable_skips_the_upstream_check(command):
    command.environment["ANSIBLE_ENSEMBLE_SKIP_UPSTREAM_CHECK"] = "yes"
    command("status")
    assert command.jobs.calls[0][2] == {"skip_upstream_check": True}
