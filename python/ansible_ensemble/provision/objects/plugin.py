"""Plugins: programs that carry out actions and hear of events, and how each of them is set up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

from ansible_ensemble.provision.objects.base import Object, Record, Reference, Whole
from ansible_ensemble.provision.objects.names import NAME


class AvailableAction(Record, frozen=True, kw_only=True):
    """An action that an object offers.

    Attributes:
        provider: who carries it out; task lists may name it, as in `action:PROVIDER:COMMAND`.
        model: the kind of objects that it is for.
        command: its name.
        required_params: what has to be known of the object or said in the request.
        optional_params: what may be known or said.
    """

    provider: str = ""
    model: str = ""
    command: str = ""
    required_params: list[str] = []
    optional_params: list[str] = []


class PluginProvider(Object, frozen=True, kw_only=True):
    """A program that plugins are made of, as it describes itself.

    Attributes:
        auto_start: whether there is to be a plugin of its name.
        has_publish: whether its plugins are told of all events.
        content: a bundle of content in YAML that it needs.
    """

    PREFIX: ClassVar[str] = "plugin_providers"
    SUMMARY: ClassVar[str] = "programs that plugins are made of"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "Version", "RequiredParams", "OptionalParams")
    TITLE: ClassVar[str] = "Plugin provider"
    LOOKED_AT: ClassVar[tuple[str, ...]] = ("required_params",)

    name: str = ""
    version: str = ""
    plugin_version: Whole = 0
    auto_start: bool = False
    has_publish: bool = False
    available_actions: list[AvailableAction] = []
    required_params: list[str] = []
    optional_params: list[str] = []
    store_objects: dict[str, Any] = {}
    documentation: str = ""
    content: str = ""


class Plugin(Object, frozen=True, kw_only=True):
    """A plugin: a provider and its params; the server runs it as long as it is available.

    Attributes:
        plugin_errors: why it does not run, though it should; the server knows them.
        secret: what tokens of the plugin are bound to. Never shown.
        partial: whether fields were left out of an answer.
    """

    PREFIX: ClassVar[str] = "plugins"
    SUMMARY: ClassVar[str] = "what extends the server, by a provider and params"
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "Provider", "Available", "PluginErrors", "Description")
    REFERS: ClassVar[tuple[str, ...]] = ("params", "plugin_providers")
    ACTIONS: ClassVar[tuple[str, ...]] = ("getSecure",)
    COMPUTED: ClassVar[frozenset[str]] = Object.COMPUTED | {"PluginErrors", "Secret", "Partial"}
    PROOFS: ClassVar[frozenset[str]] = frozenset({"Secret"})

    name: str = ""
    description: str = ""
    documentation: str = ""
    params: dict[str, Any] = {}
    provider: str = ""
    plugin_errors: list[str] = []
    secret: str = ""
    partial: bool = False

    def references(self) -> Iterator[Reference]:
        """Its provider, and the definitions of its params."""
        yield "plugin_providers", self.provider
        yield from (("params", name) for name in self.params)

    def problems(self) -> Iterator[str]:
        """It needs a provider."""
        if not NAME.fullmatch(self.provider):
            yield f"Invalid Provider `{self.provider}`"

    def public(self) -> Self:
        """The plugin without what proves who it is."""
        return self.replaced(secret="")
