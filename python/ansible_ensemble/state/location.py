"""The location of a remote state: settings become a store."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from string import Template

from ansible_ensemble.changes.job_record import JOBS
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.folders import with_home
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import reveal
from ansible_ensemble.projects.environment import Environment
from ansible_ensemble.projects.execution_settings import CREDENTIALS, StateSettings, given_credentials
from ansible_ensemble.projects.git_guard import clone_fault
from ansible_ensemble.state.store import Store

_BRANCH = "ensemble-state"
_REPOSITORY = "state.git"
_NO_BRANCH = regex(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(/|$)|^[-./]|[./]$|^@?$")
#: Credentials that name a file here.
_FILES = ("ssh_key", "known_hosts", "ca")


def resolved_values(settings: StateSettings, ensemble: Path, environment: Environment) -> dict[str, str]:
    """The values of the settings, secrets in clear: what a store is opened by."""
    values = given_credentials(os.environ)
    names = _names(ensemble, environment)
    for key, written in settings.values.items():
        value = environment.value(written) if key in CREDENTIALS else written
        if value is None:
            raise InvalidInput(f"{key} of state has no value", settings.place, "set the variable that it is read from")
        if value is not False:
            values[key] = str(reveal(value)) if key in CREDENTIALS else _substituted(str(value), names, settings)
    for key in _FILES:
        if key in values:
            values[key] = str(environment.root / with_home(values[key]))
    if "://" in (url := values[settings.kind]) and "@" in url.split("/")[2] and ":" in url.split("/")[2].split("@")[0]:
        raise InvalidInput("the URL of state holds a password", settings.place, "write it as `password` or `token`")
    if settings.kind == "http":
        _check_http(values, settings)
        values["lock"] = "" if settings.values.get("lock") is False else values.get("lock", values["http"])
    if settings.kind == "path":
        values["path"] = _other_folder(environment.root / with_home(values["path"]), ensemble, settings)
    if settings.kind == "git":
        values |= {"git": _git_url(values["git"], environment.root, settings), "folder": str(ensemble.parent)}
        values["path"] = _path_in_branch(values.get("path", names["ensemble"]), settings)
        _check_branch(values.get("branch", _BRANCH), settings)
    if settings.kind == "s3":
        values.setdefault("key", f"{names['ensemble'] or 'ensemble'}.json")
    return values


def _check_http(values: Mapping[str, str], settings: StateSettings) -> None:
    for url in filter(None, (values["http"], values.get("lock"), values.get("unlock"))):
        if not url.startswith(("http://", "https://")):
            raise InvalidInput("the URL of state is not one of http or https", settings.place)


def open_store(kind: str, values: Mapping[str, str]) -> Store:
    """The store of a kind; only its own module is imported."""
    match kind:
        case "git":
            from ansible_ensemble.state.git_remote import GitRemote
            from ansible_ensemble.state.git_store import GitStore

            folder = Path(values["folder"]) / JOBS / values.get("repository", _REPOSITORY)
            remote = GitRemote(values["git"], folder, _git_settings(values))
            return GitStore(remote, values.get("branch", _BRANCH), values["path"])
        case "http":
            from ansible_ensemble.state.http_store import HttpSettings, HttpStore

            methods = {name: value for name, value in values.items() if name.endswith("_method")}
            given = {name: values.get(name, "") for name in ("lock", "unlock", "username", "password", "token", "ca")}
            return HttpStore(HttpSettings(values["http"], methods=methods, **given))
        case "s3":
            from ansible_ensemble.state.s3_store import S3Store

            return S3Store(values["s3"], values["key"], values)
        case _:
            from ansible_ensemble.state.folder_store import FolderStore

            return FolderStore(Path(values["path"]))


def _names(ensemble: Path, environment: Environment) -> dict[str, str]:
    folder = os.path.relpath(ensemble.resolve().parent, environment.root.resolve())
    return {"ensemble": "" if folder == "." else folder, "environment": environment.name}


def _substituted(text: str, names: Mapping[str, str], settings: StateSettings) -> str:
    try:
        return Template(text).substitute(names)
    except (KeyError, ValueError) as error:
        known = ", ".join(f"${name}" for name in names)
        raise InvalidInput(f"{text!r} of state cannot be made", settings.place, f"it knows {known}") from error


def _other_folder(folder: Path, ensemble: Path, settings: StateSettings) -> str:
    if folder.resolve() == ensemble.resolve().parent:
        raise InvalidInput(
            "path of state is the ensemble's folder", settings.place, "without `state` that is where it lives"
        )
    return str(folder)


def _path_in_branch(path: str, settings: StateSettings) -> str:
    path = path.strip("/")
    if path and {"", ".", "..", ".git"}.intersection(path.split("/")):
        raise InvalidInput(f"path of state is no folder of a branch: {path}", settings.place, "write it as web/staging")
    return path


def _check_branch(branch: str, settings: StateSettings) -> None:
    """The rules of `git check-ref-format`."""
    if _NO_BRANCH.search(branch):
        raise InvalidInput(
            f"branch of state is no name of a branch: {branch!r}", settings.place, "write it as team/web"
        )


def _git_url(url: str, root: Path, settings: StateSettings) -> str:
    fault = clone_fault(url)
    if fault is not None:
        raise InvalidInput(f"git of state is no URL: {fault}", settings.place)
    return url if ":" in url else str(root / with_home(url))


def _git_settings(values: Mapping[str, str]) -> dict[str, str]:
    """Settings of git with the credential, which is in no command line."""
    url = values["git"]
    if not url.startswith(("http:", "https:")):
        from ansible_ensemble.state.git_remote import ssh_command

        return {"core.sshCommand": ssh_command(values.get("ssh_key", ""), values.get("known_hosts", ""))}
    if "token" not in values:
        return {}
    from base64 import b64encode

    pair = f"{values.get('username', 'git')}:{values['token']}".encode()
    header = f"Authorization: Basic {b64encode(pair).decode()}"
    return {f"http.{url}.extraHeader": header, "credential.helper": "", "http.followRedirects": "false"}
