"""Structs as JSON documents."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any

import pytest
from msgspec import field

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.documents.typed import ALWAYS, Typed


class Colour(str, Enum):
    RED = "red"
    BLUE = "blue"


class Base(Typed, frozen=True, kw_only=True):
    name: str
    size: float | None


class Thing(Base, frozen=True, kw_only=True):
    colours: tuple[Colour, ...] = ()
    colour: Colour | None = None
    is_new: Annotated[bool, ALWAYS] = False
    from_: Mapping[str, list[int]] = field(default_factory=dict)
    shaped: Annotated[Mapping[str, Any], {"x": int}] = field(default_factory=lambda: {"x": 1})
    anything: tuple[Any, ...] = ()


PLAIN = {"name": "n", "size": None, "isNew": False}
FULL = {"name": "n", "size": 1.5, "colours": ["red", "blue"], "colour": "red", "isNew": True}
FULL |= {"from": {"a": [1]}, "shaped": {"x": 2, "y": 3}, "anything": [1, {"a": None}]}


@pytest.mark.parametrize(
    ("thing", "document"),
    [
        (Thing(name="n", size=None), PLAIN),
        (
            Thing(
                name="n",
                size=1.5,
                colours=(Colour.RED, Colour.BLUE),
                colour=Colour.RED,
                is_new=True,
                from_={"a": [1]},
                shaped={"x": 2, "y": 3},
                anything=(1, {"a": None}),
            ),
            FULL,
        ),
    ],
)
def test_what_is_written_is_read_again(thing: Thing, document: dict[str, Any]) -> None:
    assert thing.to_json() == document
    read = Thing.from_json(document | {"newer": 1})
    assert read == thing
    assert all(isinstance(colour, Colour) for colour in read.colours)


def test_what_may_be_none_and_what_has_a_default_may_be_missing() -> None:
    assert Thing.from_json({"name": "n"}) == Thing(name="n", size=None)


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({}, "it has no name"),
        ({"name": None}, "name is not a text"),
        ({"name": "n", "size": True}, "size is not a number"),
        ({"name": "n", "isNew": None}, "isNew is not true or false"),
        ({"name": "n", "colours": ["green"]}, r"colours\[0\] is not one of red, blue"),
        ({"name": "n", "colours": "red"}, "colours is not a list"),
        ({"name": "n", "colour": 7}, "colour is not one of red, blue"),
        ({"name": "n", "from": {"a": ["b"]}}, r"from.a\[0\] is not an integer"),
        ({"name": "n", "shaped": {}}, "shaped has no x"),
        ({"name": "n", "anything": {}}, "anything is not a list"),
        ([], "it is not a map"),
    ],
)
def test_what_is_of_another_form_is_refused(document: Any, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        Thing.from_json(document)
