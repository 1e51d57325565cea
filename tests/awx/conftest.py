"""A project of three hosts, in the AWX of `make awx`."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.awx.client import URL, Awx, Object
from tests.integration.awx.modules import interpreter
from tests.unit.state.servers import PASSWORD, USER, git_server

REPOSITORY = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("AWX_FOLDER") or REPOSITORY / ".build" / "awx")
HOSTS = ("web1", "web2", "web3")
SECRET = "canary-answer-4711"
VAULT = "canary-vault-4711"

#: The kinds of objects that the role names after the project.
ENDPOINTS = (
    *("projects", "inventories", "inventory_sources", "credentials", "execution_environments", "schedules"),
    *("job_templates", "workflow_job_templates", "notification_templates"),
)

FILES = {
    "ensemble-project.yaml": "environments: {defaults: {state: {git: STATE, branch: web}}}\n",
    "hosts.yaml": """\
all:
  vars:
    ansible_connection: local
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
    root: "/srv/{{ inventory_hostname }}"
  children:
    web: {hosts: {web1: {}, web2: {}, web3: {}}}
""",
    "web/service.yaml": """\
inputs:
  text: {type: string, default: ""}
  size: {type: integer, default: 1, constraints: [{in_range: [1, 9]}]}
  rate: {type: float, default: 0.5}
  safe: {type: boolean, default: true}
  place: {type: string, default: here, constraints: [{valid_values: [here, there]}]}
  zones: {type: list, default: [a], entry_schema: {type: string, constraints: [{valid_values: [a, b, c]}]}}
  labels: {type: map, default: {}}
  pin: {type: string, default: none, metadata: {sensitive: true}}
resources:
  settings:
    module: ansible.builtin.copy
    args:
      dest: "{{ root }}/settings"
      mode: "0644"
      content:
        text: {get_input: text}
        size: {get_input: size}
        rate: {get_input: rate}
        safe: {get_input: safe}
        place: {get_input: place}
        zones: {get_input: zones}
        labels: {get_input: labels}
    hosts: web
  pin:
    module: ansible.builtin.copy
    args: {dest: "{{ root }}/pin", mode: "0600", content: {get_input: pin}}
    hosts: web
  step1:
    module: ansible.builtin.shell
    args:
      cmd: test ! -e broken && while test -e hold; do sleep 0.2; done && echo done >> step1
      chdir: "{{ root }}"
      creates: "{{ root }}/step1"
    absent: {module: ansible.builtin.file, args: {path: "{{ root }}/step1", state: absent}}
    hosts: web
    requirements: [{dependency: settings}]
  step2:
    module: ansible.builtin.shell
    args: {cmd: "echo done >> {{ root }}/step2", creates: "{{ root }}/step2"}
    absent: {module: ansible.builtin.file, args: {path: "{{ root }}/step2", state: absent}}
    hosts: web
    requirements: [{dependency: step1}]
outputs:
  text: {value: {get_input: text}}
""",
    "edge/service.yaml": """\
inputs:
  page: {type: string, default: none}
resources:
  page:
    module: ansible.builtin.copy
    args: {dest: "{{ root }}/page", content: {get_input: page}}
    hosts: web1
""",
    "edge.yml": """\
awx_name: edge
awx_ensemble: edge/service.yaml
awx_workflows: [deploy, check]
awx_variables: {input_page: !unsafe "{{ ensemble_stats.outputs.text | default(omit) }}"}
awx_notification_type: ""
awx_check_schedule: ""
""",
}


@dataclass
class Site:
    """A project in git, its state in git, and its hosts."""

    awx: Awx
    url: str
    root: Path
    clone: Path
    hooks: list[Any]
    python: Path
    variables: dict[str, Any] = field(default_factory=dict)

    def write(self, **files: str) -> None:
        """Change files of the project, and push them."""
        for name, text in files.items():
            path = self.clone / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        git(self.clone, "add", "--all")
        git(self.clone, "commit", "--quiet", "--message", "Change")
        git(self.clone, "push", "--quiet", "origin", "HEAD")

    def set_up(self, *arguments: str, **variables: Any) -> tuple[int, str]:
        """Run the playbook that sets AWX up; how many tasks changed something, and its output."""
        return self._play("tosca.ensemble.awx", *self._given(variables), *arguments)

    def exported(self) -> tuple[int, str]:
        """Run the playbook that `awx export` prints, the same way."""
        command = ["ansible-ensemble", "awx", "export", *self._given({})]
        done = subprocess.run(command, cwd=self.clone, capture_output=True, text=True, check=True)
        (self.clone / "exported.yml").write_text(done.stdout)
        return self._play("exported.yml", *self._given({}))

    def _given(self, variables: Object) -> tuple[str, str]:
        return "-e", json.dumps({**self.variables, **variables})

    def _play(self, *words: str) -> tuple[int, str]:
        environment = {
            **os.environ,
            "ANSIBLE_COLLECTIONS_PATH": f"{REPOSITORY}/.build:{REPOSITORY}/.build/community",
            "ANSIBLE_NOCOLOR": "1",
            "ANSIBLE_PIPELINING": "1",
            "CONTROLLER_HOST": URL,
            "CONTROLLER_OAUTH_TOKEN": self.awx.token,
        }
        command = ["ansible-playbook", *words, "-e", f"ansible_python_interpreter={self.python}"]
        done = subprocess.run(command, cwd=self.clone, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return int(re.findall(r"localhost +: ok=\d+ +changed=(\d+)", done.stdout)[-1]), done.stdout + done.stderr

    def attempt(self, template: str, **answers: Any) -> tuple[Object, str]:
        """Launch a template, and wait for its job; what that printed."""
        job = self.awx.run(template, **answers)
        return job, self.awx.output(job)

    def run(self, template: str, **answers: Any) -> tuple[Object, str]:
        """The same of a job that has to succeed."""
        job, output = self.attempt(template, **answers)
        assert job["status"] == "successful", output
        return job, output

    def names(self, name: str) -> set[tuple[str, str]]:
        """What is in AWX by the name of a project, but for what was there before."""
        found = {(endpoint, str(one["name"])) for endpoint in ENDPOINTS for one in self.awx.all(f"{endpoint}/")}
        return {one for one in found if f"{one[1]} ".startswith(f"{name} ")} - {("credentials", "web project")}

    def removes_all(self, name: str, **variables: Any) -> int:
        """Have the role remove what it made by a name; how many tasks changed something."""
        made = self.names(name)
        would, output = self.set_up("--check", **variables, awx_name=name, awx_state="absent")
        assert self.names(name) == made != set(), output
        changed, output = self.set_up(**variables, awx_name=name, awx_state="absent")
        assert (self.names(name), changed) == (set(), would), output
        return changed

    def approval(self) -> Object:
        """The approval of the workflow's plans, which only its node leads to."""
        [node] = self.awx.all("workflow_job_template_nodes/", identifier="approval", workflow_job_template__name="web")
        found: Object = self.awx.ask(node["related"]["unified_job_template"])
        return found

    def told(self, what: str, since: int) -> Object:
        """The first notification of a kind."""
        found: Object = self.awx.wait(
            f"the notification of the {what}", lambda: next((one for one in self.hooks[since:] if what in one), None)
        )
        return found

    def kept(self, *secrets: str) -> list[str]:
        """Where secrets are in what is kept of AWX and of the project: tables, logs, folders, and objects of git."""
        environment = {**os.environ, "PGHOST": str(self.awx.folder / "run"), "PGUSER": "postgres"}
        tables = printed("pg_dump", "--data-only", "awx", environment=environment)
        plans = [b64decode(plan) for plan in {*re.findall(rb'"plan_document": "([A-Za-z0-9+/=]+)"', tables)}]
        texts = {"table": tables, "plan": b"\n".join(plans)}
        for name in ("web.git", "state.git"):
            objects = ("cat-file", "--batch-all-objects", "--unordered", "--batch")
            texts[name] = printed("git", "-C", str(self.root / name), *objects)
        # not `tmp`, where AWX leaves the folders of jobs whose dispatcher was killed, with their credentials
        folders = [self.awx.folder / name for name in ("log", "projects", "job_status")]
        for path in (path for folder in folders for path in folder.rglob("*") if path.is_file()):
            if not path.match(".git/config"):  # there, AWX has the project's own password for git
                texts[str(path.relative_to(self.awx.folder))] = path.read_bytes()
        return [f"{name}: {line[:300]!r}" for name, text in texts.items() for line in holding(text, secrets)]

    def found(self, name: str) -> dict[str, str]:
        """The text of a file on each host that has it."""
        files = {host: self.awx.folder / "hosts" / host / name for host in HOSTS}
        return {host: path.read_text() for host, path in files.items() if path.exists()}


def printed(*command: str, environment: dict[str, str] | None = None) -> bytes:
    """What a command prints, which has to be something."""
    text = subprocess.run(command, env=environment, capture_output=True, check=True).stdout
    assert text, command
    return text


def holding(text: bytes, secrets: tuple[str, ...]) -> list[bytes]:
    """The lines of a text that hold a secret."""
    if not any(secret.encode() in text for secret in secrets):
        return []
    return [line for line in text.splitlines() if any(secret.encode() in line for secret in secrets)]


def git(folder: Path, *arguments: str) -> None:
    user = ("-c", "user.name=robot", "-c", "user.email=robot@localhost")
    subprocess.run(["git", *user, *arguments], cwd=folder, check=True)


@pytest.fixture(scope="session")
def awx() -> Awx:
    """The AWX that runs."""
    if not (REPOSITORY / ".build/community/ansible_collections/awx").is_dir():
        pytest.skip("make community installs the collection awx.awx")
    try:
        found = Awx(FOLDER)
        found.ask("me/")
    except OSError:
        pytest.skip("make awx starts an AWX")
    return found


@pytest.fixture(scope="session")
def hooks() -> Iterator[tuple[str, list[Any]]]:
    """The URL of a webhook, and what it was told."""
    told: list[Any] = []

    class Hook(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            told.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

    server = ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/hook", told
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def site(awx: Awx, hooks: tuple[str, list[Any]], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The project, before AWX knows it."""
    root, clone = tmp_path_factory.mktemp("git"), tmp_path_factory.mktemp("clone")
    for host in HOSTS:
        shutil.rmtree(awx.folder / "hosts" / host, ignore_errors=True)
        (awx.folder / "hosts" / host).mkdir(parents=True)
    for name in ("web.git", "state.git"):
        git(root, "init", "--quiet", "--bare", "--initial-branch=main", name)
        git(root / name, "config", "http.receivepack", "true")
    folder = tmp_path_factory.mktemp("python")
    with git_server(root) as url, interpreter(folder, REPOSITORY / ".build/community") as python:
        git(clone, "init", "--quiet", "--initial-branch=main")
        git(clone, "remote", "add", "origin", str(root / "web.git"))
        hook, told = hooks
        made = Site(awx, url, root, clone, told, python)
        made.write(**{name: text.replace("STATE", f"{url}/state.git") for name, text in FILES.items()})
        kind = awx.named("credential_types", "Source Control")["id"]
        inputs = {"username": USER, "password": PASSWORD}
        organization = awx.named("organizations", "Default")["id"]
        for old in [*awx.all("projects/"), *awx.all("credentials/", name="web project")]:  # of earlier tests
            awx.ask(old["url"], method="DELETE")
        given = {"name": "web project", "credential_type": kind, "organization": organization, "inputs": inputs}
        awx.ask("credentials/", given)
        made.variables = {
            "awx_name": "web",
            "awx_ensemble": "web/service.yaml",
            "awx_project_url": f"{url}/web.git",
            "awx_project_credential": "web project",
            "awx_image": "registry.example/ee:1",
            "awx_inventory": "hosts.yaml",
            "awx_vault_password": VAULT,
            "awx_state_credential": {"username": USER, "token": PASSWORD},
            "awx_update_secrets": True,
            "awx_notification_type": "webhook",
            "awx_notification_configuration": {
                "url": hook,
                "headers": {},
                "http_method": "POST",
                "disable_ssl_verification": False,
                "username": "",
                "password": "",
            },
        }
        yield made


@pytest.fixture(scope="session")
def web(site: Site) -> Site:
    """The project, with all that the playbook makes of it in AWX."""
    site.set_up()
    site.variables["awx_update_secrets"] = False
    # jobs would update what no test changes, each time for half a minute
    site.awx.change(site.awx.named("projects", "web project"), scm_update_cache_timeout=86400)
    site.awx.change(site.awx.named("inventory_sources", "web"), update_cache_timeout=86400)
    return site
