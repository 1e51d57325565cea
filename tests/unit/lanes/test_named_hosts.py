"""An order gets the variables of the hosts that it acts on, and of those that what it consists of names."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_ensemble.core.orders import Host, ModuleCall, Play
from ansible_ensemble.lanes.named_hosts import NamedHosts

FILES = {
    "tasks.yaml": "- ansible.builtin.template: {src: hosts.j2, dest: /etc/hosts}",
    "templates/hosts.j2": "{% for one in groups['db'] %}{{ hostvars[one].address }}{% endfor %}",
    "templates/plain.j2": "this is no word of db1",
    "roles/greet/tasks/main.yml": "- ansible.builtin.include_tasks: '{{ system }}.yml'",
    "roles/greet/tasks/Debian.yml": "- ansible.builtin.command: id\n  delegate_to: web2",
    "site.yaml": "- hosts: web:!web2\n- import_playbook: more.yaml",
    "more.yaml": "- hosts: 'db'  # all of it\n",
    "listed.yaml": "- hosts:\n    - db1\n",
    "everybody.yaml": "- hosts: all\n",
}
VARIABLES = {"web2": "peer: \"{{ hostvars['db2'].address }}\"", "odd": "master: db1"}


@pytest.fixture
def named(tmp_path: Path) -> NamedHosts:
    from ansible.inventory.manager import InventoryManager
    from ansible.parsing.dataloader import DataLoader

    (tmp_path / "hosts").write_text("odd\nweb1.example.com\n[web]\nweb1\nweb2\n[db]\ndb1\ndb2\n")
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    inventory = InventoryManager(loader=DataLoader(), sources=[str(tmp_path / "hosts")])
    return NamedHosts(inventory, {"made": ["web2"]}, "", lambda name: VARIABLES.get(name, ""))


def module(text: str, host: str = "web1", **more: str) -> ModuleCall:
    return ModuleCall("ansible.builtin.debug", {"msg": text}, Host(host), dict(more))


@pytest.mark.parametrize(
    ("order", "hosts"),
    [
        (module("db1 is only a word, and so is all"), ["web1"]),
        (module("{{ hostvars['db1'].word }}"), ["web1", "db1"]),
        (module("{{ hostvars.db1.word }}"), ["web1", "db1"]),
        (module("{{ hostvars['web1.example.com'].word }}"), ["web1", "web1.example.com"]),
        (module("{{ hostvars[inventory_hostname].all }}"), ["web1"]),
        (module("{{ hostvars['d' ~ 'b1'].word }}"), ["web1"]),
        (module("{{ groups.db | map('extract', hostvars) }}"), ["web1", "db1", "db2"]),
        (module("{{ groups['made'] | map('extract', hostvars) }}"), ["web1", "web2", "db2"]),
        (module("{{ groups['all'] | map('extract', hostvars) }}"), None),
        (module("{{ hostvars[master].word }}", "odd"), ["odd", "db1"]),
        (module("", "web2"), ["web2", "db2"]),
        (module("", delegate_to="localhost"), ["web1", "localhost"]),
        (module("", delegate_to="{{ it }}", vars="db2"), ["web1", "db2"]),
        (module("", "unknown"), []),
        (module("", "127.0.0.1"), ["localhost"]),
        (ModuleCall("ansible.builtin.template", {"src": "hosts.j2"}, Host("web1")), ["web1", "db1", "db2"]),
        (ModuleCall("ansible.builtin.template", {"src": "plain.j2"}, Host("web1")), ["web1"]),
        (Play("tasks", "ROOT/tasks.yaml", Host("web1")), ["web1", "db1", "db2"]),
        (Play("role", "greet", Host("web1")), ["web1", "web2", "db2"]),
        (Play("role", "ROOT/roles/greet", Host("web1")), ["web1", "web2", "db2"]),
        (Play("playbook", "ROOT/site.yaml", Host("localhost")), ["localhost", "web1", "db1", "db2"]),
        (Play("playbook", "ROOT/listed.yaml", Host("localhost")), ["localhost", "db1"]),
        (Play("playbook", "ROOT/everybody.yaml", Host("web1")), ["web1"]),
    ],
)
def test_the_hosts_of_an_order(
    named: NamedHosts, tmp_path: Path, order: ModuleCall | Play, hosts: list[str] | None
) -> None:
    if isinstance(order, Play):
        order = Play(order.kind, order.source.replace("ROOT", str(tmp_path)), order.host)
    found = named.of(order, tmp_path, {name: (name, False) for name in FILES})
    everybody = ["db1", "db2", "localhost", "odd", "web1", "web1.example.com", "web2"]
    assert sorted(found) == sorted(everybody[:2] + everybody[3:] if hosts is None else hosts)


def test_files_that_are_gone_and_others_later(named: NamedHosts, tmp_path: Path) -> None:
    call = ModuleCall("ansible.builtin.template", {"src": "later.j2"}, Host("web1"))
    assert named.of(call, tmp_path, {"later.j2": ("1", False)}) == ["web1"]
    (tmp_path / "later.j2").write_text("{{ hostvars.db1 }}")
    assert named.of(call, tmp_path, {"later.j2": ("2", False)}) == ["web1", "db1"]
