"""The report of a job as text, from its JSON document alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ansible_ensemble.core.json_text import json_text
from ansible_ensemble.reports.adoption_text import adoption_counts, adoption_lines
from ansible_ensemble.reports.drift_text import drift_lines, is_not_checked, is_sound
from ansible_ensemble.reports.failures_text import failure_lines, next_steps, not_run_lines, why
from ansible_ensemble.reports.module_diff import module_diff
from ansible_ensemble.reports.names import event_title
from ansible_ensemble.reports.outputs_text import outputs_text
from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import fold, labelled, table
from ansible_ensemble.reports.tasks_text import is_left_out, task_lines
from ansible_ensemble.reports.values import clean, few


def job_text(
    report: dict[str, Any],
    style: Style | None = None,
    *,
    verbose: bool = False,
    again: Sequence[str] | None = None,
    template: str = "",
) -> str:
    """The lines of a job for a terminal: its tasks, drift, outputs, what failed and why, and last the outcome.

    Verbose: also the lane that each task took, and diffs and errors at full length. Again: the options
    that the reader types again to have the same job; None for one who does not type commands. Template: the one
    that is launched again in AWX.
    """
    style = style or Style()
    sections = [
        task_lines(report["tasks"], style, verbose=verbose, dry=bool(report["job"].get("check"))),
        _printed_by(report["tasks"], style),
        _not_well(report, style, verbose),
        _diffs(report["tasks"], style, verbose),
        drift_lines(report.get("drift") or [], style, verbose=verbose),
        adoption_lines(report.get("adoption") or {}, style),
        _outputs(report.get("outputs") or {}, style, verbose=verbose),
        _hosts(report.get("hosts") or {}, style),
        _queries(report.get("queries") or []),
        _said(style.warning("Warning:"), report.get("warnings"), style),
        _said(style.bad("Error:"), report.get("problems"), style),
        not_run_lines(report, style, verbose=verbose),
        failure_lines(report, style, verbose=verbose),
        next_steps(report, style, again, template),
        fold(outcome_line(report, style), style.columns or _ANY),
    ]
    return "\n\n".join("\n".join(lines) for section in sections if (lines := list(section))) + "\n"


def _said(label: str, texts: Sequence[str] | None, style: Style) -> Iterator[str]:
    for text in texts or ():
        yield from labelled(label, clean(text), style.columns)


def _queries(queries: list[dict[str, Any]]) -> Iterator[str]:
    for query in queries:
        value = query["value"]
        text = value if isinstance(value, str) else json_text(value, indent=2, ensure_ascii=False)
        yield clean(f"{query['expression']} = ") + "\n".join(clean(line) for line in text.splitlines())


def _printed_by(tasks: list[dict[str, Any]], style: Style) -> Iterator[str]:
    """The output of ad-hoc commands; of other operations a report has it only if they failed."""
    for task in tasks:
        texts = [clean(str(task.get(name) or "")).rstrip() for name in ("stdout", "stderr")]
        if task["status"] == "ok" and any(texts):
            yield style.strong(f"{clean(task['instance'])} printed:")
            yield from (f"  {line}" for text in texts if text for line in text.split("\n"))


def _not_well(report: dict[str, Any], style: Style, verbose: bool) -> Iterator[str]:
    """Why check operations found their instances broken, which is no failure of the operation.

    What then fails for the same cause tells it itself.
    """
    failed = {(task["instance"], task.get("error")) for task in report["tasks"] if task["status"] == "error"}
    for task in [] if "adoption" in report else report["tasks"]:
        if task["status"] == "ok" and task.get("error") and (task["instance"], task["error"]) not in failed:
            status = style.status(task.get("target_status") or "error")
            found = "not checked" if is_not_checked(task) else f"found {status}"
            yield f"{style.strong(clean(event_title(task)))} {found}:"
            yield from (f"  {line}" for line in few(why(task), every=verbose))


def _diffs(tasks: list[dict[str, Any]], style: Style, verbose: bool) -> Iterator[str]:
    for task in tasks:
        lines = module_diff(task.get("diff") or [])
        if lines:
            yield style.strong(clean(event_title(task)))
        for line in few(lines, every=verbose, limit=40):
            mark = line[:1] if line[:1] in ("+", "-") else ""
            yield f"  {style.symbol(mark, line)}"


def _outputs(outputs: dict[str, Any], style: Style, *, verbose: bool) -> Iterator[str]:
    if outputs:
        yield style.strong("Outputs:")
        yield from (f"  {line}" for line in outputs_text(outputs, every=verbose))


def _hosts(hosts: dict[str, dict[str, int]], style: Style) -> Iterator[str]:
    """How the operations of each host ended; of a job on the controller alone, only failures that were ignored."""
    if hosts.keys() - {"localhost"} or any(counts.get("ignored") for counts in hosts.values()):
        yield style.strong("Operations by host:")
        words = dict.fromkeys(word for counts in hosts.values() for word in counts)
        rows = [[clean(name), *(f"{word}={counts.get(word, 0)}" for word in words)] for name, counts in hosts.items()]
        yield from (f"  {line}" for line in table(rows, columns=style.room(2)))


def outcome_line(report: dict[str, Any], style: Style) -> str:
    """The last line: `Deploy complete! 4 added, 0 changed, 0 destroyed. (12 operations, 3.2 s)` or what went wrong."""
    job = report["job"]
    name = str(job["workflow"]).capitalize()
    took = f"{_count(job['total'], 'operation')}, {job.get('seconds') or 0:.1f} s"
    # instances without operations are added and destroyed as well
    errors = len(report.get("problems") or [])
    if not job["total"] and not any(report["summary"].values()) and job["success"] and not errors:
        return style.strong(style.good(f"{name} complete! There was nothing to do."))
    if job.get("excused"):
        took += f"; {job['excused']} of them failed or blocked, which does not count"
    if job.get("check") and job["success"]:
        left_out = sum(map(is_left_out, report["tasks"]))
        what = f"{job['changed']} would change{f', {left_out} not run' if left_out else ''}"
        end = f"done, with {_count(errors, 'error')}" if errors else "complete"
        return style.strong(f"Dry run of {job['workflow']} {end}: {what}.") + f" ({took})"
    if job["success"] and errors:  # what was to be done is, but not all that belongs to it
        return style.strong(style.bad(f"{name} done, with {_count(errors, 'error')}: {_done(report)}")) + f" ({took})"
    if job["success"]:
        paint = style.warning if job["workflow"] in _LOOKING and not is_sound(report) else style.good
        return style.strong(paint(f"{name} complete! {_done(report)}")) + f" ({took})"
    counts = [
        f"{job[name]} {word}"
        for name, word in (
            ("error", "failed"),
            ("unknown", "of unknown status"),
            ("interrupted", "interrupted"),
            ("cancelled", "cancelled"),
            ("blocked", "blocked"),
            ("ok", "ok"),
            ("skipped", "skipped"),
        )
        if job.get(name)
    ]
    what = f"stopped, {clean(str(job['stopped']))}" if job.get("stopped") else "failed"
    result = f"{name} {what}: {', '.join(counts) or 'no operation ran'}."
    return style.strong(style.bad(result)) + f" ({took})"


def _done(report: dict[str, Any]) -> str:
    job = report["job"]
    if "adoption" in report:
        return adoption_counts(report["adoption"])
    if job["workflow"] in _LOOKING:
        return _found(report)
    summary = report["summary"]
    if job["workflow"] not in ("deploy", "undeploy") and not any(summary.values()):
        return f"{job['ok']} ok, {job['changed']} changed."
    forgotten = f", {summary['forget']} forgotten" if summary.get("forget") else ""
    if job["workflow"] == "undeploy":
        return f"{summary['destroy']} destroyed{forgotten}."
    return f"{summary['add']} added, {summary['change']} changed, {summary['destroy']} destroyed{forgotten}."


def _found(report: dict[str, Any]) -> str:
    """Counts of checked instances by status, and of drifted ones."""
    found = {task["instance"]: task.get("target_status") for task in report["tasks"]}
    counts = Counter(status for status in found.values() if status and status != _DRIFTED)
    words = [f"{counts[status]} {status}" for status in sorted(counts, key=_place)]
    drifted = {entry["instance"] for entry in report.get("drift") or [] if entry["changes"]}
    drifted |= {name for name, status in found.items() if status == _DRIFTED}
    if report["job"].get("not_checked"):
        words.append(f"{report['job']['not_checked']} not checked")
    words.append(f"{len(drifted) or 'none'} drifted")
    return f"{_count(len(found), 'instance')}: {', '.join(words)}."


#: More columns than any line has.
_ANY = 1_000_000
#: Workflows that only look, and succeed whatever they find.
_LOOKING = ("check", "discover")
_DRIFTED = "drifted"
_STATUSES = ("ok", "degraded", "error", "unknown", "pending", "absent")


def _place(status: str) -> tuple[int, str]:
    return _STATUSES.index(status) if status in _STATUSES else len(_STATUSES), status


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
