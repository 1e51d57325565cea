"""Groups of a topology in what plays see of the inventory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .driving import drive

LOCAL = {"ansible_connection": "local"}
TASKS = """
- set_stats:
    data: {mine: "{{ group_names }}", web: "{{ groups['web'] }}", empty: "{{ groups['empty'] }}"}
"""
PLAY = """
- hosts: web
  gather_facts: false
  tasks: [{set_stats: {data: {mine: "{{ group_names }}", web: "{{ groups['web'] }}", ran: true}}}]
"""
WEB1 = {"name": "web1", "variables": LOCAL, "groups": ["web"]}
OTHER = {"name": "other", "variables": LOCAL}
HERE = {"name": "localhost", "variables": {}, "groups": ["web"]}


def told(tmp_path: Path, hosts: list[dict[str, Any]], text: str, kind: str, **request: Any) -> list[dict[str, Any]]:
    (tmp_path / "x.yml").write_text(text)
    orders = [{"kind": kind, "source": str(tmp_path / "x.yml"), "host": host} for host in hosts]
    return [outcome["result"]["stats"] for outcome in drive(orders, **request)["outcomes"]]


def test_a_host_is_in_its_groups_for_the_length_of_an_order(tmp_path: Path) -> None:
    found = told(
        tmp_path,
        [WEB1, OTHER, WEB1, HERE],
        TASKS,
        "tasks",
        groups={"web": ["known"], "empty": []},
    )
    assert [one["mine"] for one in found] == [["web"], ["ungrouped"], ["web"], ["web"]]
    assert [one["web"] for one in found] == [["web1"], [], ["web1"], ["localhost"]]
    assert [one["empty"] for one in found] == [[]] * 4


@pytest.mark.parametrize("host", [WEB1, HERE], ids=["a host of its own", "the controller"])
def test_a_play_for_the_group(tmp_path: Path, host: dict[str, Any]) -> None:
    (found,) = told(tmp_path, [host], PLAY, "playbook", groups={"web": []})
    assert found == {"mine": ["web"], "web": [host["name"]], "ran": True}


def test_members_that_the_inventory_knows_are_there_from_the_start(tmp_path: Path) -> None:
    (tmp_path / "hosts.ini").write_text("[old]\nknown\nweb1\n")
    (found,) = told(
        tmp_path,
        [{"name": "web1", "variables": LOCAL, "groups": ["web"]}],
        TASKS,
        "tasks",
        session={"inventory": str(tmp_path / "hosts.ini")},
        groups={"web": ["known", "web1", "unknown"], "empty": []},
    )
    assert found == {"mine": ["old", "web"], "web": ["known", "web1"], "empty": []}
