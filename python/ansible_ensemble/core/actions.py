"""What a plan does to instances, and why: each action and each reason with its texts."""

from __future__ import annotations

from enum import Enum, Flag, auto

_FORGET = "forget: record as absent, without deleting anything"
_RENEW = "forget and create again, without deleting anything"


class Action(str, Enum):
    """What happens to an instance; the value is its symbol, Terraform's where they are the same.

    Attributes:
        meaning: what the symbol means, in legends.
        fate: what happens to the instance, in words.
        colour: the symbol's colour, a name in `reports.style`.
        names: the `actions` of the plan's document, as Terraform has them.
        counts: what it counts as in a plan's summary.
    """

    meaning: str
    fate: str
    colour: str
    names: tuple[str, ...]
    counts: tuple[str, ...]

    def __new__(  # noqa: PLR0917 - a member's row
        cls,
        symbol: str,
        meaning: str = "",
        fate: str = "",
        colour: str = "",
        names: tuple[str, ...] = (),
        counts: tuple[str, ...] = (),
    ) -> Action:
        """Make a member whose value is its symbol."""
        self = str.__new__(cls, symbol)
        self._value_ = symbol
        self.meaning, self.fate, self.colour, self.names, self.counts = meaning, fate, colour, names, counts
        return self

    CREATE = "+", "create", "will be created", "green", ("create",), ("add",)
    USE = "=", "use: it is there already", "will be used", "green", ("no-op",), ("use",)
    UPDATE = "~", "update in place", "will be updated in place", "yellow", ("update",), ("change",)
    REPLACE = "-/+", "delete and recreate", "must be replaced", "red", ("delete", "create"), ("add", "destroy")
    RENEW = "./+", _RENEW, "will be forgotten and created again", "yellow", ("forget", "create"), ("add", "forget")
    DELETE = "-", "delete", "will be deleted", "red", ("delete",), ("destroy",)
    FORGET = ".", _FORGET, "will be forgotten", "grey", ("forget",), ("forget",)
    READ = "<=", "read", "will be read", "cyan", ("read",), ("read",)
    RUN = ">", "run", "will be run on", "blue", ("run",), ("run",)
    NONE = " ", "", "is not changed", "grey", ("no-op",), ()


#: Actions after which another one is there in an instance's place.
REPLACING = (Action.REPLACE, Action.RENEW)
#: Actions that make an instance.
MAKING = (Action.CREATE, *REPLACING)


class Kind(Flag):
    """What follows from a reason."""

    MAKES = auto()  #: its operations make the instance, or a part of it
    USES = auto()  #: they take up a machine that is there already
    CHANGES = auto()  #: they change one that is there
    REMOVES = auto()  #: they remove it
    EITHER = auto()  #: they make one that is not there, and change one that is
    UNREAD = auto()  #: the instance is planned whatever its operations have read


class Reason(str, Enum):
    """Why an operation is planned (docs/rules.md, "Updating a deployment" and the workflows).

    Attributes:
        because: the reason, in the documentation.
        words: the reason, in a plan without a more specific text.
        fate: what happens to an instance, where the action alone (to read, to run on) is less specific.
        kinds: what follows from it.
    """

    because: str
    words: str
    fate: str
    kinds: tuple[Kind, ...]

    def __new__(cls, value: str, because: str = "", words: str = "", fate: str = "", *kinds: Kind) -> Reason:
        """Make a member whose value is its name in documents."""
        self = str.__new__(cls, value)
        self._value_ = value
        self.because, self.words, self.fate, self.kinds = because, words, fate, kinds
        return self

    ADD = "add", "the instance is new", "new", "", Kind.MAKES
    USE = "use", "the machine is there already, and new here", "new", "", Kind.USES
    MISSING = (
        "missing", "it is recorded as absent, or nothing of it as created", "it is missing", "",
        Kind.MAKES, Kind.UNREAD,
    )  # fmt: skip
    REPAIR = "repair", "its status or state is not what it should be", "it needs repair", "", Kind.CHANGES, Kind.UNREAD
    RECONFIGURE = "reconfigure", "a value that it read has changed", "its configuration changed", "", Kind.CHANGES
    UPGRADE = "upgrade", "its type has a new major version", "a new major version", "", Kind.CHANGES, Kind.UNREAD
    FORCE = "force", "it was requested, regardless of status", "forced", "", Kind.CHANGES, Kind.EITHER, Kind.UNREAD
    REPLACE = (
        "replace", "its replacement was requested, or is necessary", "requested", "",
        Kind.MAKES, Kind.REMOVES, Kind.UNREAD,
    )  # fmt: skip
    PRUNE = "prune", "it is no longer in the spec", "it is no longer in the spec", "", Kind.REMOVES
    UNDEPLOY = "undeploy", "that is the workflow", "", "", Kind.REMOVES
    REWRITE = (
        "rewrite", "another one that writes the same path runs, or is deleted", "what writes the same path runs", "",
        Kind.CHANGES, Kind.UNREAD,
    )  # fmt: skip
    CONNECT = (
        "connect",
        "an instance that it is connected to is created or recreated",
        "it is connected to a new instance",
        "",
        Kind.CHANGES,
    )
    START = "start", "that is the workflow", "", "will be started", Kind.EITHER
    STOP = "stop", "that is the workflow", "", "will be stopped"
    CHECK = "check", "that is the workflow, or it is checked before it is created", "", "will be checked"
    DISCOVER = "discover", "that is the workflow, or it is discovered instead of created", "", "will be discovered"
    RUN = "run", "that is the workflow", "", "", Kind.EITHER
