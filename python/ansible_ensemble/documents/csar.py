"""Cloud service archives: TOSCA 1.3, section 6, and their version 2.0 of TOSCA 2.0."""

from __future__ import annotations

import errno
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.hints import slip_hint
from ansible_ensemble.core.notices import Notice, NoticeCode, Rewrite
from ansible_ensemble.documents.paths import confine
from ansible_ensemble.documents.yaml import place_of, read_yaml

_FOLDER = "TOSCA-Metadata"
META = f"{_FOLDER}/TOSCA.meta"
#: Where the metadata may be: CSAR 2.0 may have it at the root.
_METAS = (META, "TOSCA.meta")
#: Names of TOSCA.meta that act; a tool may add its own [TOSCA 1.3, 6.2].
META_KEYS = ("TOSCA-Meta-File-Version", "CSAR-Version", "Created-By", "Entry-Definitions", "Other-Definitions")
_REQUIRED = META_KEYS[:3]
#: The same of CSAR 2.0, whose metadata has no version of its own.
_REQUIRED_2 = META_KEYS[1:3]
_YAML = (".yaml", ".yml")
_GIT = ".git"
MAX_ENTRIES = 20_000
"""How many files an archive may hold."""
MAX_SIZE = 1 << 30
"""How many bytes an archive may unpack to."""
MAX_RATIO = 200
"""How many times its packed size a file may unpack to, from 1 MiB on."""


def open_csar(path: Path, into: Path) -> Path:
    """Unpack an archive into a folder, check its layout, and return its entry service template.

    That is the one that TOSCA.meta names, else the only YAML file at the root. A folder with an archive's layout is
    used where it is; the one to unpack into must be missing or empty.
    """
    import tempfile

    if path.is_dir():
        return find_entry(path)
    if not path.exists():
        raise InvalidInput(f"there is no file {path}", hint="check the path")
    try:
        into.parent.mkdir(parents=True, exist_ok=True)
        if into.exists() and any(into.iterdir()):
            raise EnsembleError(f"the folder {into} is not empty")
        unpacked = Path(tempfile.mkdtemp(prefix=f".{into.name}.", dir=into.parent))
        try:
            _unpack(path, unpacked)
            unpacked.chmod(0o755)
            entry = find_entry(unpacked, path).relative_to(unpacked.resolve())
            unpacked.replace(into)
        except BaseException:
            shutil.rmtree(unpacked, ignore_errors=True)
            raise
    except OSError as error:
        if error.errno == errno.EINVAL:
            # A damaged table of contents makes the reader seek to before the file's beginning.
            raise InvalidInput("the archive is damaged", Place(str(path)), "is it a zip file?") from None
        raise EnsembleError(f"{path} cannot be unpacked: {error.strerror or error}") from None
    return into / entry


def find_meta(root: Path) -> Path | None:
    """The metadata of an unpacked archive; None for a folder that has none."""
    names = _METAS if root.name != _FOLDER else ()
    return next((root / name for name in names if (root / name).is_file()), None)


def is_of_tosca_2(template: object) -> bool:
    """Whether a service template, as it is written, is of TOSCA 2.0 or a later version."""
    return isinstance(template, dict) and str(template.get("tosca_definitions_version")).startswith("tosca_2_")


def find_entry(root: Path, shown: Path | None = None) -> Path:
    """Return the entry service template of an unpacked archive; errors show the archive it is from."""
    archive = Place(str(shown or root))
    meta = find_meta(root)
    if meta is not None:
        return _entry_of_meta(root, meta, archive)
    if (root / _FOLDER).exists():
        raise InvalidInput(f"the archive has no file {META}", archive, f"add it, or remove the folder {_FOLDER}")
    entry = _only_yaml(root, archive)
    document = read_yaml(entry, f"{archive.file}/{entry.name}")
    if is_of_tosca_2(document.data):
        return entry
    metadata = document.data.get("metadata") if isinstance(document.data, dict) else None
    for key in ("template_name", "template_version"):
        if not isinstance(metadata, dict) or metadata.get(key) in (None, ""):
            place = place_of(document.data, "metadata") or Place(f"{archive.file}/{entry.name}")
            message = f"an archive without {META} needs {key} in the metadata of {entry.name}"
            raise InvalidInput(message, place, "TOSCA 1.3, section 6.3")
    return entry


def form_notices(root: Path) -> list[Notice]:
    """What the metadata of an unpacked archive lacks without harm; none of a folder that has no such metadata."""
    meta = find_meta(root)
    if meta is None:
        return []
    where = Place(str(meta))
    return [
        Notice(NoticeCode.ARCHIVE_METADATA, f"TOSCA.meta has no {key} (TOSCA 1.3, section 6.2)", where, _line(key))
        for key in _missing(_read_meta(meta, where))
    ]


def check_unpacked(archive: Path, folder: Path) -> None:
    """Refuse a folder that an archive was not unpacked into: it may be of another version, or of something else."""
    try:
        with zipfile.ZipFile(archive) as file:
            entries = [entry for entry in file.infolist() if not entry.is_dir() and not _is_of_git(entry.filename)]
        differing = next((entry.filename for entry in entries if not _is_unpacked(entry, folder)), None)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise InvalidInput(f"the archive cannot be read: {error}", Place(str(archive)), "is it a zip file?") from None
    if differing is not None:
        message = f"the folder {folder.name} beside the archive holds something else: {differing} is not the same there"
        hint = f"name the folder to use its contents, or move it away to have {archive.name} unpacked"
        raise InvalidInput(message, Place(str(archive)), hint)


def _is_of_git(name: str | PurePosixPath) -> bool:
    """Whether a file of an archive is of a git repository, whose settings and hooks would run: it is left out."""
    return any(part.casefold() == _GIT for part in PurePosixPath(name).parts)


def _is_unpacked(entry: zipfile.ZipInfo, folder: Path) -> bool:
    path = folder / entry.filename
    if not path.is_file() or path.stat().st_size != entry.file_size:
        return False
    return zlib.crc32(path.read_bytes()) == entry.CRC


def _entry_of_meta(root: Path, meta: Path, archive: Place) -> Path:
    """Return the entry that TOSCA.meta names (TOSCA 1.3, section 6.2)."""
    where = Place(f"{archive.file}/{meta.relative_to(root)}")
    if all((root / name).is_file() for name in _METAS):
        raise InvalidInput("the archive has two files TOSCA.meta", where, f"leave {META}")
    values = _read_meta(meta, where)
    missing = _missing(values)
    if missing and not values.get("Entry-Definitions"):  # with an entry, what the archive means is clear
        raise InvalidInput(f"TOSCA.meta has no {missing[0]}", where, "TOSCA 1.3, section 6.2")
    version = values.get("TOSCA-Meta-File-Version") or "1.1"
    if version not in ("1.0", "1.1") and not _is_of_2(values):
        raise InvalidInput(f"TOSCA-Meta-File-Version {version} is not known", where, "it must be 1.0 or 1.1")
    if not re.fullmatch(r"\d+\.\d+", values.get("CSAR-Version") or "1.1"):
        raise InvalidInput(f"CSAR-Version {values['CSAR-Version']!r} is not a version", where, "as in 1.1")
    for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', values.get("Other-Definitions", "")):
        _named(quoted or plain, "Other-Definitions", root, where)
    if values.get("Entry-Definitions"):
        return _named(values["Entry-Definitions"].strip('"'), "Entry-Definitions", root, where)
    return _only_yaml(root, archive)


def _missing(values: Mapping[str, str]) -> list[str]:
    """The names that TOSCA.meta must have, and has not."""
    return [key for key in (_REQUIRED_2 if _is_of_2(values) else _REQUIRED) if not values.get(key)]


def _is_of_2(values: Mapping[str, str]) -> bool:
    return values.get("CSAR-Version", "").startswith("2.")


def _line(key: str) -> Rewrite | None:
    """The line to add for a key that is missing, if there is only one that is right."""
    return Rewrite("", f"{key}: 1.1\n") if key.endswith("-Version") else None


def _named(name: str, key: str, root: Path, where: Place) -> Path:
    """Return a file that TOSCA.meta names."""
    found = confine(name, root, [root], f"the file of {key}", where)
    if not found.is_file():
        raise InvalidInput(f"the archive has no file {name}, which {key} names", where)
    return found


def _only_yaml(root: Path, archive: Place) -> Path:
    """Return the only YAML file at the root of an archive."""
    try:
        names = sorted(entry.name for entry in root.iterdir() if entry.suffix in _YAML and entry.is_file())
    except OSError as error:
        raise InvalidInput(f"the archive cannot be read: {error.strerror}", archive) from None
    if not names:
        raise InvalidInput("the archive has no YAML file at its root", archive, f"add one, or {META}")
    if len(names) > 1:
        message = f"the archive has several YAML files at its root: {', '.join(names[:5])}"
        raise InvalidInput(message, archive, f"name the entry in {META}, or leave one")
    return confine(names[0], root, [root], "the service template", archive)


def _read_meta(meta: Path, where: Place) -> dict[str, str]:
    """Return the first block of TOSCA.meta; further blocks describe single files."""
    try:
        text = meta.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise InvalidInput("TOSCA.meta cannot be read as UTF-8 text", where) from None
    values: dict[str, str] = {}
    key = ""
    for number, line in enumerate(text.strip("\r\n").splitlines(), start=1):
        if not line.strip():
            break
        if key and line[0] == " ":  # more of the value before
            values[key] = f"{values[key]} {line.strip()}".lstrip()
            continue
        key, colon, value = line.partition(":")
        if not colon or not re.fullmatch(r"[A-Za-z0-9][-\w]*", key):
            raise InvalidInput('a line is not "name: value"', Place(where.file, number))
        if key in values:
            raise InvalidInput(f"{key} is given twice", Place(where.file, number))
        if (hint := slip_hint(key, META_KEYS)) is not None:
            raise InvalidInput(f"TOSCA.meta has no name {key}", Place(where.file, number), hint)
        values[key] = value.strip()
    return values


def _unpack(path: Path, into: Path) -> None:
    """Unpack a zip file; nothing is written before all of its table of contents is found good."""
    archive = Place(str(path))
    try:
        with zipfile.ZipFile(path) as file:
            entries = [(entry, _target(entry, archive)) for entry in _checked(file.infolist(), archive)]
            for entry, target in entries:
                if _is_of_git(target):
                    continue
                if entry.is_dir():
                    (into / target).mkdir(parents=True, exist_ok=True)
                    continue
                (into / target).parent.mkdir(parents=True, exist_ok=True)
                with file.open(entry) as packed, (into / target).open("xb") as unpacked:
                    # The size in the table of contents is checked; more than it is never read.
                    shutil.copyfileobj(packed, unpacked)
                (into / target).chmod(0o755 if (entry.external_attr >> 16) & 0o111 else 0o644)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise InvalidInput("the archive holds a name twice", archive) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise InvalidInput(f"the archive cannot be unpacked: {error}", archive, "is it a zip file?") from None


def _checked(entries: list[zipfile.ZipInfo], archive: Place) -> list[zipfile.ZipInfo]:
    """Return the entries of an archive, if they are not too many and not too large."""
    if len(entries) > MAX_ENTRIES:
        raise InvalidInput(f"the archive holds more than {MAX_ENTRIES} files", archive)
    if sum(entry.file_size for entry in entries) > MAX_SIZE:
        raise InvalidInput(f"the archive unpacks to more than {MAX_SIZE} bytes", archive)
    for entry in entries:
        if entry.file_size >= 1 << 20 and entry.file_size > MAX_RATIO * entry.compress_size:
            raise InvalidInput(f"{entry.filename} unpacks to more than {MAX_RATIO} times its size", archive)
    return entries


def _target(entry: zipfile.ZipInfo, archive: Place) -> PurePosixPath:
    """Return where an entry goes, relative to the folder it is unpacked into."""
    name = entry.filename
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise InvalidInput(f"{name} is a link or a device", archive, "an archive holds files and folders")
    if entry.flag_bits & 1:
        raise InvalidInput(f"{name} is encrypted", archive)
    target = PurePosixPath(name)
    parts = target.parts
    too_long = any(len(part.encode("utf-8", "replace")) > 255 for part in parts) or len(name) > 1000
    if not parts or target.is_absolute() or ".." in parts or re.search(r"[\\\0]|^[A-Za-z]:", name) or too_long:
        raise InvalidInput(f"{name!r} would lead out of the archive's folder or is not a path", archive)
    return target
