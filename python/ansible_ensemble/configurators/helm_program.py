"""Helm at work for a task: its commands, with all that they have in common."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.configurators.environment import implementation_environment
from ansible_ensemble.configurators.helm_inputs import Repository
from ansible_ensemble.configurators.kubernetes import cluster_of
from ansible_ensemble.configurators.protocol import Task
from ansible_ensemble.core.environment import Changes, with_changes
from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.core.folders import with_home
from ansible_ensemble.core.orders import Command, Order, Outcome
from ansible_ensemble.core.regex import regex
from ansible_ensemble.kubernetes.access import Access, Given, find_access

_NAME = "cluster"
#: What is said by naming it; all else has to be written into a kubeconfig.
_NAMED = {"kubeconfig", "context", "namespace"}


def cluster_variables(task: Task, environment: Changes, home: Path) -> dict[str, str]:
    """The variables by which Helm finds the cluster; none leaves it to KUBECONFIG.

    What is said otherwise than by a kubeconfig and its context is written into a kubeconfig in Helm's home.
    """
    said = cluster_of(task, environment)
    if not _NAMED.issuperset(said):
        access = find_access(Given(**said), with_changes(os.environ, environment), task.base)
        file = home / "kubeconfig"
        file.touch(mode=0o600)
        file.write_text(json.dumps(_kubeconfig(access)), encoding="utf-8")
        return {"KUBECONFIG": str(file)}
    found = {"KUBECONFIG": str(task.base / with_home(said["kubeconfig"]))} if "kubeconfig" in said else {}
    return {**found, "HELM_KUBECONTEXT": said["context"]} if "context" in said else found


def _kubeconfig(access: Access) -> dict[str, Any]:
    user = {
        "token": access.token,
        "client-certificate-data": _encoded(access.client_cert),
        "client-key-data": _encoded(access.client_key),
    }
    if access.user is not None:
        user |= {"username": access.user[0], "password": access.user[1]}
    cluster = {
        "server": access.server,
        "certificate-authority-data": _encoded(access.authority) if access.verify else None,
        "insecure-skip-tls-verify": None if access.verify else True,
        "tls-server-name": access.tls_server_name,
        "proxy-url": access.proxy,
    }
    context = {"cluster": _NAME, "user": _NAME, "namespace": access.namespace}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": _NAME, "cluster": _said(cluster)}],
        "users": [{"name": _NAME, "user": _said(user)}],
        "contexts": [{"name": _NAME, "context": context}],
        "current-context": _NAME,
    }


def _encoded(text: str | None) -> str | None:
    return base64.b64encode(text.encode()).decode() if text else None


def _said(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


PROGRAM = "helm"
_ERROR = regex(r"^Error: (.+)", re.MULTILINE | re.DOTALL)
Ordered = Generator[Order, Outcome, Outcome]
Answered = Generator[Order, Outcome, tuple[Outcome, Any]]


@contextmanager
def helm_home(task: Task) -> Iterator[Path]:
    """A home of Helm's for one task, for its owner alone: the repositories of its user are none of the ensemble's.

    Nothing is left in it: it holds credentials of repositories, and Helm's answers hold values.
    """
    home = task.folder / ".helm"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(mode=0o700)
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


@dataclass(slots=True)
class Helm:
    """Helm's commands for a task, in a home of its own.

    Attributes:
        home: the folder of its configuration, its cache and its answers.
        namespace: of the release; None leaves it to the connection.
    """

    task: Task
    home: Path
    namespace: str | None = None
    deadline: float | None = None
    _environment: Changes = field(init=False)

    def __post_init__(self) -> None:
        self._environment = self._variables()
        if self.task.timeout is not None:
            self.deadline = time.monotonic() + self.task.timeout

    def run(self, *arguments: str, stdin: str | None = None) -> Ordered:
        """A command, and Helm's reason of its failure."""
        outcome = yield self._command(arguments, stdin)
        return _with_error(outcome)

    def answer(self, *arguments: str, stdin: str | None = None) -> Answered:
        """A command, and what it answers as JSON. That goes through a file: it is long, and values are in it."""
        command = self._command(arguments, stdin)
        file = self.home / "answer.json"
        text = 'umask 077; out=$1; shift; exec "$@" >"$out"'
        outcome = yield replace(command, argv=("/bin/sh", "-c", text, "sh", str(file), *command.argv))
        try:
            answer = _parsed(file.read_text(encoding="utf-8")) if outcome.ok else None
        except (OSError, ValueError) as error:
            raise EnsembleError(f"{PROGRAM} {arguments[0]} returned no JSON: {error}") from error
        finally:
            file.unlink(missing_ok=True)
        return _with_error(outcome), answer

    def add(self, repository: Repository) -> Ordered:
        """Make a repository known in this home, which fetches its index; log in to a registry."""
        login = ["--username", repository.username, "--password-stdin"] if repository.username else []
        if not repository.is_registry:
            words = ["repo", "add", repository.name, repository.url, *login, *repository.arguments]
        elif login:
            words = ["registry", "login", repository.url.removeprefix("oci://").partition("/")[0], *login]
            words += ["--insecure"] if repository.insecure else []
            words += ["--plain-http"] if repository.plain_http else []
        else:
            return Outcome(ok=True, changed=False)
        outcome = yield from self.run(*words, stdin=repository.password if login else None)
        return outcome

    def _command(self, arguments: tuple[str, ...], stdin: str | None) -> Command:
        left = None if self.deadline is None else max(self.deadline - time.monotonic(), 0.001)
        is_local = self.namespace is None or arguments[0] in ("repo", "registry")
        return Command(
            (PROGRAM, *arguments, *([] if is_local else ["--namespace", str(self.namespace)])),
            cwd=str(self.task.directory),
            environment=self._environment,
            stdin=stdin,
            timeout=left,
        )

    def _variables(self) -> Changes:
        own = implementation_environment(self.task)
        return {
            **own,
            **cluster_variables(self.task, own, self.home),
            "HELM_CACHE_HOME": str(self.home / "cache"),
            "HELM_REPOSITORY_CACHE": str(self.home / "cache" / "repository"),
            "HELM_REPOSITORY_CONFIG": str(self.home / "repositories.yaml"),
            "HELM_REGISTRY_CONFIG": str(self.home / "registry.json"),
        }


def _parsed(text: str) -> Any:
    """What a program answers; Helm tells what it does before it in lines of its own."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(text.strip().rpartition("\n")[2])


def _with_error(outcome: Outcome) -> Outcome:
    """An outcome with Helm's reason of its failure."""
    if outcome.ok or outcome.timed_out:
        return outcome
    if outcome.rc == 127:
        return replace(outcome, error=f"command not found: {PROGRAM} (install it)")
    found = _ERROR.search(outcome.stderr)
    return replace(outcome, error=" ".join(found[1].split())) if found else outcome
