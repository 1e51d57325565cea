"""Packs as files: a folder as the field lays it out, or a bundle."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.provision.content.defaults import meta_without_defaults, without_defaults
from ansible_ensemble.provision.content.folder import DATA, META, TEMPLATES
from ansible_ensemble.provision.objects import SECTIONS
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.bundle import BundleMeta
from ansible_ensemble.provision.objects.content import Template

#: What some readers take for the end of a line; quoted in double quotes, it is escaped.
_BREAKS = ("\r", "\x85", "\u2028", "\u2029", "\ufeff")


def is_bundle_file(path: Path) -> bool:
    """Whether a path is that of a bundle, and not of a folder."""
    return path.suffix in DATA


def write_pack(meta: BundleMeta, objects: Iterable[Object], path: Path) -> None:
    """Write a pack: a bundle to a path that ends in .yaml, .yml or .json, else a folder, which must not be there."""
    try:
        if is_bundle_file(path):
            _write_whole(path, bundle_text(meta, objects, path.suffix))
        else:
            _write_folder(meta, objects, path)
    except OSError as error:
        raise EnsembleError(f"it cannot be written: {error.strerror}", Place(str(path))) from None


def bundle_text(meta: BundleMeta, objects: Iterable[Object], suffix: str) -> str:
    """A pack as one file of YAML, or of JSON for the suffix .json."""
    sections: dict[str, dict[str, Any]] = {}
    for one in _ordered(objects):
        sections.setdefault(one.PREFIX, {})[one.key] = without_defaults(one)
    whole = {"meta": meta_without_defaults(meta), "sections": sections}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n" if suffix == ".json" else yaml_text(whole)


def yaml_text(value: Any) -> str:
    """Data as YAML that people can read, and that every version of YAML reads alike."""
    return yaml.dump(value, Dumper=_Dumper, default_flow_style=False, allow_unicode=True, sort_keys=False, width=120)


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as they are, and quotes what older readers take for truth."""

    def ignore_aliases(self, _data: Any) -> bool:
        """Write each value where it is."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else "'" if text in ("y", "n", "Y", "N") or text[:1].isdigit() else None
    if any(mark in text for mark in _BREAKS):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style)


_Dumper.add_representer(str, _text)


def _ordered(objects: Iterable[Object]) -> list[Object]:
    ranks = {section: rank for rank, section in enumerate(SECTIONS)}
    return sorted(objects, key=lambda one: (ranks[one.PREFIX], one.key))


def _write_folder(meta: BundleMeta, objects: Iterable[Object], folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput("there is something already", Place(str(folder)), "remove it, or name another folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".pack-", dir=folder.parent) as made:
        whole = Path(made) / "pack"
        for name, text in _files(meta, _ordered(objects)):
            file = whole / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        whole.rename(folder)


def _files(meta: BundleMeta, objects: Iterable[Object]) -> Iterator[tuple[str, str]]:
    """The files of a folder: their paths in it, and their texts."""
    taken: set[str] = set()
    yield META, yaml_text(meta_without_defaults(meta))
    for one in objects:
        if not one.NAMES.fullmatch(one.key):
            raise InvalidInput(f"{one.PREFIX}/{one.key}: no file can have this name")
        fields = without_defaults(one)
        raw = _is_raw(one, fields)
        name = f"{one.PREFIX}/{one.key if raw else _free(one, taken)}"
        taken.add(name)
        yield name, fields.get("Contents", "") if raw else yaml_text(fields)


def _is_raw(one: Object, fields: Mapping[str, Any]) -> bool:
    """Whether a template can be a file of its text."""
    known = fields.keys() <= {Template.key_field(), "Contents"}
    readable = all(character.isprintable() or character in "\t\r\n" for character in fields.get("Contents", ""))
    bom = str(fields.get("Contents", "")).startswith("\ufeff")
    return one.PREFIX == TEMPLATES and known and readable and not bom and Path(one.key).suffix not in DATA


def _free(one: Object, taken: set[str]) -> str:
    """A name for the file of an object that no other file has."""
    base = one.key.replace("/", ".")
    number, name = 1, f"{base}.yaml"
    while f"{one.PREFIX}/{name}" in taken:
        number += 1
        name = f"{base}-{number}.yaml"
    return name


def _write_whole(path: Path, text: str) -> None:
    """Write a file such that it is never there in part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(text.encode())
    part.replace(path)
