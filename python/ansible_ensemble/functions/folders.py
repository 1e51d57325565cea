"""Folders of the project by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_ensemble.core.hints import nearest_or_known
from ansible_ensemble.documents.paths import folder_name
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.expressions.context import Call
from ansible_ensemble.functions.registration import implements
from ansible_ensemble.views.data import bare
from ansible_ensemble.views.entities import NodeView

#: The folder of the user's own project; the ensemble's, if there is none.
HOME = "unfurl.home"
_KEPT = ("artifacts", "secrets")


@implements("get_dir")
def _get_dir(call: Call, name: Any, mkdir: Any = None) -> Any:
    path = folder_of(call, call.text(name))
    if bare(call.value(mkdir)):
        make_folder(call, path)
    return str(path)


def folder_of(call: Call, name: str) -> Path:
    """The folder that a name means in an expression."""
    environment = call.context.environment
    known: dict[str, Path] = {
        ".": environment.folder,
        "src": call.context.folder,
        "ensemble": environment.folder,
        "ensemble.secrets": environment.folder / "secrets",
        "project": environment.root,
        "project.secrets": environment.root / "secrets",
        HOME: environment.folder,
        **environment.folders,
        **_folders_of_instance(call),
        **{f"repository.{key}": path for key, path in environment.repositories.items()},
    }
    path = known.get(name) or environment.repositories.get(name)
    if path is None:
        raise call.failure(f'there is no folder "{name}"', hint=nearest_or_known(name, known))
    return path


def _folders_of_instance(call: Call) -> dict[str, Path]:
    """Folders of the instance that an expression is for, and of the operation that it is an input of."""
    frame, environment = call.context.frame, call.context.environment
    node = frame.relationship.source if frame.relationship is not None else frame.instance
    if node is None:
        return {}
    own = environment.folder / "spec" / folder_name(node.template_name)
    found = {
        name: folder / folder_name(node.name)
        for name, folder in environment.folders.items()
        if name in ("tmp", "local")
    }
    return {**found, "spec.src": _source_folder(call, node), "spec.home": own, "spec.local": own / "local"} | (
        _folders_of_task(call, node)
    )


def _source_folder(call: Call, node: NodeView) -> Path:
    place = node.template.place if node.template is not None else None
    return Path(place.file).parent if place is not None else call.context.folder


def _folders_of_task(call: Call, node: NodeView) -> dict[str, Path]:
    frame, environment = call.context.frame, call.context.environment
    if environment.task_folder is None or frame.operation is None:
        return {}
    link = f"{frame.relationship.key}:" if frame.relationship is not None else ""
    operation, workflow = link + frame.operation.full_name, str(environment.job.get("workflow", "deploy"))
    found = {kind: environment.task_folder(kind, node.name, operation) for kind in (*_KEPT, "tasks")}
    return {
        **found,
        "operation": found["tasks"],
        "workflow": environment.task_folder("tasks", node.name, workflow),
    }


def make_folder(call: Call, folder: Path) -> None:
    """Make a folder, where functions may write; those of plans are for their owner only."""
    environment = call.context.environment
    if not environment.writes:
        return
    try:
        if "tmp" in environment.folders and folder.is_relative_to(environment.folders["tmp"].parent):
            make_private(environment.folders["tmp"])
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise call.failure(f'"{folder}" cannot be made: {error.strerror}') from error
