"""The files that a module needs on a host: its own and those of the module_utils that it imports.

They are what core packs for it, so that what it finds there is what it finds in Ansible's own way.
"""

from __future__ import annotations

import ast
import base64
import binascii
import hashlib
import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from ansible_ensemble.core.regex import regex

#: An argument of core's wrapper, in a line of its own.
_ARGUMENT = regex(rb"^(module_fqn|profile|extensions|zip_data)=(.*),$", re.MULTILINE)
_CALL = b"_ansiballz_main(\n"


class ModuleFiles(Struct, frozen=True):
    """A module as a host gets it.

    Attributes:
        header: its Python name there, a digest of all files, their names with digests, and their sizes.
        data: their texts one after the other.
    """

    header: dict[str, Any]
    data: bytes


class SoughtModule(Struct, frozen=True):
    """A module whose files may be known to the hub, so that they are made once for all executors.

    Attributes:
        source: what it is made of, as a digest.
        files: makes them, and raises an error if that is not possible.
    """

    source: str
    files: Callable[[], ModuleFiles]


def module_files(payload: bytes) -> ModuleFiles | None:
    """The files of a module in the payload that core has built for it; None if it is not as known here."""
    start = payload.rfind(_CALL)
    arguments = dict(_ARGUMENT.findall(payload, start)) if start >= 0 else {}
    try:
        name, profile, extensions = (
            ast.literal_eval(arguments[key].decode()) for key in (b"module_fqn", b"profile", b"extensions")
        )
        packed = base64.b64decode(arguments[b"zip_data"].strip(b"'"), validate=True)
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            texts = {entry: archive.read(entry) for entry in archive.namelist()}
    except (KeyError, ValueError, SyntaxError, binascii.Error, zipfile.BadZipFile):
        return None
    if profile != "legacy" or extensions:
        return None
    names = {entry: hashlib.sha256(text).hexdigest() for entry, text in texts.items()}
    digest = hashlib.sha256(repr(sorted(names.items())).encode()).hexdigest()
    sizes = [len(text) for text in texts.values()]
    return ModuleFiles({"module": name, "digest": digest, "names": names, "sizes": sizes}, b"".join(texts.values()))
