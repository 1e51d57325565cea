"""A stand-in for the REST API of AWX: it keeps objects on a loopback port, and refuses what AWX refuses.

What it knows of AWX is what the role needs: which fields an object has and must have, what is unique, what a playbook,
a type of credentials, a credential, a survey, a message and a rule of a schedule may be. A field that it does not know
is refused, where AWX drops it.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

Object = dict[str, Any]

#: What a plan's job, and that of a check, leave for a message; AWX tries messages on a job that left nothing.
STUB: Object = {"job": {"name": "a job", "artifacts": {}}, "url": "https://awx.example/#/jobs/1"}

_NAMED = {"name", "description", "organization"}
_LAUNCHED = {"webhook_service", "webhook_credential"}
_ASK = {"ask_limit_on_launch", "ask_variables_on_launch", "survey_enabled", "allow_simultaneous", "extra_vars"}
#: The fields of the objects, by their endpoints; those that a new one must have come first.
FIELDS: dict[str, tuple[set[str], set[str]]] = {
    "organizations": ({"name"}, {"description"}),
    "teams": ({"name", "organization"}, {"description"}),
    "labels": ({"name", "organization"}, set()),
    "instance_groups": ({"name"}, set()),
    "credential_types": ({"name", "kind", "inputs", "injectors"}, {"description", "managed"}),
    "credentials": ({"name", "credential_type", "organization", "inputs"}, _NAMED),
    "execution_environments": ({"name", "image"}, _NAMED | {"credential", "pull"}),
    "projects": (
        {"name", "organization", "scm_type", "scm_url"},
        _NAMED | {"scm_branch", "credential", "scm_update_on_launch", "allow_override"},
    ),
    "inventories": ({"name", "organization"}, _NAMED | {"kind", "host_filter", "variables"}),
    "inventory_sources": (
        {"name", "inventory", "source", "source_project", "source_path"},
        {"credential", "execution_environment", "overwrite", "overwrite_vars", "update_on_launch", "description"},
    ),
    "job_templates": (
        {"name", "project", "inventory", "playbook"},
        _NAMED | _ASK | {"job_type", "execution_environment"},
    ),
    "workflow_job_templates": ({"name"}, _NAMED | _ASK | _LAUNCHED | {"inventory", "limit"}),
    "workflow_job_template_nodes": (
        {"workflow_job_template", "identifier"},
        {"unified_job_template", "all_parents_must_converge", "extra_data", "type"},
    ),
    "workflow_approval_templates": ({"name"}, {"description", "timeout"}),
    "notification_templates": (
        {"name", "organization", "notification_type", "notification_configuration", "messages"},
        _NAMED,
    ),
    "schedules": ({"name", "unified_job_template", "rrule"}, {"description", "enabled", "extra_data"}),
}
_SINGULAR = {name: name.removesuffix("s") for name in FIELDS} | {"inventories": "inventory"}
#: What an object is known by beside its name.
_UNIQUE = {
    "credentials": ("organization", "credential_type"),
    "inventory_sources": ("inventory",),
    "workflow_job_template_nodes": ("workflow_job_template", "identifier"),
    "schedules": ("unified_job_template",),
}
_UNIFIED = ("job_templates", "workflow_job_templates", "projects", "inventory_sources", "workflow_approval_templates")
_ASSOCIATED = {
    **dict.fromkeys(("success_nodes", "always_nodes", "failure_nodes"), "workflow_job_template_nodes"),
    **dict.fromkeys(
        (f"notification_templates_{event}" for event in ("started", "success", "error", "approvals")),
        "notification_templates",
    ),
    **dict.fromkeys(("credentials", "galaxy_credentials"), "credentials"),
    **{name: name for name in ("labels", "instance_groups", "teams")},
}
#: What teams may do with an object; the ids of the roles are numbers of their own.
_ROLES = ("execute_role", "approval_role")
_SURVEYED: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("text", "textarea", "password", "multiplechoice", "multiselect"), str),
    "integer": int,
    "float": (float, int),
}
_JSON_BODIES = ("webhook", "pagerduty")
#: Types of credentials that each AWX has.
_TYPES = {
    "Vault": ("vault_password", "vault_id"),
    "Ansible Galaxy/Automation Hub API Token": ("url", "auth_url", "token"),
}
_SECRET = ("vault_password", "token")
_CONFIGURATIONS = {
    "webhook": {"url", "headers", "http_method", "disable_ssl_verification", "username", "password"},
    "slack": {"token", "channels", "hex_color"},
}


def roles_of(number: int) -> Object:
    """The roles of an object, as it shows them."""
    return {name: {"id": number * 10 + place} for place, name in enumerate(_ROLES)}


class Refused(Exception):
    """A request that is answered with 400, and this document."""


class Awx:
    """The objects of an AWX, by endpoint and id.

    Attributes:
        objects: as the API shows them, but for secrets.
        surveys: by endpoint and id of the template.
        associations: ids by endpoint, id and name of the association.
        changes: how many requests changed something.
    """

    TOKEN: ClassVar[str] = "token-of-the-tests"

    def __init__(self) -> None:
        self.objects: dict[str, dict[int, Object]] = {name: {} for name in FIELDS}
        self.surveys: dict[tuple[str, int], Object] = {}
        self.associations: dict[tuple[str, int, str], list[int]] = {}
        self._next, self.changes = 1, 0
        organization = self.create("organizations", {"name": "Default"})["id"]
        self.create("instance_groups", {"name": "default"})
        for name, fields in _TYPES.items():
            inputs = {"fields": [{"id": field, "secret": field in _SECRET} for field in fields]}
            made = self.create("credential_types", {"name": name, "kind": "cloud", "inputs": inputs, "injectors": {}})
        galaxy = {"credential_type": made["id"], "organization": organization, "inputs": {"url": "https://galaxy"}}
        self.create("credentials", {"name": "Ansible Galaxy", **galaxy})
        self.changes = 0

    def named(self, endpoint: str, name: str) -> Object:
        """The one object of a name."""
        [found] = (one for one in self.objects[endpoint].values() if one["name"] == name)
        return found

    def names(self, endpoint: str) -> list[str]:
        """The names of all objects, in order."""
        return sorted(one["name"] for one in self.objects[endpoint].values())

    def associated(self, endpoint: str, number: int, association: str) -> list[str]:
        """The names of what is associated with an object."""
        target = self.objects[_ASSOCIATED[association]]
        found = self.associations.get((endpoint, number, association), [])
        return sorted(target[one].get("name") or target[one]["identifier"] for one in found)

    def granted(self, found: Object) -> dict[str, list[str]]:
        """The teams that have each role of an object."""
        roles = {name: said["id"] for name, said in roles_of(found["id"]).items()}
        return {name: self.associated("roles", number, "teams") for name, number in roles.items()}

    def create(self, endpoint: str, given: Object) -> Object:
        """Make an object.

        Raises:
            Refused: AWX would not.
        """
        missing = FIELDS[endpoint][0] - given.keys()
        if missing:
            raise Refused({key: ["This field is required."] for key in sorted(missing)})
        self._check(endpoint, given)
        beside = _UNIQUE.get(endpoint, ("organization",))
        for other in self.objects[endpoint].values():
            if all(other.get(key) == given.get(key) for key in ("name", *beside)):
                raise Refused({"__all__": [f"{endpoint} with this name exists already."]})
        number, self._next = self._next, self._next + 1
        self.objects[endpoint][number] = {"id": number, **given}
        self.changes += 1
        return self.shown(endpoint, number)

    def update(self, endpoint: str, number: int, given: Object) -> Object:
        """Change an object."""
        self._check(endpoint, {**self.objects[endpoint][number], **given})
        self.objects[endpoint][number] |= given
        self.changes += 1
        return self.shown(endpoint, number)

    def shown(self, endpoint: str, number: int) -> Object:
        """An object as the API shows it."""
        found = self.objects[endpoint][number]
        url = f"/api/v2/{endpoint}/{number}/"
        related = {"survey_spec": f"{url}survey_spec/"} if endpoint.endswith("job_templates") else {}
        if endpoint == "workflow_job_template_nodes" and found.get("unified_job_template"):
            kind = next(one for one in _UNIFIED if found["unified_job_template"] in self.objects[one])
            related["unified_job_template"] = f"/api/v2/{kind}/{found['unified_job_template']}/"
        told = {**found, "type": _SINGULAR[endpoint], "url": url, "related": related, "summary_fields": {}}
        if endpoint == "credentials":
            told["inputs"] = _sealed(found["inputs"], self._secrets(found["credential_type"]))
        if endpoint == "notification_templates":
            told["notification_configuration"] = _sealed(found["notification_configuration"], {"password", "token"})
        if endpoint.endswith("job_templates"):
            told["summary_fields"] = {"object_roles": roles_of(number)}
        return told | ({"scm_revision": ""} if endpoint == "projects" else {})

    def find(self, endpoint: str, query: Mapping[str, str]) -> list[Object]:
        """The objects that a list of the API shows."""
        kinds = _UNIFIED if endpoint == "unified_job_templates" else (endpoint,)
        shown = [self.shown(kind, number) for kind in kinds for number in self.objects[kind]]
        return [one for one in shown if all(_matches(one, key, value) for key, value in query.items())]

    def remove(self, endpoint: str, number: int) -> None:
        """Remove an object, with what is only a part of it.

        Raises:
            Refused: another one needs it, which AWX would leave broken.
        """
        needing = [
            (kind, other)
            for kind, field in _NEEDED.get(endpoint, ())
            for other, one in self.objects[kind].items()
            if one.get(field) == number
        ]
        for kind, other in needing:
            if kind not in _PARTS:
                raise Refused({"error": f"{kind} {other} needs it"})
            self.remove(kind, other)
        del self.objects[endpoint][number]
        self.changes += 1

    def survey(self, endpoint: str, number: int, given: Object | None) -> Object:
        """The survey of a template; `given` is a new one."""
        if given is not None:
            _check_survey(given)
            self.surveys[endpoint, number] = given
            self.changes += 1
        return self.surveys.get((endpoint, number), {})

    def associate(self, endpoint: str, number: int, association: str, given: Object) -> None:
        """Add an object to those of another, or remove it."""
        if given["id"] not in self.objects[_ASSOCIATED[association]]:
            raise Refused({"msg": "not found"})
        found = self.associations.setdefault((endpoint, number, association), [])
        found.remove(given["id"]) if given.get("disassociate") else found.append(given["id"])
        self.changes += 1

    def approve(self, node: int, given: Object) -> Object:
        """Make the approval of a node."""
        made = self.create("workflow_approval_templates", given)
        self.objects["workflow_job_template_nodes"][node]["unified_job_template"] = made["id"]
        return made

    def _secrets(self, credential_type: int) -> set[str]:
        fields = self.objects["credential_types"][credential_type]["inputs"]["fields"]
        return {one["id"] for one in fields if one.get("secret")}

    def _check(self, endpoint: str, given: Object) -> None:
        required, known = FIELDS[endpoint]
        unknown = given.keys() - required - known - {"id"}
        if unknown:
            raise Refused({key: ["There is no such field."] for key in sorted(unknown)})
        for field, kinds in _REFERENCES.items():
            if given.get(field) is not None and not any(given[field] in self.objects[kind] for kind in kinds):
                raise Refused({field: [f'Invalid pk "{given[field]}" - object does not exist.']})
        check = _CHECKS.get(endpoint)
        if check is not None:
            check(self, given)


_REFERENCES = {
    "organization": ("organizations",),
    "project": ("projects",),
    "source_project": ("projects",),
    "inventory": ("inventories",),
    "execution_environment": ("execution_environments",),
    "credential": ("credentials",),
    "credential_type": ("credential_types",),
    "workflow_job_template": ("workflow_job_templates",),
    "unified_job_template": _UNIFIED,
}

#: What needs an object of an endpoint, by which field; parts go with it.
_NEEDED = {
    "projects": [("job_templates", "project"), ("inventory_sources", "source_project")],
    "inventories": [("job_templates", "inventory"), ("inventory_sources", "inventory")],
    "job_templates": [("schedules", "unified_job_template")],
    "workflow_job_templates": [("workflow_job_template_nodes", "workflow_job_template")],
    "execution_environments": [("job_templates", "execution_environment")],
}
_PARTS = ("schedules", "inventory_sources", "workflow_job_template_nodes")


def _check_credential_type(_awx: Awx, given: Object) -> None:
    if given["kind"] not in ("cloud", "net"):
        raise Refused({"kind": ["Must be 'cloud' or 'net'."]})
    keys = {"id", "label", "help_text", "type", "secret", "multiline", "format", "choices", "ask_at_runtime"}
    for field in given["inputs"]["fields"]:
        if not keys >= field.keys() or not re.fullmatch(r"[a-zA-Z_]\w*", field["id"]) or field["id"] == "tower":
            raise Refused({"inputs": [f"{field} is no field"]})
    env, files = given["injectors"].get("env", {}), given["injectors"].get("file", {})
    if any(name.startswith("ANSIBLE_") or name in ("PATH", "PYTHONPATH", "VIRTUAL_ENV") for name in env):
        raise Refused({"injectors": ["Environment variable is not allowed to be used in credentials."]})
    if not all(re.fullmatch(r"template\.[a-zA-Z_]\w*", name) for name in files):
        raise Refused({"injectors": ["Must use multi-file syntax."]})
    injected(given, {field["id"]: "EXAMPLE" for field in given["inputs"]["fields"]}, strict=True)


def injected(credential_type: Object, inputs: Mapping[str, str], *, strict: bool = False) -> dict[str, str]:
    """The environment variables that a credential sets in a job; files are named `/file/NAME`."""
    files = {name.removeprefix("template."): name for name in credential_type["injectors"].get("file", {})}
    names = {"tower": {"filename": {name: f"/file/{name}" for name in files}}, **inputs}
    texts = {**credential_type["injectors"].get("file", {}), **credential_type["injectors"].get("env", {})}
    made = {name: rendered(text, names, strict=strict) for name, text in texts.items()}
    return {name: made[name] for name in credential_type["injectors"].get("env", {})}


def rendered(text: str, names: Mapping[str, Any], *, strict: bool = False) -> str:
    environment = ImmutableSandboxedEnvironment(**({"undefined": StrictUndefined} if strict else {}))
    try:
        return environment.from_string(text).render(**names)
    except TemplateError as error:
        raise Refused({"injectors": [f"{text}: {error}"]}) from error


def _check_credential(awx: Awx, given: Object) -> None:
    fields = {one["id"] for one in awx.objects["credential_types"][given["credential_type"]]["inputs"]["fields"]}
    if not fields >= given["inputs"].keys():
        raise Refused({"inputs": [f"{sorted(given['inputs'].keys() - fields)} are no fields"]})


def _check_playbook(awx: Awx, given: Object) -> None:
    if not awx.objects["projects"][given["project"]].get("allow_override"):
        raise Refused({"playbook": ["Playbook not found for project."]})
    if not isinstance(json.loads(given.get("extra_vars") or "{}"), dict):
        raise Refused({"extra_vars": ["Must be valid JSON or YAML."]})


def _check_messages(_awx: Awx, given: Object) -> None:
    missing = _CONFIGURATIONS[given["notification_type"]] - given["notification_configuration"].keys()
    if missing:
        raise Refused({"notification_configuration": [f"Missing required fields: {sorted(missing)}."]})
    for event, parts in given["messages"].items():
        if event not in ("started", "success", "error", "workflow_approval") or not parts.keys() <= {"message", "body"}:
            raise Refused({"messages": [f"Invalid key '{event}' found."]})
        if "\n" in parts.get("message", ""):
            raise Refused({"messages": [f"Messages cannot contain newlines, found newline in {event} event"]})
        body = rendered(parts.get("body", ""), STUB, strict=True)
        if given["notification_type"] in _JSON_BODIES and not isinstance(json.loads(body), dict):
            raise Refused({"messages": [f"Webhook body for '{event}' should be a json dictionary."]})
        rendered(parts.get("message", ""), STUB, strict=True)


def _check_rule(_awx: Awx, given: Object) -> None:
    if not re.match(r"DTSTART(;TZID=[\w/]+)?:\d{8}T\d{6}Z? RRULE:FREQ=\w+;(.*;)?INTERVAL=\d+", given["rrule"]):
        raise Refused({"rrule": ["rrule parsing failed validation"]})


def _check_survey(given: Object) -> None:
    for field, kind in (("name", str), ("description", str), ("spec", list)):
        if not isinstance(given.get(field), kind):
            raise Refused({"error": f"Field '{field}' is missing from survey spec, or of a wrong type."})
    if not given["spec"]:
        raise Refused({"error": "'spec' doesn't contain any items."})
    if len({one["variable"] for one in given["spec"]}) < len(given["spec"]):
        raise Refused({"error": "'variable' duplicated in survey question"})
    for one in given["spec"]:
        _check_question(one)


def _check_question(one: Object) -> None:
    kinds = {"type": str, "question_name": str, "variable": str, "required": bool}
    default = one.get("default", "")
    choices = (
        one.get("choices")
        if one["type"] in ("multiplechoice", "multiselect")
        else default.splitlines()
        if isinstance(default, str)
        else []
    )
    faults = [
        not all(isinstance(one.get(name), kind) for name, kind in kinds.items()),
        one["type"] not in _SURVEYED,
        default != "" and not isinstance(default, _SURVEYED.get(one["type"], str)),
        not all(one.get(key) is None or isinstance(one[key], int) for key in ("min", "max")),
        choices is None,
        isinstance(default, str) and not set(default.splitlines()) <= set(choices or ()),
    ]
    if any(faults):
        raise Refused({"error": f"survey question {one} is not valid: {faults}"})


_CHECKS: dict[str, Callable[[Awx, Object], None]] = {
    "credential_types": _check_credential_type,
    "credentials": _check_credential,
    "job_templates": _check_playbook,
    "notification_templates": _check_messages,
    "schedules": _check_rule,
}


def _sealed(values: Mapping[str, Any], secrets: set[str]) -> Object:
    return {key: "$encrypted$" if key in secrets and value else value for key, value in values.items()}


def _matches(one: Object, key: str, value: str) -> bool:
    if key.startswith("or__"):
        return str(one["id"]) == value or one.get("name") == value
    return str(one.get(key)) == value or (key == "organization" and "organization" not in one)


class _Handler(BaseHTTPRequestHandler):
    awx: Awx
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    do_PATCH = do_POST

    def do_DELETE(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer(None)

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""

    def _answer(self, given: Any) -> None:
        if self.headers.get("Authorization") != f"Bearer {Awx.TOKEN}":
            return self._send(401, {"detail": "no token"})
        try:
            status, document = self._done(given)
        except Refused as refused:
            status, document = 400, refused.args[0]
        return self._send(status, document)

    def _done(self, given: Any) -> tuple[int, Any]:
        url = urlsplit(self.path)
        endpoint, *rest = url.path.removeprefix("/api/v2/").strip("/").split("/")
        if not rest:
            if self.command == "POST":
                return 201, self.awx.create(endpoint, given)
            found = self.awx.find(endpoint, dict(parse_qsl(url.query)))
            return 200, {"count": len(found), "next": None, "previous": None, "results": found}
        number = int(rest[0])
        if endpoint == "roles":
            return self._of_object(endpoint, number, rest[1], given)
        of_node = endpoint == "workflow_approval_templates" and "".join(rest[1:]).endswith("_nodes")
        if number not in self.awx.objects[endpoint] or of_node:  # an approval leads nowhere, its node does
            return 404, {"detail": "Not found."}
        return self._of_object(endpoint, number, "".join(rest[1:]), given)

    def _of_object(self, endpoint: str, number: int, part: str, given: Any) -> tuple[int, Any]:
        if part == "survey_spec":
            if self.command == "DELETE":
                self.awx.changes += (endpoint, number) in self.awx.surveys
                self.awx.surveys.pop((endpoint, number), None)
            return 200, self.awx.survey(endpoint, number, given)
        if part == "create_approval_template":
            return 201, self.awx.approve(number, given)
        if part and self.command == "POST":
            self.awx.associate(endpoint, number, part, given)
            return 204, None
        if part:
            found = self.awx.associations.get((endpoint, number, part), [])
            shown = [self.awx.shown(_ASSOCIATED[part], one) for one in found]
            return 200, {"count": len(found), "next": None, "previous": None, "results": shown}
        if self.command == "DELETE":
            self.awx.remove(endpoint, number)
            return 204, None
        return 200, self.awx.update(endpoint, number, given) if self.command == "PATCH" else self.awx.shown(
            endpoint, number
        )

    def _send(self, status: int, document: Any) -> None:
        body = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("X-API-Product-Name", "AWX")
        self.send_header("X-API-Product-Version", "24.6.1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def served(awx: Awx) -> Iterator[str]:
    """Have an AWX answer at a URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"awx": awx})) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
