"""The file by which a CI server plans, deploys and checks a project."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.atomic import write_atomically
from ansible_ensemble.documents.paths import is_there
from ansible_ensemble.projects.git import repository_of
from ansible_ensemble.projects.project import ENSEMBLE_FILE

#: Of each CI server the file that it reads, and the one that is written there.
_FILES = {
    "github": (".github/workflows/ensemble.yml", "github.yml"),
    "gitlab": (".gitlab-ci.yml", "gitlab.yml"),
    "jenkins": ("Jenkinsfile", "jenkins.groovy"),
}
#: The CI servers that are known.
SERVERS = tuple(_FILES)


def check_ci(folder: Path, server: str) -> None:
    """Refuse a folder whose ensemble the CI server would not find, or that has its file already."""
    repository = repository_of(folder)
    if repository is not None and repository.resolve() != folder.resolve():
        message = f"a CI server reads its file in the repository's folder, {repository}, and plans what is there"
        raise InvalidInput(message, Place(str(folder)), f"copy the file of a project that has {ENSEMBLE_FILE} there")
    file = folder / _FILES[server][0]
    if is_there(file):
        raise InvalidInput("there is such a file already", Place(str(file)), "move it away, and bring both together")


def write_ci(folder: Path, server: str) -> str:
    """Write the file of a CI server.

    Returns:
        Its path, relative to the folder.

    Raises:
        OSError: it cannot be written.
    """
    path, source = _FILES[server]
    text = (resources.files(__package__) / "ci_files" / source).read_text(encoding="utf-8")
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / path, text)
    return path
