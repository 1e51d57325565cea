"""Plugins as the store has them: what providers there are, and how each plugin is to be run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ansible_ensemble.provision.objects.bundle import BundleRecord
from ansible_ensemble.provision.objects.codec import decode, encode
from ansible_ensemble.provision.objects.plugin import Plugin, PluginProvider
from ansible_ensemble.provision.rules.object_edit import created_object
from ansible_ensemble.provision.rules.parameters import is_secure, value_of
from ansible_ensemble.provision.rules.refusal import invalid
from ansible_ensemble.provision.service import crud
from ansible_ensemble.provision.service.batch import Batch
from ansible_ensemble.provision.service.contents import create_content, replace_content
from ansible_ensemble.provision.service.fields import as_new
from ansible_ensemble.provision.service.secure_params import Revealed
from ansible_ensemble.provision.store.transaction import Reader, Transaction


class Setup(Struct, frozen=True):
    """How a plugin is to be run.

    Attributes:
        params: its own, and defaults of those that its provider knows; secure ones open.
        secure: the names of those that must not be shown.
        secret: what its tokens are bound to.
    """

    name: str
    provider: PluginProvider
    params: dict[str, Any]
    secure: frozenset[str]
    secret: str


def defined_provider(text: bytes) -> PluginProvider:
    """A provider as its program describes it.

    Raises:
        Undecodable: the text is no description.
    """
    said = as_new(decode(PluginProvider, text))
    actions = [one.replaced(provider=said.name) for one in said.available_actions]
    return said.replaced(available_actions=actions, read_only=True)


def keep_provider(tx: Transaction, provider: PluginProvider) -> None:
    """Keep a provider with its content, and make its plugin if there is to be one.

    Raises:
        Refused: it, its content or its plugin breaks a rule.
    """
    if provider.content:
        _load_content(tx, provider)
    batch = Batch(tx)
    batch.keep(created_object(provider, batch).replaced(read_only=True))
    if provider.auto_start and tx.get(Plugin, provider.name) is None:
        crud.create(tx, Plugin.PREFIX, encode({"Name": provider.name, "Provider": provider.name}))


def _load_content(tx: Transaction, provider: PluginProvider) -> None:
    try:
        bundle = msgspec.yaml.decode(provider.content, type=dict[str, Any])
        about = {**bundle.get("meta", {}), "Name": provider.name, "Version": provider.version, "Type": "plugin"}
    except (msgspec.DecodeError, TypeError) as error:
        raise invalid(f"Content: {error}", model=provider.PREFIX, key=provider.name) from None
    body = encode({**bundle, "meta": about})
    if tx.get(BundleRecord, provider.name):
        replace_content(tx, provider.name, body)
    else:
        create_content(tx, body)


def forget_providers(tx: Transaction, but: Iterable[str]) -> None:
    """Forget the providers that are not any more; plugins of them are not available then."""
    batch, kept = Batch(tx), set(but)
    for one in tx.all(PluginProvider):
        if one.name not in kept:
            batch.remove(one)
    batch.write()


def setups(reader: Reader) -> Iterator[Setup]:
    """How those plugins are to be run that can be used."""
    catalog = Revealed(reader)
    for plugin in reader.all(Plugin):
        provider = reader.get(PluginProvider, plugin.provider)
        if plugin.available and provider:
            owner = catalog.of(plugin)
            names = sorted({*plugin.params, *provider.required_params, *provider.optional_params})
            params = {name: value for name in names if (value := value_of(owner, name, catalog)) is not None}
            secure = frozenset(name for name in params if is_secure(name, reader))
            yield Setup(plugin.name, provider, params, secure, plugin.secret)


def note_errors(tx: Transaction, name: str, errors: Sequence[str]) -> None:
    """Say of a plugin why it does not run."""
    plugin = tx.get(Plugin, name)
    if plugin and plugin.plugin_errors != errors:
        tx.save(plugin.replaced(plugin_errors=[*errors]))
