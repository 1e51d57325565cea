"""Installers: what they install is there for the operations that need it, in any workflow, and nothing else is."""

from __future__ import annotations

import hashlib
import io
import shutil
import tarfile
import textwrap
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.projects.vault import Vault
from tests.integration.jobs.terraform_jobs import Job, instance, jobs_in, status

GREET = '#!/bin/sh\necho "{\\"said\\": \\"$GREETING from $(basename $0)\\"}"\n'
TYPES = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Greeting:
    derived_from: tosca.nodes.Root
    properties: {word: {type: string, default: hello}}
    attributes: {said: {type: string}}
    requirements:
      - installer: {node: unfurl.nodes.Installer, relationship: unfurl.relationships.InstalledBy, occurrences: [0, 1]}
    interfaces:
      Standard:
        operations:
          configure: {implementation: greet now, inputs: {GREETING: {get_property: [SELF, word]}}}
          delete: {implementation: greet bye, inputs: {GREETING: bye}}
  Made:
    derived_from: tool.Installer
    interfaces:
      Standard:
        operations:
          create: mkdir -p .tools/made/bin && maker made > .tools/made/bin/greet && chmod +x .tools/made/bin/greet
      Install:
        operations:
          check: 'test -x .tools/made/bin/greet && echo ''{"status": "ok"}'' || echo ''{"status": "absent"}'''
"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Of a server of the files in `served`."""
    (tmp_path / "served").mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path / "served")))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def job(tmp_path: Path) -> Job:
    (tmp_path / "password").write_text("vault password\n")
    return jobs_in(tmp_path)


def write(folder: Path, **templates: Any) -> None:
    service = {**yaml.safe_load(TYPES), "topology_template": {"node_templates": templates}}
    (folder / "service.yaml").write_text(yaml.safe_dump(service, sort_keys=False))


def checksum(file: Path) -> str:
    return f"sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}"


def put(file: Path, text: str) -> dict[str, Any]:
    """A program, as a node of the type `tool.Program`."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return {
        "type": "tool.Program",
        "properties": {"file": f"{file.parent.name}/{file.name}", "checksum": checksum(file)},
    }


def said(folder: Path) -> str:
    found = yaml.safe_load((folder / "ensemble.yaml").read_text())["status"]["instances"]["app"]["attributes"]["said"]
    return str(found)


def ran(report: dict[str, Any]) -> list[str]:
    """The operations that ran, in order."""
    return [one["operation"] for one in report["events"] if one["event"] == "finished"]


APP = {"type": "Greeting", "requirements": [{"installer": "greet"}]}


def test_a_program_is_there_for_what_requires_it(job: Job, tmp_path: Path) -> None:
    write(tmp_path, greet=put(tmp_path / "files" / "greet", GREET), app=APP)
    report = job()
    assert said(tmp_path) == "hello from greet"
    assert (status(tmp_path, "greet"), status(tmp_path, "app")) == ("ok", "ok")
    assert (tmp_path / ".tools" / "greet" / ".gitignore").read_text() == "*\n"
    assert ran(job()) == []

    # another machine, or somebody's hand
    installed = tmp_path / ".tools" / "greet" / "bin" / "greet"
    for damage in (lambda: shutil.rmtree(tmp_path / ".tools"), lambda: installed.write_text("#!/bin/sh\nexit 1\n")):
        damage()
        edited = yaml.safe_load((tmp_path / "service.yaml").read_text())
        word = edited["topology_template"]["node_templates"]["app"].setdefault("properties", {})
        word["word"] = f"{word.get('word', 'hello')}!"
        (tmp_path / "service.yaml").write_text(yaml.safe_dump(edited, sort_keys=False))
        report = job()
        assert ran(report) == ["Install.check", "Standard.create", "Standard.configure"]
        assert said(tmp_path) == f"{word['word']} from greet"

    shutil.rmtree(tmp_path / ".tools")
    assert ran(job("undeploy")) == ["Install.check", "Standard.create", "Standard.delete"]
    assert (status(tmp_path, "greet"), status(tmp_path, "app")) == ("ok", "absent")
    job("undeploy", instances=["greet"])
    assert status(tmp_path, "greet") == "absent"
    assert not (tmp_path / ".tools" / "greet").exists()


def test_a_wrong_checksum_puts_nothing_in_place(job: Job, tmp_path: Path) -> None:
    greet = put(tmp_path / "files" / "greet", GREET)
    (tmp_path / "files" / "greet").write_text(GREET + "# more\n")
    write(tmp_path, greet=greet, app=APP)
    (failed,) = [one for one in job()["events"] if one["event"] == "finished"]
    found = checksum(tmp_path / "files" / "greet")
    assert failed["error"] == (
        f"files/greet has the checksum {found}, not {greet['properties']['checksum']}: nothing is installed"
    )
    assert not (tmp_path / ".tools").exists()


def test_a_member_of_an_archive_comes_from_a_server(job: Job, tmp_path: Path, address: str) -> None:
    archive = tmp_path / "served" / "greet-1.0.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        member = tarfile.TarInfo("greet-1.0/hello")
        member.size = len(GREET)
        tar.addfile(member, io.BytesIO(GREET.encode()))
    properties = {
        "file": f"{address}/{archive.name}",
        "checksum": checksum(archive),
        "member": "greet-1.0/hello",
        "program": "greet",
    }
    write(tmp_path, greet={"type": "tool.Program", "properties": properties}, app=APP)
    predicted = job(check=True)
    assert not (tmp_path / ".tools").exists()
    assert next(one["instance"] for one in predicted["events"] if one["event"] == "finished") == "greet"
    job()
    assert said(tmp_path) == "hello from greet"


def test_a_tool_is_made_by_another_one(job: Job, tmp_path: Path) -> None:
    made = "#!/bin/sh\ncat <<'END'\n" + GREET + "END\n"
    maker = put(tmp_path / "files" / "maker", made)
    write(
        tmp_path,
        app={**APP, "requirements": [{"installer": "made"}]},
        made={"type": "Made", "requirements": [{"installer": "maker"}]},
        maker=maker,
    )
    report = job()
    assert [one["instance"] for one in report["events"] if one["event"] == "finished"] == ["maker", "made", "app"]
    assert said(tmp_path) == "hello from greet"


def test_python_packages_have_an_environment_of_their_own(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    (tmp_path / "wheels").mkdir()
    wheel = write_wheel(
        tmp_path / "wheels",
        {"acme_greet.py": "import json, os\n\ndef main():\n    print(json.dumps({'said': os.environ['GREETING']}))\n"},
        "[console_scripts]\ngreet = acme_greet:main\n",
    )
    package = f"acme-greet==1.0 --hash={checksum(wheel)}"
    properties = {"packages": [package], "source": "wheels"}
    write(tmp_path, greet={"type": "tool.PythonPackages", "properties": properties}, app=APP)
    job()
    assert said(tmp_path) == "hello"
    assert [file.name for file in (tmp_path / ".tools" / "greet" / "bin").iterdir()] == ["greet"]

    properties["packages"] = [package[:-4] + "0000"]
    app = {**APP, "properties": {"word": "new"}}
    write(tmp_path, greet={"type": "tool.PythonPackages", "properties": properties}, app=app)
    job()
    assert said(tmp_path) == "hello", "a package with another hash is not installed"
    assert (tmp_path / ".tools" / "greet" / "bin" / "greet").exists(), "and what was there is kept"


def write_wheel(folder: Path, contents: dict[str, str], entry_points: str) -> Path:
    about = "acme_greet-1.0.dist-info"
    files = {
        **contents,
        f"{about}/METADATA": "Metadata-Version: 2.1\nName: acme-greet\nVersion: 1.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": entry_points,
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{about}/RECORD"])
    file = folder / "acme_greet-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as wheel:
        for name, text in {**files, f"{about}/RECORD": record}.items():
            wheel.writestr(name, text)
    return file


def write_project(root: Path, tools: dict[str, Any], user: dict[str, Any], users: tuple[str, ...] = ("app",)) -> None:
    """A project of an ensemble that has tools, and of others that use them."""
    (root / "ensemble-project.yaml").write_text("apiVersion: tosca-ensemble/v1\nkind: Project\n")
    (root / "tools").mkdir()
    (root / "tools" / "greet").write_text(GREET)
    external = {"environment": {"external": {"tools": {"file": "../tools/ensemble.yaml"}}}}
    for name, templates, more in (("tools", tools, {}), *((user_name, user, external) for user_name in users)):
        (root / name).mkdir(exist_ok=True)
        write(root / name, **templates)
        ensemble = {
            "apiVersion": "tosca-ensemble/v1",
            "kind": "Ensemble",
            "spec": {"service_template": {"+include": "service.yaml"}},
            **more,
        }
        (root / name / "ensemble.yaml").write_text(yaml.safe_dump(ensemble, sort_keys=False))


def program(**own: str) -> dict[str, Any]:
    digest = hashlib.sha256(GREET.encode()).hexdigest()
    given = {"file": "greet", "checksum": f"sha256:{digest}", "program": "greet", **own}
    return {"type": "tool.Program", "properties": given}


SELECTING = {
    "elsewhere": {"type": "tool.Program", "directives": ["select"]},
    "app": {"type": "Greeting", "requirements": [{"installer": "elsewhere"}]},
}


@pytest.mark.parametrize("own", [{}, {"folder": "shared/greeter"}], ids=["by its name", "by its folder"])
def test_a_tool_that_another_ensemble_of_the_project_installed(
    tmp_path: Path, command: Any, own: dict[str, str]
) -> None:
    write_project(tmp_path, {"greeter": program(**own)}, SELECTING)
    done = command("deploy", "-y", "tools", "--instance", "greeter", cwd=tmp_path)
    assert done.code == 0, done.output
    done = command("deploy", "-y", "app", cwd=tmp_path)
    assert done.code == 0, done.output
    assert "ignored" not in done.output
    assert "1 to add, 0 to change" in done.output
    assert command("query", "::app::said", cwd=tmp_path / "app").stdout.strip() == "hello from greet"


def test_a_tool_is_installed_by_a_job_of_the_ensemble_that_declares_it(tmp_path: Path, command: Any) -> None:
    write_project(tmp_path, {"greeter": program(folder="shared/greeter")}, SELECTING, ("app", "other"))
    made, records = tmp_path / "shared" / "greeter" / "bin" / "greet", tmp_path / "tools" / "ensemble.yaml"
    assert "tools installs greeter" in command("plan", "app", cwd=tmp_path).stdout
    done = command("deploy", "--check", "app", cwd=tmp_path)
    assert (done.code, made.exists(), "status" in records.read_text()) == (0, False, False), done.output

    done = command("deploy", "-y", "app", cwd=tmp_path)
    assert done.code == 0, done.output
    assert "elsewhere: create changed" in done.output
    assert command("query", "::app::said", cwd=tmp_path / "app").stdout.strip() == "hello from greet"
    assert status(tmp_path / "tools", "greeter") == "ok"
    assert "created" not in instance(tmp_path / "app", "elsewhere")
    done = command("deploy", "-y", "other", cwd=tmp_path)
    assert (done.code, "1 to add, 0 to change" in done.output) == (0, True), done.output
    done = command("undeploy", "-y", "app", cwd=tmp_path)
    assert (done.code, made.exists(), status(tmp_path / "tools", "greeter")) == (0, True, "ok"), done.output

    # what another machine has recorded is installed here, too
    shutil.rmtree(tmp_path / "shared")
    done = command("deploy", "-y", "app", cwd=tmp_path)
    assert (done.code, made.exists()) == (0, True), done.output


def test_the_job_of_another_ensemble_has_the_options_of_this_one(tmp_path: Path, command: Any) -> None:
    digest = hashlib.sha256(GREET.encode()).hexdigest()
    project = tmp_path / "project"
    project.mkdir()
    word = "{{ ansible_who | default('nobody') }}"
    greeter = program(folder="shared/greeter") | {"requirements": [{"installer": "maker"}]}
    maker = {"type": "Maker", "interfaces": {"Standard": {"create": f"echo {word} > who"}}}
    write_project(project, {"greeter": greeter, "maker": maker}, SELECTING)
    for name in ("dev", "prod"):
        (tmp_path / name).write_text(f"{name} password\n")
    sealed = Vault([f"prod@{tmp_path / 'prod'}"]).encrypt(f"sha256:{digest}")
    service = yaml.safe_load((project / "tools" / "service.yaml").read_text())
    service["node_types"]["Maker"] = {"derived_from": "tool.Installer"}
    text = yaml.safe_dump(service, sort_keys=False).replace(f"sha256:{digest}", "SEALED")
    (project / "tools" / "service.yaml").write_text(
        text.replace("checksum: SEALED", "checksum: !vault |\n" + textwrap.indent(str(sealed), " " * 12))
    )
    (project / ".gitignore").write_text("/shared/\n/tools/who\n.tools/\njobs/\n")
    git = partial(
        command, "git", program="/usr/bin/env", cwd=project, extra={"GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig")}
    )
    (tmp_path / "gitconfig").write_text("[user]\nname = they\nemail = they@example.com\n")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "begin")):
        assert git(*words).code == 0
    passwords = [word for name in ("dev", "prod") for word in ("--vault-id", f"{name}@../{name}")]
    given = ["-e", "ansible_who=somebody", "-e", "word=bye", "--commit", "-m", "Greet them"]
    extra = {"GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig"), "XDG_RUNTIME_DIR": str(tmp_path / "home")}
    done = command("deploy", "-y", "app", *passwords, *given, cwd=project, extra=extra)
    assert done.code == 0, done.output
    done = command("query", "--ensemble", "app", "::app::said", *passwords, cwd=project)
    assert done.stdout.strip() == "hello from greet", done.output
    assert (project / "tools" / "who").read_text() == "somebody\n"
    assert git("status", "--porcelain").stdout == ""
    said = git("log", "--format=%s", "--name-only").stdout
    assert said.count("Greet them") == 2
    assert "tools/ensemble.yaml" in said.split("begin")[0]
    assert not list((tmp_path / "home").glob("ansible-ensemble-*"))


def test_what_waits_for_a_tool_tells_why_it_is_not_there(tmp_path: Path, command: Any) -> None:
    write_project(tmp_path, {"greeter": program(checksum=f"sha256:{'0' * 64}")}, SELECTING)
    done = command("deploy", "-y", "app", cwd=tmp_path)
    assert done.code == 1
    assert "greeter is not installed by tools: greet has the checksum sha256:" in done.output
    assert "app: configure  needs elsewhere: create" in done.output
    assert (status(tmp_path / "app", "elsewhere"), status(tmp_path / "tools", "greeter")) == ("absent", "pending")


def test_two_jobs_install_a_tool_of_an_implementation_once(tmp_path: Path, command: Any, start: Any) -> None:
    types = """artifact_types:
  Binary:
    derived_from: tosca.artifacts.Root
    properties: {log: {type: string}}
    interfaces:
      Standard: {operations: {create: 'echo made >> {{ SELF.log }}'}}
      Install:
        operations:
          check: >-
            test -e {{ SELF.log }} && echo '{"status": "ok"}' || echo '{"status": "absent"}'
node_types:
  Using:
    derived_from: tosca.nodes.Root
    interfaces:
      Standard:
        operations:
          configure:
            implementation:
              primary: cat LOG
              dependencies: [{file: it, type: Binary, properties: {log: LOG}}]
"""
    log = tmp_path / "log"
    write_project(tmp_path, {}, {}, ("app", "other"))
    for name in ("tools", "app", "other"):
        templates = {"topology_template": {"node_templates": {"using": {"type": "Using"}}}}
        service = {**yaml.safe_load(TYPES), **yaml.safe_load(types.replace("LOG", str(log))), **templates}
        (tmp_path / name / "service.yaml").write_text(yaml.safe_dump(service, sort_keys=False))
    assert "tools installs tool-it" in command("plan", "app", cwd=tmp_path).stdout
    jobs = [start("deploy", "-y", name, cwd=tmp_path) for name in ("app", "other")]
    said = [job.communicate()[0] for job in jobs]
    assert [job.returncode for job in jobs] == [0, 0], said
    assert log.read_text() == "made\n"
    done = command("deploy", "-y", "--force", "app", cwd=tmp_path)
    assert (done.code, "tool-it: check found ok" in done.output) == (0, True), done.output
