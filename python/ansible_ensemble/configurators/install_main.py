"""The process that installs a tool: fetches it, compares its checksum, and puts it in place as a whole."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from urllib.error import URLError
from urllib.parse import quote, unquote, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from ansible_ensemble.core.texts import is_file_name, with_shown_urls, without_credentials

#: What was installed; empty until all is there. Without it a folder is none of ours.
_RECORD = "installed.json"
_IGNORED = ".gitignore"
_SECONDS = 60  #: that a server may be silent
#: What decides whether another installation is the same; where it comes from does not.
_DECIDING = ("kind", "checksum", "member", "program", "packages", "programs", "name", "version")
#: Programs of each environment, which would be in the way of others.
_COMMON = ("python", "pip", "activate", "Activate")


class CannotInstall(Exception):
    """Why something cannot be installed, in words for people."""


def main() -> None:
    """Carry out the order of the standard input, and report on the standard output."""
    wanted = json.load(sys.stdin)
    try:
        report = _carry_out(wanted)
    except (CannotInstall, OSError, URLError, tarfile.TarError, zipfile.BadZipFile) as error:
        report = {"error": str(error)}
    print(json.dumps(report))


def _carry_out(wanted: Mapping[str, Any]) -> dict[str, Any]:
    folder = Path(wanted["folder"])
    is_there = _is_installed(wanted, folder)
    status = "ok" if is_there else "absent"
    if wanted["operation"] == "delete":
        if not wanted["look"]:
            _remove(wanted, folder)
        return {"status": "absent", "changed": folder.exists() if wanted["look"] else is_there}
    if not is_there and not wanted["look"]:
        _KINDS[wanted["kind"]](wanted, folder)
        status = "ok"
    return {"status": status, "changed": not is_there and wanted["operation"] != "check"}


def _asked(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What decides whether another installation is the same."""
    return {name: wanted[name] for name in _DECIDING if wanted.get(name) is not None}


def _is_installed(wanted: Mapping[str, Any], folder: Path) -> bool:
    """Whether what is wanted is there, each file as it was installed."""
    try:
        record = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
        return record["asked"] == _asked(wanted) and all(
            _digest(Path(file)) == digest for file, digest in record["files"].items()
        )
    except (OSError, ValueError, KeyError):
        return False


def _record(wanted: Mapping[str, Any], folder: Path, files: list[Path]) -> None:
    digests = {str(file): _digest(file) for file in files}
    (folder / _RECORD).write_text(json.dumps({"asked": _asked(wanted), "files": digests}, indent=1), encoding="utf-8")


def _remove(wanted: Mapping[str, Any], folder: Path) -> None:
    """Remove what is installed in a folder, if it is one of ours."""
    if wanted["kind"] == "collection" and _is_ours(folder, home := _collection_home(wanted)):
        shutil.rmtree(home)
        with suppress(OSError):  # there are others of the namespace
            home.parent.rmdir()
    if (folder / _RECORD).exists():
        shutil.rmtree(folder)


@contextmanager
def _anew(folder: Path) -> Iterator[None]:
    """An empty folder, which git does not see; what was there before comes back if what is put into it fails."""
    if folder.exists() and not (folder / _RECORD).exists() and any(folder.iterdir()):
        raise CannotInstall(f"the folder {folder} has other files: name another one by the property folder")
    former = folder.with_name(f".{folder.name}.former")
    shutil.rmtree(former, ignore_errors=True)
    if folder.exists():
        folder.rename(former)
    try:
        folder.mkdir(parents=True)
        (folder / _RECORD).write_text("{}", encoding="utf-8")
        (folder / _IGNORED).write_text("*\n", encoding="utf-8")
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        if former.exists():
            former.rename(folder)
        raise
    shutil.rmtree(former, ignore_errors=True)


def _program(wanted: Mapping[str, Any], folder: Path) -> None:
    if not is_file_name(wanted["program"]):
        raise CannotInstall(f"the program {wanted['program']!r} is no name")
    with tempfile.TemporaryFile() as archive:
        _fetch(wanted, archive)
        with _anew(folder):
            target = folder / "bin" / wanted["program"]
            target.parent.mkdir()
            with target.open("wb") as stream:
                _unpack(archive, wanted, stream)
            target.chmod(0o755)
            _record(wanted, folder, [target])


def _python(wanted: Mapping[str, Any], folder: Path) -> None:
    with _anew(folder):
        home, requirements = folder / "venv", folder / "requirements.txt"
        venv.create(home, symlinks=True)
        requirements.write_text("".join(f"{one}\n" for one in wanted["packages"]), encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "install", "--quiet"]
        words, environment = _index(wanted)
        _run([*pip, "--disable-pip-version-check", *words, "-r", str(requirements)], environment)
        links = _link(home / "bin", folder / "bin", wanted.get("programs"))
        _record(wanted, folder, links)


def _collection(wanted: Mapping[str, Any], folder: Path) -> None:
    """Install a collection aside, then put it where Ansible looks for those of the project."""
    home, name = _collection_home(wanted), wanted["name"]
    if home.exists() and not _is_ours(folder, home):
        raise CannotInstall(f"{home} is there already, and no job has installed it")
    with _anew(folder):
        words = [f"{name}:=={wanted.get('version')}"]
        if wanted.get("file"):
            what = str(folder / f"{name.replace('.', '-')}.tar.gz")
            with open(what, "w+b") as stream:  # noqa: PTH123
                _fetch(wanted, stream)
            words = [what, "--offline"]
        aside = folder / "aside"
        galaxy = [sys.executable, "-m", "ansible.cli.galaxy", "collection", "install", *words, "--no-deps"]
        _run([*galaxy, "--collections-path", str(aside)], _galaxy_server(wanted))
        made = aside / "ansible_collections" / home.parent.name / home.name
        if not made.is_dir():
            raise CannotInstall(f"{_shown(str(wanted.get('file')))} is not the collection {name}")
        (made / _IGNORED).write_text("*\n", encoding="utf-8")
        home.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(home, ignore_errors=True)
        made.rename(home)
        shutil.rmtree(aside)
        _record(wanted, folder, [file for file in home.rglob("*") if file.is_file()])


def _collection_home(wanted: Mapping[str, Any]) -> Path:
    return Path(wanted["root"], "collections", "ansible_collections", *str(wanted["name"]).split("."))


def _is_ours(folder: Path, home: Path) -> bool:
    """Whether what is recorded in a folder is a collection there."""
    try:
        record = json.loads((folder / _RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return any(Path(file).is_relative_to(home) for file in record.get("files", ()))


def _galaxy_server(wanted: Mapping[str, Any]) -> dict[str, str]:
    """The server that a collection comes from, if it says one, as ansible-galaxy takes it from the environment."""
    if not wanted.get("source"):
        return {}
    given = {"URL": wanted["source"]}
    given |= {key.upper(): wanted[key] for key in ("username", "password", "token") if wanted.get(key)}
    return {"ANSIBLE_GALAXY_SERVER_LIST": "own", **{f"ANSIBLE_GALAXY_SERVER_OWN_{key}": given[key] for key in given}}


def _link(home: Path, target: Path, names: list[str] | None) -> list[Path]:
    """Link the programs of an environment of Python, but for those that each of them has."""
    made = sorted(file.name for file in home.iterdir() if not file.name.startswith(_COMMON))
    missing = [name for name in names or () if name not in made]
    if missing:
        raise CannotInstall(f"the packages have no program {missing[0]}: there are {', '.join(made) or 'none'}")
    target.mkdir()
    for name in names or made:
        (target / name).symlink_to(home / name)
    return [target / name for name in names or made]


def _index(wanted: Mapping[str, Any]) -> tuple[list[str], dict[str, str]]:
    """Where pip finds packages: a folder of wheels, an index, or what its own settings say.

    Others see a command line, so that an index, which may have a password, goes by the environment.
    """
    source = wanted.get("source")
    if not source:
        return [], {}
    path = _local(source, wanted)
    if path is not None:
        return ["--no-index", "--find-links", str(path)], {}
    parts = urlsplit(source)
    if wanted.get("username"):
        login = ":".join(quote(str(wanted.get(key) or ""), safe="") for key in ("username", "password"))
        parts = parts._replace(netloc=f"{login}@{parts.netloc.rpartition('@')[2]}")
    return [], {"PIP_INDEX_URL": urlunsplit(parts)}


def _run(command: list[str], environment: Mapping[str, str]) -> None:
    whole = {**os.environ, **environment}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=whole)
    if done.returncode:
        lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        raise CannotInstall(without_credentials(lines[-1]) if lines else f"{command[2]} failed")


def _local(name: str, wanted: Mapping[str, Any]) -> Path | None:
    """The path that a name or a `file:` URL means; None for other URLs."""
    if "://" not in name:
        return Path(wanted["base"]) / name
    parts = urlsplit(name)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _fetch(wanted: Mapping[str, Any], target: Any) -> None:
    """Copy a file, and compare its checksum; nothing else has happened yet."""
    name, path = wanted["file"], _local(wanted["file"], wanted)
    if path is None and urlsplit(name).scheme not in ("http", "https"):
        raise CannotInstall(f"{_shown(name)} cannot be fetched: name a path, or a URL of file, http or https")
    try:
        with path.open("rb") if path is not None else urlopen(_request(wanted), timeout=_SECONDS) as stream:
            shutil.copyfileobj(stream, target)
    except OSError as error:
        raise CannotInstall(f"{_shown(name)} cannot be fetched: {error}") from None
    target.seek(0)
    found = hashlib.file_digest(target, "sha256").hexdigest()
    if found != str(wanted["checksum"]).partition(":")[2].lower():
        text = f"{_shown(name)} has the checksum sha256:{found}, not {wanted['checksum']}"
        raise CannotInstall(f"{text}: nothing is installed")
    target.seek(0)


def _request(wanted: Mapping[str, Any]) -> Request:
    """What a server is asked; it alone gets the user and the password, and none that it sends elsewhere."""
    parts = urlsplit(wanted["file"])
    user, password = wanted.get("username"), wanted.get("password")
    if parts.username is not None and not user:
        user, password = unquote(parts.username), unquote(parts.password or "")
    request = Request(urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])))
    if user:
        login = base64.b64encode(f"{user}:{password or ''}".encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {login}")
    return request


def _unpack(archive: IO[bytes], wanted: Mapping[str, Any], target: IO[bytes]) -> None:
    """Write the program: the file itself, or a member of the archive that it is."""
    member = wanted.get("member")
    if not member:
        shutil.copyfileobj(archive, target)
        return
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            names = opened.namelist()
            if member in names:
                with opened.open(member) as stream:
                    shutil.copyfileobj(stream, target)
                return
    else:
        archive.seek(0)
        with tarfile.open(fileobj=archive) as tar:
            names = tar.getnames()
            found = tar.extractfile(member) if member in names else None
            if found is not None:
                shutil.copyfileobj(found, target)
                return
    raise CannotInstall(f"{_shown(wanted['file'])} has no file {member}: there are {', '.join(names[:10])}")


def _shown(name: str) -> str:
    return with_shown_urls(name)


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


_KINDS: dict[str, Callable[[Mapping[str, Any], Path], None]] = {
    "program": _program,
    "python": _python,
    "collection": _collection,
}
