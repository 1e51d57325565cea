from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.configurators.implementation import Resolved, is_playbook, resolve
from ansible_ensemble.core.errors import InvalidInput

from .conftest import operation


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a file of each kind; the files that declare operations are in `declared`."""
    files = {
        "declared/run.sh": "true",
        "declared/play.yml": "- name: all of it\n  hosts: all\n",
        "declared/tasks.yml": "- name: one\n  some.where.module:\n    hosts: a\n- hosts: no play\n",
        "declared/twice.sh": "declared",
        "declared/date": "",
        "declared/ansible.builtin.ping": "",
        "declared/roles/web/tasks/main.yml": "",
        "declared/parts/db/tasks/main.yml": "",
        "declared/plain/readme": "",
        "declared/my.py": "",
        "declared/deep/in.yml": "- debug:\n",
        "declared/infra/main.tf": "",
        "library/keep.py": "",
        "library/ping.sh": "",
        "library/compiled": "",
        "root.sh": "",
        "twice.sh": "root",
        "roles/cache/meta/main.yml": "",
        "home/roles/shared/tasks/main.yml": "",
        "collections/ansible_collections/acme/tools/roles/web/tasks/main.yml": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("ANSIBLE_ROLES_PATH", str(tmp_path / "home/roles"))
    monkeypatch.setenv("ANSIBLE_COLLECTIONS_PATH", str(tmp_path / "nowhere"))
    return tmp_path


def test_roles_and_collections_are_found_where_ansible_cfg_says(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in no other place: `roles_path` and `collections_path` are what people with roles of their own set."""
    from ansible import constants
    from ansible.config.manager import ConfigManager

    for name in ("ANSIBLE_ROLES_PATH", "ANSIBLE_COLLECTIONS_PATH"):
        monkeypatch.delenv(name)
    (project / "galaxy/roles/proxy/tasks").mkdir(parents=True)
    (project / "galaxy/ansible_collections/acme/net/roles/balancer").mkdir(parents=True)
    file = project / "ansible.cfg"
    file.write_text("[defaults]\nroles_path = roles:galaxy/roles\ncollections_path = galaxy\n")
    monkeypatch.setenv("ANSIBLE_CONFIG", str(file))
    monkeypatch.setattr(constants, "config", ConfigManager(str(file)))
    root = project / "declared"
    assert resolve(operation("proxy", base=root), root) == Resolved("role", f"{project}/galaxy/roles/proxy")
    assert resolve(operation("acme.net.balancer", base=root), root) == Resolved("role", "acme.net.balancer")


#: What is written -> configurator and target; `{}` is the project's folder.
CASES = {
    "a script": ("run.sh", "script", "{}/declared/run.sh"),
    "a playbook": ("play.yml", "playbook", "{}/declared/play.yml"),
    "tasks": ("tasks.yml", "tasks", "{}/declared/tasks.yml"),
    "the project's root": ("root.sh", "script", "{}/root.sh"),
    "the declaring folder goes first": ("twice.sh", "script", "{}/declared/twice.sh"),
    "a file goes before a command": ("date", "script", "{}/declared/date"),
    "a file goes before a module": ("ansible.builtin.ping", "script", "{}/declared/ansible.builtin.ping"),
    "a role": ("web", "role", "{}/declared/roles/web"),
    "a role of the root": ("cache", "role", "{}/roles/cache"),
    "a role by its path": ("parts/db", "role", "{}/declared/parts/db"),
    "a role by its whole path": ("roles/web", "role", "{}/declared/roles/web"),
    "a role of the roles path": ("shared", "role", "{}/home/roles/shared"),
    "a role of a collection": ("acme.tools.web", "role", "acme.tools.web"),
    "a path from the root of the project": ("/root.sh", "script", "{}/root.sh"),
    "a path from the root of an archive": ("/deep/in.yml", "tasks", "{}/declared/deep/in.yml"),
    "an absolute path": ("{}/root.sh", "script", "{}/root.sh"),
    "a Terraform module from the root": ("/declared/infra", "terraform", "{}/declared/infra"),
    "a role from the root": ("/declared/parts/db", "role", "{}/declared/parts/db"),
    "a module": ("ansible.builtin.file", "module", "ansible.builtin.file"),
    "a module that is in no collection here": ("acme.tools.other", "module", "acme.tools.other"),
    "a configurator": ("Template", "template", ""),
    "a command": ("echo hello", "command", "echo hello"),
    "several lines": ("true\nfalse\n", "command", "true\nfalse\n"),
    "a module of Ansible's by its short name": ("copy", "module", "ansible.builtin.copy"),
    "a module of a folder library": ("keep", "module", "keep"),
    "one without a suffix": ("compiled", "module", "compiled"),
    "one of a folder library goes before Ansible's": ("ping", "module", "ping"),
    "a command with a sign of the shell's": ("true;false", "command", "true;false"),
    "a command by an expression": ("{{words}}", "command", "{{words}}"),
    "a command longer than a file name": ("x " * 5000, "command", "x " * 5000),
}


@pytest.mark.parametrize("written,configurator,target", CASES.values(), ids=CASES)
def test_what_is_written(project: Path, written: str, configurator: str, target: str) -> None:
    resolved = resolve(operation(written.replace("{}", str(project)), base=project / "declared"), project)
    assert resolved == Resolved(configurator, target.replace("{}", str(project)))


_COMMAND = "a command is {className: Cmd, primary: "
_PATHS = "its path starts at the folder"
#: What is written, by itself or with a className -> parts of the error and of its hint: none of it is a shell command.
NOTHING = {
    "nginx": ("no role, module, file or configurator nginx", f"{_COMMAND}nginx}}"),
    "webb": ("no role, module, file or configurator webb", "did you mean web? a command is"),
    "copyy": ("configurator copyy", "did you mean copy?"),
    "Templat": ("configurator Templat", "did you mean Template?"),
    "root.shh": ("configurator root.shh", "did you mean root.sh?"),
    "acme.nginx": ("configurator acme.nginx", _COMMAND),
    "image:latest": ("configurator image:latest", _COMMAND),
    "plain": ("no role, module, file or configurator plain", _COMMAND),
    "uptime": ("configurator uptime", f"{_COMMAND}uptime}}"),
    "gone.sh": ("the file gone.sh of the operation Standard.create does not exist", _PATHS),
    "plays/gone.yaml": ("the file plays/gone.yaml of", _PATHS),
    "/plays/gone.yaml": ("the file /plays/gone.yaml of", _PATHS),
    "roles/webb": ("no file, role or Terraform module roles/webb", _PATHS),
    "/opt/app/start": ("no file, role or Terraform module /opt/app/start", _COMMAND),
    "x" * 5000: (f"configurator {'x' * 60}... for", _COMMAND),
    "a\0b": ("no role, module, file or configurator", _COMMAND),
    ("module", "pingg"): ("no module pingg", "did you mean ping?"),
    ("role", "webb"): ("no role webb", "did you mean web?"),
    ("script", "gone.sh"): ("the file gone.sh", _PATHS),
    ("tasks", "gone.yml"): ("the file gone.yml", _PATHS),
    ("Ansible", "gone.yml"): ("the file gone.yml", _PATHS),
    ("Terraform", "gone"): ("no Terraform module gone", _PATHS),
    ("gone.py#Mine", ""): ("the file gone.py", _PATHS),
}


@pytest.mark.parametrize("written", NOTHING)
def test_what_names_nothing_is_refused_and_no_command(project: Path, written: str | tuple[str, str]) -> None:
    given = written if isinstance(written, str) else {"class_name": written[0], "primary": written[1]}
    with pytest.raises(InvalidInput) as caught:
        resolve(operation(given, base=project / "declared"), project)
    message, hint = NOTHING[written]
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_an_artifact_that_is_not_there_is_no_command(project: Path) -> None:
    with pytest.raises(InvalidInput, match=r"the file gone.sh"):
        resolve(operation("", base=project, artifact=("tosca.artifacts.Implementation.Bash", "gone.sh")), project)
    with pytest.raises(InvalidInput, match=r"configurator nginx:latest"):
        resolve(operation("", base=project, artifact=("tosca.artifacts.Deployment.Image", "nginx:latest")), project)


def test_a_word_is_a_command_where_its_shell_is_said(project: Path) -> None:
    assert resolve(operation("uptime", base=project, inputs={"shell": "/bin/sh"}), project).configurator == "command"
    user = resolve(operation("user", base=project, inputs={"shell": "/bin/sh"}), project)
    assert user == Resolved("module", "ansible.builtin.user")


def test_in_unfurls_dialect_a_word_that_names_nothing_is_a_command(project: Path) -> None:
    def written(word: str) -> Resolved:
        return resolve(operation({"primary": word, "may_be_program": True}, base=project), project)

    for word in ("uptime", "program-of-the-host"):
        assert written(word) == Resolved("command", word)
    assert written("user") == Resolved("module", "ansible.builtin.user")
    with pytest.raises(InvalidInput, match=r"the file gone.sh of .* does not exist"):
        written("gone.sh")
    with pytest.raises(InvalidInput, match="there is no file, role or Terraform module bin/gone"):
        written("bin/gone")


CLASSES = {
    "Cmd": Resolved("command"),
    "Shell": Resolved("command"),
    "Ansible": Resolved("playbook"),
    "unfurl.configurators.shell.ShellConfigurator": Resolved("command"),
    "unfurl.configurators.TemplateConfigurator": Resolved("template"),
    "unfurl.configurators.DelegateConfigurator": Resolved("delegate"),
    "Delegate": Resolved("delegate"),
    "command": Resolved("command"),
    "theirs": Resolved("theirs"),
    "acme.configurators.Cache": Resolved("python", "acme.configurators.Cache"),
}


@pytest.mark.parametrize("name", CLASSES)
def test_class_name(project: Path, name: str) -> None:
    assert resolve(operation({"class_name": name}, base=project), project) == CLASSES[name]


def test_class_name_goes_before_what_the_primary_is(project: Path) -> None:
    declared = project / "declared"
    resolved = resolve(operation({"class_name": "Cmd", "primary": "web"}, base=declared), project)
    assert resolved == Resolved("command", "web")
    resolved = resolve(operation({"class_name": "Ansible", "primary": "play.yml"}, base=declared), project)
    assert resolved == Resolved("playbook", str(declared / "play.yml"))


def test_class_of_a_file(project: Path) -> None:
    resolved = resolve(operation({"class_name": "my.py#Mine"}, base=project / "declared"), project)
    assert resolved == Resolved("python", str(project / "declared/my.py"), "Mine")
    assert resolved.subject == f"{project}/declared/my.py#Mine"
    with pytest.raises(InvalidInput, match=r"service.yaml:7:3: the file gone.py of"):
        resolve(operation({"class_name": "gone.py#Mine"}, base=project), project)


ARTIFACTS = {
    "tosca.artifacts.Implementation.Bash": ("date", "script"),
    "tosca.artifacts.Implementation.Python": ("date", "script"),
    "unfurl.artifacts.ShellExecutable": ("date", "script"),
    "unfurl.artifacts.AnsiblePlaybook": ("tasks.yml", "playbook"),
    "tosca.artifacts.File": ("tasks.yml", "tasks"),
}


@pytest.mark.parametrize("kind", ARTIFACTS)
def test_the_type_of_an_artifact_says_what_its_file_is(project: Path, kind: str) -> None:
    file, configurator = ARTIFACTS[kind]
    resolved = resolve(operation("ignored", base=project / "declared", artifact=(kind, file)), project)
    assert resolved == Resolved(configurator, str(project / "declared" / file))


def test_nothing_to_run(project: Path) -> None:
    with pytest.raises(InvalidInput, match=r"Standard\.create has nothing to run"):
        resolve(operation("  ", base=project), project)


PLAYBOOKS = {
    "- hosts: all\n": True,
    "---\n# of the\n-   hosts: all\n": True,
    "- name: x\n  vars:\n  - hosts: no\n  hosts: all\n": True,
    "  - name: x\n    import_playbook: other.yml\n": True,
    "- ansible.builtin.import_playbook: other.yml\n": True,
    "- command: |\n    hosts: all\n": False,
    "- name: x\n  set_fact:\n    hosts: all\n": False,
    "- name: x\n- hosts: second\n": False,
    "hosts: all\n": False,
    "": False,
    "\udcff- hosts: all\n": False,
}


@pytest.mark.parametrize("text", PLAYBOOKS)
def test_is_playbook(tmp_path: Path, text: str) -> None:
    file = tmp_path / "file.yml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert is_playbook(file) is PLAYBOOKS[text]


def test_a_path_of_a_role_does_not_start_where_one_is(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "elsewhere/mine/tasks").mkdir(parents=True)
    monkeypatch.chdir(project / "elsewhere")
    named = operation({"primary": "mine", "class_name": "role"}, base=project)
    with pytest.raises(InvalidInput, match="there is no role mine"):
        resolve(named, project)
