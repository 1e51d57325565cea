"""The inventory's variables of an Ansible session, rendered and marked: what expressions see of the inventory."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.hints import nearest
from ansible_ensemble.core.orders import CONTROLLER, fact_value
from ansible_ensemble.core.regex import regex
from ansible_ensemble.core.sensitive import is_secret_name, mark_sensitive
from ansible_ensemble.core.vault_errors import of_vault, vault_cause
from ansible_ensemble.documents.digest import digest_file
from ansible_ensemble.lanes import core
from ansible_ensemble.lanes.decrypted import is_connection_secret
from ansible_ensemble.lanes.host_patterns import host_matches
from ansible_ensemble.lanes.session import AnsibleSession

_WORD = regex(r"[A-Za-z_]\w*")
#: Groups that everything is in.
_ALWAYS = frozenset({"all", "ungrouped"})
_PLAIN = regex(r"[\w.*?-]+")
#: Names by which a template reaches variables that are not in it by their own names.
_INDIRECT = frozenset({"hostvars", "vars"})
#: Special variables about a run of Ansible: planning and executing a job are two.
_OF_RUNS = frozenset(
    f"ansible_{name}"
    for name in ("check_mode", "diff_mode", "forks", "inventory_sources", "limit", "run_tags", "skip_tags", "verbosity")
)
#: Variables that Ansible gives each host, about where it runs or about all hosts.
_OF_PLACES = frozenset(
    {"groups", "hostvars", "inventory_dir", "inventory_file", "omit", "playbook_dir"}.union(
        f"ansible_{name}" for name in ("config_file", "facts", "playbook_python", "version")
    )
)
#: Extra variables that are options of a job.
_OF_JOBS = regex(r"ensemble(_\w+)?")


class HostVariables:
    """The variables of the hosts of a session (the Protocol is `expressions.inventory.Inventory`).

    Args:
        session: whose inventory it is.
    """

    def __init__(self, session: AnsibleSession) -> None:
        self._session = session
        self._variables: dict[str, dict[str, Any]] = {}
        self._names: dict[str, Collection[str]] = {}
        self._values: dict[tuple[str, str], Any] = {}
        options = filter(_OF_JOBS.fullmatch, session.variable_manager.extra_vars)
        self._left_out = _OF_RUNS.union(options)

    @property
    def hosts(self) -> Collection[str]:
        """Names of the hosts."""
        hosts: dict[str, Any] = self._session.inventory.hosts
        return hosts.keys()

    def matching(self, pattern: str) -> list[str]:
        """Names of the hosts that a pattern means, in the inventory's order."""
        from ansible.errors import AnsibleError

        inventory = self._session.inventory
        known = {"all", "localhost", *inventory.hosts, *inventory.groups}
        if _PLAIN.fullmatch(pattern) and not fnmatch.filter(known, pattern):
            return []  # Ansible would warn
        try:
            found = inventory.get_hosts(pattern, ignore_limits=True, ignore_restrictions=True)
        except AnsibleError as error:
            raise InvalidInput(f'the pattern of hosts "{pattern}" cannot be read: {error}') from error
        except IndexError as error:  # a sign without a name
            raise InvalidInput(f'the pattern of hosts "{pattern}" cannot be read') from error
        return [str(host.name) for host in found]

    @property
    def is_named(self) -> bool:
        """Whether somebody named one; else there is only the controller."""
        return bool(self._session.sources)

    @cached_property
    def files(self) -> Collection[Path]:
        """The files and folders that it is read from."""
        return frozenset(Path(source).absolute() for source in self._session.sources if "," not in source)

    def unknown(self, pattern: str) -> InvalidInput | None:
        """The error that a pattern, or a name in it, means no host and no group; None if it means some.

        What is left out (`!name`) need not be there, as in Ansible; subscripts and regular expressions are left out.
        """
        from ansible.inventory.manager import split_host_pattern

        inventory = self._session.inventory
        known = [*CONTROLLER, *inventory.hosts, *inventory.groups]
        for term in split_host_pattern(pattern):
            name = term.removeprefix("&")
            if _PLAIN.fullmatch(name) and not fnmatch.filter(known, name):
                hint = "no inventory is named: -i FILE, or `inventory = FILE` in ansible.cfg, names one"
                if self.is_named:
                    near = nearest(name, sorted({*inventory.hosts, *inventory.groups} - _ALWAYS))
                    hint = "; ".join(filter(None, (near, f"the inventory is {', '.join(self._session.sources)}")))
                return InvalidInput(f'no host and no group of the inventory is "{name}"', hint=hint)
        return None

    def names(self, host: str) -> Collection[str]:
        """Names of the variables of a host, without those of the run and of the job."""
        if host not in self._names:
            self._names[host] = self._of(host).keys() - self._left_out
        return self._names[host]

    def value(self, host: str, name: str) -> Any:
        """A variable, rendered; marked as sensitive if it is a connection's password or holds what is encrypted.

        Raises:
            KeyError: there is no such host or variable.
        """
        if (host, name) not in self._values:
            self._values[host, name] = self._value(host, name)
        return self._values[host, name]

    def _value(self, host: str, name: str) -> Any:
        from ansible.errors import AnsibleError
        from ansible.template import Templar

        if name not in self.names(host):
            raise KeyError(name)
        variables = self._of(host)
        raw = variables[name]
        try:
            rendered = Templar(loader=self._session.loader, variables=variables).template(raw)
            value = core.jsonable(rendered)
        except AnsibleError as error:
            what = f"the variable {name} of the host {host} fails: "
            raise _failure(what, error, " ".join(str(error).split())) from error
        return mark_sensitive(value) if self._is_hidden(name, variables) else value

    def raw(self, host: str, name: str) -> Any:
        """A variable as it is written; marked as sensitive if it is a connection's password or holds what is encrypted.

        Raises:
            KeyError: there is no such host or variable.
        """
        if name not in self.names(host):
            raise KeyError(name)
        variables = self._of(host)
        value = core.jsonable(variables[name])
        return mark_sensitive(value) if self._is_hidden(name, variables) else value

    def written(self, host: str) -> dict[str, Any]:
        """The variables of a host as its inventory has them: without passwords, facts, and what a job or play gives.

        What is encrypted stays so.
        """
        variables = self._of(host)
        manager = self._session.variable_manager
        facts = variables["ansible_facts"]
        made = {*manager.extra_vars, *manager._nonpersistent_fact_cache.get(host, ())}
        made |= _OF_PLACES.union(facts, (f"ansible_{name}" for name in facts))
        names = (name for name in self.names(host) if name not in made and not is_secret_name(name))
        return {name: _as_written(variables[name]) for name in names}

    def fact(self, host: str, name: str) -> Any:
        """A fact of a host from Ansible's cache of facts, by its name in `ansible_facts` (see `orders.fact_value`).

        Raises:
            KeyError: there is no such host or fact.
        """
        return fact_value(core.jsonable(self._of(host)["ansible_facts"][name]))

    def matches(
        self, pattern: str, names: Iterable[str], groups: Mapping[str, Iterable[str]]
    ) -> list[tuple[str, Collection[str]]]:
        """The terms of a pattern, with what they match (see `lanes.host_patterns`)."""
        return host_matches(pattern, names, groups, self._session.inventory)

    def _of(self, host: str) -> dict[str, Any]:
        if host not in self._variables:
            known = self._session.inventory.get_host(host)
            if known is None:
                raise KeyError(host)
            from ansible.errors import AnsibleError

            try:
                self._variables[host] = self._session.variable_manager.get_vars(host=known)
            except AnsibleError as error:
                raise _failure(f"the variables of {host} cannot be read: ", error, str(error)) from error
        return self._variables[host]

    def _is_hidden(self, name: str, variables: dict[str, Any]) -> bool:
        return is_connection_secret(name) or self._is_secret(variables[name], variables, {name})

    def _is_secret(self, raw: Any, variables: dict[str, Any], seen: set[str]) -> bool:
        """Whether a value is encrypted, or a template that names one that is."""
        if isinstance(raw, dict):
            return any(self._is_secret(item, variables, seen) for item in raw.values())
        if isinstance(raw, (list, tuple)):
            return any(self._is_secret(item, variables, seen) for item in raw)
        if core.is_vaulted(raw) or _is_encrypted(core.source_of(raw)):
            return True
        if not isinstance(raw, str) or "{" not in raw:
            return False
        words = set(_WORD.findall(raw))
        if words & _INDIRECT or any(map(is_connection_secret, words & variables.keys())):
            return True  # the former may name any
        new = (words & variables.keys()) - seen
        seen |= new
        return any(self._is_secret(variables[name], variables, seen) for name in new)


def _as_written(value: Any) -> Any:
    """A variable as plain data; what is encrypted is given as that."""
    from ansible.parsing.vault import VaultHelper

    if isinstance(value, dict):
        return {str(key): _as_written(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_written(item) for item in value]
    if core.is_vaulted(value):
        return VaultHelper.get_ciphertext(value, with_tags=False)
    source = core.source_of(value)
    return _encrypted_digest(source) if source and _is_encrypted(source) else core.jsonable(value)


@cache
def _encrypted_digest(path: str) -> str:
    return digest_file(Path(path))


@cache
def _is_encrypted(path: str | None) -> bool:
    from ansible.parsing.vault import b_HEADER, is_encrypted

    if path is None:
        return False
    try:
        with Path(path).open("rb") as file:
            return bool(is_encrypted(file.read(len(b_HEADER))))
    except OSError:
        return False


def _failure(what: str, error: BaseException, text: str) -> InvalidInput:
    """What could not be read, with the vault's words if that is why, else with a text of the error."""
    cause = vault_cause(error)
    return of_vault(cause, what=what) if cause else InvalidInput(what + text)
