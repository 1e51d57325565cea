"""Makes cloud service archives: TOSCA 1.3, section 6. The same files are always the same archive, byte by byte."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.documents.csar import META, find_entry, find_meta
from ansible_ensemble.documents.paths import confine

#: From this size on, files are stored as they are: most are packed already, and no reader takes one for a bomb.
_LARGE = 1 << 20
_EARLIEST = (1980, 1, 1, 0, 0, 0)


def write_csar(
    root: Path, entry: PurePosixPath, names: Iterable[PurePosixPath], into: Path, version: str = "1.1"
) -> None:
    """Write files of a folder into an archive whose entry service template is one of them.

    Metadata that the folder has stays as it is, if it names that entry.

    Args:
        root: the folder.
        entry: the service template, relative to it.
        names: the files, relative to it; a link counts as the file in the folder that it leads to.
        into: the archive.
        version: of the form of archives: 2.0 for TOSCA 2.0.
    """
    has_meta = find_meta(root) is not None
    if has_meta and (named := find_entry(root)) != (root / entry).resolve():
        raise InvalidInput(f"TOSCA.meta names {named.name}, not {entry}", Place(str(root)), "name that one, or mend it")
    with zipfile.ZipFile(into, "w") as archive:
        if not has_meta:
            _add(archive, META, _metadata(entry, version).encode(), 0o644)
        for name in sorted(names):
            path = confine(str(name), root, [root], "the file", Place(str(root)))
            if not path.is_file():
                raise InvalidInput(f"{name} is no file", Place(str(root)), "an archive holds files and folders")
            try:
                content, program = path.read_bytes(), path.stat().st_mode & 0o111
            except OSError as error:
                raise InvalidInput(f"{name} cannot be read: {error.strerror}", Place(str(root))) from error
            _add(archive, str(name), content, 0o755 if program else 0o644)


def files_below(root: Path, leaves: Callable[[Path], bool]) -> list[PurePosixPath]:
    """The files of a folder and those in it, relative to it, but for what it leaves out; folders may be left out."""
    found: list[PurePosixPath] = []
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        links = [name for name in folders if (here / name).is_symlink()]
        folders[:] = [name for name in folders if name not in links and not leaves(here / name)]
        found += [
            PurePosixPath((here / name).relative_to(root)) for name in (*files, *links) if not leaves(here / name)
        ]
    return found


def _metadata(entry: PurePosixPath, version: str) -> str:
    own = "TOSCA-Meta-File-Version: 1.1\n" if version.startswith("1.") else ""
    return f"{own}CSAR-Version: {version}\nCreated-By: ansible-ensemble\nEntry-Definitions: {entry}\n"


def _add(archive: zipfile.ZipFile, name: str, content: bytes, mode: int) -> None:
    member = zipfile.ZipInfo(name, _EARLIEST)
    member.external_attr = (stat.S_IFREG | mode) << 16
    archive.writestr(member, content, zipfile.ZIP_STORED if len(content) >= _LARGE else zipfile.ZIP_DEFLATED)
