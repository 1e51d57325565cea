"""Which entries of a play, and which plays, belong together: one sets what another reads, or notifies its handlers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ansible_ensemble.playbooks.model import Entry, ReadPlay
from ansible_ensemble.playbooks.words import handlers_in, of_the_play, subject_of

#: What a play has that cannot be taken apart -> why.
_WHOLE = {
    "serial": "takes its hosts in batches (serial)",
    "strategy": "has a strategy of its own",
    "max_fail_percentage": "may lose some of its hosts (max_fail_percentage)",
    "vars_prompt": "asks for variables",
    "order": "has an order of its hosts",
    "force_handlers": "runs its handlers after failures, too",
    "module_defaults": "has defaults for its modules",
    "fact_path": "has a path of facts",
    "run_once": "runs on one of its hosts",
    "throttle": "limits how many hosts run at a time",
    "ignore_errors": "may fail",
    "ignore_unreachable": "may lose its hosts",
    "check_mode": "has a check mode of its own",
    "debugger": "has a debugger",
    "become_exe": "has a program of its own to become another user",
    "timeout": "bounds how long its tasks take",
    "diff": "says itself whether it shows differences",
}
#: What entries name that reaches over all hosts of the play, or ends it -> why.
_OVER_HOSTS = {
    "run_once": "runs something on one of its hosts (run_once)",
    "add_host": "adds hosts",
    "group_by": "makes groups of hosts",
    "end_play": "may end early",
    "end_host": "may end early for a host",
    "end_batch": "may end early",
    "delegate_facts": "gathers facts for other hosts",
}
#: Lists of a play after which its handlers run.
_PHASES = {"pre_tasks": 0, "roles": 1, "tasks": 1, "post_tasks": 2}


def whole_reason(play: ReadPlay) -> str:
    """Why a play stays a playbook; empty if it can be taken apart."""
    if play.play is None:
        return "is imported on a condition"
    for key, reason in _WHOLE.items():
        if play.raw.get(key) is not None and not (key == "strategy" and play.raw[key] in ("linear", "free")):
            return reason
    if play.computes_hosts:
        return "computes its hosts"
    if of_the_play(play.words):
        return f"reads {of_the_play(play.words)[0]}"
    return next((reason for word, reason in _OVER_HOSTS.items() if word in play.words), "")


def play_spans(plays: Sequence[ReadPlay]) -> list[tuple[int, int, str]]:
    """Plays that belong together, as first, last and why; a play by itself has no reason."""
    joins = []
    for at, play in enumerate(plays):
        for earlier in range(at):
            common = sorted(plays[earlier].sets & (play.words - play.sets))
            if common:
                joins.append((earlier, at, f"reads {common[0]}, which an earlier play sets"))
        others = [name for entry in play.entries for name in entry.others]
        if others and (at or len(play.hosts) > 1):
            joins.append((0, at, f"reads facts of other hosts ({others[0]})"))
    return _joined(len(plays), joins)


def entry_spans(play: ReadPlay) -> list[tuple[int, int, str]]:
    """Entries that belong together, as first, last and why; an entry by itself has no reason."""
    entries = play.entries
    joins = []
    for at, entry in enumerate(entries):
        for other, earlier in enumerate(entries):
            if other < at and (common := sorted(earlier.sets & entry.needs)):
                joins.append((other, at, f"{common[0]} is read, which is set before"))
            if other != at and (common := sorted((earlier.exports - play.known - play.variables.keys()) & entry.needs)):
                joins.append(
                    (min(other, at), max(other, at), f"{common[0]} is read, which the role {earlier.name} has")
                )
            if other != at and entry.notified & earlier.handlers:
                joins.append((min(other, at), max(other, at), f"a handler of the role {earlier.name} is notified"))
    for name in handlers_in(play.handlers):
        at_least = [at for at, entry in enumerate(entries) if name in entry.notified]
        for phase in set(_PHASES.values()):
            within = [at for at in at_least if _PHASES[entries[at].section] == phase]
            if within:
                same = [
                    at for at, one in enumerate(entries) if _PHASES[one.section] == phase and _about(one, play, name)
                ]
                last = max([within[-1], *(at for at in same if at > within[-1])])
                joins.append((within[0], last, f'the handler "{name}" runs after them' if last > within[0] else ""))
    return _joined(len(entries), joins)


def _about(entry: Entry, play: ReadPlay, handler: str) -> bool:
    """Whether a task is about what a handler is about, as the service that the handler restarts."""
    subject = play.subjects.get(handler, ("", ""))
    return bool(subject[1]) and entry.task is not None and subject_of(entry.task) == subject


def notifies(entries: Iterable[Entry]) -> bool:
    """Whether entries notify a handler that is not their own."""
    return any(entry.notified for entry in entries)


def _joined(count: int, joins: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Numbers from 0 on, those in one of overlapping ranges together."""
    spans: list[tuple[int, int, str]] = []
    for first, last, why in sorted([*joins, *((at, at, "") for at in range(count))]):
        if spans and first <= spans[-1][1]:
            start, end, known = spans[-1]
            spans[-1] = (start, max(end, last), known or (why if last > start else ""))
        else:
            spans.append((first, last, why))
    return spans
