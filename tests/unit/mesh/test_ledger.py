"""Each order is carried out once, whatever a worker goes through."""

from __future__ import annotations

import pytest

from ansible_ensemble.mesh.ledger import Known, Ledger


class Notes(dict[str, str]):
    def read(self, name: str) -> str | None:
        return self.get(name)

    def write(self, name: str, text: str) -> None:
        self[name] = text

    def remove(self, name: str) -> None:
        self.pop(name, None)


@pytest.fixture
def notes() -> Notes:
    return Notes()


def test_an_order_begins_once(notes: Notes) -> None:
    ledger = Ledger(notes)
    assert [ledger.begin("one").known for _ in range(2)] == [Known.NEW, Known.RUNS]
    ledger.acknowledge("one")
    assert notes == {"one": ""}
    ledger.end("one", "well")
    assert (ledger.begin("one").known, ledger.begin("one").ended) == (Known.ENDED, "well")
    ledger.acknowledge("one")
    assert notes == {}


def test_what_is_acknowledged_does_not_begin_when_it_comes_late(notes: Notes) -> None:
    ledger = Ledger(notes)
    ledger.begin("one")
    ledger.end("one", "well")
    ledger.acknowledge("one")
    assert ledger.begin("one").known is Known.CUT_OFF
    assert notes == {}


def test_what_ran_when_the_worker_died_is_cut_off(notes: Notes) -> None:
    Ledger(notes).begin("one")
    ledger = Ledger(notes)
    assert ledger.begin("one").known is Known.CUT_OFF
    assert ledger.cancel("one", "never").known is Known.CUT_OFF


def test_what_is_cancelled_before_it_comes_never_begins(notes: Notes) -> None:
    ledger = Ledger(notes)
    assert ledger.cancel("one", "never").ended == "never"
    assert Ledger(notes).begin("one").known is Known.ENDED


def test_what_cannot_be_noted_does_not_run(notes: Notes) -> None:
    def fail(_name: str, _text: str) -> None:
        raise OSError("the disk is full")

    notes.write = fail  # type: ignore[method-assign]
    ledger = Ledger(notes)
    with pytest.raises(OSError, match="full"):
        ledger.begin("one")
    assert not ledger.runs("one")
