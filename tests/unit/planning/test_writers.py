"""What writes one path on one host has an order, or is refused with both places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.ensembles.options import JobOptions
from ansible_ensemble.jobs.planned import make_plan
from ansible_ensemble.jobs.validate import validate_path

COPY = 'module: copy, args: {dest: %s, content: "b=2"}'
LINE = "module: lineinfile, args: {path: %s, line: b=3}"
FILES = {
    "some/app.conf": "b=2",
    "more.yml": "- vars: {folder: /srv}\n  block:\n    - replace: {path: '{{ folder }}/{{ name }}', regexp: a}\n",
    "site.yml": "- hosts: all\n  vars: {folder: /srv}\n  tasks: [{include_tasks: more.yml, vars: {name: a}}]\n",
    "roles/app/tasks/main.yml": "- lineinfile: {dest: '{{ app_file }}', line: b}\n",
    "roles/app/defaults/main.yml": "app_file: /srv/a\n",
}


def resources(root: Path, **nodes: str) -> Path:
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    file = root / "service.yaml"
    file.write_text("resources:\n" + "".join(f"  {name}: {{{text}}}\n" for name, text in nodes.items()))
    return file


#: With the hosts that some resources are on.
INVENTORY = ["web,web1,web2"]


def refused(root: Path, **nodes: str) -> str:
    """What validate and plan say, which has to be the same; empty if they say nothing."""
    file = resources(root, **nodes)
    errors: list[Any] = validate_path(str(file), JobOptions(inventory=INVENTORY))["errors"]
    try:
        make_plan(str(root / "service.yaml"), "deploy", {"inventory": INVENTORY})
    except InvalidInput as error:
        assert [one["text"] for one in errors] == str(error).splitlines()
    else:
        assert errors == []
    return "\n".join(one["text"] for one in errors)


def test_both_places_and_the_line_to_add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = refused(tmp_path, base=COPY % "/srv/a", other=COPY % "/srv/b", set_b=LINE % "/srv/a")
    message = "'set_b' and 'base' (service.yaml:2:37) write /srv/a on localhost, and nothing says which is first"
    hint = "if 'set_b' comes second, add to it `requirements: [{dependency: base}]`"
    assert text == f"service.yaml:4:44: {message} ({hint})"


#: A second writer of what `copy` writes at /srv/a, as people may spell it.
SAME = {
    "a way around": LINE % "/srv/x/../a",
    "a slash at the end": LINE % "/srv/a/",
    "a file in a folder": "module: copy, args: {src: some/app.conf, dest: /srv/}, metadata: {}",
    "an input": LINE % "{get_input: path}",
    "a variable": LINE % "'{{ folder }}/a'" + ", keywords: {vars: {folder: /srv}}",
    "a task file": "tasks: more.yml, vars: {name: a}",
    "a task file in a play": "playbook: site.yml, host: web",
    "a role": "role: app",
    "the mode of it": "module: file, args: {path: /srv/a, mode: '0600'}",
    "a template": "module: template, args: {src: some/app.conf, dest: /srv/a}",
    "delegated": LINE % "/srv/a" + ", host: web, keywords: {delegate_to: localhost}",
}


@pytest.mark.parametrize("second", SAME.values(), ids=SAME)
def test_one_path_in_other_words(tmp_path: Path, second: str) -> None:
    first = COPY % ("/srv/app.conf" if "some/app.conf, dest: /srv/}" in second else "/srv/a")
    if "get_input" in second:
        (tmp_path / "given").mkdir()
        file = resources(tmp_path, base=first, second=second)
        file.write_text("inputs: {path: {type: string, default: /srv/a}}\n" + file.read_text())
        with pytest.raises(InvalidInput, match="nothing says which is first"):
            make_plan(str(tmp_path / "service.yaml"), "deploy", {})
        return
    first += ", host: web" if "playbook:" in second else ""
    nodes = {"web": "type: ansible.Host"} if "host: web" in second else {}
    assert "nothing says which is first" in refused(tmp_path, **nodes, base=first, second=second)


#: What is no second writer of /srv/a on the controller.
OTHER = {
    "another path": LINE % "/srv/ab",
    "below it": LINE % "/srv/a/b",
    "another host": LINE % "/srv/a" + ", host: web",
    "behind others": LINE % "/srv/a" + ", requirements: [{dependency: between}]",
    "something that only looks": "module: stat, args: {path: /srv/a}",
    "a path that is known later": LINE % "{get_attribute: [between, result, dest]}",
}


@pytest.mark.parametrize("second", OTHER.values(), ids=OTHER)
def test_nothing_is_wrong_with_others(tmp_path: Path, second: str) -> None:
    between = COPY % "/srv/between" + ", requirements: [{dependency: base}]"
    assert refused(tmp_path, web="type: ansible.Host", base=COPY % "/srv/a", between=between, second=second) == ""


def test_folders_that_are_to_be_the_same(tmp_path: Path) -> None:
    folder = "module: file, args: {path: /srv, state: directory, mode: '%s'}"
    assert refused(tmp_path, one=folder % "0755", other=folder % "0755") == ""
    assert "write /srv on localhost" in refused(tmp_path, one=folder % "0755", other=folder % "0700")


def test_a_file_put_into_what_is_a_folder(tmp_path: Path) -> None:
    folder = "module: file, args: {path: /srv/d, state: directory}"
    put = "module: copy, args: {src: some/app.conf, dest: /srv/d}, requirements: [{dependency: folder}]"
    assert refused(tmp_path, folder=folder, put=put) == ""
    text = refused(tmp_path, folder=folder, put=put, line=LINE % "/srv/d/app.conf")
    assert "write /srv/d/app.conf on localhost" in text


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    file = resources(tmp_path, base=COPY % "/srv/a", second="tasks: long.yml")
    (tmp_path / "long.yml").write_text(f"- include_tasks: {'x' * 5000}\n  when: wanted\n")
    assert make_plan(str(file), "deploy", {}).document["operations"]


def test_each_pair_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("[web]\nweb1\nweb2\n")
    hosts = ", hosts: [web1, web2]"
    text = refused(tmp_path, base=COPY % "/srv/a" + hosts, set_b=LINE % "/srv/a" + hosts, c=LINE % "/srv/a" + hosts)
    assert [line.partition(": ")[2].partition(" (")[0] for line in text.splitlines()] == [
        "'set_b' and 'base'",
        "'c' and 'set_b'",
    ]


def test_an_unarchived_folder_and_what_is_in_it_need_no_order(tmp_path: Path) -> None:
    unarchive = "module: unarchive, args: {src: /tmp/a.tar, dest: /srv, remote_src: true}"
    assert refused(tmp_path, whole=unarchive, line=LINE % "/srv/a") == ""


def test_a_line_of_a_file_that_the_ensemble_makes_is_its_own(tmp_path: Path) -> None:
    line = "module: lineinfile, args: {path: %s, regexp: ^b=, line: b=3}, requirements: [{dependency: base}]"
    file = resources(tmp_path, base=COPY % "/srv/a", own=line % "/srv/a", theirs=line % "/etc/theirs")
    left = {one.instance: one.leaves for one in make_plan(str(file), "deploy", {}).plan.instances}
    assert left["own"] == ""
    assert left["theirs"].startswith("a line that it replaces is not restored")


#: Two resources, and what both of them set otherwise.
THINGS = {
    "the shell of user joe": ("user, args: {name: joe, shell: /bin/sh}", "user, args: {name: joe, shell: /bin/bash}"),
    "the groups of user joe": (
        "user, args: {name: joe, groups: a}",
        "user, args: {name: joe, groups: b, append: true}",
    ),
    "the state of service web": (
        "service, args: {name: web, state: stopped}",
        "systemd, args: {name: web.service, state: restarted}",
    ),
    "the cron job nightly of root": (
        "cron, args: {name: nightly, user: root, job: a}",
        "cron, args: {name: nightly, user: root, job: b}",
    ),
    "the host's name": ("hostname, args: {name: a, use: debian}", "hostname, args: {name: b, use: debian}"),
}


@pytest.mark.parametrize("what", THINGS)
def test_a_thing_that_two_set_otherwise(tmp_path: Path, what: str) -> None:
    one, other = (f"module: {text}" for text in THINGS[what])
    text = refused(tmp_path, one=one, other=other)
    assert "'other' and 'one' (" in text and f") set {what} on localhost, and nothing says" in text
    assert refused(tmp_path, one=one, other=f"{other}, requirements: [{{dependency: one}}]") == ""


def test_a_thing_that_two_set_alike_or_each_a_part_of(tmp_path: Path) -> None:
    user, service = "module: user, args: {name: joe, %s}", "module: service, args: {name: web, state: %s}"
    started = {"start": service % "started", "restart": service % "restarted"}
    added = {name: user % f"groups: {name}, append: true" for name in ("a", "b")}
    assert refused(tmp_path, **started, **added, shell=user % "shell: /bin/sh") == ""
