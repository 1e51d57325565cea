"""Which entries of a play, and which plays, belong together: one sets what another reads, or notifies its handlers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ansible_ensemble.playbooks.model import LOCALHOST, Entry, ReadPlay
from ansible_ensemble.playbooks.words import facts_in, handlers_in, of_the_play, subject_of

#: What a play has that cannot be taken apart -> why.
_WHOLE = {
    "strategy": "has a strategy of its own",
    "max_fail_percentage": "may lose some of its hosts (max_fail_percentage)",
    "vars_prompt": "asks for variables",
    "order": "has an order of its hosts",
    "force_handlers": "runs its handlers after failures, too",
    "module_defaults": "has defaults for its modules",
    "fact_path": "has a path of facts",
    "throttle": "limits how many hosts run at a time",
    "ignore_errors": "may fail",
    "ignore_unreachable": "may lose its hosts",
    "check_mode": "has a check mode of its own",
    "debugger": "has a debugger",
    "become_exe": "has a program of its own to become another user",
    "timeout": "bounds how long its tasks take",
    "diff": "says itself whether it shows differences",
}
#: What entries name that reaches over all hosts of the play -> why.
_OVER_HOSTS = {
    "run_once": "runs something on one of its hosts (run_once)",
    "add_host": "adds hosts",
    "group_by": "makes groups of hosts",
    "end_play": "may end early",
    "end_batch": "may end early",
    "delegate_facts": "gathers facts for other hosts",
}
#: What ends the play, for a host or for all: what comes after it is a part of it.
_ENDS = frozenset({"end_play", "end_batch", "end_host"})
#: What makes hosts that the inventory does not have.
_MAKES_HOSTS = frozenset({"add_host", "group_by"})
#: Keywords of a play for which its nodes name its hosts themselves.
CONNECTION = ("connection", "remote_user", "port")
#: Facts that each play can gather for itself.
_GATHERED = frozenset({"ansible_facts"})
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
    if not isinstance(play.raw.get("run_once", False), bool):
        return "computes whether it runs on one of its hosts (run_once)"
    return _whole_in_turns(play) if play.takes_turns else ""


def _whole_in_turns(play: ReadPlay) -> str:
    """Why a play that takes its hosts in batches stays a playbook."""
    batches = "takes its hosts in batches (serial)"
    if play.group is None or any("{{" in str(one) for one in play.group.serial):
        return "takes its hosts in batches of a computed size (serial)"
    if any(name in play.raw for name in CONNECTION):
        return f"{batches}, and says how to connect to them"
    for first, last, _why in entry_spans(play):
        if reason := over_hosts_reason(play, play.entries[first : last + 1]):
            return f"{batches}, and {reason}"
    return ""


def over_hosts_reason(play: ReadPlay, entries: Sequence[Entry]) -> str:
    """Why entries run for all hosts of their play at once; empty if each host can have them by itself."""
    words = frozenset[str]().union(*(entry.words for entry in entries))
    if of_the_play(reached := play.reached(words)):
        return f"reads {of_the_play(reached)[0]}"
    others = frozenset[str]().union(*(entry.others for entry in entries))
    if play.earlier or len(play.hosts) > 1:
        if facts := facts_in(others):
            return f"reads facts of other hosts ({facts[0]})"
        if read := sorted(others & frozenset[str]().union(*(entry.sets for entry in entries))):
            return f"reads {read[0]} of other hosts, which it sets"
    alone = play.pattern == LOCALHOST
    for word, reason in _OVER_HOSTS.items():
        if word in words and not (alone and word == "run_once"):
            return reason
    if not alone and len({once for entry in entries for once in _onces(entry)}) > 1:
        return "runs something on one of its hosts (run_once), and what belongs to it on all"
    return ""


def _onces(entry: Entry) -> set[bool]:
    """Whether what an entry runs does so on one host, on all, or both."""
    return {one.once for one in entry.within} if entry.kind == "file" and entry.within else {entry.once}


def play_spans(plays: Sequence[ReadPlay]) -> list[tuple[int, int, str]]:
    """Plays that belong together, as first, last and why; a play by itself has no reason."""
    joins = []
    for at, play in enumerate(plays):
        for earlier in range(at):
            common = sorted((plays[earlier].sets - _GATHERED) & (play.words - play.sets))
            if common:
                joins.append((earlier, at, f"reads {common[0]}, which an earlier play sets"))
            elif gets_hosts(play, plays[earlier]):
                joins.append((earlier, at, "has hosts that an earlier play makes"))
    return _joined(len(plays), joins)


def gets_hosts(play: ReadPlay, earlier: ReadPlay) -> bool:
    """Whether the hosts of a play may be those that the tasks of an earlier one make."""
    return not play.hosts and bool(_MAKES_HOSTS & earlier.words)


def entry_spans(play: ReadPlay) -> list[tuple[int, int, str]]:
    """Entries that belong together, as first, last and why; an entry by itself has no reason."""
    entries = play.entries
    joins = []
    for at, entry in enumerate(entries):
        if _ENDS & entry.words:
            joins.append((at, len(entries) - 1, "may end early"))
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
