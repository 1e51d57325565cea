"""What operations on hosts behind SSH cost, beside ansible-playbook and Mitogen with the same modules in the same run.

Run it with `make bench`, or `python tests/bench/bench_remote.py [HOSTS]`. Each host is a server on the loopback
interface and gets 40 operations: stat, file, lineinfile and copy in turn. ansible-playbook pipelines, with as many
forks as we have jobs; Mitogen is its strategy, if MITOGEN is a folder with its package, else it is left out. The
targets of wall time are 0.15 of ansible-playbook's and 0.9 of Mitogen's, that of the controller's cpu 0.4 of the first.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.bench_deploy import ToolFailed, measure
from tests.integration.sshd import SSHD, Servers, serving

TURNS = 10
JOBS = 8
BECOME = {
    "ansible_become": True,
    "ansible_become_method": "su",
    "ansible_become_user": "nobody",
    "ansible_become_flags": "-s /bin/sh",
}


def operations(folder: Path) -> dict[str, dict[str, Any]]:
    """By a name, a module and its arguments; each host works in a folder of its own."""
    made = str(folder / "{host}")
    found: dict[str, dict[str, Any]] = {}
    for turn in range(TURNS):
        found[f"s{turn}"] = {"module": "stat", "args": {"path": "/etc/passwd"}}
        found[f"d{turn}"] = {"module": "file", "args": {"path": f"{made}/d{turn}", "state": "directory"}}
        line = {"path": f"{made}/lines{turn}", "line": f"line {turn}", "create": True}
        found[f"l{turn}"] = {"module": "lineinfile", "args": line}
        found[f"c{turn}"] = {"module": "copy", "args": {"dest": f"{made}/f{turn}", "content": f"file {turn}\n"}}
    return found


def write(folder: Path, servers: Servers, variables: dict[str, Any]) -> None:
    """The inventory, the service template and the playbook."""
    hosts = {name: {"ansible_host": "127.0.0.1", "ansible_port": port} for name, port in servers.ports.items()}
    shared = {**servers.variables(Path("/dev/null")), **variables}
    (folder / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts, "vars": shared}}))
    nodes, tasks = {}, []
    for name, operation in operations(servers.work).items():
        tasks.append(
            {
                operation["module"]: json.loads(
                    json.dumps(operation["args"]).replace("{host}", "{{ inventory_hostname }}")
                )
            }
        )
        for host in hosts:
            args = json.loads(json.dumps(operation["args"]).replace("{host}", host))
            nodes[f"{host}_{name}"] = {"module": operation["module"], "args": args, "hosts": [host]}
    body = {"tosca_definitions_version": "tosca_simple_yaml_1_3", "topology_template": {"node_templates": nodes}}
    (folder / "service.yaml").write_text(json.dumps(body))
    (folder / "play.yml").write_text(json.dumps([{"hosts": "all", "gather_facts": False, "tasks": tasks}]))


def tools() -> dict[str, tuple[dict[str, list[str]], dict[str, str]]]:
    """By a tool's name, its commands by what they do, and its environment."""
    program = str(Path(sys.executable).with_name("ansible-ensemble"))
    ours = [program, "deploy", "--approve", "-i", "hosts.json", "--jobs", str(JOBS), "service.yaml"]
    check = [program, "check", "-i", "hosts.json", "--jobs", str(JOBS), "service.yaml"]
    playbook = [
        str(Path(sys.executable).with_name("ansible-playbook")),
        "-i",
        "hosts.json",
        "-f",
        str(JOBS),
        "play.yml",
    ]
    pipelining = {"ANSIBLE_PIPELINING": "1"}
    found = {
        "ours": ({"deploy": ours, "check": check}, {}),
        "ansible-playbook": ({"deploy": playbook, "check": [*playbook, "--check"]}, pipelining),
    }
    if mitogen := os.environ.get("MITOGEN"):
        strategy = f"{mitogen}/ansible_mitogen/plugins/strategy"
        others = {"ANSIBLE_STRATEGY": "mitogen_linear", "ANSIBLE_STRATEGY_PLUGINS": strategy, "PYTHONPATH": mitogen}
        others["ANSIBLE_HOST_KEY_CHECKING"] = "0"  # it knows no other way to say so
        found["Mitogen"] = (found["ansible-playbook"][0], pipelining | others)
    else:
        print("Mitogen is left out: MITOGEN is no folder of its package")
    return found


def main() -> None:
    """Measure."""
    names = [f"web{number}" for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else 2)]
    for how, variables in {"plain": {}, "become": BECOME}.items():
        for tool, (commands, environment) in tools().items():
            with tempfile.TemporaryDirectory() as place, serving(Path(place, "servers"), names) as servers:
                folder = Path(place)
                for host in names:
                    (servers.work / host).chmod(0o1777)
                write(folder, servers, variables)
                for what, argv in commands.items():
                    try:
                        cost = measure(argv, folder, **environment)
                    except ToolFailed as failure:
                        print(f"{how:<7} {what:<7} {tool:<17} failed: {failure}", file=sys.stderr)
                        continue
                    print(f"{how:<7} {what:<7} {tool:<17} wall {cost.wall:7.2f} s  cpu {cost.cpu:6.2f} s", flush=True)


if __name__ == "__main__":
    if SSHD is None:
        sys.exit("sshd is not installed")
    main()
