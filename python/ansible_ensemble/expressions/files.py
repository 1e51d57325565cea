"""Files and folders as values: where they may be, and what their contents come to."""

from __future__ import annotations

from pathlib import Path

from ansible_ensemble.documents.digest import digest_path
from ansible_ensemble.documents.paths import confine
from ansible_ensemble.expressions.context import Context
from ansible_ensemble.views.entities import ArtifactView
from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment

_DIGITS = 16


def file_path(path: str, context: Context, base: Path | None = None) -> Path:
    """The absolute path of a file that an expression names."""
    environment = context.environment
    return confine(path, base or context.folder, environment.roots, "the file", context.place)


def read_contents(path: Path, context: Context) -> bytes:
    """Contents of a file; the read is taken down."""
    try:
        contents = path.read_bytes()
    except OSError as error:
        raise context.failure(f'"{path}" cannot be read: {error.strerror}') from error
    note(path, context)
    return contents


def note(path: Path, context: Context) -> Path:
    """Take down that the contents of a file or folder are a part of the value."""
    environment = context.environment
    kind = "directory" if path.is_dir() else "file"
    if path.exists():
        context.tracker.read(f"{kind}:{reference(path, environment)}", digest_path(path)[:_DIGITS])
    return path


def reference(path: Path, environment: EvaluationEnvironment) -> str:
    """A path as reads name it: relative to the project where it lies in it."""
    root = environment.root.resolve()
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


#: Artifacts that a registry has, and no folder.
_IMAGE = "tosca.artifacts.Deployment.Image.Container"


def artifact_file(artifact: ArtifactView, context: Context) -> str:
    """The absolute path of an artifact's file; as written if it is not a local file (a URL, an image)."""
    written = artifact.artifact.file
    if "://" in written or artifact.artifact.type.startswith(_IMAGE):
        return written
    base = artifact.artifact.base or context.environment.folder
    path = file_path(written, context, base)
    return str(note(path, context)) if path.exists() or artifact.artifact.repository is None else written
