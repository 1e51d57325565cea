"""Whatever a result is made of is compared by a plan, shown with its old and new value, or said not to be compared."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from ansible.parsing.vault import VaultLib, VaultSecret

CANARY = "canary-in-the-vault"
RESOURCES = """
resources:
  page:
    module: ansible.builtin.template
    args: {src: page.j2, dest: "%(out)s/page"}
    host: web1
    keywords: {vars: {color: red}}
  quiet:
    module: ansible.builtin.template
    args: {src: quiet.j2, dest: "%(out)s/quiet"}
    host: web1
    keywords: {no_log: true}
  folder:
    module: ansible.builtin.copy
    args: {src: site/, dest: "%(out)s/site/"}
    host: web1
  tasks:
    tasks: more.yml
    host: web1
  playbook:
    playbook: own.yml
    host: web1
  facts:
    module: ansible.builtin.template
    args: {src: facts.j2, dest: "%(out)s/facts"}
    host: web1
  outside:
    module: ansible.builtin.template
    args: {src: outside.j2, dest: "%(out)s/outside"}
    host: web1
"""
PYTHON = f"ansible_connection=local ansible_python_interpreter={sys.executable}"
FILES = {
    "hosts.ini": f"web1 {PYTHON} unread=1\ndb1 {PYTHON} address=10.0.0.1 unread=1\n[db]\ndb1\n[other]\nweb1\n",
    "group_vars/all.yml": (
        "app_port: 8080\nshown_port: '{{ app_port }}'\nunread: 1\nby_key: 1\nquiet_word: one\ndb_password: plain\n"
    ),
    "host_vars/web1.yml": "named: app_port\nmade_of_facts: '{{ ansible_facts.os_family }} one'\n",
    "templates/page.j2": (
        "{% extends 'base.j2' %}{% import 'macros.j2' as macros %}{% block body %}{{ shown_port }} {{ color }} "
        "{% include 'part-' ~ part ~ '.j2' %}{{ hostvars[groups.db[0]].address }}{{ macros.word() }}"
        "{{ lookup('ini', 'key', file='some.ini') }}{{ lookup('csvfile', 'a', file='some.csv', delimiter=',') }}"
        "{{ lookup('file', 'word.txt') }}{{ lookup('env', 'TRACKED') }}{{ lookup('vars', named) }}"
        "{{ vars['by_key'] }}{{ vars.get('by_get', 'none') }}"
        "{{ lookup('file', lookup('first_found', ['none.txt', '../files/word.txt'])) }}"
        "{{ db_password }}{{ secret_word }}"
        "{% endblock %}"
    ),
    "templates/base.j2": "base {% block body %}{% endblock %}",
    "templates/macros.j2": "{% macro word() %}macro{% endmacro %}",
    "templates/part-one.j2": "one",
    "templates/quiet.j2": "{{ quiet_word }}",
    "templates/facts.j2": "{{ ansible_facts.get('os_family', 'none') }}{{ made_of_facts | default('none') }}",
    "templates/outside.j2": "{{ lookup('pipe', 'echo outside') }}",
    "files/some.ini": "[global]\nkey=1\n",
    "files/some.csv": "a,1\n",
    "files/word.txt": "word\n",
    "files/free.txt": "free\n",
    "site/a.txt": "a\n",
    "more.yml": (
        "- ansible.builtin.include_vars: settings.yml\n"
        "- ansible.builtin.include_tasks: '{{ which }}.yml'\n  vars: {which: inner}\n"
    ),
    "settings.yml": "depth: 1\n",
    "inner.yml": ("- ansible.builtin.debug: {msg: '{{ depth }} {{ item }} {{ looped }}'}\n  loop: '{{ looped }}'\n"),
    "own.yml": (
        "- hosts: all\n  gather_facts: false\n  vars_files: [play.yml]\n  tasks:\n"
        "    - ansible.builtin.debug: {msg: '{{ of_play }} {{ of_group }}'}\n"
        "- hosts: all\n  gather_facts: false\n  strategy: free\n  tasks:\n"
        '    - ansible.builtin.debug: {msg: \'{{ of_worker }} {{ lookup("file", "free.txt") }}\'}\n'
    ),
    "play.yml": "of_play: 1\n",
    "group_vars/other/main.yml": "looped: [1]\nof_group: 1\nof_worker: 1\npart: one\n",
}
#: Edits of files that are made at once, what the plan says of them, and what it does not say.
VALUES = (
    [
        ("group_vars/all.yml", "8080", "9090"),
        ("group_vars/all.yml", "quiet_word: one", f"quiet_word: {CANARY}"),
        ("group_vars/all.yml", "plain", CANARY),
        ("group_vars/all.yml", "by_key: 1", "by_key: 2\nby_get: 3"),
        ("service.yaml", "color: red", "color: blue"),
        ("hosts.ini", "10.0.0.1", "10.0.0.2"),
        ("hosts.ini", "[db]\ndb1", "[db]\ndb1\nweb1"),
        ("host_vars/web1.yml", "}} one", "}} two"),
        ("group_vars/other/main.yml", "looped: [1]", "looped: [2]"),
        ("group_vars/other/main.yml", "of_group: 1", "of_group: 2"),
        ("group_vars/other/main.yml", "of_worker: 1", "of_worker: 2"),
        ("secret", "one", "two"),
    ],
    [
        "~ app_port: 8080 -> 9090",
        "~ shown_port: 8080 -> 9090",
        "~ db_password: (sensitive value) changes",
        "~ secret_word: (sensitive value) changes",
        "~ vars.color: red -> blue",
        "~ by_key: 1 -> 2",
        "+ by_get: 3",
        "~ address of db1: 10.0.0.1 -> 10.0.0.2",
        "~ db (group): [db1] -> [db1, web1]",
        "TRACKED changed",
        "# quiet will be updated in place (quiet_word changed)",
        '~ made_of_facts: "{{ ansible_facts.os_family }} one" -> "{{ ansible_facts.os_family }} two"',
        "~ looped: [1] -> [2]",
        "~ of_group: 1 -> 2",
        "~ of_worker: 1 -> 2",
        "5 to change",
    ],
)
CONTENTS = (
    [
        ("templates/base.j2", "base", "other"),
        ("templates/macros.j2", "}macro{", "}other{"),
        ("templates/part-one.j2", "one", "two"),
        ("files/some.ini", "1", "2"),
        ("files/some.csv", "1", "2"),
        ("files/word.txt", "word", "text"),
        ("site/b.txt", "", "b"),
        ("settings.yml", "1", "2"),
        ("inner.yml", "debug", "debug "),
        ("play.yml", "1", "2"),
        ("files/free.txt", "free", "other"),
    ],
    [
        *("templates/base.j2", "templates/macros.j2", "templates/part-one.j2", "files/some.ini", "files/some.csv"),
        *(
            "files/word.txt",
            "site changed",
            "settings.yml",
            "inner.yml",
            "play.yml",
            "files/free.txt",
            "4 to change",
        ),
    ],
)
NOTHING = (
    [("group_vars/all.yml", "unread: 1", "unread: 2"), ("hosts.ini", "[other]", "[another]\ndb1\n[other]")],
    [
        "Not compared:",
        "the lookup pipe outside",
        "No changes. Everything that can be compared matches the specification.",
    ],
)


def write(folder: Path, files: dict[str, str | None]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name == "secret":
            encrypted = VaultLib([("default", VaultSecret(b"pw"))]).encrypt(str(text)).decode()
            (folder / "group_vars/other/secret.yml").write_text(encrypted)
        elif text is None:
            path.unlink()
        else:
            path.write_text(text)


def test_a_plan_compares_what_a_result_is_made_of(command: Callable, tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "pw").write_text("pw")
    files = {**FILES, "service.yaml": RESOURCES % {"out": tmp_path / "out"}, "secret": "secret_word: vaulted-one"}
    write(tmp_path, files)
    around = {"ANSIBLE_VAULT_PASSWORD_FILE": str(tmp_path / "pw"), "TRACKED": "one"}
    done = command("deploy", "service.yaml", "--approve", "-i", "hosts.ini", extra=around)
    assert done.code == 0, done.output
    for edits, said in (NOTHING, VALUES, CONTENTS):
        edited = dict(files)
        for name, old, new in edits:
            edited[name] = edited.get(name, "").replace(old, new)
        write(tmp_path, {name: edited[name] for name, *_rest in edits})
        changed = {**around, "TRACKED": "two"} if edits is VALUES[0] else around
        output = command("plan", "service.yaml", "-i", "hosts.ini", extra=changed).output
        told = re.sub(r"  +", " ", output)
        assert [text for text in said if text not in told] == [], output
        assert CANARY not in output
        write(tmp_path, files)
        (tmp_path / "site/b.txt").unlink(missing_ok=True)
    recorded = "".join(path.read_text() for path in (tmp_path / "jobs.tsv", *(tmp_path / "changes").iterdir()))
    assert not {"vaulted", "plain"} & set(re.findall(r"\w+", recorded)), "a secret, or what a quiet task read"
    assert '"inventory::web1::app_port":8080' in recorded.replace("%2C", ",")
    assert 'quiet_word":' not in recorded


def test_defaults_of_a_role_have_their_values_without_git(command: Callable, tmp_path: Path):
    files = {
        "service.yaml": "resources: {web: {role: web}}\n",
        "roles/web/defaults/main.yml": "port: 8080\ndb_password: sesame\n",
        "roles/web/vars/main.yml": "color: red\n",
        "roles/web/tasks/main.yml": "- copy: {dest: made, content: '{{ port }} {{ color }} {{ db_password }}'}\n",
    }
    write(tmp_path, files)
    done = command("deploy", "service.yaml", "--approve")
    assert done.code == 0, done.output
    (tmp_path / "roles/web/defaults/main.yml").write_text("port: 9090\ndb_password: open\n")
    (tmp_path / "roles/web/vars/main.yml").write_text("color: blue\n")
    told = re.sub(r"  +", " ", command("plan", "service.yaml").output)
    assert "~ port of roles/web/defaults/main.yml: 8080 -> 9090" in told
    assert "~ color of roles/web/vars/main.yml: red -> blue" in told
    recorded = "".join(path.read_text() for path in (tmp_path / "jobs.tsv", *(tmp_path / "changes").iterdir()))
    assert "sesame" not in recorded + told
    assert command("deploy", "service.yaml", "--approve").code == 0
    assert "No changes." in command("plan", "service.yaml").output


FACTS = {
    "hosts.ini": f"web1 {PYTHON}\n",
    "service.yaml": "resources: {page: {playbook: own.yml, host: web1}}\n",
    "own.yml": (
        "- hosts: all\n  gather_subset: ['!all', min]\n  tasks:\n"
        "    - ansible.builtin.debug: {msg: '{{ ansible_facts.os_family }} {{ ansible_system }}'}\n"
    ),
}


def test_named_facts_are_compared_with_the_cache_of_facts_or_said_not_to_be(command: Callable, tmp_path: Path):
    write(tmp_path, dict(FACTS))
    cache = {"ANSIBLE_CACHE_PLUGIN": "jsonfile", "ANSIBLE_CACHE_PLUGIN_CONNECTION": str(tmp_path / "cache")}
    done = command("deploy", "service.yaml", "--approve", "-i", "hosts.ini", extra=cache)
    assert done.code == 0, done.output
    plan = ("plan", "service.yaml", "-i", "hosts.ini")
    assert "No changes. Everything matches" in command(*plan, extra=cache).output
    told = re.sub(r"  +", " ", command(*plan).output)
    assert "facts (os_family, system) page" in told
    assert "Everything that can be compared" in told
    (cached,) = (tmp_path / "cache").iterdir()
    cached.write_text(cached.read_text().replace("Linux", "Other"))
    assert "~ system (fact): Linux -> Other" in command(*plan, extra=cache).output
