"""Read: files become an ensemble."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ansible_ensemble.changes.jobs_tsv import FILE_NAME
from ansible_ensemble.changes.operations import RecordedOperations
from ansible_ensemble.changes.outputs import OperationOutputs
from ansible_ensemble.configurators.installer_nodes import add_installer_operations
from ansible_ensemble.configurators.kubernetes_nodes import complete_kubernetes_nodes
from ansible_ensemble.configurators.resources import add_operations
from ansible_ensemble.configurators.terraform_nodes import add_terraform_operations
from ansible_ensemble.core import log
from ansible_ensemble.core.errors import InvalidInput, Place, raise_all
from ansible_ensemble.core.notices import Reading
from ansible_ensemble.core.sensitive import Redactor
from ansible_ensemble.documents.csar import form_notices
from ansible_ensemble.documents.ensemble_schema import check_ensemble, ensemble_schema, is_of_unfurl
from ansible_ensemble.documents.paths import confine, is_file, resolved
from ansible_ensemble.documents.places import joined
from ansible_ensemble.documents.schema import unheeded
from ansible_ensemble.documents.yaml import Document, place_of, read_yaml
from ansible_ensemble.ensembles.declared_secrets import hide_declared
from ansible_ensemble.ensembles.ensemble import Ensemble, Specification
from ansible_ensemble.ensembles.evaluation_environment import make_evaluation_environment
from ansible_ensemble.ensembles.hosts import copy_for_inventory
from ansible_ensemble.ensembles.job_inputs import JobInputs, check_reset, given_inputs, still_lasting
from ansible_ensemble.ensembles.location import Location, locate, naming, stands_alone
from ansible_ensemble.ensembles.merge_directives import expanded
from ansible_ensemble.ensembles.merging import read_merged
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.ensembles.python_template import SUFFIX, read_python_template, read_source
from ansible_ensemble.ensembles.renames import move_instances, read_moves
from ansible_ensemble.ensembles.revisions import specification_at
from ansible_ensemble.ensembles.secret_codec import SecretCodec
from ansible_ensemble.ensembles.selection import SELECT, bind_selected
from ansible_ensemble.ensembles.spec_digests import digest, hosts_digest, spec_digests, variables_digest
from ansible_ensemble.ensembles.template_snapshots import RetainedTemplates
from ansible_ensemble.expressions.evaluator import Evaluator
from ansible_ensemble.functions.conditions import find_matches, is_met
from ansible_ensemble.functions.harmless import harmless_evaluator
from ansible_ensemble.functions.table import function_table
from ansible_ensemble.instances.instance import Instances
from ansible_ensemble.instances.status_document import read_status
from ansible_ensemble.language.entities import Topology
from ansible_ensemble.language.given_input import GivenInput
from ansible_ensemble.projects.clones import find_clone, find_repositories
from ansible_ensemble.projects.environment import Environment
from ansible_ensemble.projects.environment_layers import load_environment
from ansible_ensemble.projects.folders import ACTIVE
from ansible_ensemble.projects.project import PROJECT_FILES, project_root
from ansible_ensemble.projects.remote_files import RemoteFiles, pinned_imports
from ansible_ensemble.projects.trust import is_trusted
from ansible_ensemble.topology.dns_records import add_dns_records
from ansible_ensemble.topology.executables import add_arguments
from ansible_ensemble.topology.host_copies import copy_for_hosts
from ansible_ensemble.topology.installations import add_installations
from ansible_ensemble.topology.service_template import load_topology
from ansible_ensemble.topology.tools import add_tools

_LOG = logging.getLogger(__name__)


def read_specification(
    location: Location,
    options: JobOptions,
    *,
    whole: bool = True,
    reading: Reading | None = None,
    begun: Sequence[JobInputs] = (),
    lasts: bool = True,
) -> Specification:
    """Read the files of an ensemble. All commands read by this, so that each accepts and refuses what the others do.

    Args:
        location: where it is.
        options: the job's options.
        whole: else a service template may be a part of a whole: what it leaves open, and files that implement its
            operations and are not there, are warnings.
        reading: takes what is found of the files, also where they are wrong.
        begun: jobs that began and are not recorded, oldest first; what they were given counts.
        lasts: whether inputs that earlier jobs were given count.
    """
    path, trusted = location.ensemble, is_trusted(location.ensemble)
    reading = reading if reading is not None else Reading()
    if location.template is not None:
        reading.notices += form_notices(path.parent)
    if not trusted:
        _check_links(path)
    document = read_merged(path, location.document) if path.exists() else None
    included: list[Path] = []
    data = expanded(document, options.environment, included)
    if document is not None:
        reading.notices += check_ensemble(document)
        _check_template(location, data)
        reading.versions[path] = str(data.get("apiVersion") or "")
    environment = load_environment(path, data, options.environment)
    reading.notices += environment.notices
    vault = environment.vault = options.open_vault()
    vault.take(environment.take_vault_passwords())
    codec = SecretCodec(vault) if vault.available else SecretCodec()
    written, where, then = document, location, data
    if options.revision:
        where = _earlier(location, data, options.revision)
        written = read_yaml(where.ensemble) if where.ensemble.exists() else None
        included.clear()
        then = expanded(written, options.environment, included)
        environment.inputs = load_environment(where.ensemble, then, options.environment).inputs
    if options.service_template is not None:
        _check_named(where, then)
        then = naming(then, options.service_template)
        written = replace(written, data=naming(written.data, options.service_template)) if written else None
    reading.notices += unheeded(then, ensemble_schema())
    reading.versions |= dict.fromkeys(included, "")
    spec = codec.open(then.get("spec") or {})
    repositories = find_repositories(environment, then)
    instances = _instances(document, data.get("status") or {}, codec)
    for job in begun:
        instances.given = job.lasting(instances.given, codec)
    specified = joined(environment.inputs, spec.get("inputs") or {})
    given = given_inputs(options, codec)
    lasting = still_lasting(instances.given, options, given) if lasts else {}
    topology = _topology(
        where,
        written,
        spec,
        joined(specified, given),
        repositories,
        lasting=lasting,
        environment=environment,
        pins=pinned_imports(then.get("lock")),
        whole=whole,
        trusted=trusted,
        reading=reading,
    )
    check_reset(options, instances.given, topology.inputs)
    topology.files += [file for file in included if file not in topology.files]
    add_dns_records(topology)
    raise_all(add_arguments(topology))
    faults = [*add_operations(topology, environment.root), *add_terraform_operations(topology, environment.root)]
    raise_all([*faults, *complete_kubernetes_nodes(topology)])
    add_installations(topology)
    raise_all(add_installer_operations(topology, environment.root))
    add_tools(topology)
    return Specification(
        location=location,
        document=document,
        data=data,
        written=written,
        environment=environment,
        repositories=repositories,
        codec=codec,
        topology=topology,
        moves=read_moves(then.get("spec") or {}, topology),
        instances=instances,
        digests=spec_digests(written, topology),
        specified=specified,
        given=frozenset(given),
        lasting=lasting,
        notices=tuple(dict.fromkeys(reading.notices)),
    )


def read_ensemble(
    location: Location,
    options: JobOptions,
    *,
    keep_key: bool = False,
    reading: tuple[Path, ...] = (),
    begun: Sequence[JobInputs] = (),
) -> Ensemble:
    """Read an ensemble: its spec, its status, its environment.

    Args:
        location: where it is.
        options: the job's options.
        keep_key: digests of secrets are going to be recorded, so their key is made and kept where there is none.
        reading: the ensembles that are read to read this one, the outermost first.
        begun: as for `read_specification`.
    """
    return _ensemble(read_specification(location, options, begun=begun), options, keep_key=keep_key, reading=reading)


def read_again(ensemble: Ensemble, options: JobOptions) -> Ensemble:
    """An ensemble after a job: what should be is what the job was planned from, what is is read anew.

    So a job is recorded as what it was, though people changed the specification while it ran. What they changed in the
    ensemble's own file stays there, and what the job itself wrote counts.
    """
    was = ensemble.specification
    if any(SELECT in template.directives for template in was.topology.node_templates.values()):
        return read_ensemble(was.location, options)  # those are bound to what they stood for then
    path = was.location.ensemble
    document = read_merged(path, was.document) if was.document is not None or path.exists() else None
    data = was.data
    if document is not None and document is not was.document:
        data = expanded(document, options.environment)
        check_ensemble(document)
    now = replace(
        was,
        document=document,
        data=data,
        environment=was.environment.afresh(),
        instances=_instances(document, data.get("status") or {}, was.codec),
    )
    return _ensemble(now, options)


def _ensemble(
    read: Specification, options: JobOptions, *, keep_key: bool = False, reading: tuple[Path, ...] = ()
) -> Ensemble:
    location, environment, topology, instances = read.location, read.environment, read.topology, read.instances
    path = location.ensemble
    _LOG.info("%s has %d node templates and %d instances", path, len(topology.node_templates), len(instances.by_name))
    redactor = Redactor()
    log.mask(redactor)
    hide_declared(topology, redactor)
    externals = _externals(environment, options, (*reading, path))
    operations = RecordedOperations(path.parent / FILE_NAME)
    operations.rename(read.moves)
    operation_outputs = OperationOutputs(path.parent, operations, read.codec.open_json)
    around = make_evaluation_environment(
        path,
        environment,
        options,
        repositories=read.repositories,
        externals=externals,
        outputs=operation_outputs,
        redactor=redactor,
        keep_key=keep_key,
        trusted=environment.trusted,
    )
    notices, unknown_hosts = copy_for_inventory(topology, around.inventory)
    retained = RetainedTemplates(path.parent / ACTIVE / "artifacts", environment.root, read.codec)
    moved = move_instances(read.moves, instances)
    retained.rename(read.moves)
    retained.add_missing(topology, instances)
    selection = bind_selected(topology, instances, environment, externals)
    return Ensemble(
        specification=read,
        path=path,
        root=environment.root,
        document=read.document,
        template=location.template,
        topology=topology,
        instances=instances,
        environment=environment,
        evaluator=Evaluator(topology, instances, around, function_table()),
        operations=operations,
        retained=retained,
        codec=read.codec,
        redactor=redactor,
        base={
            **read.digests,
            **variables_digest(around.variables),
            **hosts_digest(topology),
            "status": digest(read.data.get("status") or {}),
        },
        last_job=dict(read.data.get("lastJob") or {}),
        warnings=[*map(str, read.notices), *notices, *retained.problems, *map(str, selection.notices)],
        unselected=selection,
        unknown_hosts=unknown_hosts,
        operation_outputs=operation_outputs,
        moved=moved,
    )


def blank_ensemble(read: Specification, options: JobOptions, work: Path) -> Ensemble:
    """An ensemble of which nothing is deployed yet, with the values that its own files give.

    Args:
        read: its files.
        options: the job's options.
        work: a folder for what is rendered.
    """
    redactor, instances, environment = Redactor(), Instances(), read.environment
    log.mask(redactor)
    externals = _externals(environment, options, (read.location.ensemble,))
    copy_for_hosts(read.topology, lambda pattern: [pattern])  # a stand-in, for the inventory is not read
    selection = bind_selected(read.topology, instances, environment, externals)
    operations = RecordedOperations()
    evaluator = harmless_evaluator(
        read.topology,
        instances,
        read.location.ensemble.parent,
        root=environment.root,
        repositories=read.repositories,
        redactor=redactor,
    )
    return Ensemble(
        specification=read,
        path=read.location.ensemble,
        root=environment.root,
        document=read.document,
        template=read.location.template,
        topology=read.topology,
        instances=instances,
        environment=replace(environment, raw={}),
        evaluator=evaluator,
        operations=operations,
        retained=RetainedTemplates(work, environment.root, read.codec),
        codec=read.codec,
        redactor=redactor,
        operation_outputs=OperationOutputs(work, operations, read.codec.open_json),
        warnings=[*map(str, read.notices), *map(str, selection.notices)],
        unselected=selection,
        work=work,
    )


def _check_links(ensemble: Path) -> None:
    """Errors quote the files of an ensemble; in a project that is not trusted these may be links to other files."""
    root = project_root(ensemble.parent.resolve())
    for file in (ensemble, *(root / name for name in PROJECT_FILES)):
        confine(file, root, (root,), "the file")


def _earlier(location: Location, data: Mapping[str, Any], revision: str) -> Location:
    template = (data.get("spec") or {}).get("service_template")
    if location.template is None and isinstance(template, str):
        # the job may be from before ensemble.yaml was made for it
        location = Location(location.ensemble, location.ensemble.parent / template)
    return Location(*specification_at(location.ensemble, revision, location.template))


def _externals(environment: Environment, options: JobOptions, reading: tuple[Path, ...]) -> Callable[[str], Any]:
    """What finds instances of other ensembles; the environments of most ensembles name none."""
    if not environment.external:
        return environment.external.__getitem__
    from ansible_ensemble.ensembles.externals import Externals

    other = JobOptions(environment=options.environment, vault=environment.vault)
    return Externals(environment.external, reading, lambda file: read_ensemble(locate(file), other, reading=reading))


def _check_template(location: Location, data: Mapping[str, Any]) -> None:
    """An ensemble.yaml beside a service template given by name must be that template's."""
    written = (data.get("spec") or {}).get("service_template")
    if location.template is not None and isinstance(written, str):
        other = resolved(location.ensemble.parent / written)
        if other != resolved(location.template):
            raise InvalidInput(
                f"it is the ensemble of {written}, not of {location.template.name}",
                Place(str(location.ensemble)),
                f"name the ensemble, with `--service-template {location.template.name}` for it to follow that one; "
                "or move the service template into a folder of its own",
            )


def _check_named(location: Location, data: Mapping[str, Any]) -> None:
    """Only the name of a service template can be replaced by another; what people wrote is theirs."""
    spec = data.get("spec") or {}
    if not isinstance(spec.get("service_template", ""), str):
        raise InvalidInput(
            "the ensemble has its service template inside, which --service-template would replace",
            place_of(spec, "service_template") or Place(str(location.ensemble)),
            "write it into a file of its own, and name that by `service_template`",
        )


def _topology(
    location: Location,
    document: Document | None,
    spec: Mapping[str, Any],
    inputs: Mapping[str, Any],
    repositories: Mapping[str, Path],
    *,
    lasting: Mapping[str, GivenInput],
    environment: Environment,
    pins: Mapping[str, str],
    whole: bool,
    trusted: bool,
    reading: Reading,
) -> Topology:
    root, template = environment.root, location.template
    written = spec.get("service_template")
    if isinstance(written, str):
        template = location.ensemble.parent / written
        place = place_of(document.data["spec"], "service_template") if document else None
        roots = (root, location.ensemble.parent, *repositories.values())
        confine(written, location.ensemble.parent, roots, "the service template", place)
        if not is_file(template):
            raise InvalidInput(f"there is no service template {written}", place)
    data: Mapping[str, Any] | None = written if template is None else None
    if data is None and template is None and document is not None:
        data = {}  # an ensemble may have no service template
    source = document or location.ensemble
    if template is not None:
        python = partial(read_python_template, trusted=trusted)
        source = python(template) if template.suffix == SUFFIX else read_yaml(template, known=location.document)
    return load_topology(
        source,
        inputs=inputs,
        lasting=lasting,
        data=data,
        repositories=repositories,
        roots=(root, location.ensemble.parent),
        leaves=stands_alone(root),
        remote=RemoteFiles(environment.import_from, pins),
        read_file=lambda path: read_source(path, trusted=trusted),
        find_clone=partial(find_clone, root=root),
        check_files=whole,
        complete=whole,
        find_matches=find_matches,
        is_met=partial(is_met, connections=environment.connections),
        instances=spec.get("instances"),
        connections=environment.connections,
        reading=reading,
        blueprint=environment.blueprint,
        blueprints=spec.get("deployment_blueprints"),
        unfurl=document is not None and is_of_unfurl(document.data),
    )


def _instances(document: Document | None, status: Mapping[str, Any], codec: SecretCodec) -> Instances:
    try:
        return read_status(codec.open(status))
    except InvalidInput as error:
        if error.place is None and document is not None:
            error.place = Place(str(document.path))
        raise
