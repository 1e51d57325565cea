from __future__ import annotations

from ansible_ensemble.reports.adoption_text import adoption_counts, adoption_lines
from ansible_ensemble.reports.style import Style

FOUND = {
    "adopted": {"a": None, "b": None},
    "differ": {"c": "it would be changed"},
    "absent": {"d": None},
    "unseen": {"e": "no\x1b check"},
}
NONE: dict[str, dict[str, str | None]] = {kind: {} for kind in FOUND}
LINES = """\
Differs, and is changed by the next deploy:
  ~ c: it would be changed
Is absent, and is created by the next deploy:
  + d
Unknown, and run by the next deploy:
  ? e: no\\x1b check"""


def test_what_is_not_as_it_should_be_is_told_with_the_reason() -> None:
    assert "\n".join(adoption_lines(FOUND, Style())) == LINES
    assert adoption_counts(FOUND) == "2 adopted, 1 differ, 1 absent, 1 unknown."


def test_of_what_is_adopted_there_is_a_number_only() -> None:
    found = {**NONE, "adopted": {"a": None}}
    assert list(adoption_lines(found, Style())) == []
    assert adoption_counts(found) == "1 adopted."
    assert adoption_counts(NONE) == "none."
