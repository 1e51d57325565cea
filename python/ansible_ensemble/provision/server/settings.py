"""The settings of the server: each by option, by environment variable, or by a line of a file, in this order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import yaml

from ansible_ensemble.core.errors import EnsembleError, InvalidInput, Place
from ansible_ensemble.core.folders import state_folder
from ansible_ensemble.core.option import Option, option, options_of

#: What begins the names of the settings in the environment.
VARIABLE = "ANSIBLE_ENSEMBLE_PROVISION_"

#: The command that has them as options.
COMMAND = "provision"

#: What the options are listed under that say where the store is.
STORE = "storage"
_ADDRESS, _TLS, _KEEPING = "address", "encryption", "what is kept"
_ACTIONS, _LOG = "actions", "log"


def _setting(default: Any, help_text: str, flag: str, heading: str, **said: Any) -> Any:
    return option(default, help_text, flag, commands=(COMMAND,), heading=heading, **said)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server is to run."""

    data: str = _setting(
        "", "Folder of what the server keeps", "--data", STORE, metavar="DIR", otherwise="the user's state folder"
    )
    database: str = _setting(
        "",
        "Where objects are kept: a PostgreSQL URL, or the path of an SQLite file",
        "--database",
        STORE,
        metavar="URL",
        otherwise="a file in the data folder",
    )
    host: str = _setting("0.0.0.0", "Address to listen at", "--host", _ADDRESS, metavar="ADDRESS", otherwise="0.0.0.0")
    port: int = _setting(8092, "Port to listen at", "--port", _ADDRESS, metavar="PORT", otherwise="8092")
    file_port: int = _setting(
        0,
        "Port where machines get files without TLS; they get them at the other port, too",
        "--file-port",
        _ADDRESS,
        metavar="PORT",
        otherwise="none",
    )
    files: str = _setting(
        "",
        "URL where machines get files from, for templates, if another program serves them",
        "--files",
        _ADDRESS,
        metavar="URL",
    )
    cert: str = _setting(
        "",
        "Certificate file in PEM",
        "--cert",
        _TLS,
        metavar="FILE",
        otherwise="one of our own",
    )
    key: str = _setting("", "File of the certificate's private key in PEM", "--key", _TLS, metavar="FILE")
    default_user: bool = _setting(
        False,
        "Give the user `rocketskates` the password that everybody knows, at first start",
        "--default-user",
        _TLS,
    )
    password_file: str = _setting(
        "",
        "File that the first password is written to, for its owner alone, instead of being said",
        "--password-file",
        _KEEPING,
        metavar="FILE",
    )
    log_limit: int = _setting(
        32, "Limit of the log of a job, in MiB", "--log-limit", _KEEPING, metavar="MIB", otherwise="32"
    )
    file_limit: int = _setting(
        16384, "Limit of a file that is uploaded, in MiB", "--file-limit", _KEEPING, metavar="MIB", otherwise="16384"
    )
    job_age: int = _setting(
        0, "Days after which jobs that ended are removed", "--job-age", _KEEPING, metavar="DAYS", otherwise="never"
    )
    job_count: int = _setting(
        0, "Jobs that are kept of each machine, the latest ones", "--job-count", _KEEPING, metavar="N", otherwise="all"
    )
    token_life: int = _setting(
        1095,
        "Days that a token is valid at most",
        "--token-life",
        _TLS,
        metavar="DAYS",
        otherwise="1095, which is three years",
    )
    strict_features: bool = _setting(
        False,
        "Refuse content that requires features which the server does not have, instead of a warning",
        "--strict-features",
        _KEEPING,
    )
    actions: str = _setting(
        "", "YAML file of what is offered as actions of machines", "--actions", _ACTIONS, metavar="FILE"
    )
    plugins: str = _setting(
        "", "Folder of programs that are providers of plugins", "--plugins", _ACTIONS, metavar="DIR"
    )
    log_level: str = _setting(
        "info", "What is logged", "--log-level", _LOG, choices=("error", "warning", "info", "debug")
    )
    log_format: str = _setting("text", "Form of the log's lines", "--log-format", _LOG, choices=("text", "json"))

    @property
    def folder(self) -> Path:
        """The folder of what the server keeps."""
        return Path(self.data)

    @property
    def store(self) -> str:
        """Where the objects are kept."""
        return self.database or str(self.folder / "provision.sqlite")

    def make_folder(self) -> None:
        """Make the folder, for its owner alone, if it is not there."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise EnsembleError(f"cannot make the data folder {self.data}: {reason}", hint="see --data") from None


def settings_of(given: Mapping[str, Any], environment: Mapping[str, str], file: Path | None) -> Settings:
    """The settings that hold.

    Args:
        given: those that were given as options.
        environment: the environment variables.
        file: a YAML file with a map of settings.
    """
    declared = {one.name: one for one in options_of(Settings)}
    values = _of_file(declared, file) if file else {}
    for name, one in declared.items():
        if text := environment.get(VARIABLE + name.upper()):
            values[name] = _value(one, text, Place(f"${VARIABLE}{name.upper()}"))
    values |= {name: value for name, value in given.items() if name in declared}
    return _checked(Settings(**{"data": str(state_folder(environment) / "provision"), **values}))


def yaml_of(file: Path) -> Any:
    """What a YAML file says."""
    try:
        return yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise InvalidInput(f"it cannot be read: {_reason(error)}", Place(str(file))) from None


def _of_file(declared: Mapping[str, Option], file: Path) -> dict[str, Any]:
    place, content = Place(str(file)), yaml_of(file) or {}
    if not isinstance(content, dict):
        raise InvalidInput("settings are a map of names and values", place)
    names = {str(name).replace("-", "_"): value for name, value in content.items()}
    if unknown := sorted(names.keys() - declared.keys()):
        known = ", ".join(field.name for field in fields(Settings))
        raise InvalidInput(f'there is no setting "{unknown[0]}"', place, hint=f"the settings are {known}")
    return {name: _value(declared[name], value, place) for name, value in names.items()}


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return str(error.strerror)
    return str(error).splitlines()[0]


def _value(one: Option, value: Any, place: Place) -> Any:
    """A setting's value, from a text or from YAML."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if one.kind == "bool" and text in ("true", "false", "1", "0"):
        return text in ("true", "1")
    if one.kind == "int" and text.isdecimal():
        return int(text)
    if one.kind == "str" and isinstance(value, str | int) and (not one.choices or text in one.choices):
        return text
    wanted = {"bool": "true or false", "int": "a number"}.get(one.kind) or " or ".join(one.choices) or "a text"
    raise InvalidInput(f"{one.name} is to be {wanted}, and not {text!r}", place)


def _checked(settings: Settings) -> Settings:
    if bool(settings.cert) != bool(settings.key):
        raise InvalidInput("a certificate needs its key, and a key its certificate", hint="give both --cert and --key")
    for port in (settings.port, settings.file_port):
        if port > 65535:
            raise InvalidInput(f"there is no port {port}")
    if settings.files and not settings.files.startswith(("http://", "https://")):
        raise InvalidInput(f"{settings.files} is no URL of files", hint="as in http://HOST:8091")
    return settings
