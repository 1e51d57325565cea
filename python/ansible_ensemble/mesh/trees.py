"""The files of a project on their way to workers: by digest, so that a worker gets each content once."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from stat import S_IXUSR

from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.core.regex import regex
from ansible_ensemble.documents.csar_writing import files_below
from ansible_ensemble.documents.digest import digest_file
from ansible_ensemble.documents.private import make_private
from ansible_ensemble.mesh.control import MeshError
from ansible_ensemble.mesh.signing import Signer, seal_data

#: Bytes of a file, and of all together.
LARGEST = 5_000_000
LARGEST_TREE = 64_000_000
#: Seconds for which a worker keeps what no order needs.
_KEPT = 7 * 24 * 3600

#: Nanoseconds in which a file may change twice at what the file system says is one time.
_TICK = 100_000_000

#: The file with what is around orders.
AROUND = "around"

_DIGEST = regex(r"[0-9a-f]{64}")


class Tree(Struct, frozen=True):
    """The files of a folder.

    Attributes:
        root: the folder.
        files: digest of the content by path, and whether it is a program.
        digest: of both.
        sealed: what the only file holds, where it is none of the folder's.
    """

    root: Path
    files: dict[str, tuple[str, bool]]
    digest: str
    sealed: bytes | None = None

    def content(self, digest: str) -> bytes:
        """A content, as it is now."""
        if self.sealed is not None:
            return self.sealed
        name = next((name for name, (of, _is_program) in self.files.items() if of == digest), None)
        if name is None:
            raise MeshError("it asks for what it was not offered")
        return (self.root / name).read_bytes()


class Digests:
    """Digests of files, which are read again only if they have changed."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[tuple[int, ...], str]] = {}

    def of(self, path: Path, now: os.stat_result) -> str:
        """The digest of a file that is so now."""
        seen = now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns
        known = self._known.get(path)
        if known is not None and known[0] == seen:
            return known[1]
        begun, digest = time.time_ns(), digest_file(path)
        if now.st_ctime_ns < begun - _TICK:  # else it may change without another time
            self._known[path] = seen, digest
        return digest


def tree_of(root: Path, leaves: Callable[[Path], bool], digests: Digests) -> Tree:
    """The files of a folder but for what it leaves out."""
    files, size = {}, 0
    for name in sorted(map(str, files_below(root, leaves))):
        path = root / name
        if not path.is_file():  # a link to a folder, or one that leads nowhere
            continue
        known = path.stat()
        size += known.st_size
        if known.st_size > LARGEST or size > LARGEST_TREE:
            what = f"{name} has" if known.st_size > LARGEST else f"with {name} the project's files have"
            limits = f"{LARGEST} are the most of a file, {LARGEST_TREE} of all"
            raise InvalidInput(f"{what} too many bytes for the mesh", Place(str(path)), limits)
        files[name] = digests.of(path, known), bool(known.st_mode & S_IXUSR)
    return Tree(root, files, _digest(files))


class Around(Struct, frozen=True):
    """What is around an order, on its way to workers: for all orders a tree with a sealed file, and the key to it.

    Attributes:
        tree: with the file; key: unseals it.
        hosts: the variables of hosts that this order needs (`lanes.surroundings`), which are never a file.
    """

    tree: Tree
    key: str
    hosts: str = ""


def around_of(data: bytes, signer: Signer) -> Around:
    """What is around orders, sealed: a worker keeps it as it keeps files, and can read it while it has the key."""
    sealed, key = seal_data(signer, data)
    if len(sealed) > LARGEST:
        problem = f"the inventory has {len(sealed)} bytes, compressed, which is too much for the mesh"
        raise MeshError(problem, hint=f"{LARGEST} are the most")
    files = {AROUND: (hashlib.sha256(sealed).hexdigest(), False)}
    return Around(Tree(Path(), files, _digest(files), sealed), key)


class Trees:
    """The files that a worker has, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._contents = folder / "contents"
        self._trees = folder / "trees"
        make_private(self._contents)
        make_private(self._trees)
        self.forget_old()

    def lacking(self, name: str, files: dict[str, tuple[str, bool]]) -> list[str]:
        """The contents that are lacking; if there are none, the files are in place."""
        if name != _digest(files):
            raise MeshError("these are not the files of this digest")
        if (self._trees / name).is_dir():
            os.utime(self._trees / name)
            return []
        lacking = [
            digest for digest in {of for of, _is_program in files.values()} if not self._content(digest).exists()
        ]
        if not lacking:
            self._put_in_place(name, files)
        return sorted(lacking)

    def add(self, digest: str, data: str) -> None:
        """Keep a content."""
        try:
            content = base64.b64decode(data, validate=True)
        except ValueError as error:
            raise MeshError("this is no base64") from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise MeshError("a file is not what it was: it has been changed meanwhile")
        with tempfile.NamedTemporaryFile(dir=self._contents, delete=False) as file:
            file.write(content)
        Path(file.name).rename(self._content(digest))

    def folder(self, name: str) -> Path:
        """Where the files of a digest are."""
        folder = self._trees / name
        if not _DIGEST.fullmatch(name) or not folder.is_dir():
            raise MeshError("the files that it needs are not here")
        os.utime(folder)
        return folder

    def forget_old(self) -> None:
        """Remove what no order has needed for long, and what was cut off."""
        for path in (*self._contents.iterdir(), *self._trees.iterdir()):
            if not _DIGEST.fullmatch(path.name) or path.stat().st_mtime < time.time() - _KEPT:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _content(self, digest: str) -> Path:
        if not _DIGEST.fullmatch(digest):
            raise MeshError("this is no digest")
        return self._contents / digest

    def _put_in_place(self, name: str, files: dict[str, tuple[str, bool]]) -> None:
        made = Path(tempfile.mkdtemp(dir=self._trees))
        for path, (digest, is_program) in files.items():
            if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
                raise MeshError(f"the file {path} would be elsewhere")
            os.utime(self._content(digest))
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self._content(digest), made / path)
            (made / path).chmod(0o700 if is_program else 0o600)
        made.rename(self._trees / name)


def _digest(files: dict[str, tuple[str, bool]]) -> str:
    return hashlib.sha256(json.dumps({name: list(files[name]) for name in sorted(files)}).encode()).hexdigest()
