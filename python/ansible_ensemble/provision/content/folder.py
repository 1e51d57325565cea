"""The folder of a pack, as the field's tools lay it out.

`meta.yaml`, or a file `._Name.meta` for each text, says what the pack is. Each kind of object has a folder of its name,
with a file of YAML or JSON for each object. Below `templates`, each other file is a template whose ID is its name.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.hints import closest
from ansible_ensemble.provision.content.document import Document, Spot, parse
from ansible_ensemble.provision.content.files import MOST_BYTES, entries_of, files_below, read_text
from ansible_ensemble.provision.content.pack import Entry, Pack
from ansible_ensemble.provision.objects import SECTIONS
from ansible_ensemble.provision.objects.bundle import BundleMeta
from ansible_ensemble.provision.objects.codec import field_names

META = "meta.yaml"
TEMPLATES = "templates"
#: How the names of files end whose data are objects.
DATA = (".yaml", ".yml", ".json")
_CONTENT = (*DATA, ".tmpl")
#: Files that a pack may have several spellings of.
_METAS = (META, "meta.yml", "meta.json")


def read_folder(folder: Path) -> Pack:
    """The pack in a folder; what is wrong with its files is among its errors."""
    return _Folder(folder).pack()


class _Folder:
    """Reads the files of one folder."""

    def __init__(self, folder: Path) -> None:
        self._root = folder
        self._errors: list[InvalidInput] = []
        self._unread: set[str] = set()
        self._entries: list[Entry] = []
        self._known: dict[str, Entry] = {}
        self._bytes = 0

    def pack(self) -> Pack:
        found = entries_of(self._root)
        meta = self._meta([entry.name for entry in found if entry.name in _METAS])
        for entry in found:
            if entry.name in SECTIONS:
                self._section(entry)
            elif entry.name not in _METAS:
                self._errors.extend(_stray(Path(entry.path)))
        if self._bytes > MOST_BYTES:
            message = f"the pack has more than {MOST_BYTES // 2**20} MiB"
            self._errors.append(InvalidInput(message, Place(str(self._root)), "servers take no more; split it"))
        return Pack(meta, self._entries, self._errors, frozenset(self._unread))

    def _text(self, file: Path) -> str:
        text = read_text(file, self._root)
        self._bytes += len(text)
        return text

    # --- what the pack says of itself ---

    def _meta(self, names: list[str]) -> Entry:
        for name in names[1:]:
            message = f"the pack has {names[0]} already"
            self._errors.append(InvalidInput(message, Place(str(self._root / name)), "keep one of them"))
        document = self._document(self._root / names[0]) if names else None
        if document is None or not isinstance(document.value, dict):
            if document:
                self._errors.append(InvalidInput("it must hold a map", document.spot(()).value, "as in Name: my-pack"))
            place = Place(str(self._root / META), 1, 1) if names else Place(str(self._root))
            document = Document({}, {(): Spot(place, place)})
        if document.value.get("Name") is None and not names and not (self._root / "._Name.meta").is_file():
            message, hint = "the pack has no meta.yaml", "it is to say at least Name: NAME"
            self._errors.append(InvalidInput(message, Place(str(self._root)), hint))
        self._single_metas(document)
        return Entry("meta", "", document.value, document)

    def _single_metas(self, document: Document) -> None:
        """Take over the files that hold one text each; what both say must be the same."""
        for name in field_names(BundleMeta):
            file = self._root / f"._{name}.meta"
            if not os.path.lexists(file):
                continue
            try:
                text = self._text(file).strip("\r\n")
            except InvalidInput as error:
                self._errors.append(error)
                continue
            place = Place(str(file), 1, 1)
            if document.value.setdefault(name, text) != text:
                self._errors.append(InvalidInput(f"{META} says another {name}", place, "keep one of them"))
            document.spots.setdefault((name,), Spot(place, place))  # type: ignore[attr-defined] # it is a dict

    # --- objects ---

    def _section(self, entry: os.DirEntry[str]) -> None:
        section = entry.name
        if not entry.is_dir():
            hint = f"with a file for each of the {section}"
            self._lost(section, InvalidInput("it must be a folder", Place(str(Path(entry.path))), hint))
            return
        try:
            files = self._files(Path(entry.path))
        except InvalidInput as error:
            self._lost(section, error)
            return
        for file in files:
            try:
                self._add(self._object(section, Path(entry.path), file))
            except InvalidInput as error:
                self._lost(section, error)

    def _files(self, folder: Path) -> list[Path]:
        """The files below a section's folder, those of folders in it after its own."""
        if not folder.resolve().is_relative_to(self._root.resolve()):
            raise InvalidInput("it leads out of the pack", Place(str(folder)), "copy the folder into the pack")
        return files_below(folder)

    def _object(self, section: str, folder: Path, file: Path) -> Entry:
        kind, place = SECTIONS[section], Place(str(file))
        if file.suffix in DATA:
            if file.parent != folder:
                raise InvalidInput("it is not read in a folder of its own", place, f"move it to {section}/")
            document = parse(self._text(file), file)
            return _entry(section, kind.key_field(), document)
        if section != TEMPLATES:
            raise InvalidInput("it is neither YAML nor JSON", place, "its name is to end in .yaml, .yml or .json")
        spot = Spot(Place(str(file), 1, 1), Place(str(file), 1, 1), first=1)
        name = file.relative_to(folder).as_posix()
        return Entry(section, name, {"ID": name, "Contents": self._text(file)}, Document({}, _Anywhere(spot)))

    def _add(self, entry: Entry) -> None:
        other = self._known.setdefault(entry.name, entry)
        if other is not entry:
            raise entry.error(f"it is defined already in {other.spot().value.file}", hint="remove one of the two")
        self._entries.append(entry)

    def _document(self, file: Path) -> Document | None:
        try:
            return parse(self._text(file), file)
        except InvalidInput as error:
            self._errors.append(error)
            return None

    def _lost(self, section: str, error: InvalidInput) -> None:
        self._errors.append(error)
        self._unread.add(section)


class _Anywhere(Mapping[Any, Spot]):
    """The spots of a file that is one text."""

    def __init__(self, spot: Spot) -> None:
        self._spot = spot

    def __getitem__(self, path: Any) -> Spot:
        return self._spot

    def __iter__(self) -> Iterator[Any]:
        return iter([()])

    def __len__(self) -> int:
        return 1


def _entry(section: str, key: str, document: Document) -> Entry:
    if not isinstance(document.value, dict):
        raise InvalidInput("it must hold a map", document.spot(()).value, f"as in {key}: NAME")
    found = next((value for name, value in document.value.items() if name.casefold() == key.casefold()), None)
    if not isinstance(found, str) or not found:
        raise InvalidInput(f"it has no {key}, which is a text", document.spot((key,)).value, f"as in {key}: NAME")
    return Entry(section, found, document.value, document)


def _stray(path: Path) -> Iterator[InvalidInput]:
    """Files that look like content, where none is read."""
    if path.is_dir() and not path.is_symlink():
        content = [file for file in files_below(path) if file.suffix in _CONTENT]
        if content:
            meant = closest(path.name, SECTIONS)
            hint = f"did you mean {meant}?" if meant else f"sections are {', '.join(SECTIONS)}"
            yield InvalidInput(f"{path.name}: no such section", Place(str(content[0])), hint)
    elif path.suffix in _CONTENT:
        yield InvalidInput("it is in no section", Place(str(path)), f"move it to one of {', '.join(SECTIONS)}")
