"""The tables of docs/rules.md name tests that exist, and every case."""

from __future__ import annotations

import re
from pathlib import Path

from tests.rules.test_rules import CASES

_CITED = re.compile(r'docs/rules\.md((?:,\s*"[^"]+")+)')
_ROW = re.compile(r"^\| (?P<rule>.+?) \| (?P<tests>[^|]+) \|$")


def rows(repository: Path) -> list[tuple[str, str]]:
    lines = (repository / "docs/rules.md").read_text().splitlines()
    found = [match for line in lines if (match := _ROW.match(line)) and match["rule"] != "Rule"]
    return [(match["rule"], test.strip()) for match in found for test in match["tests"].split(",")]


def exists(test: str, repository: Path) -> bool:
    file, separator, function = test.partition("::")
    if not separator:
        return any(case.match(test) for case in CASES)
    path = repository / file
    return path.is_file() and f"def {function}(" in path.read_text()


def test_every_rule_has_a_test_that_exists(repository: Path) -> None:
    assert len(rows(repository)) > 100
    assert [row for row in rows(repository) if not exists(row[1], repository)] == []


def test_every_case_has_its_rule(repository: Path) -> None:
    named = [test for _, test in rows(repository) if "::" not in test]
    assert [f"{case.parent.name}/{case.name}" for case in CASES if not any(case.match(test) for test in named)] == []


def test_sections_that_docstrings_cite_exist(repository: Path) -> None:
    sections = set(re.findall(r"^## (.+)$", (repository / "docs/rules.md").read_text(), flags=re.MULTILINE))
    files = (repository / "python").rglob("*.py")
    cited = {
        name for file in files for names in _CITED.findall(file.read_text()) for name in re.findall('"(.+?)"', names)
    }
    assert cited
    assert cited <= sections
