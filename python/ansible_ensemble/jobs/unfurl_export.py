"""The JSON of `unfurl export`, which Unfurl's dashboard and cloud read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ansible_ensemble.core.texts import without_credentials
from ansible_ensemble.ensembles.ensemble import Ensemble
from ansible_ensemble.ensembles.location import locate
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.instances.instance import Instance
from ansible_ensemble.instances.readiness import aggregate, overall
from ansible_ensemble.instances.status import NodeState, Status
from ansible_ensemble.jobs.exported_values import hidden
from ansible_ensemble.jobs.stored_state import read_current
from ansible_ensemble.jobs.unfurl_types import Types, attributes_of, required, variables
from ansible_ensemble.language.entities import Assignment, NodeTemplate, ParameterDefinition
from ansible_ensemble.projects.git import first_commit, last_changed, remote_url, repository_of
from ansible_ensemble.projects.project import Project, find_project
from ansible_ensemble.topology.directives import DEPENDENT, UNCONNECTED
from ansible_ensemble.topology.tools import NODE_TYPE

_PRIMARY = "__primary"
#: Numbers of statuses and states, which the dashboard knows.
_STATUSES = {
    **{Status.UNKNOWN: 0, Status.OK: 1, Status.DEGRADED: 2, Status.DRIFTED: 2, Status.ERROR: 3},
    **{Status.PENDING: 4, Status.ABSENT: 5},
}
_STATES = {state: number for number, state in enumerate(NodeState, 1)}


def export(ensemble: str, form: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The document of an ensemble, or of the ensembles and environments of its project; secrets are masked."""
    location = locate(ensemble)
    project = find_project(location.ensemble.parent)
    if form == "environments":
        return _environments(location.ensemble, project, options)
    if form == "deployments":
        files = [entry.file for entry in project.ensembles]
        found = {"DeploymentPath": _paths(project)}
        return found | {"deployments": [_read(file, options).document(form) for file in files]}
    return _read(location.ensemble if location.template is None else location.template, options).document(form)


def _read(ensemble: Path, options: Mapping[str, Any]) -> _Export:
    return _Export(read_current(locate(ensemble), JobOptions.from_mapping(options)))


def _environments(ensemble: Path, project: Project, options: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"DeploymentEnvironment": {}, "ResourceType": {}, "DeploymentPath": _paths(project)}
    for name in [one for one in project.environments if one != "defaults"] or ["defaults"]:
        chosen = options if name == "defaults" else {**options, "environment": name}
        one = _read(ensemble, chosen)
        instances = (project.environments.get(name) or {}).get("instances") or {}
        document = one.environment(instances)
        found["DeploymentEnvironment"][name] = {**document, "name": name}
        found["ResourceType"] |= one.types.documents
    return found


def _paths(project: Project) -> dict[str, Any]:
    """Where ensembles of a project are deployed to: the environment of each folder."""
    paths: dict[str, Any] = {}
    for entry in project.ensembles:
        name = entry.file.parent.relative_to(project.root).as_posix() if entry.file.is_relative_to(project.root) else ""
        name = "" if name == "." else name
        paths[name] = {
            "__typename": "DeploymentPath",
            "name": name,
            "project_id": None,
            "pipelines": [],
            "environment": entry.environment or "defaults",
            "incremental_deploy": False,
        }
    return paths


class _Export:
    """An ensemble on its way to a document."""

    def __init__(self, read: Ensemble) -> None:
        self._read = read
        self._topology = read.topology
        self.types = Types(read.topology, first_commit(read.root))
        self._templates = {one.name: one for one in read.topology.node_templates.values() if _is_shown(one)}
        self._name = read.path.parent.name

    def document(self, form: str) -> dict[str, Any]:
        """The blueprint, or that and what is deployed."""
        blueprint = form == "blueprint"
        templates = {name: self._template(one, root=blueprint) for name, one in self._templates.items()}
        primary, names = self._primary(templates)
        shop = _slug(str(self._topology.metadata.get("template_name") or "")) or primary
        metadata = self._topology.metadata
        found = {
            "ResourceType": self.types.documents,
            "ResourceTemplate": templates,
            "Overview": metadata,
            "DeploymentTemplate": {
                self._name: {
                    "__typename": "DeploymentTemplate",
                    **{"title": self._name, "name": self._name, "slug": _slug(self._name)},
                    "description": self._topology.description,
                    "resourceTemplates": sorted(templates),
                    "ResourceTemplate": {},
                    "source": "__generated",
                    "blueprint": shop,
                    "primary": primary,
                    "environmentVariableNames": names,
                }
            },
            "ApplicationBlueprint": {
                shop: {
                    "name": shop,
                    "__typename": "ApplicationBlueprint",
                    "title": metadata.get("template_name") or shop,
                    "description": self._topology.description,
                    **{key: metadata.get(key) for key in ("livePreview", "sourceCodeUrl", "image", "projectIcon")},
                    "primaryDeploymentBlueprint": self._name,
                    "primary": templates[primary]["type"],
                    "deploymentTemplates": [self._name],
                    **({} if blueprint else {"projectPath": _project_path(self._read.root)}),
                    "blueprintPath": self._read.path.relative_to(self._read.root).as_posix(),
                }
            },
        }
        if not blueprint:
            aggregate(self._read.instances, self._read.requirements())
            found["Resource"] = {one.name: self._resource(one, templates) for one in self._read.instances}
            found["Deployment"] = {self._name: self._deployment(primary)}
            root = repository_of(self._read.path.parent)
            if root is not None and (when := last_changed(root, self._read.path)):
                found["DeploymentTemplate"][self._name]["commitTime"] = when
            found["DeploymentEnvironment"] = self.environment({})
        return self._masked(found)

    def _masked(self, document: dict[str, Any]) -> dict[str, Any]:
        masked: dict[str, Any] = self._read.redactor.data(document)
        return masked

    def _template(self, node: NodeTemplate, *, root: bool) -> dict[str, Any]:
        return {
            "type": self.types.add(node.type, root=root),
            "name": node.name,
            "title": node.metadata.get("title") or node.name,
            "description": node.description,
            "directives": [one for one in node.directives if one != UNCONNECTED],
            "properties": _given(node.properties),
            "dependencies": self._dependencies(node),
        }

    def _dependencies(self, node: NodeTemplate) -> list[dict[str, Any]]:
        """What a node template requires: first what it says, then what else its type has."""
        declared, found, met = node.type.requirements, [], set()
        for one in node.requirements:
            if one.name not in declared or one.name == "dependency" or one.target.name not in self._templates:
                continue
            met.add(one.name)
            found.append(_dependency(self.types.constraint(declared[one.name]), one.target.name))
        left = [one for one in self.types.constraints(node.type) if one["name"] not in met]
        return [*found, *map(_dependency, left)]

    def _primary(self, templates: dict[str, Any]) -> tuple[str, list[str]]:
        """The node template that stands for the topology, made where there is none, and names of variables."""
        topology = self._topology
        node = self._templates.get(topology.primary)
        if node is not None and not topology.inputs:
            return node.name, self._variables((), (), node, {})
        incoming = {link.target.name for one in self._templates.values() for link in one.requirements}
        roots = [node] if node is not None else [one for one in self._templates.values() if one.name not in incoming]
        extra = [required(one.name, self.types.name(one.type)) for one in roots]
        made = self.types.add_made(_PRIMARY, node.type if node is not None else None, topology.inputs, extra)
        own = templates[node.name] if node is not None else {}
        needs = [_dependency(one, None if node is not None else one["name"]) for one in extra]
        taken = [{"name": name, "value": {"get_input": name}} for name in topology.inputs]
        templates[_PRIMARY] = {
            "type": made,
            "name": _PRIMARY,
            "title": own.get("title", _PRIMARY),
            "description": own.get("description", ""),
            "directives": [],
            "properties": [*own.get("properties", ()), *taken],
            "dependencies": [*own.get("dependencies", ()), *needs],
        }
        inputs, outputs = tuple(topology.inputs.values()), tuple(topology.outputs.values())
        return _PRIMARY, self._variables(inputs, outputs, node, {one.name: one for one in roots})

    def _variables(
        self,
        inputs: tuple[ParameterDefinition, ...],
        outputs: tuple[ParameterDefinition, ...],
        node: NodeTemplate | None,
        roots: Mapping[str, NodeTemplate],
    ) -> list[str]:
        """Variables for the values of the application, and of what it requires."""
        own = [*node.type.properties.values()] if node is not None else []
        results = [*attributes_of(node.type)] if node is not None else []
        needed = {one.name: one.target for one in node.requirements} if node is not None else {}
        found = variables("APP", [*inputs, *own, *outputs, *results])
        for name, one in {**roots, **needed}.items():
            found += variables(name, [*one.type.properties.values(), *attributes_of(one.type)])
        return found

    def _resource(self, instance: Instance, templates: Mapping[str, Any]) -> dict[str, Any]:
        node = self._templates.get(instance.template)
        connections = [dict(one) for one in templates.get(instance.template, {}).get("dependencies", ())]
        for one in connections:
            if one["match"] is not None:
                one["target"] = one["match"]
        declared = node.type.properties if node is not None else {}
        secret = {one.name for one in declared.values() if one.is_secret}
        computed = {name: hidden(value, name, secret=name in secret) for name, value in instance.properties.items()}
        given = {one["name"] for one in templates.get(instance.template, {}).get("properties", ())}
        return {
            "name": instance.name,
            "title": instance.name,
            "template": instance.template,
            "state": _STATES[instance.state] if instance.state is not None else None,
            "status": _STATUSES[instance.effective or instance.status],
            "__typename": "Resource",
            "imported": instance.imported,
            "protected": instance.protected or None,
            "attributes": [{"name": name, "value": hidden(value, name)} for name, value in instance.attributes.items()],
            "computedProperties": [
                {"name": name, "value": value}
                for name, value in computed.items()
                if name in declared and name not in given
            ],
            "connections": connections,
        }

    def _deployment(self, primary: str) -> dict[str, Any]:
        found: dict[str, Any] = {
            "name": self._name,
            "title": self._name,
            "__typename": "Deployment",
            "resources": [one.name for one in self._read.instances],
            "primary": primary,
            "deploymentTemplate": self._name,
        }
        job = self._read.last_job
        if job:
            found |= {"workflow": job.get("workflow"), "summary": job.get("summary")}
            found["status"] = _STATUSES[overall(self._read.instances)]
            parts = str(job.get("endTime") or job.get("startTime") or "").split("-")
            if len(parts) >= 6:
                found["deployTime"] = f"{'-'.join(parts[:3])} {':'.join(parts[3:6])}+00:00"
        return found

    def environment(self, instances: Mapping[str, Any]) -> dict[str, Any]:
        """The environment: its connections as templates of relationships, and what other projects share."""
        environment = self._read.environment
        connections = {
            name: made
            for name, one in environment.connections.items()
            if isinstance(one, Mapping) and (made := self._connection(name, one, "relationship")) is not None
        }
        shared = {
            name: {**made, "directives": ["virtual"]}
            for name, one in instances.items()
            if isinstance(one, Mapping) and (made := self._connection(name, one, "node")) is not None
        }
        return self._masked(
            {
                "connections": connections,
                "primary_provider": connections.get("primary_provider"),
                "instances": shared,
                "repositories": {
                    name: {"url": without_credentials(url)} for name, (url, _folder) in environment.repositories.items()
                },
            }
        )

    def _connection(self, name: str, raw: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
        entity = self._topology.seen_types(kind).get(str(raw.get("type")))
        if entity is None:
            return None
        known = entity.properties
        given = {key: Assignment(value, known.get(key)) for key, value in (raw.get("properties") or {}).items()}
        return {
            "type": self.types.add(entity, root=True),
            "name": name,
            "title": name,
            "description": str(raw.get("description") or ""),
            "directives": [],
            "properties": _given(given),
            "dependencies": [],
        }


def _is_shown(node: NodeTemplate) -> bool:
    """Whether the service template has a node: not what was made for tools and for what an installation made."""
    return not node.namespace and node.type.name != NODE_TYPE and DEPENDENT not in node.directives


def _given(properties: Mapping[str, Assignment]) -> list[dict[str, Any]]:
    """What is written for properties, and the defaults of those that users set; no secret."""
    found = []
    for name, one in properties.items():
        settable = one.definition is not None and one.definition.metadata.get("user_settable")
        if not one.is_default or settable:
            secret = one.definition is not None and one.definition.is_secret
            found.append({"name": name, "value": hidden(one.value, name, secret=secret)})
    return found


def _project_path(root: Path) -> str:
    """The path of a project at the server that git has it from, else its folder."""
    url = remote_url(root) if repository_of(root) is not None else ""
    path = url.partition("://")[2].partition("/")[2] if "://" in url else url.rpartition(":")[2]
    return (path or str(root)).strip("/").removesuffix(".git")


def _dependency(constraint: Mapping[str, Any], match: str | None = None) -> dict[str, Any]:
    found = {"constraint": constraint, "name": constraint["name"], "match": match, "__typename": "Requirement"}
    return found | ({"visibility": "hidden"} if match is not None else {})


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "-", name.lower()).strip("-")
