"""What exit codes come to; the integration tests have them with scripts."""

from __future__ import annotations

import pytest

from ansible_ensemble.provision.agent.exit_codes import ORIGINAL, SANE, SMOOTH, job_outcome, outcome_of


@pytest.mark.parametrize("sane", [True, False])
def test_every_code_means_one_thing(sane: bool) -> None:
    known = SANE if sane else ORIGINAL
    for status in range(-64, 256):
        outcome = outcome_of(status, sane)
        assert outcome.failed is (status not in known)
        assert outcome.state == ("failed" if outcome.failed else "incomplete" if outcome.incomplete else "finished")


@pytest.mark.parametrize(("status", "outcome"), SANE.items())
def test_the_codes_are_bits(status: int, outcome: object) -> None:
    bits = {"stop": 16, "poweroff": 32, "reboot": 64, "incomplete": 128}
    assert status == sum(bit for name, bit in bits.items() if getattr(outcome, name))


def test_only_a_smooth_script_is_followed_by_another() -> None:
    for status in range(256):
        followed = job_outcome(outcome_of(status, sane=True), final=False) is None
        assert followed is (status == 0)
        assert job_outcome(outcome_of(status, sane=True), final=True) == outcome_of(status, sane=True)


def test_scripts_before_the_last_one() -> None:
    ended = {status: job_outcome(outcome, final=False) for status, outcome in SANE.items() if status}
    assert ended[128] == SMOOTH
    for status in (16, 32, 64, 144, 160, 192):
        assert ended[status] == SANE[status | 128]
