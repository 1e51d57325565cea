"""Fields as users give them."""

from __future__ import annotations

import io
from typing import Any

import pytest

from ansible_ensemble.cli.object_fields import changed, fields_of_file, fields_of_words, made, map_of_file, merged
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.provision.objects import Machine, Param, Stage

WORDS: list[tuple[str, Any]] = [
    ("Description=10", {"Description": "10"}),
    ("description=a=b", {"Description": "a=b"}),
    ("Tasks=a, b,", {"Tasks": ["a", "b"]}),
    ("Tasks=[a, 'b c']", {"Tasks": ["a", "b c"]}),
    ("Tasks=", {"Tasks": []}),
    ("Reboot=true", {"Reboot": True}),
    ("Params.a/b.c=1", {"Params": {"a/b.c": 1}}),
    ("Params={a: 1}", {"Params": {"a": 1}}),
    ("Params.a={b: [1.5, 2]}", {"Params": {"a": {"b": [1.5, 2]}}}),
    ("Params.a=!sensitive s", {"Params": {"a": "s"}}),
    ("Meta.n=1", {"Meta": {"n": "1"}}),
    ("Meta.v=true", {"Meta": {"v": "true"}}),
]


@pytest.mark.parametrize(("word", "fields"), WORDS)
def test_a_word_is_read_by_the_type_of_its_field(word: str, fields: dict[str, Any]) -> None:
    assert fields_of_words(Stage, [word]) == fields
    made(Stage, fields)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("Tasks", "sets nothing"),
        ("=x", "sets nothing"),
        ("Task=x", "did you mean Tasks"),
        ("Errors=x", "server's to say"),
        ("Tasks.0=x", "has no parts"),
        ("Reboot=often", "true or false"),
        ("Params.a=!vault s", "Ansible Vault"),
        ("Params={a: {b: .nan}}", "Out of range"),
    ],
)
def test_a_word_that_makes_no_sense(word: str, message: str) -> None:
    with pytest.raises(EnsembleError, match=message):
        fields_of_words(Stage, [word])


def test_maps_are_merged_and_lists_are_not() -> None:
    old = Stage(name="s", tasks=["a"], params={"x": 1, "y": {"z": 1}}, description="d")
    new = changed(old, {"Tasks": ["b"], "Params": {"y": 2}})
    assert new == old.replaced(tasks=["b"], params={"x": 1, "y": 2})
    assert merged({"a": {"b": 1}}, {"a": None}) == {"a": None}


def test_a_value_of_another_type_is_one_message() -> None:
    with pytest.raises(InvalidInput, match=r"none of machines.*CurrentTask"):
        made(Machine, {"CurrentTask": "one"})


FILES: list[tuple[str, Any]] = [
    ("Name: a\nSecure: true\n", [{"Name": "a", "Secure": True}]),
    ('{"name": "a", "Schema": {"default": 1.5}}', [{"Name": "a", "Schema": {"default": 1.5}}]),
    ("[{Name: a}, {Name: b}]", [{"Name": "a"}, {"Name": "b"}]),
    ("Name: a\nAvailable: true\nErrors: []\nReadOnly: false\n", [{"Name": "a"}]),
    ("Name: a\nSchema: {default: 007}", [{"Name": "a", "Schema": {"default": 7}}]),
]


@pytest.mark.parametrize(("text", "objects"), FILES)
def test_a_file_is_one_object_or_a_list(text: str, objects: Any) -> None:
    assert fields_of_file(Param, "-", io.StringIO(text)) == objects


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "standard input: the file is empty"),
        ("[]", "holds no object"),
        ("[a]", "holds no object"),
        ("text", "holds no object"),
        ("a: [", "standard input:"),
        ("Nme: a", "standard input: params have no field Nme"),
        ("Name: a\nName: b", "standard input:"),
        ("Schema: .inf", "standard input: Out of range"),
        ("Name: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  61\n", "Ansible Vault"),
    ],
)
def test_a_file_that_makes_no_sense_is_named(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        fields_of_file(Param, "-", io.StringIO(text))


def test_a_map_of_a_file(tmp_path: Any) -> None:
    (tmp_path / "f").write_text("a/b: 1\n")
    assert map_of_file(str(tmp_path / "f"), io.StringIO()) == {"a/b": 1}
    with pytest.raises(InvalidInput, match="no map"):
        map_of_file("-", io.StringIO("[1]"))
    with pytest.raises(InvalidInput, match="nowhere"):
        map_of_file("nowhere", io.StringIO())
