"""An environment: what differs between the places an ensemble is deployed to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from ansible_ensemble.core.environment import Changes, apply_rules
from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.notices import Notice
from ansible_ensemble.core.sensitive import is_sensitive, mark_sensitive
from ansible_ensemble.documents.paths import confine
from ansible_ensemble.documents.scalars import VaultText, as_written
from ansible_ensemble.documents.yaml import parse_yaml, place_of
from ansible_ensemble.projects.execution_settings import ExecutionSettings, StateSettings
from ansible_ensemble.projects.lfs_lock import LfsSettings
from ansible_ensemble.projects.mesh_settings import MeshSettings
from ansible_ensemble.projects.project import ENSEMBLE_FILE
from ansible_ensemble.projects.vault import Vault

#: The secret of Unfurl's that holds passwords by vault id.
VAULT_PASSWORDS = "vault_secrets"

#: A map of secrets in the project or beside the ensemble, usually encrypted.
SECRETS_FILES = ("secrets/secrets.yaml", "secrets/secrets.yml")


class Values(Mapping[str, Any]):
    """Values by name, each made of what is written when it is first read."""

    def __init__(self, raw: Mapping[str, Any], make: Callable[[Any], Any]) -> None:
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


class ExternalEnsemble(Struct, frozen=True):
    """Another ensemble, by the name it is imported under.

    Attributes:
        ensemble: its file, absolute.
        instance: the instance that is meant; empty for its topology.
    """

    ensemble: Path
    instance: str = ""


class Environment(Struct):
    """An environment, merged.

    Attributes:
        name: its name; empty if none was chosen and the project has no default.
        root: the project's folder, which files stay inside.
        folder: the ensemble's folder.
        inputs, connections: as they are written.
        blueprint: the name of the deployment blueprint that ensembles use; empty if none is named.
        external: other ensembles by name.
        repositories: by name, a path or URL as it is written, and the folder that a relative path starts in.
        import_from: prefixes of the URLs that files may be imported from.
        lfs_lock: how all clones are locked.
        execution: how jobs run.
        state: where state lives; None is the ensemble's folder.
        mesh: which operations run on nodes of a mesh; None if there is none.
        vault: opens what is encrypted.
        raw: `variables`, `locals`, `secrets` as they are written.
        notices: of keys in the projects' files that have no effect.
        trusted: whether what is written may run code when it is evaluated.
    """

    name: str
    root: Path
    folder: Path
    inputs: dict[str, Any] = field(default_factory=dict)
    connections: dict[str, Any] = field(default_factory=dict)
    blueprint: str = ""
    external: dict[str, ExternalEnsemble] = field(default_factory=dict)
    repositories: dict[str, tuple[str, Path]] = field(default_factory=dict)
    import_from: list[str] = field(default_factory=list)
    lfs_lock: LfsSettings = field(default_factory=LfsSettings)
    execution: ExecutionSettings = field(default_factory=ExecutionSettings)
    state: StateSettings | None = None
    mesh: MeshSettings | None = None
    vault: Vault = field(default_factory=Vault)
    raw: dict[str, dict[str, Any]] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    trusted: bool = False
    _variables: Changes | None = None
    _sensitive_variables: list[tuple[str, Any]] = field(default_factory=list)
    _secrets: Values | None = None

    @property
    def variables(self) -> dict[str, str | None]:
        """What is changed in the process's environment by the rules of `core.environment`; None removes a variable."""
        if self._variables is None:
            rules = {name: self._variable(name, value) for name, value in self.raw.get("variables", {}).items()}
            self._variables = apply_rules(rules, os.environ if self.trusted else {}, as_written)
            # what a rule puts before another value, or is replaced by the next one, is as secret by itself
            values = [*rules.items(), *self._variables.items()]
            self._sensitive_variables = [(name, value) for name, value in values if is_sensitive(value)]
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
        """Secrets, each decrypted and evaluated when it is read: those of `SECRETS_FILES`, then those of the layers."""
        if self._secrets is None:
            raw: dict[str, Any] = {}
            for folder in dict.fromkeys((self.root, self.folder)):
                for name in SECRETS_FILES:
                    raw |= self._secrets_of(folder / name) or self._secrets_of(folder / f".{name}")
            raw |= self.raw.get("secrets", {})
            self._secrets = Values(raw, self._secret)
        return self._secrets

    def afresh(self) -> Environment:
        """A copy whose values are evaluated again, as a job may have changed their sources."""
        return replace(self, _variables=None, _sensitive_variables=[], _secrets=None)

    def take_vault_passwords(self) -> dict[str, str]:
        """Remove Unfurl's vault passwords from the secrets, and return them by id.

        `UNFURL_VAULT_ID_PASSWORD` replaces the one of an id, which may be left blank for it.
        """
        written = self.raw.get("secrets", {}).pop(VAULT_PASSWORDS, None) or {}
        if not isinstance(written, Mapping):
            raise InvalidInput(f"{VAULT_PASSWORDS} must be a map by vault id", place_of(written))
        found = {}
        for name, value in written.items():
            variable = f"UNFURL_VAULT_{str(name).upper()}_PASSWORD"
            password = os.environ.get(variable) if self.trusted else None
            password = self._evaluate(value) if password is None else password
            if password is None:
                continue
            if not isinstance(password, str) or not password:
                hint = f"write one, or set {variable}"
                raise InvalidInput(f"the vault password {name!r} is no text", place_of(written, name), hint)
            found[str(name)] = password
        return found

    def value(self, written: Any) -> Any:
        """What is written in a section, decrypted and evaluated."""
        return self._evaluate(written)

    def secret(self, name: str) -> Any:
        """The secret of this name.

        Raises:
            KeyError: there is none.
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
        if data is not None and data.get("kind") == "Project":
            data = self._secrets_of_project(data)
        return {str(name): value for name, value in (data or {}).items()}

    def _secrets_of_project(self, data: Mapping[Any, Any]) -> dict[Any, Any]:
        """The secrets in what Unfurl merges into a project's file; in a fresh clone it is there encrypted only."""
        found: dict[Any, Any] = {}
        for name in dict.fromkeys(("defaults", self.name)):
            layer: Any = data
            for key in ("environments", name, "secrets"):
                layer = layer.get(key) if isinstance(layer, Mapping) else None
            found |= layer if isinstance(layer, Mapping) else {}
        return found

    def _variable(self, name: str, value: Any) -> Any:
        value = self._evaluate(value)
        if isinstance(value, (Mapping, list)):
            raise InvalidInput(f"the environment variable {name!r} must be a text or a number", Place(str(self.root)))
        return value

    def _evaluate(self, value: Any) -> Any:
        value = self._decrypted(value)
        if not isinstance(value, (str, Mapping, list)):
            return value
        from ansible_ensemble.functions.table import evaluate_without_topology
        from ansible_ensemble.views.evaluation_environment import EvaluationEnvironment

        environ = os.environ if self.trusted else OwnVariables({})
        around = EvaluationEnvironment(self.root, self.folder, environ=environ, trusted=self.trusted)
        return evaluate_without_topology(value, self.folder / ENSEMBLE_FILE, around)

    def _decrypted(self, value: Any) -> Any:
        if isinstance(value, VaultText):
            return mark_sensitive(self.vault.decrypt(value))
        if isinstance(value, Mapping) and _holds_vault(value):
            return {key: self._decrypted(item) for key, item in value.items()}
        if isinstance(value, list) and _holds_vault(value):
            return [self._decrypted(item) for item in value]
        return value


class OwnVariables(Mapping[str, Any]):
    """The environment variables that an untrusted project may read: those it sets itself."""

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
    """The error for reading something of the user's in an untrusted project."""
    from ansible_ensemble.expressions.context import TRUST

    return InvalidInput(f"{what} is not read for a project that is not trusted", hint=TRUST)


def _holds_vault(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_vault(item) for item in value.values())
    if isinstance(value, list):
        return any(_holds_vault(item) for item in value)
    return isinstance(value, VaultText)
