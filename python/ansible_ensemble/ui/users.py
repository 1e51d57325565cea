"""Who may see the pages, by a file of users and their roles."""

from __future__ import annotations

import ipaddress
import logging
import os
import re
from pathlib import Path

import msgspec
import yaml
from msgspec import Struct

from ansible_ensemble.core.errors import InvalidInput, Place
from ansible_ensemble.ui.rights import Role

_LOG = logging.getLogger(__name__)

#: What `core.passwords` keeps of one.
_PASSWORD = re.compile(r"scrypt\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{86}==")


class User(Struct, frozen=True, forbid_unknown_fields=True):
    """A user.

    Attributes:
        roles: what the user may do.
        password: what is kept of the password; empty for those who come by a proxy alone.
    """

    roles: tuple[Role, ...]
    password: str = ""


class Proxy(Struct, frozen=True, forbid_unknown_fields=True):
    """A reverse proxy that says who asks.

    Attributes:
        header: in which it does.
        addresses: from where it connects.
        roles: of those whom it names and the file does not.
    """

    header: str
    addresses: tuple[str, ...]
    roles: tuple[Role, ...] = ()

    def is_at(self, address: str) -> bool:
        """Whether a connection from this address is the proxy's."""
        try:
            known = ipaddress.ip_address(address)
        except ValueError:
            return False  # a socket's file
        return any(known in ipaddress.ip_network(one) for one in self.addresses)


class Known(Struct, frozen=True, forbid_unknown_fields=True):
    """What a file of users says."""

    users: dict[str, User] = {}
    proxy: Proxy | None = None


class Users:
    """The users of a file, as it is now."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._stamp = _stamp(file)
        self._known = _read(file)

    def known(self) -> Known:
        """Who is known now: who is removed from the file is gone at once; nobody is known while the file is wrong."""
        if (stamp := _stamp(self._file)) != self._stamp:
            self._stamp = stamp
            try:
                self._known = _read(self._file)
            except InvalidInput as error:
                self._known = Known()
                _LOG.error("nobody is known as a user: %s", error)
        return self._known


def _stamp(file: Path) -> tuple[int, int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0, 0
    return found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _read(file: Path) -> Known:
    place = Place(str(file))
    try:
        found = file.stat()
        if found.st_uid not in (os.geteuid(), 0):
            raise InvalidInput("the file of users is another user's", place)
        if found.st_mode & 0o027:
            raise InvalidInput("others may read or change the file of users", place, hint=f"chmod 600 {file}")
        known = msgspec.convert(yaml.safe_load(file.read_text(encoding="utf-8")), Known)
    except OSError as error:
        raise InvalidInput(f"it cannot be read: {error.strerror}", place) from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidInput(f"this is no YAML: {str(error).splitlines()[0]}", place) from None
    except msgspec.ValidationError as error:
        raise InvalidInput(f"this is no file of users: {error}", place) from None
    for name, user in known.users.items():
        if user.password and not _PASSWORD.fullmatch(user.password):
            hint = "ansible-ensemble ui --hash-password makes what is kept of one"
            raise InvalidInput(f"the password of {name} is not hashed", place, hint=hint)
    for address in known.proxy.addresses if known.proxy else ():
        try:
            ipaddress.ip_network(address)
        except ValueError as error:
            raise InvalidInput(f"the proxy's addresses: {error}", place) from None
    return known
