"""What all objects have in common: keys, mixins of the wire, names of fields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Self, TypeAlias

import msgspec

from ansible_ensemble.provision.objects.names import NAME

#: The time that means "never".
ZERO_TIME = "0001-01-01T00:00:00Z"

#: Words that the wire spells otherwise than `PascalCase` does.
_SPELLED = {"id": "ID", "os": "OS", "ssn": "SSN", "csn": "CSN", "drp": "DRP", "drpux": "DRPUX"}
_SPELLED_WHOLE = {
    "cloud_instance_id": "CloudInstanceID",
    "ha_id": "HaId",
    "identifier": "Id",
    "system": "Os",
    "system_uuid": "SystemUUID",
}


def wire_name(attribute: str) -> str:
    """The name on the wire of an attribute: `boot_env` is `BootEnv`."""
    if whole := _SPELLED_WHOLE.get(attribute):
        return whole
    return "".join(_SPELLED.get(word, word.capitalize()) for word in attribute.split("_"))


class Record(msgspec.Struct, frozen=True, kw_only=True, rename=wire_name):
    """A value on the wire whose keys are in `PascalCase`."""

    def replaced(self, **changes: Any) -> Self:
        """A copy with other values of some attributes."""
        return msgspec.structs.replace(self, **changes)


#: A whole number that every client can read.
Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]

#: A kind of object and a key of it: `("stages", "install")`.
Reference: TypeAlias = tuple[str, str]


class Object(Record, frozen=True, kw_only=True):
    """An object that the server keeps; each kind is a class, which says in its upper case attributes what is special.

    Attributes:
        validated: whether it may be stored; the server computes it.
        available: whether it may be used; the server computes it.
        errors: why it is not available; the server computes them.
        read_only: whether it may not be changed, as built-ins and content.
        meta: texts for people and tools; `feature-flags` is a comma list that changes behaviour.
        endpoint: the server that owns it, where several are managed together.
        bundle: the content it came with: empty for what was created by a request, `BasicStore` for built-ins.
    """

    #: The first part of its paths, and the type of its events.
    PREFIX: ClassVar[str]
    #: What it is, in a few words of help; empty for kinds without commands of their own.
    SUMMARY: ClassVar[str] = ""
    #: The columns of tables of it, as paths of fields.
    COLUMNS: ClassVar[tuple[str, ...]] = ("Name", "Description")
    #: The kinds of objects that it can refer to.
    REFERS: ClassVar[tuple[str, ...]] = ()
    #: What errors call it; empty for kinds that no object refers to.
    TITLE: ClassVar[str] = ""
    #: The attribute that is the key.
    KEY: ClassVar[str] = "name"
    #: What its name has to match.
    NAMES: ClassVar[re.Pattern[str]] = NAME
    #: Names on the wire, beside the key, of which a value belongs to one object alone.
    UNIQUE: ClassVar[tuple[str, ...]] = ()
    #: Names on the wire by which many are looked up.
    INDEXED: ClassVar[tuple[str, ...]] = ()
    #: Names on the wire of what requests cannot set.
    COMPUTED: ClassVar[frozenset[str]] = frozenset({"Validated", "Available", "Errors", "ReadOnly"})
    #: Names on the wire of what proves who somebody is: nothing is found by it, and lists do not show it to everybody.
    PROOFS: ClassVar[frozenset[str]] = frozenset()
    #: Attributes that those look at which refer to it, beside whether it is available and why not.
    LOOKED_AT: ClassVar[tuple[str, ...]] = ()
    #: Whether bundles of content have a section of it.
    IN_CONTENT: ClassVar[bool] = False
    #: Actions that claims can allow, beside those of all kinds.
    ACTIONS: ClassVar[tuple[str, ...]] = ()

    validated: bool = False
    available: bool = False
    errors: list[str] = []
    read_only: bool = False
    meta: dict[str, str] = {}
    endpoint: str = ""
    bundle: str = ""

    @property
    def key(self) -> str:
        """Its key among the objects of its kind."""
        key: str = getattr(self, self.KEY)
        return key

    @classmethod
    def key_field(cls) -> str:
        """The name of its key on the wire."""
        return wire_name(cls.KEY)

    @classmethod
    def key_of(cls, name: str) -> str:
        """The key that a path means by a name."""
        return name

    def references(self) -> Iterator[Reference]:
        """What it names, of the kinds in `REFERS`; it is validated again when one of these appears, changes or goes."""
        return iter(())

    def problems(self) -> Iterator[str]:
        """Why it may not be stored, as far as that needs no other object."""
        return iter(())

    def public(self) -> Self:
        """What requests and events may show of it."""
        return self
