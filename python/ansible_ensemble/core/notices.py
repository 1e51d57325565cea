"""Notices: what is worth knowing of files that are read, each with its code, its place and what to do about it."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from msgspec import Struct, field

from ansible_ensemble.core.errors import Place


class Effect(str, Enum):
    """What becomes of what a notice is about."""

    TOLERATED = "tolerated"  #: its form is off, but what it means is clear, and that is done
    IGNORED = "ignored"  #: nothing acts on it
    NOTED = "noted"  #: it acts as it says, which may not be what was meant


_WHOLE = "it matters where the file is a part of another: validate that one"


class NoticeCode(str, Enum):
    """What a notice is about; the value is its name in reports.

    Attributes:
        effect: what becomes of it.
        meaning: what it is, in the documentation.
        remedy: what to do about it.
        is_written: whether there may be a safe rewrite that does it.
    """

    effect: Effect
    meaning: str
    remedy: str
    is_written: bool

    def __new__(
        cls, value: str, effect: Effect = Effect.NOTED, meaning: str = "", remedy: str = "", is_written: bool = False
    ) -> NoticeCode:
        """Make a member whose value is its name in reports."""
        self = str.__new__(cls, value)
        self._value_ = value
        self.effect, self.meaning, self.remedy, self.is_written = effect, meaning, remedy, is_written
        return self

    YAML_1_1_BOOLEAN = (
        *("yaml-1.1-boolean", Effect.TOLERATED, "`yes`, `no`, `on` or `off` for a boolean"),
        "write true or false",
        True,
    )
    NO_VERSION = (
        *("no-version", Effect.TOLERATED, "an imported file without `tosca_definitions_version`"),
        "write the version of the file that imports it",
        True,
    )
    ARCHIVE_METADATA = (
        *("archive-metadata", Effect.TOLERATED, "`TOSCA.meta` lacks a key that TOSCA wants"),
        "add the key",
        True,
    )
    UNUSED_TYPE = (
        *("unused-type", Effect.TOLERATED, "an error in a type that nothing uses"),
        "mend the type, or remove it",
    )
    SECOND_TYPE = (
        *("second-type", Effect.TOLERATED, "a type that is defined twice in Unfurl's dialect; the first counts"),
        "rename one of them, or import one with a namespace_prefix",
    )
    SECOND_REPOSITORY = (
        *("second-repository", Effect.TOLERATED, "a repository with two addresses; the first counts"),
        "give one of them another name",
    )
    UNTYPED_INTERFACE = (
        *("untyped-interface", Effect.TOLERATED, "an interface of a type that has no type itself, and is no known one"),
        "add type: and the interface type's name",
    )
    FETCHED_EARLIER = (
        *("fetched-earlier", Effect.NOTED, "an import that cannot be fetched; what was fetched earlier counts"),
        "look whether its server is up",
    )
    UNDECLARED_REQUIREMENT = (
        *("undeclared-requirement", Effect.TOLERATED, "a requirement that the node's type does not declare"),
        "declare it in the type",
    )
    UNDECLARED_VALUE = (
        *(
            "undeclared-value",
            Effect.TOLERATED,
            "a value that the type of a node or capability does not declare",
        ),
        "declare it in the type, or remove it",
    )
    OTHER_TARGET = (
        *("other-target", Effect.TOLERATED, "a node that a requirement or relationship is not meant for"),
        "derive its type from what is required, or use another type of relationship",
    )
    UNRELATED_REFINEMENT = (
        *("unrelated-refinement", Effect.TOLERATED, "a type in place of an inherited one that it does not derive from"),
        "derive the one from the other",
    )
    IGNORED_KEY = (
        *("ignored-key", Effect.IGNORED, "a key that means something elsewhere, and nothing here"),
        "remove it, or find what it does in docs/coming-from.md",
    )
    RECORDED_KEY = (
        *("recorded-key", Effect.NOTED, "a key that Unfurl's jobs wrote into the status, and ours need not"),
        "nothing",
    )
    UNKNOWN_CONNECTION = (
        *("unknown-connection", Effect.IGNORED, "a connection of the environment whose type is not known here"),
        "import the type, or remove the connection",
    )
    IDLE_DIRECTIVE = (
        *("idle-directive", Effect.IGNORED, "a directive that no job acts on"),
        "remove it: the node is deployed as any other",
    )
    IDLE_FILTER = (
        *("idle-filter", Effect.IGNORED, "a node_filter of a node template that is not selected"),
        "add the directive select, or remove it",
    )
    IDLE_DECORATOR = (
        *("idle-decorator", Effect.IGNORED, "a decorator that leads to no node template"),
        "name a node template or a type, and go on by `::REQUIREMENT::TARGET`",
    )
    IDLE_BLUEPRINT = (
        *("idle-blueprint", Effect.NOTED, "a deployment blueprint that is not there, or several of which none is used"),
        "name one by deployment_blueprint in the environment",
    )
    IDLE_GROUP = (
        *("idle-group", Effect.IGNORED, "interfaces or attributes of a group"),
        "give them to a node template",
    )
    IDLE_POLICY = (
        *("idle-policy", Effect.IGNORED, "a policy without triggers"),
        "do what it asks for by triggers, or remove it",
    )
    IDLE_ARTIFACT = (
        *("idle-artifact", Effect.IGNORED, "an artifact that nothing installs, fetches or deploys"),
        "have an operation do it",
    )
    OPERA_STATE = (
        *("opera-state", Effect.IGNORED, "the folder `.opera`, in which opera recorded what it deployed"),
        "undeploy it by opera, or take each instance over by `ansible-ensemble adopt`; then remove the folder",
    )
    NO_SUBSTITUTE = (
        *("no-substitute", Effect.NOTED, "a node that asks for a substitute that nothing imported is"),
        "import the topology that substitutes it",
    )
    OPERATION_HOST = (
        *("operation-host", Effect.NOTED, "an operation_host that looks like a slip of a node's name"),
        "name the node as it is called",
    )
    UNKNOWN_TYPE = ("unknown-type", Effect.NOTED, "a type that is not there; with `--part`", _WHOLE)
    MISSING_FILE = ("missing-file", Effect.NOTED, "a file of an operation is not there; with `--part`", _WHOLE)
    UNMET_REQUIREMENT = (
        *("unmet-requirement", Effect.NOTED, "a requirement that no node meets; with `--part`, or in Unfurl's dialect"),
        _WHOLE,
    )
    LEFT_OUT = (
        *("left-out", Effect.NOTED, "a node template that lacks what it requires, or a connection that it needs"),
        "add what it requires, if it shall be deployed",
    )
    SELECTION = (
        *("selection", Effect.NOTED, "a node that selects another than before, or one of several"),
        "select by a node_filter",
    )
    GONE_INPUT = (
        *("gone-input", Effect.IGNORED, "an input that a job was given, and that the topology does not have any more"),
        "nothing: the next deploy removes it from the status",
    )
    UNREAD = (
        *("unread", Effect.IGNORED, "an input or a variable that is set, and that nothing reads"),
        "correct its name, or remove it",
    )
    UNCHECKED = (
        *("unchecked", Effect.NOTED, "what only an ensemble's environment could tell"),
        "validate the ensemble",
    )


class Rewrite(Struct, frozen=True):
    """A safe change of a file: it means the same to whoever reads it, and is not needed a second time.

    Attributes:
        old: the text at the notice's place; empty to insert.
        new: what takes its place.
    """

    old: str
    new: str


class Notice(Struct, frozen=True):
    """Something worth knowing of a file.

    Attributes:
        code: what it is about.
        message: what it says.
        place: where; None where it is in no file.
        special: what to do, where that is more than the code says.
        rewrite: the change after which there is no such notice; None where people have to decide.
    """

    code: NoticeCode
    message: str
    place: Place | None = None
    rewrite: Rewrite | None = None
    special: str | None = None

    @property
    def remedy(self) -> str:
        """What to do about it."""
        return self.special or self.code.remedy

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


class Reading(Struct):
    """What is known of files that are being read, whether they turn out to be right or not.

    Attributes:
        notices: what is worth knowing of them.
        versions: the version of the language that each file was read by; empty for what is no service template.
        topologies: the files of which the node templates were read, and not the types alone.
    """

    notices: list[Notice] = field(default_factory=list)
    versions: dict[Path, str] = field(default_factory=dict)
    topologies: set[Path] = field(default_factory=set)
