"""A remote git repository, and the local one that fetches from it and pushes to it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from ansible_ensemble.core.errors import EnsembleError, Place
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.texts import without_credentials
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.projects.git import git_environment
from ansible_ensemble.projects.git_guard import PROTOCOLS
from ansible_ensemble.state.store import Unreachable

#: Seconds for one command of git; a connection that says nothing ends earlier.
_TIMEOUT = 300.0
_SSH = ("-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3")
_SILENT = {"http.lowSpeedLimit": "1", "http.lowSpeedTime": "60", "gc.auto": "200"}
#: What git says when somebody else was quicker.
_QUICKER = regex(
    r"stale info|fetch first|non-fast-forward|already exists|cannot lock ref|failed to update ref|incorrect old value"
)
#: What git says of a branch that somebody else has removed.
_GONE = regex(r"couldn't find remote ref")
#: How often branches are listed because others changed them meanwhile.
_TRIES = 10
#: What git says of a lock in the repository here.
_LEFT = regex(r"Unable to create '[^']*\.lock': File exists")


class Refused(Unreachable):
    """A push was refused because the branch has changed."""


class GitRemote:
    """A remote repository.

    Attributes:
        url: of the repository.
    """

    def __init__(self, url: str, folder: Path, settings: Mapping[str, str]) -> None:
        """Begin without a connection.

        Args:
            url: of the repository.
            folder: of the local repository.
            settings: of git, such as credentials; they are in no command line.
        """
        self.url = url
        self._folder = folder
        self._environment = {
            **git_environment({**_SILENT, "remote.state.url": url, **settings}),
            "GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS),
            "GIT_DIR": str(folder),
            "LC_ALL": "C",
        }

    def fetch(self, *branches: str) -> tuple[str, ...]:
        """The commits of branches, fetched with depth 1; empty for a branch that does not exist.

        Branches that change meanwhile are listed again.
        """
        for attempt in range(_TRIES):
            listed = self._run("ls-remote", "state", *branches).decode().splitlines()
            found = {name: commit for commit, name in (line.split("\t", 1) for line in listed)}
            there = [branch for branch in branches if branch in found]
            if all(self._has(found[branch]) for branch in there):
                break
            wanted = [f"+{branch}:refs/ensemble/{branch}" for branch in there]
            try:
                self._fetch("fetch", "--quiet", "--no-tags", "--depth=1", "state", *wanted)
            except Unreachable as error:
                if attempt == _TRIES - 1 or not _GONE.search(str(error)):
                    raise
        return tuple(found.get(branch, "") for branch in branches)

    def _fetch(self, *arguments: str) -> None:
        try:
            self._run(*arguments)
        except Unreachable as error:
            if not _LEFT.search(str(error)):
                raise
            shutil.rmtree(self._folder)  # a git that was killed left its lock; all of this comes from elsewhere
            self._run(*arguments)

    def archive(self, commit: str, path: str) -> bytes:
        """The files of a folder in a commit, as a tar archive; an empty one if it has no such folder."""
        tree = f"{commit}:{path}" if path else f"{commit}^{{tree}}"
        if path and not self._has(tree):
            tree = self._run("hash-object", "-t", "tree", "-w", "/dev/null").decode().strip()
        return self._run("archive", "--format=tar", tree)

    def imported(self, stream: bytes) -> str:
        """Make the commit that a stream of `git fast-import` describes, and return it."""
        self._run("fast-import", "--quiet", "--force", given=stream)
        return self._run("rev-parse", "refs/ensemble/new").decode().strip()

    def push(self, commit: str, branch: str, *, replacing: str) -> None:
        """Set a branch to a commit, or delete it if that is empty, or raise `Refused` if it has changed meanwhile."""
        lease = f"--force-with-lease={branch}:{replacing}"
        self._run("push", "--quiet", "--porcelain", "--no-verify", lease, "state", f"{commit}:{branch}")

    def _has(self, name: str) -> bool:
        return self._call(("cat-file", "-e", name), b"").returncode == 0

    def _run(self, *arguments: str, given: bytes = b"") -> bytes:
        done = self._call(arguments, given)
        if done.returncode == 0:
            return done.stdout
        # of a push, the output says which branch was refused and why
        said = without_credentials((done.stderr + done.stdout).decode(errors="replace").strip())
        if arguments[0] == "push" and _QUICKER.search(said):
            raise Refused(f"somebody else changed the branch meanwhile in {without_credentials(self.url)}: {said}")
        raise Unreachable(f"git cannot reach the state in {without_credentials(self.url)}: {said}", hint=_hint(said))

    def _call(self, arguments: tuple[str, ...], given: bytes) -> subprocess.CompletedProcess[bytes]:
        self._make()
        command, environment = ["git", *arguments], os.environ | self._environment
        try:
            return subprocess.run(
                command, input=given, capture_output=True, env=environment, timeout=_TIMEOUT, check=False
            )
        except subprocess.TimeoutExpired:
            raise Unreachable(f"git waited in vain for {without_credentials(self.url)}") from None
        except OSError as error:
            raise EnsembleError(f"git cannot be run: {error.strerror}", hint="install git") from error

    def _make(self) -> None:
        if (self._folder / "HEAD").exists():
            return
        try:
            make_private(self._folder)
            command = ["git", "init", "--quiet", "--bare", "--template=", str(self._folder)]
            subprocess.run(command, check=True, capture_output=True, env=os.environ | git_environment({}))
        except (OSError, subprocess.CalledProcessError) as error:
            place = Place(str(self._folder))
            raise EnsembleError(f"no git repository can be made: {error}", place, "is git installed?") from error


def ssh_command(key: str, known_hosts: str) -> str:
    """The ssh command of git: with a key, and without prompts."""
    words = ["ssh", *_SSH]
    words += ["-i", key, "-o", "IdentitiesOnly=yes"] if key else []
    words += ["-o", f"UserKnownHostsFile={known_hosts}"] if known_hosts else []
    return shlex.join(words)


def _hint(said: str) -> str | None:
    if "Host key verification failed" in said:
        return "name a file with the host's key: `known_hosts` of `state`"
    if re.search(r"Permission denied|Authentication failed|could not read (Username|Password)|denied", said):
        return "check the credential of `state`: ssh_key or token"
    return None
