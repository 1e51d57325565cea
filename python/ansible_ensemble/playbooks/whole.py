"""Plays that stay as they are: a playbook that runs once, on the controller, for all of their hosts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.playbooks.model import Entry, ReadPlay, Row, Step
from ansible_ensemble.playbooks.naming import PREFIX, Namer
from ansible_ensemble.playbooks.plain import plain
from ansible_ensemble.playbooks.removing import removing_play
from ansible_ensemble.playbooks.spans import gets_hosts
from ansible_ensemble.playbooks.words import facts_in

_ALL = ("all", "*")
_PROMPT = "vars_prompt"
#: What a prompt does with an answer, and an input does not.
_TRANSFORMED = ("encrypt", "salt", "salt_size", "unsafe")


def whole_step(plays: Sequence[ReadPlay], why: str, namer: Namer, root: Path) -> Step:
    """Plays as one step; its file is that of the only play, or lies beside the first one's."""
    first, name = plays[0], namer.name(plays[0].name)
    prompts = [prompt for play in plays for prompt in play.raw.get(_PROMPT) or []]
    odd = [str(prompt["name"]) for prompt in prompts if any(prompt.get(key) for key in _TRANSFORMED)]
    why += f"; give {odd[0]} as it is to be used, for an input is not encrypted" if odd else ""
    files: dict[str, Any] = {}
    more = facts_of_others(plays, [entry for play in plays for entry in play.entries])
    if len(plays) == 1 and first.alone and _says_all(first) and not more:
        file = os.path.relpath(first.file, root)
    else:
        _check_inside(first, root)
        file = os.path.relpath(first.file.parent / f"{PREFIX}-{name}.yml", root)
        files[file] = [*more, *(_as_play(play) for play in plays)]
    inputs = {str(prompt["name"]): _input(prompt) for prompt in prompts}
    given = {"vars": {key: {"get_input": key} for key in inputs}} if inputs else {}
    body = {"playbook": file, **given}
    removing = [_removing(play, plays[:at], root) for at, play in enumerate(plays)]
    if away := [one for one, _description in reversed(removing) if one is not None]:
        _check_inside(first, root)
        remove = os.path.relpath(first.file.parent / f"{PREFIX}-{name}-remove.yml", root)
        body["absent"], files[remove] = {"playbook": remove}, away
    rows = [
        Row(
            play.place, play.name, play.name, "playbook", name, why, *((description, "") if made else ("", description))
        )
        for play, (made, description) in zip(plays, removing, strict=True)
    ]
    return Step(name, body, rows, files=files, inputs=inputs)


def _removing(play: ReadPlay, before: Sequence[ReadPlay], root: Path) -> tuple[dict[str, Any] | None, str]:
    """The play that takes away what another one made, if it has hosts then, and in words what it does, or why not."""
    if any(gets_hosts(play, one) for one in before):
        return None, "its hosts are those that tasks of another play make"
    return removing_play(play, root)


def facts_of_others(plays: Sequence[ReadPlay], entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Plays that gather the facts which entries of plays read of other hosts, as earlier plays did."""
    if not any(facts_in(entry.others) for entry in entries):
        return []
    patterns = dict.fromkeys(pattern for play in plays for pattern in (*play.earlier, play.pattern) if pattern)
    return [
        {"name": "Facts that are read", "hosts": _apart(pattern), "gather_facts": True, "tasks": []}
        for pattern in patterns
    ]


def pattern_of(play: ReadPlay) -> Any:
    """The hosts of a play for a file of its own, where `all` alone would mean the host of the operation."""
    return _apart(play.pattern) if play.pattern in _ALL else play.raw["hosts"]


def _apart(pattern: str) -> str:
    return "all:all" if pattern in _ALL else pattern


def _check_inside(play: ReadPlay, root: Path) -> None:
    if not play.file.parent.is_relative_to(root):
        problem = f"what is written for this play would lie outside of {root}, where the ensemble is written"
        hint = "move it into that folder, or import a playbook of a folder above, which imports what you named"
        raise InvalidInput(problem, play.place, hint)


def _says_all(play: ReadPlay) -> bool:
    """Whether a play's own file says all of it."""
    if play.play is None:
        return True
    named = dict(play.raw.get("vars") or {})
    return play.pattern not in _ALL and play.variables == named and not play.raw.get(_PROMPT)


def _as_play(play: ReadPlay) -> dict[str, Any]:
    """A play for a file of its own; nothing is asked there."""
    made = {key: value for key, value in play.raw.items() if key != _PROMPT}
    if play.play is not None:
        made["hosts"] = pattern_of(play)
        if play.variables:
            made["vars"] = dict(play.variables)
    return made


def _input(prompt: Mapping[str, Any]) -> dict[str, Any]:
    """The input of the topology that a prompt is; its answer is not shown unless it says so."""
    made: dict[str, Any] = {"type": "string"}
    if prompt.get("prompt"):
        made["description"] = plain(prompt["prompt"])
    if prompt.get("default") is not None:
        made["default"] = str(plain(prompt["default"]))
    return {**made, "metadata": {"sensitive": True}} if prompt.get("private", True) else made
