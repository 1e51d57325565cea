"""Packs of content that somebody wants on a server."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, raise_all
from ansible_ensemble.provision.client.client import Client
from ansible_ensemble.provision.client.failure import NOT_FOUND, RequestFailed
from ansible_ensemble.provision.content.changes import Change, changes, summary
from ansible_ensemble.provision.content.check import Checked, check, read_pack
from ansible_ensemble.provision.content.decoding import decoded_meta
from ansible_ensemble.provision.content.pack import Pack
from ansible_ensemble.provision.content.server import load, surroundings
from ansible_ensemble.provision.desired.prediction import answered
from ansible_ensemble.provision.objects.bundle import Bundle
from ansible_ensemble.provision.service.contents import remove_content
from ansible_ensemble.provision.service.snapshot import Snapshot

Plain = dict[str, Any]
#: Runs a function of a client.
Ask = Callable[[Callable[[Client], Awaitable[Any]]], Any]


def pack_at(path: str) -> Pack:
    """The pack in a folder or a bundle file."""
    return read_pack(Path(path))


def pack_of(bundle: Mapping[str, Any]) -> Pack:
    """The pack that a bundle is, which is in no file."""
    with TemporaryDirectory(prefix="bundle-") as folder:
        file = Path(folder) / "bundle.json"
        file.write_text(json.dumps(bundle), encoding="utf-8")
        return read_pack(file)


def bring_pack(ask: Ask, pack: Pack, *, strict: bool, in_file: bool, dry: bool) -> Plain:
    """Load a pack, in the place of what the server has of its name, if anything of it differs.

    Args:
        ask: asks the server.
        pack: the pack.
        strict: whether warnings are errors.
        in_file: whether its places are those of a file that somebody knows.
        dry: load nothing, and tell what would change.
    """
    name = decoded_meta(pack.meta)[0].name
    keys = {(entry.section, entry.key) for entry in pack.entries}
    checked = check(pack, ask(lambda client: surroundings(client, name, keys)))
    raise_all(_placed(error, in_file) for error in [*checked.errors, *(checked.warnings if strict else ())])
    found = changes(checked.before, checked.after)
    if not dry and any(one.kind != "unchanged" for one in found):
        found = ask(lambda client: load(client, checked.bundle))
    return _result(checked, found, in_file)


def _placed(error: InvalidInput, in_file: bool) -> InvalidInput:
    return error if in_file else InvalidInput(error.message, hint=error.hint)


def _result(checked: Checked, found: Sequence[Change], in_file: bool) -> Plain:
    return {
        "changed": any(one.kind != "unchanged" for one in found),
        "name": checked.bundle.meta.name,
        "sections": summary(found),
        "warnings": [str(_placed(warning, in_file)) for warning in checked.warnings],
        "diff": {"prepared": "".join(one.diff for one in found)},
    }


def remove_pack(ask: Ask, name: str, *, dry: bool) -> Plain:
    """Remove a bundle and its objects, if it is loaded."""
    held: Bundle | None = ask(lambda client: _held(client, name))
    if held is None:
        return {"changed": False, "name": name, "sections": {}, "diff": {"prepared": ""}}
    if dry:
        seen = ask(lambda client: surroundings(client, name, ()))
        answered(lambda: remove_content(Snapshot(seen.objects, seen.preferences), name))
    else:
        ask(lambda client: client.remove_content(name))
    gone = {section: _gone(sorted(objects)) for section, objects in held.sections.items()}
    text = "".join(f"- {section}/{key}\n" for section, of in gone.items() for key in of["removed"])
    return {"changed": True, "name": name, "sections": gone, "diff": {"prepared": text}}


def _gone(keys: list[str]) -> dict[str, list[str]]:
    return {"added": [], "changed": [], "removed": keys, "unchanged": []}


async def _held(client: Client, name: str) -> Bundle | None:
    try:
        return await client.content(name)
    except RequestFailed as error:
        if error.exit_code != NOT_FOUND:
            raise
        return None
