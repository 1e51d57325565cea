"""Environments: what differs between the places an ensemble is deployed to (docs/records.md, "Environments").

An environment is merged from layers; of two that set the same name the later wins: the user's home project, the
project (`defaults`), the environment's own section, the ensemble's `environment` section.

Older ensembles of Unfurl use other keys: `context` is `environment`, `imports` is its `external`, and `spec.env` its
`variables`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ansible_ensemble.core.environment import Changes, apply_rules, is_rule
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.sensitive import is_sensitive, mark_sensitive
from ansible_ensemble.documents.paths import confine, is_folder, resolved
from ansible_ensemble.documents.scalars import VaultText, as_written
from ansible_ensemble.documents.yaml import parse_yaml, place_of
from ansible_ensemble.projects.execution_settings import ExecutionSettings, given_settings
from ansible_ensemble.projects.lfs_lock import LfsSettings, lfs_settings
from ansible_ensemble.projects.project import ENSEMBLE_FILE, Project, find_project, home_project
from ansible_ensemble.projects.trust import is_trusted
from ansible_ensemble.projects.vault import Vault

DEFAULTS = "defaults"
#: A map of secrets in the project or beside the ensemble, usually encrypted.
SECRETS_FILES = ("secrets/secrets.yaml", "secrets/secrets.yml")
_MAPS = ("variables", "inputs", "connections", "secrets", "locals", "external")


class Values(Mapping[str, Any]):
    """Values by name, each made when it is first read."""

    def __init__(self, raw: Mapping[str, Any], make: Callable[[Any], Any]) -> None:
        """Make the map.

        Args:
            raw: the values as they are written.
            make: gives the value of what is written.
        """
        self._raw = raw
        self._make = make
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = self._make(self._raw[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


@dataclass(frozen=True, slots=True)
class ExternalEnsemble:
    """Another ensemble, by the name it is imported under.

    Attributes:
        ensemble: its file, absolute.
        instance: the instance that is meant; empty for its topology.
    """

    ensemble: Path
    instance: str = ""


@dataclass(slots=True)
class Environment:
    """An environment, merged.

    Attributes:
        name: its name; empty if none was chosen and the project has no default.
        root: the project's folder, which files stay inside.
        folder: the ensemble's folder.
        inputs, connections: as they are written.
        external: other ensembles by name.
        repositories: by name, a path or URL as it is written, and the folder that a relative path starts in.
        lfs_lock: how all clones are locked.
        execution: how jobs run.
        vault: opens what is encrypted.
        raw: `variables`, `locals`, `secrets` as they are written.
        warnings: what of the projects' files nothing acts on.
        trusted: whether what is written may run code when it is evaluated.
    """

    name: str
    root: Path
    folder: Path
    inputs: dict[str, Any] = field(default_factory=dict)
    connections: dict[str, Any] = field(default_factory=dict)
    external: dict[str, ExternalEnsemble] = field(default_factory=dict)
    repositories: dict[str, tuple[str, Path]] = field(default_factory=dict)
    lfs_lock: LfsSettings = field(default_factory=LfsSettings)
    execution: ExecutionSettings = field(default_factory=ExecutionSettings)
    vault: Vault = field(default_factory=Vault)
    raw: dict[str, dict[str, Any]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    trusted: bool = False
    _variables: Changes | None = None
    _sensitive_variables: list[tuple[str, Any]] = field(default_factory=list)
    _secrets: Values | None = None

    @property
    def variables(self) -> dict[str, str | None]:
        """What is changed in the process's environment by the rules of `core.environment`; None removes a variable.

        Raises:
            InvalidInput: one cannot be an environment variable.
        """
        if self._variables is None:
            rules = {name: self._variable(name, value) for name, value in self.raw.get("variables", {}).items()}
            self._variables = apply_rules(rules, os.environ if self.trusted else {}, as_written)
            # what a rule puts before another value, or is replaced by the next one, is as secret by itself
            told = [*rules.items(), *self._variables.items()]
            self._sensitive_variables = [(name, value) for name, value in told if is_sensitive(value)]
        return self._variables

    @property
    def sensitive_variables(self) -> list[tuple[str, Any]]:
        """The sensitive ones of `variables`, and the sensitive values that they are made of."""
        return self._sensitive_variables if self.variables else []

    @property
    def locals(self) -> Mapping[str, Any]:
        """Values of this place that are not kept with the ensemble; each is evaluated when it is read."""
        return Values(self.raw.get("locals", {}), self._evaluate)

    @property
    def secrets(self) -> Mapping[str, Any]:
        """Secrets, each decrypted and evaluated when it is read: those of `SECRETS_FILES`, then those of the layers.

        Raises:
            InvalidInput: a file of secrets is wrong, or cannot be decrypted.
        """
        if self._secrets is None:
            raw: dict[str, Any] = {}
            for folder in dict.fromkeys((self.root, self.folder)):
                for name in SECRETS_FILES:
                    raw |= self._secrets_of(folder / name)
            raw |= self.raw.get("secrets", {})
            self._secrets = Values(raw, self._secret)
        return self._secrets

    def afresh(self) -> Environment:
        """The same, with values that are evaluated anew: a job may have changed what they are read from."""
        return replace(self, _variables=None, _sensitive_variables=[], _secrets=None)

    def secret(self, name: str) -> Any:
        """The secret of this name.

        Raises:
            KeyError: there is none.
            InvalidInput: it cannot be decrypted or evaluated.
        """
        given = self.raw.get("secrets", {})
        # a secret of the layers is had without opening the files of secrets
        return self._secret(given[name]) if name in given else self.secrets[name]

    def _secret(self, value: Any) -> Any:
        found = self._evaluate(value)
        if found is None and value is not None:
            raise InvalidInput("the secret has no value", place_of(value), "set the variable that it is read from")
        return mark_sensitive(found)

    def _secrets_of(self, path: Path) -> dict[str, Any]:
        if not path.is_file():
            return {}
        try:
            if not self.trusted:
                confine(path, path.parent, (self.root, self.folder), "the file of secrets")
            data = parse_yaml(self.vault.read_file(path).decode(), path).data
        except UnicodeDecodeError as error:
            raise InvalidInput("this is not text", Place(str(path))) from error
        if data is not None and not isinstance(data, Mapping):
            raise InvalidInput("secrets must be a map by name", Place(str(path)))
        return {str(name): value for name, value in (data or {}).items()}

    def _variable(self, name: str, value: Any) -> Any:
        value = self._evaluate(value)
        if isinstance(value, (Mapping, list)):
            raise InvalidInput(f"the environment variable {name!r} must be a text or a number", Place(str(self.root)))
        return value

    def _evaluate(self, value: Any) -> Any:
        value = self._decrypted(value)
        if not isinstance(value, (str, Mapping, list)):
            return value
        from ansible_ensemble.expressions.evaluator import Evaluator
        from ansible_ensemble.functions.table import function_table
        from ansible_ensemble.instances.instance import Instances
        from ansible_ensemble.language.entities import Topology
        from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment

        environ = os.environ if self.trusted else OwnVariables({})
        around = EvaluationEnvironment(self.root, self.folder, environ=environ, trusted=self.trusted)
        evaluator = Evaluator(Topology(self.folder / ENSEMBLE_FILE), Instances(), around, function_table())
        return evaluator.scope().evaluate(value)

    def _decrypted(self, value: Any) -> Any:
        if isinstance(value, VaultText):
            return mark_sensitive(self.vault.decrypt(value))
        if isinstance(value, Mapping) and _holds_vault(value):
            return {key: self._decrypted(item) for key, item in value.items()}
        if isinstance(value, list) and _holds_vault(value):
            return [self._decrypted(item) for item in value]
        return value


class OwnVariables(Mapping[str, Any]):
    """What a project that is not trusted sees of the environment: the variables that it sets itself."""

    def __init__(self, own: Mapping[str, Any]) -> None:
        self._own = own

    def __getitem__(self, name: str) -> Any:
        if self._own.get(name) is None:
            raise withheld(f"the environment variable {name}")
        return self._own[name]

    def __contains__(self, name: object) -> bool:
        return self[str(name)] is not None

    def __iter__(self) -> Iterator[str]:
        raise withheld("the environment")

    def __len__(self) -> int:
        raise withheld("the environment")


def withheld(what: str) -> InvalidInput:
    """The error that something of the user is not read."""
    from ansible_ensemble.expressions.context import TRUST

    return InvalidInput(f"{what} is not read for a project that is not trusted", hint=TRUST)


def load_environment(ensemble: Path, data: Mapping[str, Any], name: str | None = None) -> Environment:
    """The environment of an ensemble.

    Args:
        ensemble: its file.
        data: what the file holds, merge directives expanded.
        name: the environment asked for; None is the ensemble's `spec.environment`, else what the project says of the
            ensemble, else its default.

    Raises:
        InvalidInput: there is no such environment, or a section is wrong.
    """
    project, home = find_project(ensemble), home_project()
    entry = project.entry(ensemble)
    spec = data.get("spec")
    own = name is None and isinstance(spec, Mapping) and str(spec.get("environment") or "")
    chosen = name or own or (entry.environment if entry else "") or project.default_environment
    _check_name(chosen, project, home, place_of(spec, "environment") if own else None)
    warnings: list[str] = []
    layers: list[tuple[Mapping[str, Any], Path]] = []
    for source in filter(None, (home, project)):
        warnings += source.warnings
        layers += [(source.environments.get(key) or {}, source.root) for key in dict.fromkeys((DEFAULTS, chosen))]
    layers += [(layer, ensemble.parent) for layer in _own(data)]
    environment = Environment(
        chosen, project.root, ensemble.resolve().parent, warnings=warnings, trusted=is_trusted(ensemble)
    )
    raw: dict[str, dict[str, Any]] = {key: {} for key in _MAPS}
    lock: dict[str, Any] = {}
    execution: dict[str, Any] = {}
    for layer, folder in layers:
        for key in _MAPS:
            raw[key] |= _section(layer, key)
        _check_variables(layer)
        environment.external |= _externals(layer, folder)
        environment.repositories |= _repositories(layer, folder)
        execution |= given_settings(layer.get("execution"), place_of(layer, "execution"))
        if isinstance(layer.get("lfs_lock"), Mapping):
            lock |= layer["lfs_lock"]
        else:
            lfs_settings(layer.get("lfs_lock"), place_of(layer, "lfs_lock"))
    environment.inputs, environment.connections = raw.pop("inputs"), raw.pop("connections")
    environment.raw = raw
    environment.execution = ExecutionSettings(**execution)
    environment.lfs_lock = lfs_settings(lock, Place(str(project.file or ensemble)))
    return environment


def _own(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The layers of an ensemble's file, earlier ones first."""
    for key in ("context", "environment"):
        layer = data.get(key)
        if layer is not None and not isinstance(layer, Mapping):
            raise InvalidInput(f"{key} must be a map", place_of(data, key))
        yield layer or {}
    spec = data.get("spec")
    yield {"external": data.get("imports"), "variables": spec.get("env") if isinstance(spec, Mapping) else None}


def _check_name(name: str, project: Project, home: Project | None, place: Place | None) -> None:
    known = {*project.environments, *(home.environments if home else ())} - {DEFAULTS}
    if name and name != DEFAULTS and name not in known:
        hint = f"there are: {', '.join(sorted(known))}" if known else "no project names any"
        place = place or (Place(str(project.file)) if project.file else None)
        raise InvalidInput(f"there is no environment {name!r}", place, hint)


def _section(layer: Mapping[str, Any], key: str) -> dict[str, Any]:
    section = layer.get(key)
    if key in ("locals", "secrets") and isinstance(section, Mapping) and isinstance(section.get("attributes"), Mapping):
        section = section["attributes"]  # Unfurl's form, which has a schema beside it
    if section is None:
        return {}
    if not isinstance(section, Mapping):
        raise InvalidInput(f"{key} must be a map by name", place_of(layer, key))
    return {str(name): value for name, value in section.items()}


def _check_variables(layer: Mapping[str, Any]) -> None:
    for name in _section(layer, "variables"):
        if not is_rule(name):
            place = place_of(layer["variables"], name)
            raise InvalidInput(f"{name!r} cannot be the name of an environment variable", place)


def _externals(layer: Mapping[str, Any], folder: Path) -> dict[str, ExternalEnsemble]:
    """The imported ensembles: a path, `{ensemble, instance}`, or Unfurl's `{manifest: {file}, instance}`."""
    section = layer.get("external")
    found = {}
    for name, value in _section(layer, "external").items():
        item = {"ensemble": value} if isinstance(value, str) else value
        manifest = item.get("manifest", item) if isinstance(item, Mapping) else {}
        file = manifest.get("file", manifest.get("ensemble")) if isinstance(manifest, Mapping) else None
        if not isinstance(file, str):
            hint = "give a path, or a map with `ensemble` and `instance`"
            raise InvalidInput(f"the external ensemble {name!r} has no file", place_of(section, name), hint)
        path = resolved(folder / file)
        instance = str(item.get("instance") or "")
        found[name] = ExternalEnsemble(path / ENSEMBLE_FILE if is_folder(path) else path, instance.strip("*"))
    return found


def _repositories(layer: Mapping[str, Any], folder: Path) -> dict[str, tuple[str, Path]]:
    """The repositories by name: a path or URL, or a map with `url` or `file`."""
    section = layer.get("repositories")
    found = {}
    for name, value in _section(layer, "repositories").items():
        url = value.get("url", value.get("file")) if isinstance(value, Mapping) else value
        if not isinstance(url, str) or "\0" in url:
            raise InvalidInput(f"the repository {name!r} has no url", place_of(section, name), "a path, or a git URL")
        found[name] = (url, folder)
    return found


def _holds_vault(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_vault(item) for item in value.values())
    if isinstance(value, list):
        return any(_holds_vault(item) for item in value)
    return isinstance(value, VaultText)
