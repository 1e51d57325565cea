"""What a plan does to instances, and why: each action and each reason with all that is said of it."""

from __future__ import annotations

from enum import Enum, Flag, auto

_FORGET = "forget: record as absent, nothing is run that deletes it"


class Action(str, Enum):
    """What happens to an instance; the value is its symbol, Terraform's where the thing is the same.

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
    UPDATE = "~", "update in place", "will be updated in place", "yellow", ("update",), ("change",)
    REPLACE = "-/+", "delete, then create anew", "must be replaced", "red", ("delete", "create"), ("add", "destroy")
    DELETE = "-", "delete", "will be deleted", "red", ("delete",), ("destroy",)
    FORGET = ".", _FORGET, "will be forgotten", "grey", ("forget",), ("forget",)
    READ = "<=", "read", "will be read", "cyan", ("read",), ("read",)
    RUN = ">", "run", "will be run on", "blue", ("run",), ("run",)
    NONE = " ", "", "stays as it is", "grey", ("no-op",), ()


class Kind(Flag):
    """What follows from a reason."""

    MAKES = auto()  #: its operations make the instance, or a part of it
    UNREAD = auto()  #: the instance is planned whatever its operations have read


class Reason(str, Enum):
    """Why an operation is planned (docs/rules.md, "Updating a deployment" and the workflows).

    Attributes:
        because: what it stands for, as the documentation tells it.
        words: why, in a plan that has no words that say more.
        fate: what happens to an instance, where the action alone (to read, to run on) says less.
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
    MISSING = (
        "missing", "it is recorded as absent, unknown or half made", "it is missing", "", Kind.MAKES, Kind.UNREAD
    )  # fmt: skip
    REPAIR = "repair", "its status or state is not what it should be", "it needs repair", "", Kind.UNREAD
    RECONFIGURE = "reconfigure", "something that it read has changed", "what it was configured with changed"
    UPGRADE = "upgrade", "its type has a new major version", "a new major version", "", Kind.UNREAD
    FORCE = "force", "you asked for it, whatever its status is", "forced", "", Kind.UNREAD
    REPLACE = "replace", "you asked for it to be made anew, or it has to be", "asked for", "", Kind.MAKES, Kind.UNREAD
    PRUNE = "prune", "it left the spec", "it left the spec"
    UNDEPLOY = "undeploy", "the workflow is that"
    CONNECT = "connect", "something that it is linked to is made, or made anew", "what it is linked to is new"
    START = "start", "the workflow is that", "", "will be started"
    STOP = "stop", "the workflow is that", "", "will be stopped"
    CHECK = "check", "the workflow is that, or it is looked for before it is made", "", "will be checked"
    DISCOVER = "discover", "the workflow is that, or it is discovered instead of made", "", "will be discovered"
    RUN = "run", "the workflow is that"
