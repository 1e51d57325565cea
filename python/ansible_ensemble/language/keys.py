"""The keys that each element of a service template may have.

The standard ones are those of TOSCA 1.0 to 1.3 together; the ones after them are of Unfurl's dialect and of later TOSCA
versions. Both are accepted under every version, because files in the wild mix them.
"""

from __future__ import annotations

_TYPE = frozenset({"derived_from", "version", "metadata", "description", "title"})

#: The key of a file that holds node templates without saying TOSCA, and those of a topology that stand beside it.
RESOURCES = "resources"
BESIDE_RESOURCES = ("inputs", "outputs", "groups", "policies", "workflows")

#: Keys of a data type that derives from `scalar` [TOSCA 2.0, 9.1.2.1].
SCALAR_KEYS = ("data_type", "units", "prefixes", "canonical_unit")

KEYS: dict[str, frozenset[str]] = {
    "service_template": frozenset(
        {
            *("tosca_definitions_version", "namespace", "tosca_default_namespace", "metadata", "description"),
            *("template_name", "template_author", "template_version", "dsl_definitions", "repositories", "imports"),
            *("artifact_types", "data_types", "capability_types", "interface_types", "relationship_types"),
            *("node_types", "group_types", "policy_types", "topology_template"),
            *("decorators", "deployment_blueprints", "types", "profile"),
        }
    ),
    "topology_template": frozenset(
        {
            *("description", "inputs", "node_templates", "relationship_templates", "groups", "policies", "outputs"),
            *("substitution_mappings", "workflows"),
            *("decorators", "deployment_blueprints", "metadata", "root"),
        }
    ),
    "node_template": frozenset(
        {
            *("type", "description", "metadata", "directives", "properties", "attributes", "requirements"),
            *("capabilities", "interfaces", "artifacts", "node_filter", "copy"),
            *("occurrences", "count", "dependencies", "instance_keys", "imported", "title"),
        }
    ),
    "relationship_template": frozenset(
        {
            *("type", "description", "metadata", "properties", "attributes", "interfaces", "copy"),
            *("default_for", "target", "title"),
        }
    ),
    "node_type": _TYPE | {"attributes", "properties", "requirements", "capabilities", "interfaces", "artifacts"},
    "relationship_type": _TYPE
    | {
        *("properties", "attributes", "interfaces", "valid_target_types", "valid_source_types", "default_for"),
        "valid_target_node_types",
    },
    "capability_type": _TYPE | {"properties", "attributes", "valid_source_types", "valid_relationship_types"},
    "data_type": _TYPE | {"constraints", "properties", "key_schema", "entry_schema", "type"} | {*SCALAR_KEYS},
    "artifact_type": _TYPE | {"mime_type", "file_ext", "properties", "interfaces"},
    "group_type": _TYPE | {"attributes", "properties", "members", "interfaces", "capabilities", "requirements"},
    "policy_type": _TYPE | {"properties", "targets", "triggers"},
    "parameter_definition": frozenset(
        {
            *("type", "description", "required", "default", "status", "constraints", "key_schema", "entry_schema"),
            *("external-schema", "external_schema", "metadata", "value"),
            *("title", "mapping"),
        }
    ),
    "schema_definition": frozenset(
        {"type", "description", "constraints", "key_schema", "entry_schema", "required", "metadata", "default"}
    ),
    "capability_definition": frozenset(
        {
            *("type", "description", "properties", "attributes", "valid_source_types", "occurrences", "metadata"),
            "valid_relationship_types",
        }
    ),
    "capability_assignment": frozenset(
        {"properties", "attributes", "occurrences", "description", "metadata", "type", "directives"}
    ),
    "requirement_definition": frozenset(
        {
            *("capability", "node", "relationship", "occurrences", "node_filter", "description", "metadata"),
            "title",
        }
    ),
    "requirement_assignment": frozenset(
        {
            *("capability", "node", "relationship", "node_filter", "occurrences", "description", "metadata"),
            *("count", "title", "optional", "allocation"),
        }
    ),
    "inline_relationship": frozenset(
        {"type", "properties", "attributes", "interfaces", "metadata", "description", "default_for", "target"}
    ),
    "operation": frozenset(
        {
            *("description", "implementation", "inputs", "outputs", "metadata"),
            *("environment", "timeout", "operation_host", "entry_state", "preConditions", "postConditions", "title"),
            "invoke",
        }
    ),
    "notification": frozenset({"description", "implementation", "inputs", "outputs", "metadata"}),
    "artifact": frozenset(
        {
            *("type", "file", "repository", "description", "deploy_path", "artifact_version", "version", "checksum"),
            *("checksum_algorithm", "properties", "metadata", "mime_type"),
            *("interfaces", "permissions", "intent", "target", "order", "executable", "contents", "dependencies"),
            "required",
        }
    ),
    "group": frozenset({"type", "description", "metadata", "properties", "attributes", "members", "interfaces"}),
    "policy": frozenset({"type", "description", "metadata", "properties", "targets", "triggers"}),
    "trigger": frozenset(
        {
            *("description", "event", "event_type", "schedule", "target_filter", "condition", "constraint"),
            *("period", "evaluations", "method", "action", "metadata"),
        }
    ),
    "trigger_event": frozenset({"type"}),
    "trigger_schedule": frozenset({"start_time", "end_time"}),
    "trigger_target_filter": frozenset({"node", "requirement", "capability"}),
    "trigger_condition": frozenset({"constraint", "period", "evaluations", "method"}),
    "workflow": frozenset({"description", "metadata", "inputs", "preconditions", "steps", "implementation", "outputs"}),
    "workflow_precondition": frozenset({"target", "target_relationship", "condition"}),
    "workflow_step": frozenset(
        {
            *("target", "target_relationship", "operation_host", "filter", "activities", "on_success", "on_failure"),
            *("description", "metadata"),
        }
    ),
    "call_operation_activity": frozenset({"operation", "inputs"}),
    "delegate_activity": frozenset({"workflow", "inputs"}),
    "inline_activity": frozenset({"workflow", "inputs"}),
    "import": frozenset(
        {"file", "repository", "namespace_uri", "namespace_prefix", "url", "uri", "description", "when", "profile"}
    ),
    "repository": frozenset({"description", "url", "credential", "revision", "metadata", "file"}),
    "deployment_blueprint": frozenset(
        {"title", "description", "metadata", "cloud", "node_templates", "resource_templates", "primary"}
    ),
    "substitution_mapping": frozenset(
        {
            *("node_type", "substitution_filter", "properties", "attributes", "capabilities", "requirements"),
            *("interfaces", "node", "description"),
        }
    ),
    "required": frozenset({"node", "node_filter"}),
    "function": frozenset({"signatures", "description", "metadata"}),
    "signature": frozenset({"arguments", "optional_arguments", "variadic", "result", "implementation"}),
    "node_filter": frozenset({"properties", "capabilities", "requirements", "match"}),
}

_OUTSIDE = "write it beside topology_template, not into it"
_BY_OPERATION = "have an operation of the node do it"

#: Known keys that are not supported, and what to do: each is a warning, so that no key is ignored silently.
UNHEEDED: dict[str, dict[str, str]] = {
    "topology_template": {
        "decorators": _OUTSIDE,
        "deployment_blueprints": _OUTSIDE,
        "root": "name the node in substitution_mappings",
    },
    "node_template": {
        "dependencies": "write them as requirements",
        "imported": "name the other ensemble by `external` of the environment, and select from it",
        "instance_keys": "remove it: an instance is known by the name of its template",
    },
    "capability_assignment": {"directives": "name the node in the requirement"},
    "relationship_template": {"target": "name the node in the requirement"},
    "inline_relationship": {"target": "name the node in the requirement"},
    "artifact": dict.fromkeys(
        ("contents", "executable", "intent", "interfaces", "order", "permissions", "required", "target"), _BY_OPERATION
    ),
    "repository": {
        "credential": "clone the repository into the project: git asks for credentials in its own way",
        "revision": "check it out in the clone of the repository",
    },
    "trigger_target_filter": dict.fromkeys(("requirement", "capability"), "name the node itself"),
    "workflow_precondition": {"target_relationship": "write a condition of the node"},
}

#: Keys of an implementation that are not settings handed on to the configurator.
IMPLEMENTATION_KEYS = frozenset({"primary", "dependencies", "operation_host", "timeout", "className", "configurator"})

#: Settings of an implementation that are known; an unknown one that looks like a slip of one of these is refused.
IMPLEMENTATION_SETTINGS = frozenset(
    {
        *("environment", "inputs", "outputs", "preConditions", "postConditions", "entry_state", "become"),
        *("become_user", "become_method", "fast", "description", "metadata", "file", "type", "repository"),
        *("retries", "delay", "backoff", "until", "serial", "check_mode"),
    }
)
