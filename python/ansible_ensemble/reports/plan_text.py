"""A plan as text, from its JSON document alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby
from typing import Any

from ansible_ensemble.core.errors import shown_path
from ansible_ensemble.reports.drift_text import drift_lines
from ansible_ensemble.reports.inputs_text import RESET, inputs_lines
from ansible_ensemble.reports.module_diff import module_diff
from ansible_ensemble.reports.names import key_title, operation_title
from ansible_ensemble.reports.plan_words import (
    fate,
    handlers_of,
    is_empty,
    legend,
    running,
    summary_line,
    where_it_runs,
    would_change,
)
from ansible_ensemble.reports.style import Style
from ansible_ensemble.reports.table import labelled, pad, table, width
from ansible_ensemble.reports.values import block, clean, diff_lines, few, is_short, one_line

_UNKNOWN = "(known after deploy)"
_MOST_NAMES = 5
_SECRET = "(sensitive value)"


def plan_text(plan: dict[str, Any], style: Style | None = None, *, verbose: bool = False) -> str:
    """The lines of a plan for a terminal: what happens to each instance and why, in order, and last the summary.

    Verbose: also what runs, where, and what it waits for, and values at full length.
    """
    writer = _Writer(plan, style or Style(), verbose)
    return "\n".join(writer.lines()) + "\n"


class _Writer:
    """The parts of one plan's text."""

    def __init__(self, plan: dict[str, Any], style: Style, verbose: bool) -> None:
        self.plan = plan
        self.style = style
        self.verbose = verbose
        self.operations = running(plan)

    def lines(self) -> Iterator[str]:
        if not is_empty(self.plan):
            yield self.style.strong(f"Plan of {self.plan['workflow']} for {clean(shown_path(self.plan['ensemble']))}")
            yield ""
            yield from self.legend()
        yield from inputs_lines(self.plan.get("inputs") or (), self.style, self.plan.get("reset") or RESET)
        if not is_empty(self.plan):
            yield from self.instances()
        yield from self.moved()
        yield from self.outputs()
        yield from self.excluded()
        yield from self.not_compared()
        yield from self.warnings()
        yield self.style.strong(summary_line(self.plan))

    def legend(self) -> Iterator[str]:
        """The symbols in use, with their meaning."""
        rows = [[self.style.symbol(action.value), action.meaning] for action in legend(self.plan)]
        if rows:
            yield from (f"  {line}" for line in table(rows))
            yield ""

    def instances(self) -> Iterator[str]:
        """What happens to all instances; those that change nothing take a line each."""
        for brief, changes in groupby(self.plan["resource_changes"], self.is_brief):
            if brief:
                yield from table([self.in_brief(change) for change in changes], columns=self.style.columns, spare=(2,))
                yield ""
            else:
                yield from chain.from_iterable(map(self.instance, changes))

    def moved(self) -> Iterator[str]:
        """Renamed instances."""
        moved = self.plan.get("moved", ())
        yield from (f"  # {clean(one['previous_address'])} has moved to {clean(one['address'])}" for one in moved)
        if moved:
            yield ""

    def is_brief(self, change: dict[str, Any]) -> bool:
        """Whether an instance takes one line."""
        if self.verbose or change["change"]["values"]:
            return False
        operations = [self.operations[key] for key in change["operations"] if key in self.operations]
        if any("prediction" in operation for operation in operations):
            return False
        return change["symbol"] in ("<=", "=", " ") or (change["symbol"] == ">" and change["action_reason"] != "run")

    def in_brief(self, change: dict[str, Any]) -> list[str]:
        """The cells of an instance's only line."""
        name = self.style.strong(clean(str(change["address"])))
        return [
            f"  {self.style.symbol(change['symbol'])} {name}",
            fate(change),
            self.style.faint(f"({change['type']})"),
        ]

    def instance(self, change: dict[str, Any]) -> Iterator[str]:
        symbol = change["symbol"]
        name = clean(str(change["address"]))
        kind = self.style.faint(f"({change['type']})")
        yield f"  {self.style.strong(f'# {name}')} {fate(change)}"
        yield f"  {self.style.symbol(symbol)} {self.style.strong(name)} {kind}"
        yield from self.found(change)
        yield from self.values(change["change"]["values"], "      ")
        yield from self.runs([self.operations[key] for key in change["operations"] if key in self.operations])
        if change.get("leaves"):
            yield self.style.faint(f"      undeploy leaves: {clean(str(change['leaves']))}")
        yield ""

    def found(self, change: dict[str, Any]) -> Iterator[str]:
        """What the last check of an instance to repair found."""
        found = change.get("found")
        if not found:
            return
        first, *more = clean(found["error"]).split("\n")
        yield f"      {clean(found['operation'])} {found['verb']}: {first}"
        drift = [one for one in found["drift"] if one["name"] != "status"]
        changed = drift_lines([{"instance": change["address"], "changes": drift}], self.style, verbose=self.verbose)
        for line in few([*more, *[*changed][2:], *module_diff(found["diff"])], every=self.verbose):
            mark = line[:1] if line[:1] in ("+", "-") else ""
            yield f"        {self.style.symbol(mark, line.strip() if mark == '' else line)}"

    def values(self, values: list[dict[str, Any]], indent: str) -> Iterator[str]:
        """The values that change, their names aligned; of what is known by a digest, the name says it all."""
        values = [value for value in values if value["kind"] != "content"]
        names = [_value_name(value) for value in values]
        longest = max(map(width, names), default=0)
        for name, value in zip(names, values):
            symbol = _value_symbol(value)
            head = f"{indent}{self.style.symbol(symbol)} {pad(f'{name}:', longest + 1)}"
            before, after = value.get("before"), value.get("after")
            if value.get("sensitive"):
                yield f"{head} {_SECRET}{_changed_unseen(before, after)}"
            elif value.get("unknown"):
                yield f"{head} {_arrow(before)}{_UNKNOWN}"
            elif is_short(before) and is_short(after):
                yield f"{head} {_short_change(before, after)}"
            else:
                yield f"{indent}{self.style.symbol(symbol)} {name}:"
                yield from self.long_change(before, after, f"{indent}    ")

    def long_change(self, before: Any, after: Any, indent: str) -> Iterator[str]:
        """A long value, or the lines of it that change."""
        lines = block(after) if before is None else diff_lines(before, after)
        for line in few(lines, every=self.verbose):
            mark = line[:1] if before is not None and line[:2] in ("+ ", "- ") else ""
            yield f"{indent}{self.style.symbol(mark, line)}"

    def runs(self, operations: list[dict[str, Any]]) -> Iterator[str]:
        if not self.verbose:
            names = list(dict.fromkeys(operation_title(operation) for operation in operations))
            if names:
                yield self.style.faint(f"      runs {', '.join(names)}")
        elif operations:
            rows = [
                [
                    operation_title(operation),
                    clean(operation["implementation"]),
                    where_it_runs(operation),
                    self.waits(operation),
                ]
                for operation in operations
            ]
            yield from (f"      {self.style.symbol('>')} {line}" for line in table(rows, columns=self.style.room(8)))
        handlers = handlers_of(operations)
        if handlers:
            yield self.style.faint(f"      may run the handlers {', '.join(handlers)}")
        for operation in operations:
            yield from self.prediction(operation)

    def waits(self, operation: dict[str, Any]) -> str:
        """What an operation waits for, in words; its own instance's operations go without saying."""
        own = f"{operation['instance']}:"
        keys = [key for key in (*operation["waits_for"], *operation["waits_end"]) if not key.startswith(own)]
        return f"after {', '.join(map(key_title, keys))}" if keys else ""

    def prediction(self, operation: dict[str, Any]) -> Iterator[str]:
        """What a dry run of the operation found, where the plan was made with one."""
        found = operation.get("prediction")
        if not found:
            return
        title = operation_title(operation)
        if found.get("unpredictable"):
            yield self.style.faint(f"      {title}: cannot be predicted, {clean(found['unpredictable'])}")
            return
        lines = module_diff(found.get("diff") or [])
        yield f"      {title}: {would_change(found)}{':' if lines else ''}"
        for line in few(lines, every=self.verbose):
            mark = line[:1] if line[:1] in ("+", "-") else ""
            yield f"        {self.style.symbol(mark, line)}"

    def outputs(self) -> Iterator[str]:
        values = [value for change in self.plan["output_changes"].values() for value in change["values"]]
        if values:
            yield self.style.strong("Outputs:")
            yield from self.values(values, "  ")
            yield ""

    def excluded(self) -> Iterator[str]:
        """The instances that are left alone."""
        excluded = self.plan["excluded"]
        if excluded:
            yield self.style.strong("Left alone:")
            rows = [[clean(item["instance"]), clean(item["reason"])] for item in excluded]
            yield from (
                f"  {line}" for line in few(table(rows, columns=self.style.room(2)), every=self.verbose, limit=20)
            )
            yield ""

    def not_compared(self) -> Iterator[str]:
        """Changes that cannot be detected."""
        left = self.plan.get("not_compared") or {}
        if left:
            yield self.style.strong("Not compared:")
            rows = [[clean(what), self.names(names)] for what, names in left.items()]
            yield from (f"  {line}" for line in table(rows, columns=self.style.room(2)))
            yield ""

    def names(self, names: list[str]) -> str:
        """Names of instances in a sentence."""
        shown = names if self.verbose else names[:_MOST_NAMES]
        more = f", and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
        return f"{', '.join(map(clean, shown))}{more}"

    def warnings(self) -> Iterator[str]:
        if self.plan["warnings"]:
            for text in self.plan["warnings"]:
                yield from labelled(self.style.warning("Warning:"), clean(text), self.style.columns)
            yield ""


def _value_name(value: dict[str, Any]) -> str:
    name = clean(str(value["name"]))
    return (
        name if value["kind"] in ("property", "output", "variable", "keyword", "file") else f"{name} ({value['kind']})"
    )


def _value_symbol(value: dict[str, Any]) -> str:
    if value.get("before") is None:
        return "+"
    return "-" if value.get("after") is None and not value.get("unknown") else "~"


def _arrow(before: Any) -> str:
    return "" if before is None else f"{one_line(before)} -> " if is_short(before) else "... -> "


def _short_change(before: Any, after: Any) -> str:
    if before is None:
        return one_line(after)
    return one_line(before) if after is None else f"{one_line(before)} -> {one_line(after)}"


def _changed_unseen(before: Any, after: Any) -> str:
    return " changes" if before is not None and after is not None else ""
