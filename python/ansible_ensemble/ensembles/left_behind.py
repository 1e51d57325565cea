"""What of a project's folder stays behind when its files go elsewhere."""

from __future__ import annotations

from collections.abc import Collection
from fnmatch import fnmatch
from pathlib import Path

from ansible_ensemble.documents.paths import resolved
from ansible_ensemble.projects.create import LEFT_BEHIND
from ansible_ensemble.projects.project import PROJECT_FILES
from ansible_ensemble.state.files import PLACES

#: What holds secrets, or may.
_SECRETS = ("*.tfstate*", ".terraform", ".vault_pass*", ".env", "id_rsa", "id_ecdsa", "id_ed25519", "*.key")
#: What is of a deployment or of one machine, and not of the service template.
_LEFT = (*LEFT_BEHIND, *PLACES, *PROJECT_FILES, "*.vault-password", ".opera", ".secrets", "local", "secrets", *_SECRETS)


def is_left_behind(path: Path, root: Path, left: Collection[Path] = ()) -> bool:
    """Whether something in a folder is, or leads to, what is no part of it: secrets, what jobs make, what is named."""
    meant = [path]
    if path.is_symlink() and (file := resolved(path)).is_relative_to(root):
        meant += [file, *(folder for folder in file.parents if folder.is_relative_to(root) and folder != root)]
    return any(one in left or any(fnmatch(one.name, pattern) for pattern in _LEFT) for one in meant)
