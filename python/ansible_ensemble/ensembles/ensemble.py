"""An ensemble in memory: what should be, what is, and what surrounds both."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.changes.operations import RecordedOperations
from ansible_ensemble.changes.outputs import OperationOutputs
from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.core.notices import Notice
from ansible_ensemble.core.sensitive import Redactor
from ansible_ensemble.documents.yaml import Document
from ansible_ensemble.ensembles.location import Location
from ansible_ensemble.ensembles.secret_codec import SecretCodec
from ansible_ensemble.ensembles.template_snapshots import RetainedTemplates
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.instances.instance import Instances
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.language.given_input import GivenInput
from ansible_ensemble.language.problems import Problems
from ansible_ensemble.projects.environment import Environment
from ansible_ensemble.projects.folders import PLANNED
from ansible_ensemble.topology.scaling import link_targets


class Specification(Struct, frozen=True):
    """What the files of an ensemble say should be, and what they say is.

    Attributes:
        location: where it is.
        document: the ensemble's file, None where it is yet to come.
        data: its content after merge directives.
        written: the file that the specification is from: an earlier one in a rollback.
        moves: node templates that got another name: old name -> new name.
        instances: the recorded status.
        digests: of what a plan is made from, beside the status.
        specified: inputs of the topology as the environment and the spec have them.
        given: names of the inputs that this job is given.
        lasting: inputs that earlier jobs were given, and that hold for this one.
        notices: what is worth knowing of its files.
    """

    location: Location
    document: Document | None
    data: Mapping[str, Any]
    written: Document | None
    environment: Environment
    repositories: Mapping[str, Path]
    codec: SecretCodec
    topology: Topology
    moves: Mapping[str, str]
    instances: Instances
    digests: Mapping[str, str]
    specified: Mapping[str, Any] = field(default_factory=dict)
    given: Collection[str] = ()
    lasting: Mapping[str, GivenInput] = field(default_factory=dict)
    notices: Sequence[Notice] = ()


class Ensemble(Struct, eq=False):
    """An ensemble that has been read.

    Attributes:
        specification: what it was made from.
        path: absolute path of ensemble.yaml; the file may be yet to come.
        root: the project's root.
        document: the file as read, None where it is yet to come (its spec is then `template`).
        template: path of a service template alone, for which ensemble.yaml is made when a job is recorded.
        base: digests of the spec and the status as they were read; a saved plan is stale when they differ.
        operations: what each operation read the last time, for change detection.
        retained: what is kept of templates that may go.
        operation_outputs: outputs of operations that ran.
        moved: instances that `moved` of the spec changes in the recorded status: old name -> new name.
        unselected: what is wrong with the selected node templates that nothing fits.
        unknown_hosts: what is wrong with patterns of hosts that name what the inventory does not have.
        work: where files of operations are rendered to, if not to the ensemble's folder.
        codec: encrypts sensitive values for files, and back.
    """

    specification: Specification
    path: Path
    root: Path
    document: Document | None
    topology: Topology
    instances: Instances
    environment: Environment
    evaluator: Evaluator
    operations: RecordedOperations
    retained: RetainedTemplates
    operation_outputs: OperationOutputs
    codec: SecretCodec
    redactor: Redactor
    template: Path | None = None
    base: dict[str, str] = field(default_factory=dict)
    last_job: dict[str, Any] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    unselected: Problems = field(default_factory=Problems)
    unknown_hosts: list[InvalidInput] = field(default_factory=list)
    work: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder of ensemble.yaml."""
        return self.path.parent

    @property
    def planned(self) -> Path:
        """The folder of what is planned and not executed."""
        return self.folder / PLANNED

    def requirements(self) -> Mapping[str, list[str]]:
        """For each instance, the names of the instances it needs."""
        needed: dict[str, list[str]] = {}
        for instance in self.instances:
            template = self.topology.node_templates.get(instance.template)
            if template is not None:
                targets = (link_targets(relationship, instance.name) for relationship in template.requirements)
                needed[instance.name] = list(chain.from_iterable(targets))
        return needed
