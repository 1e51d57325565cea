"""Merging the ensembles of two clones where git alone cannot (see `changes.merge`)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ansible_ensemble.changes.job_record import CHANGES
from ansible_ensemble.core.errors import InvalidInput, Place, shown_path
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.shape import parse_json
from ansible_ensemble.documents.yaml import Document, read_yaml
from ansible_ensemble.ensembles.template_snapshots import FILE
from ansible_ensemble.projects.folders import ACTIVE
from ansible_ensemble.projects.git import repository_of
from ansible_ensemble.projects.git_merge import (
    conflicting_versions,
    mark_resolved,
    take_side,
    unmerged_files,
)

_MARK = b"<<<<<<< "


def read_merged(path: Path, known: Document | None = None) -> Document:
    """Read an ensemble's file, which git may have left with the marks of a conflict; `known` as for `read_yaml`."""
    try:
        return read_yaml(path, known=known)
    except InvalidInput:
        _check_merged(path)
        raise


def _check_merged(path: Path) -> None:
    try:
        content = path.read_bytes()
    except OSError:
        return
    at = 0 if content.startswith(_MARK) else content.find(b"\n" + _MARK) + 1
    if at or content.startswith(_MARK):
        line = content.count(b"\n", 0, at) + 1
        hint = "`ansible-ensemble recover` merges both sides and says what to check"
        raise InvalidInput("git could not merge the file", Place(str(path), line, 1), hint)


def merge_conflict(path: Path) -> dict[str, Any]:
    """Merge both sides of an ensemble's file with conflicts, and mark it as resolved in git.

    Files that operations rendered are generated: of one that both sides changed, the newer job's is taken.

    Returns:
        `{"merged": path, "check": [what both sides changed]}`; `{}` where there is no such conflict.
    """
    root = repository_of(path.parent)
    for record in unmerged_files(root, path.parent / CHANGES) if root is not None else ():
        hint = f"keep one record (`git checkout --ours` or `--theirs`, then `git add`: {record.name}), recover, check"
        raise InvalidInput("both sides have a job of this id, and they differ", Place(str(record)), hint)
    versions = conflicting_versions(root, path) if root is not None else None
    if root is None or versions is None:
        return {}
    from ansible_ensemble.changes.merge import merge_ensembles  # here, for few ensembles are in conflict

    merged = merge_ensembles(*versions, path)
    if merged.unresolved:
        hint = "resolve these conflicts by hand"
        raise InvalidInput(f"both sides changed {', '.join(merged.unresolved)}", Place(str(path)), hint)
    write_atomically(path, merged.text)
    mark_resolved(root, path)
    active = path.parent / ACTIVE
    _merge_retained(root, active / "artifacts" / FILE)
    rendered = unmerged_files(root, active)
    for file in rendered:
        take_side(root, file, theirs=merged.theirs_is_newer)
    reported = [f"{shown_path(str(file))}: both sides rendered it; took the newer job's" for file in rendered]
    return {"merged": str(path), "check": merged.reported + reported}


def _merge_retained(root: Path, path: Path) -> None:
    """Unite what both sides keep of templates, by template; where both changed one, the other side's is as good."""
    versions = conflicting_versions(root, path)
    if versions is None:
        return
    hint = "resolve the conflict by hand"
    base, ours, theirs = (parse_json(text or "{}", dict, path, hint) for text in versions)
    sides = {name: ours if base.get(name) == theirs.get(name) else theirs for name in {*ours, *theirs}}
    kept = {name: side[name] for name, side in sides.items() if name in side}
    write_atomically(path, json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    mark_resolved(root, path)
