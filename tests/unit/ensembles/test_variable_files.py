"""Values of a role's files that are recorded where no git keeps the text, and shown by a plan that finds others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.sensitive import REDACTED
from ansible_ensemble.ensembles.variable_files import digest_of, value_changes, with_values
from ansible_ensemble.planning.plan import ValueChange

FILE = "roles/web/defaults/main.yml"
BEFORE = "port: 8080\nwords: {a: [1, 2]}\ndb_password: sesame\nlong: " + "x" * 2000 + "\ngone: 1\nday: 2020-01-01\n"


def shows(_name: str, value: Any) -> bool:
    return value != "known as a secret"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / FILE
    made.parent.mkdir(parents=True)
    made.write_text(BEFORE)
    return made


def changes(file: Path, now: str) -> list[ValueChange]:
    part = with_values({FILE: "d1"}, file.parents[3], shows)[FILE]
    file.write_text(now)
    return list(value_changes(part, file, FILE, shows))


def test_values_are_recorded_and_secrets_and_long_ones_by_name(file: Path) -> None:
    (file.parents[2] / "tasks.yml").write_text("- debug:\n")
    found = with_values({FILE: "d1", "roles/tasks.yml": "d2"}, file.parents[3], shows)
    values = {"port": 8080, "words": {"a": [1, 2]}, "gone": 1, "day": "2020-01-01"}
    assert found == {
        FILE: {"digest": "d1", "values": values, "others": ["db_password", "long"]},
        "roles/tasks.yml": "d2",
    }
    assert [digest_of(found[FILE]), digest_of("d2"), digest_of(None)] == ["d1", "d2", None]


def test_where_git_keeps_the_text_there_are_digests_alone(file: Path) -> None:
    (file.parents[3] / ".git").mkdir()
    assert with_values({FILE: "d1"}, file.parents[3], shows) == {FILE: "d1"}


def test_a_change_has_the_old_and_the_new_value(file: Path) -> None:
    now = BEFORE.replace("8080", "9090").replace("sesame", "open").replace("gone: 1\n", "new: 2\n").replace("xx", "y")
    assert changes(file, now) == [
        ValueChange("variable", f"port of {FILE}", 8080, 9090),
        ValueChange("variable", f"gone of {FILE}", 1, None),
        ValueChange("variable", f"new of {FILE}", None, 2),
    ]


def test_what_has_become_a_secret_is_not_shown(file: Path) -> None:
    (change,) = changes(file, BEFORE.replace("8080", "known as a secret"))
    assert change.sensitive
    assert REDACTED not in str(change.before)


@pytest.mark.parametrize("text", ["- a list\n", "a: [\n", "$ANSIBLE_VAULT;1.1;AES256\n61\n"])
def test_what_is_no_file_of_variables_has_none(file: Path, text: str) -> None:
    file.write_text(text)
    assert with_values({FILE: "d1"}, file.parents[3], shows) == {FILE: "d1"}


def test_files_without_values_are_told_otherwise(file: Path) -> None:
    assert list(value_changes("d1", file, FILE, shows)) == []


def test_there_is_an_end_to_what_is_recorded(file: Path) -> None:
    file.write_text("".join(f"v{number}: {'x' * 900}\n" for number in range(20)))
    assert with_values({FILE: "d1"}, file.parents[3], shows) == {FILE: "d1"}
