"""What Ansible's tasks see, what of their output is shown, and what their end means for a job."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from ansible_ensemble.core.orders import Host, Outcome
from ansible_ensemble.core.sensitive import SensitiveMap, mark_sensitive
from ansible_ensemble.machines.plays import play, variables_of
from ansible_ensemble.provision.agent.host import Playbook, Played


class Said:
    """Ansible that displays texts and comes to an outcome."""

    def __init__(self, outcome: Outcome, *texts: str) -> None:
        self.outcome, self.texts = outcome, texts
        self.host: Host | None = None

    async def play(self, host: Host, name: str, content: str, check: bool, on_text: Callable[[str], None]) -> Outcome:
        self.host = host
        for text in self.texts:
            on_text(text)
        return self.outcome


def played(said: Said, **given: Any) -> tuple[Played, str]:
    shown: list[bytes] = []

    async def take(data: bytes) -> None:
        shown.append(data)

    book = Playbook("x.yml", "- debug:\n", **given)
    result = asyncio.run(play(said, Host("m"), book, take))  # type: ignore[arg-type]
    return result, b"".join(shown).decode()


def stats(**values: Any) -> Outcome:
    return Outcome(ok=True, result={"stats": values})


def test_params_are_variables_and_all_are_in_a_map() -> None:
    given = {"plain": 1, "ntp/servers": ["a"], "with-dash": 2, "ansible_host": "evil", "machine": {"Name": "m"}}
    assert variables_of(given) == {
        "plain": 1,
        "machine": {"Name": "m"},
        "params": {"plain": 1, "ntp/servers": ["a"], "with-dash": 2, "ansible_host": "evil"},
    }


def test_a_param_does_not_say_how_the_host_is_reached() -> None:
    said = Said(stats())
    played(said, variables={"ansible_connection": "ssh", "a": 1})
    assert said.host
    assert "ansible_connection" not in said.host.variables
    assert said.host.variables["a"] == 1


def test_secrets_are_masked_and_long_events_are_cut() -> None:
    variables = {"a": mark_sensitive("open sesame"), "b": {"c": mark_sensitive({"d": "inner secret"})}}
    _, shown = played(Said(stats(), 'x "open sesame" inner secret', "y" * 100_000), variables=variables)
    assert shown.startswith('x "<<REDACTED>>" <<REDACTED>>\n')
    assert len(shown) < 21_000
    assert "characters cut ...]" in shown


@pytest.mark.parametrize(
    ("outcome", "result", "shown"),
    [
        (stats(), Played(0), ""),
        (stats(exit_status=64, a=1), Played(64, {"a": 1}), ""),
        (stats(params={"a/b": 2}, a=1), Played(0, {"a": 1, "a/b": 2}), ""),
        (stats(exit_status="64"), Played(1), "x.yml failed: set_stats: exit_status is no number from 0 to 255\n"),
        (stats(exit_status=True), Played(1), "x.yml failed: set_stats: exit_status is no number from 0 to 255\n"),
        (stats(params=[1]), Played(1), "x.yml failed: set_stats: params is no map of params\n"),
        (
            Outcome(ok=False, error="no way", result={"stats": {"exit_status": 64, "a": 1}}),
            Played(1, {"a": 1}),
            "x.yml failed: no way\n",
        ),
        (
            Outcome(ok=True, result={"stats": {"a": "***"}}, hidden=SensitiveMap({"stats": {"a": "real"}})),
            Played(0, {"a": "real"}),
            "",
        ),
    ],
)
def test_what_an_end_means(outcome: Outcome, result: Played, shown: str) -> None:
    assert played(Said(outcome)) == (result, shown)


def test_a_prediction_sets_no_params() -> None:
    assert played(Said(stats(exit_status=16, a=1)), check=True)[0] == Played(16, {})
