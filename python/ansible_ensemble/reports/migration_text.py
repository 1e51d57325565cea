"""The report of a migration, file by file, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.values import clean

#: What a file came to, in words.
_OUTCOMES = {
    "understood": "understood",
    "tolerated": "understood, with tolerance",
    "ignored": "understood in part",
    "refused": "refused",
}


def migration_text(found: Mapping[str, Any], style: Style) -> str:
    """The report of `validate --migrate`.

    Args:
        found: `files`, each with `file`, `version`, `outcome` and `findings`; the `diff` of what can be written, and
            the files that were `written`.
        style: how words are shown.
    """
    return "\n".join(_lines(found, style)) + "\n"


def _lines(found: Mapping[str, Any], style: Style) -> Iterator[str]:
    for file in found["files"]:
        version = f" ({clean(file['version'])})" if file["version"] else ""
        yield f"{clean(file['file'])}{version}: {_painted(file['outcome'], style)}"
        for finding in file["findings"]:
            yield from _finding(finding, style)
    if found["diff"]:
        yield from ("", *(_painted_change(clean(line), style) for line in found["diff"].splitlines()))
    yield ""
    yield _summary(found)
    if found["written"]:
        yield f"Changed: {', '.join(map(clean, found['written']))}."
    elif found["diff"]:
        yield "`--write` makes the changes above."


def _finding(finding: Mapping[str, Any], style: Style) -> Iterator[str]:
    place = f"{finding['line']}:{finding['column']}: " if finding["line"] else ""
    is_error = finding["effect"] == "refused"
    code = "" if is_error else f"[{finding['code']}] "
    hint = f" ({clean(finding['remedy'])})" if is_error and finding["remedy"] else ""
    yield f"  {place}{_painted(finding['effect'], style, finding['effect'])}: {code}{clean(finding['message'])}{hint}"
    if finding["remedy"] and not finding["rewrite"] and not is_error:
        yield f"    {style.faint('To do:')} {clean(finding['remedy'])}"


def _painted(outcome: str, style: Style, words: str | None = None) -> str:
    paint = {"understood": style.good, "refused": style.bad, "noted": style.faint}.get(outcome, style.warning)
    return paint(words or _OUTCOMES[outcome])


def _painted_change(line: str, style: Style) -> str:
    if line.startswith("+"):
        return style.good(line)
    return style.bad(line) if line.startswith("-") else line


def _summary(found: Mapping[str, Any]) -> str:
    """Counts of files by outcome: `4 files: 3 understood; 1 refused`."""
    counts = Counter(file["outcome"] for file in found["files"])
    parts = [f"{counts[outcome]} {words}" for outcome, words in _OUTCOMES.items() if counts[outcome]]
    return f"{len(found['files'])} file{'s' * (len(found['files']) != 1)}: {'; '.join(parts)}."
