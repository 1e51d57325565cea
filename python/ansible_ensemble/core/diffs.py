"""Diffs of modules without secrets: neither the values that are known, nor those that they take the place of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import REDACTED, Redactor, Sensitive, is_secret_name, may_show
from ansible_ensemble.core.texts import named_texts

#: In place of a text that is only shown to who asks for it.
NOT_ASKED_FOR = f"{REDACTED} (it may hold a secret: --diff shows it)"

_TEXT = r'"((?:[^"\\\n]|\\.)+)"'
#: What a secret takes the place of in one line, as Terraform writes it, and what goes from where there was one.
_REPLACED = regex(rf"{_TEXT} -> [^\n]*{re.escape(REDACTED)}")
_REMOVED = regex(rf"^\s+- (?:[^\n=]+= )?{_TEXT}(?:,| -> null|)$", re.MULTILINE)


def masked_diff(diff: Mapping[str, Any], redactor: Redactor, *, secretive: bool = False) -> dict[str, Any]:
    """A diff of Ansible's, `before` and `after` or `prepared`, with its secrets masked.

    An earlier value of a secret may not be known any more. So where a secret is in what will be, what was in its
    place is masked, and lines that go.

    Args:
        diff: what a module tells.
        redactor: the secrets that are known.
        secretive: whether something sensitive was read for it, so that all that goes may be secret.
    """
    after = diff.get("after")
    if secretive and isinstance(after, str) and after == diff.get("before"):  # no change, but maybe an earlier value
        diff, after = {**diff, "before": "", "after": ""}, ""
    told = {name: redactor.data(value) for name, value in diff.items() if name not in ("before", "prepared")}
    if "before" in diff:
        told["before"] = _earlier(diff["before"], after, redactor, secretive=secretive)
    if isinstance(prepared := diff.get("prepared"), str):
        told["prepared"] = _prepared(prepared, redactor, secretive=secretive)
    elif "prepared" in diff:
        told["prepared"] = redactor.data(prepared)
    return {name: told[name] for name in diff}


def masked_result(result: Any, redactor: Redactor, *, secretive: bool = False) -> Any:
    """What a task returns with its secrets masked, and those of the diffs in it as by `masked_diff`."""
    if isinstance(result, Sensitive) or not isinstance(result, (dict, list, tuple)):
        masked = redactor.data(result)
        return _without_replaced(masked) if isinstance(masked, str) else masked
    if not isinstance(result, dict):
        return [masked_result(item, redactor, secretive=secretive) for item in result]
    told = {}
    for name, value in result.items():
        if name == "diff" and isinstance(value, (dict, list)):
            diffs = value if isinstance(value, list) else [value]
            masked = [masked_diff(one, redactor, secretive=secretive) for one in diffs if isinstance(one, dict)]
            told[name] = masked if isinstance(value, list) else masked[0]
        else:
            told[redactor.data(name)] = masked_result(value, redactor, secretive=secretive)
    return told


def discreet(diff: Mapping[str, Any]) -> dict[str, Any]:
    """A diff that nobody asked for: without what may be a secret that is not known to be one."""
    parts = {name: diff[name] for name in ("before", "after", "prepared") if name in diff}
    if all(may_show(text) and not is_secret_name(name) for name, text in named_texts(list(parts.values()))):
        return dict(diff)
    for name, value in parts.items():
        whole = isinstance(value, str) and value
        parts[name] = (REDACTED if name == "before" else NOT_ASKED_FOR) if whole else _discreet(value)
    return {**diff, **parts}


def discreet_result(result: dict[str, Any]) -> dict[str, Any]:
    """What a module returns, with its diffs and those of its items as by `discreet`."""
    told = dict(result)
    if isinstance(diffs := told.get("diff"), list):
        told["diff"] = [discreet(one) if isinstance(one, Mapping) else one for one in diffs]
    elif isinstance(diffs, Mapping):
        told["diff"] = discreet(diffs)
    if isinstance(items := told.get("results"), list):
        told["results"] = [discreet_result(one) if isinstance(one, dict) else one for one in items]
    return told


def _discreet(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: REDACTED if is_secret_name(str(name)) else _discreet(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_discreet(one) for one in value]
    return REDACTED if isinstance(value, str) and not may_show(value) else value


def _earlier(before: Any, after: Any, redactor: Redactor, *, secretive: bool) -> Any:
    if isinstance(before, dict) and isinstance(after, dict):
        return {
            redactor.data(name): _earlier(value, after.get(name), redactor, secretive=secretive)
            for name, value in before.items()
        }
    if isinstance(before, str) and isinstance(after, str):
        return _earlier_text(before, after, redactor, secretive=secretive)
    masked = redactor.data(after)
    if before == after or not (secretive or _holds_mask(masked)):
        return redactor.data(before)
    return REDACTED if before not in (None, "", [], {}) and not isinstance(before, bool) else before


def _earlier_text(before: str, after: str, redactor: Redactor, *, secretive: bool) -> str:
    masked = redactor.text(after)
    if not secretive and REDACTED not in masked:
        return redactor.text(before)
    return _without_gone(redactor.text(before), masked.splitlines())


def _without_gone(before: str, now: list[str]) -> str:
    """The text with the lines masked that are not there any more; of one that still has a secret, only that."""
    known = set(now)
    patterns = [(_pattern(line), line) for line in known if REDACTED in line]
    kept = []
    for line in before.splitlines(keepends=True):
        text = line.rstrip("\r\n")
        if text not in known and text.strip():
            like = next((one for pattern, one in patterns if pattern.fullmatch(text)), REDACTED)
            line = like + line[len(text) :]  # noqa: PLW2901
        kept.append(line)
    return "".join(kept)


def _pattern(line: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, line.split(REDACTED))))


def _prepared(text: str, redactor: Redactor, *, secretive: bool) -> str:
    """A text with both: a unified diff, whose lines that begin with a minus go, or one of Terraform's."""
    masked = redactor.text(text)
    if not secretive and REDACTED not in masked:
        return masked
    masked = _without_replaced(masked, _REMOVED.findall(masked) if secretive else ())
    lines = masked.splitlines(keepends=True)
    now = [line[1:].rstrip("\r\n") for line in lines if not line.startswith("-")]
    return "".join(
        f"-{_without_gone(line[1:], now)}" if line.startswith("-") and not line.startswith("--- ") else line
        for line in lines
    )


def _without_replaced(masked: str, removed: Iterable[str] = ()) -> str:
    """A masked text without what secrets take the place of, wherever it stands."""
    earlier = [*_REPLACED.findall(masked), *removed] if REDACTED in masked else removed
    return Redactor(one for one in earlier if REDACTED not in one).text(masked)


def _holds_mask(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_mask, value.values()))
    if isinstance(value, list):
        return any(map(_holds_mask, value))
    return isinstance(value, str) and REDACTED in value
