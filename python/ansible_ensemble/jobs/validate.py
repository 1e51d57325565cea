"""Validate: what is wrong with ensembles, service templates and archives, whatever has been deployed of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec import Struct, field

from ansible_ensemble.configurators.registry import find_faults as find_faults_of
from ansible_ensemble.core.ansible_settings import may_be_set
from ansible_ensemble.core.errors import InvalidInput, each, error_document, place_document, raise_all
from ansible_ensemble.core.notices import Notice, NoticeCode, Reading
from ansible_ensemble.documents.csar import open_csar
from ansible_ensemble.documents.merge import expand as merged
from ansible_ensemble.documents.yaml import read_yaml
from ansible_ensemble.engine.inventory_hosts import named_hosts, unknown_hosts
from ansible_ensemble.engine.render import render_faults
from ansible_ensemble.ensembles.change_detector import BlankChangeDetector
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.evaluation_environment import read_inventory
from ansible_ensemble.ensembles.location import Location, is_archive, locate
from ansible_ensemble.ensembles.merge_directives import expanded
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.python_template import SUFFIX, read_python_template
from ansible_ensemble.ensembles.read import blank_ensemble, read_specification
from ansible_ensemble.functions.harmless import not_given
from ansible_ensemble.jobs.unread import unread_values
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.planning.planned_operation import PlannedOperation
from ansible_ensemble.planning.planner import make_plan, make_survey
from ansible_ensemble.projects.project import project_root
from ansible_ensemble.projects.trust import is_trusted
from ansible_ensemble.topology.imports import written_out
from ansible_ensemble.topology.required import missing_inputs
from ansible_ensemble.views.reads import Deferred


class Validated(Struct):
    """What was found of one path.

    Attributes:
        file: the file that the path means, as people write it.
        errors: everything that is wrong; nothing where it is valid.
        reading: notices of its files, and the files themselves.
        counts: how many there are of what it declares, where it is valid.
        missing: names of inputs that a job needs a value for.
        show: shows a text that names files as people know them, as one inside of an archive.
        expanded: the service template in plain TOSCA 1.3, where that is asked for and it is valid.
    """

    file: str
    errors: list[InvalidInput] = field(default_factory=list)
    reading: Reading = field(default_factory=Reading)
    counts: dict[str, int] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    show: Callable[[str], str] = str
    expanded: Mapping[str, Any] | None = None


def validate_path(path: str, options: JobOptions, *, part: bool = False, expand: bool = False) -> dict[str, Any]:
    """What `find_faults` finds, as a document.

    Returns:
        `{"path", "file", "counts", "missing_inputs", "errors": [...], "warnings": [...], "notices": [...]}`: `file` is
        the one that `path` means, `counts` how many there are of what it declares, where it is valid, and
        `missing_inputs` those that a job needs a value for; an error is `file`,
        `line`, `column`, `message`, `hint`, `text`; a warning is a text, and its notice the same with its `code`,
        `effect` and `remedy`. With `expand` there is `expanded`, the service template, where it is valid.
    """
    found = find_faults(path, options, part=part, expand=expand)
    notices = list(dict.fromkeys(found.reading.notices))
    return {
        "path": path,
        "file": found.file,
        "counts": found.counts,
        "missing_inputs": found.missing,
        "errors": [error_document(one, found.show) for one in found.errors],
        "warnings": [found.show(str(notice)) for notice in notices],
        "notices": [_notice(notice, found.show) for notice in notices],
        **({"expanded": found.expanded} if found.expanded is not None else {}),
    }


def find_faults(path: str, options: JobOptions, *, part: bool = False, expand: bool = False) -> Validated:
    """Everything that is wrong with an ensemble, a service template, or an archive, packed or not.

    It is read as a job reads it. Then each of its workflows is planned and each of its operations rendered, as if
    nothing was there yet, by an evaluator that knows no more than the files say: what a job refuses for their sake is
    refused here, in the same words. Inputs need not be given: only a job needs them.

    Args:
        path: what to validate.
        options: those of a job.
        part: it is a part of a whole, and not planned: what it leaves open for others, and implementing files that are
            not there, are warnings.
        expand: have the service template written out, too.
    """
    found, meant = Validated(path), Path(path).expanduser()
    with TemporaryDirectory(prefix="ansible-ensemble-") as folder:
        try:
            packed = is_archive(path)
            if packed:
                found.show = _inside(path, Path(folder))
                open_csar(meant, Path(folder) / "archive")
                meant = Path(folder) / "archive"
            _validate(meant, options, part, Path(folder), found)
            found.file = path if packed else found.file
            found.expanded = _expanded(meant, options) if expand else None
        except InvalidInput as error:
            found.errors = each(error)
    return found


def _validate(path: Path, options: JobOptions, part: bool, work: Path, found: Validated) -> None:
    location = locate(path)
    try:
        read = read_specification(location, options, whole=not part, reading=found.reading)
    except InvalidInput as error:
        beside = str(location.ensemble)
        if location.template is None or any(one.place is None or one.place.file != beside for one in each(error)):
            raise
        # a service template is not to blame for what is wrong with the ensemble beside it
        found.reading.notices += [Notice(NoticeCode.UNCHECKED, f"not used: {one}") for one in each(error)]
        beside_it = location.ensemble.with_name(f"{location.template.name}.ensemble")
        location = Location(beside_it, location.template, location.document)
        read = read_specification(location, options, whole=not part, reading=found.reading)
    found.missing = missing_inputs(read.topology.inputs, read.topology.input_values)
    if not part:
        ensemble = blank_ensemble(read, options, work)
        found.reading.notices += ensemble.unselected.notices
        _check_jobs(ensemble, options, found.reading)
        found.reading.notices += unread_values(ensemble)
    meant = location.template or location.ensemble
    found.file = str(path) if meant == path.absolute() else os.path.relpath(meant)
    found.counts = _counts(read.topology)


def _expanded(path: Path, options: JobOptions) -> Mapping[str, Any]:
    """The service template that a path means, written out."""
    location = locate(path)
    template, document = location.template, location.document
    data: Any = expanded(document or read_yaml(location.ensemble), options.environment) if template is None else {}
    written = (data.get("spec") or {}).get("service_template")
    if isinstance(written, str):
        template = location.ensemble.parent / written
    if template is not None and template.suffix == SUFFIX:
        written = read_python_template(template, trusted=is_trusted(location.ensemble)).data
    elif template is not None:
        written = merged(read_yaml(template), roots=(project_root(location.ensemble.parent),))
    return written_out(written or {})


def _check_jobs(ensemble: Ensemble, options: JobOptions, reading: Reading) -> None:
    """Refuse what a job of any workflow, or its outputs, would refuse."""
    topology = ensemble.topology
    topology.input_values |= {name: not_given(name) for name in _missing_inputs(topology)}
    faults: list[InvalidInput] = []

    @contextmanager
    def collected() -> Iterator[None]:
        try:
            yield
        except Deferred:
            pass
        except InvalidInput as error:
            faults.extend(each(error))

    def plan(workflow: str, chosen: JobOptions = options) -> None:
        with collected():
            make_plan(topology, ensemble.instances, workflow, chosen, detector, ensemble="", base={})

    if ensemble.document is not None or ensemble.environment.external:
        with collected():
            ensemble.unselected.raise_all()
    else:  # it is not known yet where to look
        reading.notices += map(_unchecked, ensemble.unselected.errors)
    detector = BlankChangeDetector(ensemble)
    for workflow in dict.fromkeys(("deploy", *topology.workflows)):
        plan(workflow)
    with collected():
        survey = make_survey(topology, ensemble.instances, options, detector)
        faults.extend(find_faults_of(topology, ensemble.root))
        faults.extend(render_faults(ensemble, survey, options))
        faults.extend(_unknown_hosts(ensemble, survey.operations, options, reading))
        plan("undeploy")
        for name in {trigger.name: None for one in topology.policies.values() for trigger in one.triggers.values()}:
            plan(
                "notify", replace(options, trigger=name, force=True)
            )  # it is that of all policies with one of the name
        for name in topology.outputs:
            with collected():
                ensemble.evaluator.output_value(name, ensemble.evaluator.untracked())
    raise_all(faults)


def _unknown_hosts(
    ensemble: Ensemble, operations: Collection[PlannedOperation], options: JobOptions, reading: Reading
) -> list[InvalidInput]:
    """Hosts and patterns that the inventory does not have; where none is named, that is a job's to find out."""
    named = list(named_hosts(ensemble, operations))
    if not named or not is_trusted(ensemble.path):
        return []
    if options.inventory or options.session is not None or may_be_set("inventory", ["ANSIBLE_INVENTORY"]):
        inventory = read_inventory(options, ensemble.environment.vault, ensemble.folder, {})
        if inventory.is_named:
            return unknown_hosts(named, inventory)
    hosts = ", ".join(host.name for host in named)
    message = f"not checked, for no inventory is named (-i): whether there is {hosts}"
    reading.notices.append(Notice(NoticeCode.UNCHECKED, message, named[0].place, special="name the inventory"))
    return []


def _unchecked(unselected: InvalidInput) -> Notice:
    message = f"not checked, for an ensemble's environment says where else to look: {unselected.message}"
    return Notice(NoticeCode.UNCHECKED, message, unselected.place)


def _missing_inputs(topology: Topology) -> list[str]:
    """Names of the inputs that a job of the topology, or of a workflow of it, has to be given."""
    inputs = dict(topology.inputs)
    for workflow in topology.workflows.values():
        inputs |= workflow.inputs
    return missing_inputs(inputs, topology.input_values)


def _counts(topology: Topology) -> dict[str, int]:
    """How many there are of each kind of thing that people write in a topology."""
    return {
        "node_templates": sum(one.place is not None for one in topology.node_templates.values()),
        "inputs": len(topology.inputs),
        "outputs": len(topology.outputs),
        "workflows": len(topology.workflows),
        "policies": len(topology.policies),
    }


def _inside(archive: str, folder: Path) -> Callable[[str], str]:
    """Shows a file below the folder in which an archive was unpacked as one inside of the archive, or beside it."""
    beside = str(Path(archive).parent)
    names = [(str(one / "archive"), archive) for one in (folder, folder.resolve())]
    names += [(str(one), beside) for one in (folder, folder.resolve())]

    def show(text: str) -> str:
        for name, shown in names:
            text = text.replace(name, shown)
        return text

    return show


def _notice(notice: Notice, show: Callable[[str], str]) -> dict[str, Any]:
    kind = {"code": notice.code.value, "effect": notice.code.effect.value}
    return {**kind, **place_document(notice.place, show), "message": show(notice.message), "remedy": notice.remedy}
