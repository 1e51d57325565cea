"""The `lock:` section: the repositories, commits and tool versions a job ran on, and whether these are the same ones.

It is Unfurl's section of that name, and has nothing to do with locking.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble import __version__
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.yaml import place_of
from ansible_ensemble.projects.git import (
    branch,
    changed_since,
    dirty_files,
    first_commit,
    head,
    relative_name,
    remote_url,
)
from ansible_ensemble.projects.remote_files import pinned_imports, recorded_url

#: The repository that the ensemble is in: its records are committed to it, so its commit moves with every job.
SELF = "self"


def pins(repositories: Mapping[str, Path], imports: Mapping[str, str]) -> dict[str, Any]:
    """The `lock:` section of working trees by name, the ensemble's own is `self`, and of digests of imports by URL."""
    fetched = [{"url": recorded_url(url), "sha256": digest} for url, digest in sorted(imports.items())]
    return {
        **({"imports": fetched} if fetched else {}),
        "runtime": {name: {"version": found} for name, found in tool_versions().items()},
        "repositories": [
            {
                "name": name,
                "url": remote_url(root) or f"git-local://{first_commit(root)}",
                "commit": head(root),
                "initial": first_commit(root),
                "branch": branch(root),
            }
            for name, root in repositories.items()
        ],
    }


def tool_versions() -> dict[str, str]:
    """Versions of the tools that decide what a job does."""
    from importlib.metadata import PackageNotFoundError, version  # here, for it costs every start

    found = {"ansible-ensemble": __version__, "python": platform.python_version()}
    try:
        found["ansible-core"] = version("ansible-core")
    except PackageNotFoundError:
        found["ansible-core"] = ""
    return found


def check_pins(
    section: Mapping[str, Any] | None,
    repositories: Mapping[str, Path],
    records: Iterable[Path],
    file: Path,
    imports: Mapping[str, str],
) -> None:
    """Refuse to run on other repositories, commits and tools than those recorded (`--locked`).

    Args:
        section: the `lock:` section of the ensemble.
        repositories: working trees by name; the ensemble's own is `self`.
        records: files and folders that jobs write; commits and changes of these alone do not count.
        file: the ensemble's file.
        imports: digests of the files that were imported over https, by URL.
    """
    if not isinstance(section, Mapping):
        raise InvalidInput("nothing is locked yet", Place(str(file)), "a job without --locked records what it ran on")
    own = list(records)
    differences = [*_tools(section), *_repositories(section, repositories, own), *_imports(section, imports)]
    if differences:
        place = place_of(section) or Place(str(file))
        raise InvalidInput(
            "this differs from the lock section: " + "; ".join(differences), place, "continue without --locked"
        )


def _tools(section: Mapping[str, Any]) -> list[str]:
    here, runtime = tool_versions(), section.get("runtime")
    recorded = runtime if isinstance(runtime, Mapping) else {}
    versions = {name: item.get("version") for name, item in recorded.items() if isinstance(item, Mapping)}
    return [
        f"{name} is {here[name] or 'not installed'}, but the lock section has {locked}"
        for name, locked in versions.items()
        if name in here and str(locked) != here[name]
    ]


def _imports(section: Mapping[str, Any], imports: Mapping[str, str]) -> list[str]:
    pinned = pinned_imports(section)
    return [f"the import {url} is not there" for url in map(recorded_url, imports) if url not in pinned]


def _repositories(section: Mapping[str, Any], repositories: Mapping[str, Path], records: list[Path]) -> list[str]:
    listed = section.get("repositories")
    differences = []
    for item in listed if isinstance(listed, list) else ():
        name, commit = str(item.get("name", "")), str(item.get("commit", ""))
        root = repositories.get(name)
        if root is None:
            differences.append(f"the repository {name!r} is missing")
            continue
        initial = str(item.get("initial") or "")
        if initial and initial != first_commit(root):
            differences.append(f"{name!r} is another repository")
        elif name == SELF:
            differences += _own(root, commit, records)
        elif head(root) != commit:
            differences.append(f"{name!r} is at {head(root)[:12]}, but the lock section has {commit[:12]}")
        elif dirty_files(root):
            differences.append(f"{name!r} has uncommitted changes")
    return differences


def _own(root: Path, commit: str, records: list[Path]) -> list[str]:
    changed = changed_since(root, commit) if commit else []
    if changed is None:
        return [f"the commit {commit[:12]} is not in the ensemble's repository"]
    ignored = [relative_name(root, path) for path in records]
    files = [
        file for file in changed if not any(file == path or file.startswith(path + "/") for path in ignored)
    ] + dirty_files(root, records)
    return [f"{files[0]} differs from the commit {commit[:12]}"] if files else []
