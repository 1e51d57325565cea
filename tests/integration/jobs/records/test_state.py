"""State that lives elsewhere: jobs in folders that are thrown away, of clones whose origin is out of reach."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ansible_ensemble.projects.lock import Lock, lock_text
from ansible_ensemble.projects.process import Process
from ansible_ensemble.state.location import open_store
from ansible_ensemble.state.store import File
from tests.integration.jobs.nodes import noted, service
from tests.integration.jobs.processes import kill_all, wait_for, working_in
from tests.integration.jobs.records.repositories import git, make_project
from tests.integration.sshd import SSHD, serving
from tests.unit.state.servers import PASSWORD, USER, StateServer, git_server, state_server

Checkout = Callable[[str], Path]

#: A home that nothing can be written to, as in an execution environment.
NO_HOME = "/proc/no-home"


@pytest.fixture
def server() -> Iterator[StateServer]:
    with state_server() as server:
        yield server


@pytest.fixture
def checkouts(tmp_path: Path) -> Callable[[str, str], Checkout]:
    """Makes a project whose state lives elsewhere, and shallow clones of it that cannot reach it."""

    def project(state: str, text: str) -> Checkout:
        origin = make_project(tmp_path / "origin", text)
        (origin / "ensemble-project.yaml").write_text(f"environments:\n  defaults:\n    state: {state}\n")
        git(origin, "add", ".")
        git(origin, "commit", "--quiet", "-m", "state")

        def checkout(name: str) -> Path:
            git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{origin}", name)
            git(tmp_path / name, "remote", "set-url", "origin", str(tmp_path / "nowhere"))
            return tmp_path / name

        return checkout

    return project


def of_http(server: StateServer) -> str:
    return f"{{http: '{server.url}', username: {USER}, password: {{get_env: CANARY}}}}"


@pytest.fixture
def extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The variables of a job: a credential, and a home that is read-only."""
    monkeypatch.setenv("CANARY", PASSWORD)
    homes = {"HOME": NO_HOME, "XDG_STATE_HOME": NO_HOME, "ANSIBLE_HOME": str(tmp_path / "ansible")}
    return {"CANARY": PASSWORD, **homes}


def statuses(command, folder: Path, extra: dict[str, str]) -> dict[str, str]:
    told = command("status", "--output", "json", cwd=folder, extra={**extra, "ANSIBLE_ENSEMBLE_TRUST": str(folder)})
    assert told.code == 0, told.output
    return {one["name"]: one["status"] for one in json.loads(told.stdout)["instances"]}


def test_every_job_knows_what_those_before_it_did(command, collections, checkouts, tmp_path, extra):
    store = tmp_path / "store.git"
    git(tmp_path, "init", "--quiet", "--bare", str(store))
    git(store, "config", "http.receivepack", "true")
    with git_server(tmp_path) as url:
        state = f"{{git: '{url}/store.git', username: {USER}, token: {{get_env: CANARY}}}}"
        checkout = checkouts(state, service(2, chain=True))
        first = checkout("first")
        done = command("deploy", "--approve", cwd=first, extra=extra)
        assert done.code == 0, done.output
        shutil.rmtree(first)

        second = checkout("second")
        refused = command("plan", cwd=second, extra=extra)
        assert refused.code == 1
        assert "is not trusted" in refused.stderr
        trusted = {**extra, "ANSIBLE_ENSEMBLE_TRUST": str(second), "ANSIBLE_COLLECTIONS_PATH": str(collections)}
        assert "No changes." in command("plan", cwd=second, extra=trusted).stdout
        assert statuses(command, second, extra) == {"n0": "ok", "n1": "ok"}
        book = ("tosca.ensemble.undeploy", "-e", "ensemble=.")
        played = command(*book, program="ansible-playbook", cwd=second, extra=trusted)
        assert played.code == 0, played.output
        shutil.rmtree(second)

        third = checkout("third")
        assert statuses(command, third, extra) == {"n0": "absent", "n1": "absent"}
        history = command(
            "history", "--output", "json", cwd=third, extra={**extra, "ANSIBLE_ENSEMBLE_TRUST": str(third)}
        )
        assert [job["workflow"] for job in json.loads(history.stdout)["jobs"]] == ["undeploy", "deploy"]
    assert PASSWORD not in done.output + played.output
    assert len(git(store, "log", "--format=%s", "ensemble-state").splitlines()) == 2
    assert git(store, "for-each-ref", "--format=%(refname)") == "refs/heads/ensemble-state"


STOCK = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates: {shelf: {type: tosca.nodes.Root}}
  outputs: {items: {value: 3}}
"""
FRONT = STOCK.replace("value: 3", "value: {eval: {external: stock}, select: 'outputs::items'}")


def test_a_job_knows_what_another_ensemble_has_that_was_deployed_in_a_folder_that_is_gone(command, tmp_path, extra):
    store = tmp_path / "store.git"
    git(tmp_path, "init", "--quiet", "--bare", str(store))
    folders = [tmp_path / name for name in ("first", "second", "third")]
    for folder in folders:
        for part, text in (("stock", STOCK), ("front", FRONT)):
            (folder / part).mkdir(parents=True)
            (folder / part / "service.yaml").write_text(text)
        (folder / "ensemble-project.yaml").write_text(
            f"environments: {{defaults: {{state: {{git: '{store}'}}, external: {{stock: stock/ensemble.yaml}}}}}}\n"
        )
    first, second, third = folders
    extra = {**extra, "ANSIBLE_ENSEMBLE_TRUST": ":".join(map(str, folders))}
    assert command("deploy", "--approve", "stock/service.yaml", cwd=first, extra=extra).code == 0
    shutil.rmtree(first)
    looked = command("plan", "front/service.yaml", cwd=second, extra=extra)
    assert looked.code == 0, looked.output
    assert (second / "stock" / "ensemble.yaml").exists()
    done = command("deploy", "--approve", "front/service.yaml", "--output", "json", cwd=third, extra=extra)
    assert done.code == 0, done.output
    assert json.loads(done.stdout)["outputs"] == {"items": 3}


@pytest.mark.usefixtures("extra")
def test_a_killed_job_whose_folder_is_gone_is_recorded_by_the_next(command, start, checkouts, server, extra):
    checkout = checkouts(of_http(server), service(3, chain=True).replace("sleep 0.0", "test $name != n1 || sleep 60"))
    first = checkout("first")
    start("deploy", "--approve", cwd=first)
    wait_for(lambda: noted(first, "begin")[-1:] == ["create n1"], "the second operation")
    kill_all(first)
    wait_for(lambda: not working_in(first), "the end of all processes")
    assert noted(first) == ["create n0"]
    shutil.rmtree(first)
    assert server.locks

    second = checkout("second")
    assert statuses(command, second, extra) == {"n0": "ok", "n1": "unknown"}
    trusting = {**extra, "ANSIBLE_ENSEMBLE_TRUST": str(second)}
    told = command("status", cwd=second, extra=trusting)
    assert "is running, or was killed: the server of the state does not say." in told.output
    recovered = command("recover", cwd=second, extra=trusting)
    assert recovered.code == 0, recovered.output
    assert "the job was killed: 1 interrupted, 1 ok" in recovered.output
    assert server.locks == {}
    shutil.rmtree(second)
    assert statuses(command, checkout("third"), extra) == {"n0": "ok", "n1": "unknown"}


@pytest.mark.usefixtures("extra")
def test_of_two_jobs_one_is_refused_and_a_cancelled_one_leaves_its_state(command, start, checkouts, server, extra):
    checkout = checkouts(of_http(server), service(3, chain=True).replace("sleep 0.0", "test $name != n1 || sleep 60"))
    first, second = checkout("first"), checkout("second")
    job = start("deploy", "--approve", "--grace", "0.1", cwd=first)
    wait_for(lambda: noted(first, "begin")[-1:] == ["create n1"], "the second operation")
    refused = command("deploy", "--approve", cwd=second, extra=extra)
    assert refused.code == 4, refused.output
    [held] = [json.loads(lock) for lock in server.locks.values()]
    assert f"{first}/ensemble.yaml is locked by {held['Who']} for deploy since {held['Created']}" in refused.stderr
    assert f"ansible-ensemble unlock {held['ID']}" in refused.stderr
    job.send_signal(signal.SIGTERM)
    output, _ = job.communicate()
    assert job.returncode == 143, output
    assert server.locks == {}
    shutil.rmtree(first)
    assert statuses(command, second, extra)["n0"] == "ok"
    assert statuses(command, second, extra)["n1"] in ("unknown", "error")


@pytest.mark.usefixtures("extra")
def test_a_job_whose_state_cannot_be_pushed_says_so_and_is_recorded_by_the_next(command, checkouts, server, extra):
    first = checkouts(of_http(server), service(2, chain=True))("first")
    extra = {**extra, "ANSIBLE_ENSEMBLE_TRUST": str(first)}
    server.refused = "jobs.tsv"  # what a job does not have before its end
    done = command("deploy", "--approve", "--output", "json", cwd=first, extra=extra)
    assert done.code == 1, done.output
    report = json.loads(done.stdout)
    assert (report["job"]["success"], report["job"]["exit_code"]) == (True, 1)
    [problem] = report["problems"]
    assert "the state was not pushed" in problem
    assert f"ansible-ensemble state push {first}/ensemble.yaml" in problem
    told = command("deploy", "--approve", cwd=first, extra=extra)
    assert told.code == 1, told.output
    assert "complete" not in told.output

    server.refused = ""
    pushed = command("state", "push", cwd=first, extra=extra)
    assert (pushed.code, pushed.stdout) == (0, f"The state was pushed to {server.url}.\n")
    again = command("state", "push", "--output", "json", cwd=first, extra=extra)
    assert json.loads(again.stdout) == {"where": server.url, "pushed": False}
    assert server.locks == {}
    ended = command("deploy", "--approve", cwd=first, extra=extra)
    assert ended.code == 0
    assert ended.stdout.splitlines()[-1] == "Deploy complete! There was nothing to do."


@pytest.mark.usefixtures("extra")
def test_a_rollback_has_its_state_once(command, checkouts, server, extra):
    checkout = checkouts(of_http(server), service(1))
    first, second = checkout("first"), checkout("second")
    extra = {**extra, "ANSIBLE_ENSEMBLE_TRUST": str(second)}
    assert command("deploy", "--approve", cwd=first, extra=extra).code == 0
    job = json.loads(command("history", "--output", "json", cwd=second, extra=extra).stdout)["jobs"][0]["change_id"]

    def asked(*words: str) -> list[str]:
        server.asked.clear()
        done = command(*words, cwd=second, extra=extra)
        assert done.code == 0, done.output
        return list(server.asked)

    assert asked("plan", "--rollback", job) == asked("plan") == ["GET"]
    assert asked("rollback", job, "--approve") == asked("deploy", "--approve")


@pytest.mark.usefixtures("extra")
def test_a_rollback_is_of_the_state_of_the_environment_of_its_job(command, checkouts, server, extra):
    folder = checkouts("{path: nowhere}", service(1))("first")
    (folder / "ensemble-project.yaml").write_text(f"environments: {{other: {{state: {of_http(server)}}}}}\n")
    git(folder, "commit", "--quiet", "--all", "-m", "elsewhere")
    extra = {**extra, "ANSIBLE_ENSEMBLE_TRUST": str(folder)}
    done = command("deploy", "--approve", "--environment", "other", "--output", "json", cwd=folder, extra=extra)
    assert done.code == 0, done.output
    job = json.loads(done.stdout)["job"]["id"]
    server.asked.clear()
    for words in (("plan", "--rollback", job), ("rollback", job, "--approve")):
        done = command(*words, cwd=folder, extra=extra)
        assert done.code == 0, done.output
    assert [one for one in server.asked if one != "POST"] == ["GET", "LOCK", "GET", "UNLOCK"]


@pytest.mark.usefixtures("extra")
def test_commands_find_the_state_of_an_environment_that_is_not_the_default(command, checkouts, server, extra, tmp_path):
    checkout = checkouts("{path: nowhere}", service(1))
    folders = [checkout("first"), checkout("second")]
    for folder in folders:
        (folder / "ensemble-project.yaml").write_text(f"environments: {{other: {{state: {of_http(server)}}}}}\n")
    first, second = folders
    extra = {**extra, "ANSIBLE_ENSEMBLE_TRUST": f"{first}:{second}"}
    env = ("--environment", "other")
    empty = command("state", "pull", *env, cwd=first, extra=extra)
    assert empty.code == 1
    assert f"there is no state in {server.url}" in empty.stderr
    assert command("deploy", "--approve", *env, cwd=first, extra=extra).code == 0

    history = command("history", *env, "--output", "json", cwd=second, extra=extra)
    [job] = json.loads(history.stdout)["jobs"]
    assert job["change_id"] in command("show", job["change_id"], *env, cwd=second, extra=extra).stdout
    held = lock_text(
        Lock("/gone/ensemble.yaml", "L7", "deploy", "me@pod", Process(7, "pod"), "1", "2026-01-02T03:04:05Z")
    )
    server.locks["/state"] = held.encode()
    refused = command("recover", *env, cwd=second, extra=extra)
    assert refused.code == 4
    assert "locked by me@pod for deploy since 2026-01-02T03:04:05Z" in refused.stderr
    assert command("unlock", "L8", *env, cwd=second, extra=extra).code == 2
    freed = command("unlock", "L7", *env, cwd=second, extra=extra)
    assert (freed.code, freed.stdout) == (0, "The lock L7 is removed.\n")
    assert command("unlock", "L7", *env, cwd=second, extra=extra).code == 2
    assert "nothing to recover" in command("recover", *env, cwd=second, extra=extra).stdout
    assert command("forget", "n0", "-y", *env, cwd=second, extra=extra).code == 0
    pulled = command("state", "pull", *env, cwd=first, extra=extra)
    assert (pulled.code, pulled.stdout) == (0, f"The state is that of {server.url}.\n")
    status = command("status", *env, "--output", "json", cwd=first, extra=extra)
    assert json.loads(status.stdout)["instances"] == []


def test_the_location_of_a_project_that_is_not_trusted_is_not_contacted(command, checkouts, server, extra):
    folder = checkouts(of_http(server), service(1))("first")
    for words in (["plan"], ["status"], ["outputs"], ["history"], ["query", "::n0"], ["recover"]):
        refused = command(*words, cwd=folder, extra=extra)
        assert refused.code == 1, words
        assert "the project names a remote state, and is not trusted" in refused.stderr
    offline = command("status", cwd=folder, extra={**extra, "ANSIBLE_ENSEMBLE_OFFLINE": "1"})
    assert offline.code == 0, offline.output
    assert server.asked == []


@pytest.mark.skipif(SSHD is None, reason="sshd is not installed")
def test_git_over_ssh_with_a_key_of_its_own(tmp_path):
    store = tmp_path / "store.git"
    git(tmp_path, "init", "--quiet", "--bare", str(store))
    known = tmp_path / "known"
    with serving(tmp_path / "sshd", ["one"]) as servers:
        port = str(servers.ports["one"])
        keys = subprocess.run(["ssh-keyscan", "-p", port, "127.0.0.1"], capture_output=True, text=True, check=True)
        known.write_text(keys.stdout)
        user = servers.variables(known)["ansible_user"]
        values = {
            "git": f"ssh://{user}@127.0.0.1:{port}{store}",
            "path": "",
            "folder": str(tmp_path),
            "ssh_key": str(servers.key),
            "known_hosts": str(known),
        }
        one = open_store("git", values)
        assert one.take(Lock("/a", "one", "deploy", "me", Process(1, "pod"), "1", "")) is None
        one.write({"jobs.tsv": File(b"A\n")}, "first", "one")
        one.release("one")
        assert open_store("git", {**values, "folder": str(tmp_path / "other")}).read() == {"jobs.tsv": File(b"A\n")}
        with pytest.raises(Exception, match=r"known_hosts"):
            open_store("git", {**values, "known_hosts": "/dev/null"}).read()
