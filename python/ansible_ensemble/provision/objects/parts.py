"""Values that several kinds of objects contain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ansible_ensemble.provision.objects.base import Record, Reference, Whole

#: Prefixes of entries of a task list that are no tasks, and the kind of object that each names, if any.
PSEUDO_ENTRIES = {"stage": "stages", "bootenv": "bootenvs", "context": "", "action": "", "chroot": ""}


class TemplateInfo(Record, frozen=True, kw_only=True):
    """A template of a task, stage or bootenv: by its ID, by its text, or by a link.

    Attributes:
        name: its name among the templates of its owner.
        path: where the rendered file goes, itself a template; a task's template without one is a script.
        id: the `Template` that is rendered.
        contents: the text that is rendered, instead of a `Template`.
        link: an address to get the text from, instead of both.
    """

    name: str = ""
    path: str = ""
    link: str = ""
    id: str = ""
    contents: str = ""
    meta: dict[str, str] = {}


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """What may be done: an action on specific objects of a scope; each may be `*` or a comma list."""

    scope: str = ""
    action: str = ""
    specific: str = ""


class OperatingSystem(Record, frozen=True, kw_only=True):
    """The operating system that a bootenv boots or installs."""

    name: str = ""
    family: str = ""
    codename: str = ""
    version: str = ""
    iso_file: str = ""
    iso_sha256: str = ""
    iso_url: str = ""
    supported_architectures: dict[str, object] = {}


class Fingerprint(Record, frozen=True, kw_only=True):
    """By what a machine is known again; hashes are base64."""

    ssn_hash: str = ""
    csn_hash: str = ""
    cloud_instance_id: str = ""
    system_uuid: str = ""
    memory_ids: list[str] = []


class TaskErrorStack(Record, frozen=True, kw_only=True):
    """A task list that waits until the handlers of a failed task are through."""

    current_task: Whole = 0
    task_list: list[str] = []


def split_entry(entry: str) -> tuple[str, str]:
    """An entry of a task list as its prefix and value; the prefix of a task is empty."""
    prefix, colon, value = entry.partition(":")
    return (prefix, value) if colon and prefix in PSEUDO_ENTRIES else ("", entry)


def entry_references(entries: Sequence[str]) -> Iterator[Reference]:
    """The objects that the entries of a task list name."""
    for entry in entries:
        prefix, value = split_entry(entry)
        kind = PSEUDO_ENTRIES[prefix] if prefix else "tasks"
        if kind and value:
            yield kind, value


def template_references(templates: Sequence[TemplateInfo]) -> Iterator[Reference]:
    """The templates that are named by their ID."""
    return (("templates", template.id) for template in templates if template.id)
