"""Guards: the conditions under which a planned operation runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class Branch(Struct, frozen=True):
    """What leads to a step of an imperative workflow that `on_failure` leads to.

    Attributes:
        succeeded: keys of operations; the step runs if there are any and all of them succeeded.
        failed: keys of operations; the step runs as well if one of them failed.
    """

    succeeded: tuple[str, ...]
    failed: tuple[str, ...]


class Guard(Struct, frozen=True):
    """Conditions under which an operation runs once its turn has come; all that are set have to hold.

    Attributes:
        branch: set by `workflow` for the first operations of a step that `on_failure` leads to.
        condition: clauses that its instance has to meet. Set by `workflow` for a step's `filter`, and by `notify` for
            the further evaluations of a trigger's condition.
        condition_of: key of an operation whose `condition` decides for this one too: that of its step or evaluation.
        unless_ok: it does not run if a check reported ok; if it runs, the instance is being brought up. Set by `deploy`
            for what creates an instance behind a check.
        only_if_absent: it runs if a check reported absent; its instance is then being brought up, and made anew. Set by
            `deploy` and `tools` for what makes again what a check finds gone.
        unless_absent: it does not run if a check reported absent. Set by `deploy` for the update of an instance that is
            made anew instead.
        unless_unchanged: key of an operation; it does not run if that one reported no change. Set by `deploy` for the
            restart behind configure.
        only_if_reads_changed: it runs if a value that its instance read the last time is another now. Set by `follow`
            for what reads values that the job may change.
        only_if_brought_up: name of an instance; it runs if that is being brought up. Set by `connect` for links to an
            instance that a check may report ok.
        only_if_made_anew: name of an instance; it runs if that is being made anew. Set by `connect` for links to an
            instance that a check may report absent.
        only_if_attributes_changed: name of an instance; it runs if the job gave one of its attributes another value.
            Set by `connect` for `target_changed`.
    """

    branch: Branch | None = None
    condition: list[object] | None = None
    condition_of: str | None = None
    unless_ok: bool = False
    only_if_absent: bool = False
    unless_absent: bool = False
    unless_unchanged: str | None = None
    only_if_reads_changed: bool = False
    only_if_brought_up: str | None = None
    only_if_made_anew: str | None = None
    only_if_attributes_changed: str | None = None

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Guard:
        """Read a guard of a plan's document back."""
        branch = document.get("branch")
        read = Branch(tuple(branch["succeeded"]), tuple(branch["failed"])) if branch is not None else None
        return cls(**{**document, "branch": read})


#: The guard of what runs in any case.
ALWAYS = Guard()
