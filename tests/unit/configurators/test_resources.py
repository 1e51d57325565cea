"""The operations of nodes of the types `ansible.*` follow from their properties."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.configurators.registry import configurator_for
from ansible_ensemble.configurators.resources import add_operations
from ansible_ensemble.core.errors import EnsembleError, InvalidInput
from ansible_ensemble.documents.yaml import parse_yaml
from ansible_ensemble.language.entities import NodeTemplate
from ansible_ensemble.topology.service_template import load_topology

SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {{which: {{type: string, default: web1}}, entry: {{type: string, default: remove}}, \
gathers: {{type: boolean, default: false}}}}
  node_templates:
    one: {}
"""
FILES = {
    "roles/web/tasks/main.yml": "[]",
    "roles/web/tasks/remove.yml": "[]",
    "roles/web/meta/argument_specs.yml": "argument_specs: {main: {options: {port: {type: int, required: true}}}}",
    "roles/plain/tasks/main.yml": "[]",
    "up.yml": "[]",
    "some.folder/page": "",
    "some.yml": "{port: 1, name: '{{ port }}', password: x}",
    "closed.yml": "$ANSIBLE_VAULT;1.1;AES256\n00\n",
    "library/odd.py": "",
    "library/stated.py": "DOCUMENTATION = 'options: {state: {required: true, choices: [present, absent]}}'",
    "library/quiet.py": "DOCUMENTATION = 'attributes: {check_mode: {support: none}}\\noptions: {a: {type: str}}'",
}


def made(folder: Path, template: str) -> tuple[NodeTemplate, list[str]]:
    """A node template with its operations, and what is wrong with it."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    topology = load_topology(parse_yaml(SERVICE.format(template), folder / "service.yaml"))
    faults = add_operations(topology, folder)
    return topology.node_templates["one"], [str(fault).partition(": ")[2] for fault in faults]


#: Settings that are tested by themselves.
_OWN = ("check_mode", "teardown")


def operations(node: NodeTemplate) -> dict[str, Any]:
    """Of each operation what runs, its inputs by name (a path for a property), its settings, its host."""
    return {
        operation.name: (
            operation.implementation.class_name,
            operation.implementation.primary,
            {name: _path(one.value) for name, one in operation.inputs.items()},
            {key: value for key, value in operation.implementation.settings.items() if key not in _OWN},
        )
        for interface in node.interfaces.values()
        for operation in interface.operations.values()
        if operation.implementation is not None
    }


def _path(value: Any) -> Any:
    return ".".join(value["get_property"][1:]) if isinstance(value, dict) and "get_property" in value else value


LINE = "ansible.builtin.lineinfile"
#: What the node says -> its operations but for `check`, which is `configure` in check mode.
DERIVED = {
    "a module with a state that it has by default": (
        f"{{module: {LINE}, args: {{path: /a, line: b}}}}",
        {
            "configure": ("module", LINE, {"path": "args.path", "line": "args.line"}, {}),
            "delete": ("module", LINE, {"path": "args.path", "line": "args.line", "state": "absent"}, {}),
        },
    ),
    "a module that wants to be told its state": (
        "{module: stated}",
        {
            "configure": ("module", "stated", {"state": "present"}, {}),
            "delete": ("module", "stated", {"state": "absent"}, {}),
        },
    ),
    "a state of its own": (
        "{module: file, args: {path: /a, state: directory}}",
        {
            "configure": ("module", "file", {"path": "args.path", "state": "args.state"}, {}),
            "delete": ("module", "file", {"path": "args.path", "state": "absent"}, {}),
        },
    ),
    "a state in which nothing is there": (
        "{module: file, args: {path: /a, state: absent}}",
        {"configure": ("module", "file", {"path": "args.path", "state": "args.state"}, {})},
    ),
    "a module without a state": (
        "{module: copy, args: {dest: /a, content: x}}",
        {
            "configure": ("module", "copy", {"dest": "args.dest", "content": "args.content"}, {}),
            "delete": ("module", "ansible.builtin.file", {"path": "args.dest", "state": "absent"}, {}),
        },
    ),
    "a file in a folder": (
        "{module: ansible.builtin.template, args: {dest: /etc/, src: a/motd.j2}}",
        {
            "configure": ("module", "ansible.builtin.template", {"dest": "args.dest", "src": "args.src"}, {}),
            "delete": ("module", "ansible.builtin.file", {"path": "args.dest", "state": "absent"}, {}),
        },
    ),
    "what is left alone where it is there": (
        "{module: copy, args: {dest: /etc/motd, content: x, force: false}}",
        {
            "configure": (
                "module",
                "copy",
                {"dest": "args.dest", "content": "args.content", "force": "args.force"},
                {},
            ),
            "delete": ("module", "ansible.builtin.file", {"path": "args.dest", "state": "absent"}, {}),
        },
    ),
    "what may be a file in a folder that is there": (
        "{module: copy, args: {dest: /srv/app.example, src: index.html}}",
        {
            "configure": ("module", "copy", {"dest": "args.dest", "src": "args.src"}, {}),
            "delete": ("module", "ansible.builtin.file", {"path": "args.dest", "state": "absent"}, {}),
        },
    ),
    "a folder": (
        "{module: copy, args: {dest: /srv/some.folder, src: some.folder}}",
        {
            "configure": ("module", "copy", {"dest": "args.dest", "src": "args.src"}, {}),
            "delete": ("module", "ansible.builtin.file", {"path": "args.dest", "state": "absent"}, {}),
        },
    ),
    "one without a state in which nothing is there": (
        "{module: service, args: {name: x, state: started}}",
        {
            "configure": ("module", "service", {"name": "args.name", "state": "args.state"}, {}),
            "delete": ("module", "service", {"name": "args.name"}, {}),
        },
    ),
    "a line in the place of one that an expression finds": (
        f"{{module: {LINE}, args: {{path: /a, regexp: ^b, line: b}}}}",
        {
            "configure": ("module", LINE, {"path": "args.path", "regexp": "args.regexp", "line": "args.line"}, {}),
            "delete": ("module", LINE, {"path": "args.path", "line": "args.line", "state": "absent"}, {}),
        },
    ),
    "what nothing takes away": (
        "{module: replace, args: {path: /a, regexp: b}}",
        {"configure": ("module", "replace", {"path": "args.path", "regexp": "args.regexp"}, {})},
    ),
    "absent: another module": (
        "{module: copy, args: {dest: /a, content: x}, absent: {module: file, args: {path: /a, state: absent}}}",
        {
            "configure": ("module", "copy", {"dest": "args.dest", "content": "args.content"}, {}),
            "delete": ("module", "file", {"path": "absent.args.path", "state": "absent.args.state"}, {}),
        },
    ),
    "keywords": (
        "{module: copy, args: {dest: /a, content: x}, keywords: {become: true}}",
        {
            "configure": ("module", "copy", {"dest": "args.dest", "content": "args.content"}, {"become": True}),
            "delete": ("module", "ansible.builtin.file", {"path": "args.dest", "state": "absent"}, {"become": True}),
        },
    ),
    "a module that nothing is known of": (
        "{module: odd, args: {a: 1}}",
        {"configure": ("module", "odd", {"a": "args.a"}, {})},
    ),
    "a role": (
        "{role: web, vars: {port: 80}, absent: {tasks_from: remove, vars: {all: true}}}",
        {
            "configure": ("role", "web", {"port": "vars.port"}, {}),
            "delete": ("role", "web", {"port": "vars.port", "all": "absent.vars.all"}, {"tasks_from": "remove"}),
        },
    ),
    "tasks, and a module that takes them away": (
        "{tasks: up.yml, vars: {a: 1}, absent: {module: file, args: {path: /a, state: absent}}}",
        {
            "configure": ("tasks", "up.yml", {"a": "vars.a"}, {}),
            "delete": ("module", "file", {"path": "absent.args.path", "state": "absent.args.state"}, {}),
        },
    ),
    "a task file of a role by an input": (
        "{role: web, vars: {port: 1}, tasks_from: {get_input: entry}}",
        {"configure": ("role", "web", {"port": "vars.port"}, {"tasks_from": "remove"})},
    ),
    "a playbook": ("{playbook: up.yml}", {"configure": ("playbook", "up.yml", {}, {})}),
}


@pytest.mark.parametrize(("template", "expected"), DERIVED.values(), ids=DERIVED)
def test_operations(tmp_path: Path, template: str, expected: dict[str, Any]) -> None:
    node, faults = made(tmp_path, template)
    found = operations(node)
    assert faults == []
    assert found.pop("check") == expected["configure"]
    assert found == expected
    check = node.operation("Install", "check")
    assert check is not None and check.implementation is not None
    assert check.implementation.settings["check_mode"] is True


def test_a_module_without_check_mode_is_not_checked(tmp_path: Path) -> None:
    node, _ = made(tmp_path, "{module: quiet, args: {a: x}}")
    assert list(operations(node)) == ["configure"]


@pytest.mark.parametrize("module", ["command", "ansible.builtin.shell", "script"])
def test_a_command_is_checked_by_what_it_creates_or_removes(tmp_path: Path, module: str) -> None:
    for args, checked in (("{cmd: x}", False), ("{cmd: x, creates: y}", True), ("{cmd: x, removes: y}", True)):
        node, _ = made(tmp_path, f"{{module: {module}, args: {args}}}")
        assert (node.operation("Install", "check") is not None) == checked


def test_an_operation_of_the_user_stays(tmp_path: Path) -> None:
    node, _ = made(tmp_path, "{playbook: up.yml, interfaces: {Install: {operations: {check: ./look}}}}")
    assert operations(node)["check"][1] == "./look"


@pytest.mark.parametrize("host", ["web1", "{get_input: which}"])
def test_the_host(tmp_path: Path, host: str) -> None:
    node, _ = made(tmp_path, f"{{playbook: up.yml, host: {host}}}")
    configure = node.operation("Standard", "configure")
    assert configure is not None and configure.implementation is not None
    assert configure.implementation.operation_host == "web1"


def test_a_module_without_arguments(tmp_path: Path) -> None:
    node, faults = made(tmp_path, "{module: copy}")
    assert faults == ["module copy of 'one' lacks the argument 'dest'"]
    assert "args" not in node.properties


@pytest.mark.parametrize("where", ["host: web1", "hosts: [web1, web2]"])
def test_what_a_role_lacks_may_be_a_variable_of_its_host(tmp_path: Path, where: str) -> None:
    _node, faults = made(tmp_path, f"{{role: web, {where}}}")
    assert faults == []


_FORM = "write [FILE, ...], or {FILE: [NAME, ...]} for some of the variables of each"
REFUSED = [
    ("{module: copi, args: {}}", "there is no module copi for 'one' (did you mean copy?)"),
    ("{module: '{{ x }}'}", "the module of 'one' is '{{ x }}': it must be a name (it is known before anything runs)"),
    (
        "{type: ansible.Root}",
        "the type ansible.Root of 'one' says nothing that runs "
        "(ansible.Resource, ansible.Role, ansible.Tasks and ansible.Playbook derive from it)",
    ),
    ("{module: ' '}", "the module of 'one' is ' ': it must be a name"),
    ("{module: copy, args: '{{ x }}'}", "the args of 'one' must be a map, each entry of which may be computed"),
    (
        "{module: copy, args: {dest: /a, forse: true}}",
        "module copy of 'one' has no argument 'forse' (did you mean force?)",
    ),
    ("{module: copy, args: {content: x}}", "module copy of 'one' lacks the argument 'dest'"),
    ("{role: wob, vars: {port: 1}}", "there is no role wob for 'one' (did you mean web?)"),
    ("{role: web}", "role web of 'one' lacks the argument 'port'"),
    ("{role: web, vars: {port: x}}", "argument 'port' of role web of 'one' is 'x', which is not of type int"),
    (
        "{role: plain, absent: {tasks_from: remove}}",
        "the role plain of 'one' has no tasks remove (known are main)",
    ),
    (
        "{playbook: up.yml, absent: {vars: {}}}",
        "the property absent of 'one' names one of module, role, tasks, playbook (or tasks_from, of the role itself)",
    ),
    (
        "{playbook: up.yml, absent: {module: file, args: {pth: /a, path: /b}}}",
        "module file of 'one' has no argument 'pth' (did you mean path?)",
    ),
    *(
        (
            f"{{module: copy, args: {{dest: /a, content: x}}, keywords: {{vars_files: {files}, vars: {beside}}}}}",
            message,
        )
        for files, beside, message in (
            ("[nosuch.yml]", "{}", "there is no file nosuch.yml for vars_files"),
            ("[up.yml]", "{}", "up.yml must be a map of variables, not a list"),
            (
                "[closed.yml]",
                "{}",
                "closed.yml is encrypted (group_vars and host_vars may be; or encrypt single values)",
            ),
            ("{some.yml: [prt]}", "{}", "some.yml has no variable prt (did you mean port?)"),
            ("{some.yml: port}", "{}", f"vars_files names no files ({_FORM})"),
            ("[[a]]", "{}", f"vars_files names no files ({_FORM})"),
            ("some.yml", "'{{ x }}'", "`vars` beside vars_files must be a map"),
        )
    ),
    ("{playbook: up.yml, host: a, hosts: [b]}", "'one' has both host and hosts (remove one of them)"),
]


@pytest.mark.parametrize(("template", "message"), REFUSED)
def test_refused(tmp_path: Path, template: str, message: str) -> None:
    assert made(tmp_path, template)[1] == [message]


SLIPS = [
    ("{modul: copy, args: {}}", "node template 'one' has no type (did you mean module?)"),
    ("{module: ping, arg: {}}", "unknown key 'arg' in a node template (did you mean args?)"),
    (
        "{type: ansible.Role, role: web, properties: {role: web}}",
        "unknown key 'role' in a node template (it is a property, or a key beside which no type stands)",
    ),
]


@pytest.mark.parametrize("kind", ["docker.Volume", "supervisor.Program, properties: {command: a}"])
def test_what_is_wrong_with_a_default_is_told_of_the_node(tmp_path: Path, kind: str) -> None:
    topology = load_topology(parse_yaml(SERVICE.format(f"{{type: {kind}}}"), tmp_path / "service.yaml"))
    add_operations(topology, tmp_path)
    configure = topology.node_templates["one"].operation("Standard", "configure")
    assert configure is not None and configure.place is not None
    assert (Path(configure.place.file).name, configure.place.line) == ("service.yaml", 5)


@pytest.mark.parametrize(("template", "message"), SLIPS)
def test_slips_of_keys(tmp_path: Path, template: str, message: str) -> None:
    with pytest.raises(EnsembleError) as refused:
        made(tmp_path, template)
    assert str(refused.value).endswith(message)


def test_secrets_are_declared(tmp_path: Path) -> None:
    node, _ = made(
        tmp_path,
        "{module: uri, args: {url: x, url_password: x}, absent: {module: uri, args: {url: y, url_password: y}}}",
    )
    topology_type = node.properties["args"].definition
    assert topology_type is not None
    assert topology_type.schema.type == "one.args"
    absent = node.properties["absent"].definition
    assert absent is not None
    assert absent.schema.type == "one.absent"


@pytest.mark.parametrize(
    ("template", "name", "path"),
    [
        ("{module: uri, args: {url: 'http://me:x@h', method: GET}}", "args", ["url"]),
        ("{module: get_url, args: {url: 'https://token@h/f', dest: /d}}", "args", ["url"]),
        ("{module: git, args: {name: 'ssh://me:x@h/r', dest: /d}}", "args", ["name"]),
        ("{module: shell, args: {cmd: 'curl https://token@h/f'}}", "args", ["cmd"]),
        (
            "{module: shell, args: {cmd: x}, keywords: {environment: {API_TOKEN: x, A: b}}}",
            "keywords",
            ["environment", "API_TOKEN"],
        ),
        (
            "{module: shell, args: {cmd: x}, keywords: {vars: {db_password: x, a: b}}}",
            "keywords",
            ["vars", "db_password"],
        ),
    ],
)
def test_passwords_in_urls_and_variables_with_names_of_secrets_are_declared(
    tmp_path: Path, template: str, name: str, path: list[str]
) -> None:
    topology = load_topology(parse_yaml(SERVICE.format(template), tmp_path / "service.yaml"))
    add_operations(topology, tmp_path)
    fields = topology.data_types[".".join(["one", name, *path[:-1]])].properties
    of_the_module = {"url_password", "password"}
    assert {key for key, field in fields.items() if field.sensitive} - of_the_module == set(path[-1:])


@pytest.mark.parametrize(
    "template", ["{module: git, args: {repo: 'ssh://git@h/r', dest: /d}}", "{module: shell, args: {cmd: x}}"]
)
def test_what_holds_no_password_is_not_secret(tmp_path: Path, template: str) -> None:
    topology = load_topology(parse_yaml(SERVICE.format(template), tmp_path / "service.yaml"))
    add_operations(topology, tmp_path)
    assert not any(name.startswith("one.") for name in topology.data_types)


def test_all_that_a_task_without_log_is_given_is_secret(tmp_path: Path) -> None:
    node, _ = made(tmp_path, "{module: shell, args: {cmd: echo x}, keywords: {no_log: true}, absent: {module: ping}}")
    definitions = {name: assignment.definition for name, assignment in node.properties.items()}
    secret = {name for name, definition in definitions.items() if definition is not None and definition.sensitive}
    assert secret == {"args", "absent"}


def test_a_wrong_task_file_is_told_where_it_is_named(tmp_path: Path) -> None:
    template = "{role: web, vars: {port: 80}, absent: {tasks_from: nix}}"
    made(tmp_path, template)
    topology = load_topology(parse_yaml(SERVICE.format(template), tmp_path / "service.yaml"))
    (fault,) = add_operations(topology, tmp_path)
    text = SERVICE.format(template).splitlines()[4]
    assert fault.place is not None
    assert text[fault.place.column - 1 :].startswith("nix")


def test_errors_about_a_resource_speak_of_it_and_not_of_operations(tmp_path: Path):
    node, _faults = made(tmp_path, "{module: command, args: {cmd: 'true'}, keywords: {loop: [a]}}")
    operation = node.interfaces["Standard"].operations["configure"]
    with pytest.raises(InvalidInput) as caught:
        configurator_for(operation, tmp_path)
    assert caught.value.message == "'one' has the keyword `loop`, which is not supported"
    assert "`tasks:`" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ("some.yml", {"port": 1, "name": "{{ port }}", "password": "x"}),
        ("[some.yml]", {"port": 1, "name": "{{ port }}", "password": "x"}),
        ("{some.yml: [port]}", {"port": 1, "name": "beside"}),
        ("{some.yml: }", {"port": 1, "name": "{{ port }}", "password": "x"}),
    ],
)
def test_variables_of_files_go_before_those_beside_them(tmp_path: Path, files: str, expected: dict[str, Any]) -> None:
    keywords = f"{{become: true, vars_files: {files}, vars: {{port: 2, name: beside}}}}"
    node, faults = made(tmp_path, f"{{module: copy, args: {{dest: /a, content: x}}, keywords: {keywords}}}")
    assert faults == []
    assert node.properties["keywords"].value == {"become": True, "vars": expected}
    assert operations(node)["configure"][3] == {"become": True, "vars": expected}


def test_files_of_variables_are_those_of_the_project(tmp_path: Path) -> None:
    keywords = "{vars_files: [../out.yml]}"
    _node, faults = made(tmp_path, f"{{module: copy, args: {{dest: /a, content: x}}, keywords: {keywords}}}")
    assert [fault.partition(",")[0] for fault in faults] == [
        "the file of variables '../out.yml' leads out of the project"
    ]


@pytest.mark.parametrize(
    ("given", "made_up"),
    [
        ("", ["check", "configure"]),
        ("gather_facts: true", ["check", "configure"]),
        ("gather_facts: false", ["check"]),
        ("gather_facts: {get_input: gathers}", ["check"]),
    ],
)
def test_a_host_gathers_facts_unless_it_is_told_not_to(tmp_path: Path, given: str, made_up: list[str]) -> None:
    node, faults = made(tmp_path, f"{{type: ansible.Group, properties: {{hosts: web, {given}}}}}")
    assert (faults, sorted(operations(node))) == ([], made_up)


def test_what_a_host_does_itself_stays(tmp_path: Path) -> None:
    own = "interfaces: {Standard: {operations: {configure: 'true'}}}"
    node, faults = made(tmp_path, f"{{type: ansible.Host, properties: {{gather_facts: false}}, {own}}}")
    assert (faults, sorted(operations(node))) == ([], ["check", "configure"])
