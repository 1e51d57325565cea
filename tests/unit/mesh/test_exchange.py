"""What a worker is told of orders, and what is known of those that do not come back."""

from __future__ import annotations

import pytest

from ansible_ensemble.mesh.exchange import Due, Exchange


@pytest.fixture
def exchange() -> Exchange:
    made = Exchange()
    made.add("one")
    return made


def test_an_order_leaves_once_by_each_connection(exchange: Exchange) -> None:
    assert exchange.due("one") is None
    exchange.connected()
    assert exchange.due("one") is Due.BEGIN
    exchange.leaves("one")
    assert exchange.due("one") is None
    exchange.lost()
    assert exchange.due("one") is None
    exchange.connected()
    assert exchange.due("one") is Due.BEGIN


def test_what_never_left_needs_no_end(exchange: Exchange) -> None:
    assert not exchange.cancel("one")
    exchange.connected()
    exchange.leaves("one")
    assert exchange.cancel("one")
    assert exchange.due("one") is Due.CANCEL


def test_what_another_job_began_is_ended() -> None:
    exchange = Exchange()
    exchange.add("one", is_begun=True)
    exchange.connected()
    assert exchange.due("one") is Due.CANCEL
    assert exchange.is_done("one", refused=True) is None


@pytest.mark.parametrize(
    ("times", "refused", "done"), [(0, False, False), (1, True, False), (1, False, None), (2, True, None)]
)
def test_what_may_have_run_is_never_said_to_have_done_nothing(
    exchange: Exchange, times: int, refused: bool, done: bool | None
) -> None:
    for _ in range(times):
        exchange.connected()
        exchange.leaves("one")
    assert exchange.is_done("one", refused=refused) is done


def test_what_has_ended_is_told_no_more(exchange: Exchange) -> None:
    exchange.connected()
    exchange.forget("one")
    assert (exchange.due("one"), exchange.open) == (None, [])
