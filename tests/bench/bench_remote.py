"""What operations on hosts behind SSH cost, beside ansible-playbook and Mitogen with the same modules in the same run.

Run it with `make bench`, or `python tests/bench/bench_remote.py [HOSTS[xTURNS] ...]`, by default on 2 and on 50 hosts.
Each host is a server on the loopback interface and gets 40 operations (ten turns): stat, file, lineinfile and copy.
ansible-playbook pipelines, with as many forks as we have jobs; Mitogen is its strategy, if MITOGEN is a folder with its
package, else it is left out. The tools take turns, ROUNDS times on few hosts, and medians count. It ends with the list
of targets, and the largest of our processes.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.bench_deploy import ToolFailed, measure
from tests.bench.targets import Cost, Costs, Target, verdicts
from tests.integration.sshd import SSHD, Servers, serving

TURNS = 10
JOBS = 8
#: Rounds of the tools on at most FEW hosts; on more they run once.
ROUNDS, FEW = 3, 4
PATIENCE = 3600
OURS, PLAYBOOK, MITOGEN = "ours", "ansible-playbook", "Mitogen"
BECOME = {
    "ansible_become": True,
    "ansible_become_method": "su",
    "ansible_become_user": "nobody",
    "ansible_become_flags": "-s /bin/sh",
}
USERS: dict[str, dict[str, Any]] = {"plain": {}, "become": BECOME}


def operations(folder: Path, turns: int) -> dict[str, dict[str, Any]]:
    """By a name, a module and its arguments, four each turn, or a single one; each host works in its own folder."""
    made = str(folder / "{host}")
    found: dict[str, dict[str, Any]] = {"s": {"module": "stat", "args": {"path": "/etc/passwd"}}} if not turns else {}
    for turn in range(turns):
        found[f"s{turn}"] = {"module": "stat", "args": {"path": "/etc/passwd"}}
        found[f"d{turn}"] = {"module": "file", "args": {"path": f"{made}/d{turn}", "state": "directory"}}
        line = {"path": f"{made}/lines{turn}", "line": f"line {turn}", "create": True}
        found[f"l{turn}"] = {"module": "lineinfile", "args": line}
        found[f"c{turn}"] = {"module": "copy", "args": {"dest": f"{made}/f{turn}", "content": f"file {turn}\n"}}
    return found


def write(folder: Path, servers: Servers, variables: dict[str, Any], turns: int) -> None:
    """The inventory, the service template and the playbook."""
    hosts = {name: {"ansible_host": "127.0.0.1", "ansible_port": port} for name, port in servers.ports.items()}
    shared = {**servers.variables(Path("/dev/null")), **variables}
    (folder / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts, "vars": shared}}))
    nodes, tasks = {}, []
    for name, operation in operations(servers.work, turns).items():
        module, args = operation["module"], json.dumps(operation["args"])
        tasks.append({module: json.loads(args.replace("{host}", "{{ inventory_hostname }}"))})
        for host in hosts:
            mine = json.loads(args.replace("{host}", host))
            nodes[f"{host}_{name}"] = {"module": module, "args": mine, "hosts": [host]}
    body = {"tosca_definitions_version": "tosca_simple_yaml_1_3", "topology_template": {"node_templates": nodes}}
    (folder / "service.yaml").write_text(json.dumps(body))
    (folder / "play.yml").write_text(json.dumps([{"hosts": "all", "gather_facts": False, "tasks": tasks}]))


def tools() -> dict[str, tuple[dict[str, list[str]], dict[str, str]]]:
    """By a tool's name, its commands by what they do, and its environment."""
    program, playbook = (str(Path(sys.executable).with_name(name)) for name in ("ansible-ensemble", PLAYBOOK))
    given = ["-i", "hosts.json"]
    ours = {
        "deploy": [program, "deploy", "--approve", *given, "--jobs", str(JOBS), "service.yaml"],
        "check": [program, "check", *given, "--jobs", str(JOBS), "service.yaml"],
    }
    plays = {"deploy": [playbook, *given, "-f", str(JOBS), "play.yml"]}
    plays["check"] = [*plays["deploy"], "--check"]
    pipelining = {"ANSIBLE_PIPELINING": "1"}
    found: dict[str, tuple[dict[str, list[str]], dict[str, str]]] = {OURS: (ours, {}), PLAYBOOK: (plays, pipelining)}
    if mitogen := os.environ.get("MITOGEN"):
        strategy = f"{mitogen}/ansible_mitogen/plugins/strategy"
        others = {"ANSIBLE_STRATEGY": "mitogen_linear", "ANSIBLE_STRATEGY_PLUGINS": strategy, "PYTHONPATH": mitogen}
        others["ANSIBLE_HOST_KEY_CHECKING"] = "0"  # it knows no other way to say so
        found[MITOGEN] = (plays, pipelining | others)
    else:
        print("Mitogen is left out: MITOGEN is no folder of its package")
    return found


def run(tool: str, names: list[str], user: str, turns: int) -> Iterator[tuple[str, Cost]]:
    """What a tool's commands cost on hosts of their own, which no tool has used before."""
    commands, environment = tools()[tool]
    with tempfile.TemporaryDirectory() as place, serving(Path(place, "servers"), names) as servers:
        folder = Path(place)
        for host in names:
            (servers.work / host).chmod(0o1777)
        write(folder, servers, USERS[user], turns)
        for what, argv in commands.items():
            try:
                yield what, measure(argv, folder, PATIENCE, **environment)
            except ToolFailed as failure:
                print(f"{user} {what} {tool} failed: {str(failure).strip()[-300:]}", file=sys.stderr)


def table(hosts: int, turns: int) -> Iterator[str]:
    """A line for each tool and what it did, and then the targets."""
    names = [f"web{number}" for number in range(hosts)]
    count = hosts * max(4 * turns, 1)
    costs: Costs = {}
    for user in USERS:
        found: dict[tuple[str, str], list[Cost]] = {}
        for _round in range(ROUNDS if hosts <= FEW else 1):
            for tool in tools():
                for what, cost in run(tool, names, user, turns):
                    found.setdefault((tool, what), []).append(cost)
        for (tool, what), measured in found.items():
            of = {name: statistics.median(getattr(one, name) for one in measured) for name in ("cpu", "wall", "memory")}
            cost = costs[tool, f"{user} {what}", count] = Cost(**of)
            yield f"{hosts:4} hosts {count:6} {user:7} {what:7} {tool:17} wall {cost.wall:7.2f} s  " + (
                f"cpu {cost.cpu:6.2f} s  largest process {cost.memory:4.0f} MiB"
            )
    yield from verdicts(costs, targets(count, single=not turns))


def targets(count: int, *, single: bool) -> Iterator[Target]:
    """What is asked of so many operations: of a single one alone that its start takes not much longer."""
    bounds = {(PLAYBOOK, "wall", "deploy"): 0.15, (PLAYBOOK, "wall", "check"): 0.2}
    for what in ("deploy", "check"):
        bounds |= {(PLAYBOOK, "cpu", what): 0.4, (MITOGEN, "wall", what): 0.9}
    if single:
        bounds = {key: 1.2 for key in bounds if key[:2] == (PLAYBOOK, "wall")}
    for user in USERS:
        for (peer, figure, what), bound in bounds.items():
            ratio = partial(beside, peer, figure, f"{user} {what}", count)
            yield Target(f"{user} {what} beside {peer}, {figure}", bound, "x", ratio)


def beside(peer: str, figure: str, name: str, count: int, costs: Costs) -> float:
    """What we took as a part of what a peer did."""
    mine: float = getattr(costs[OURS, name, count], figure)
    theirs: float = getattr(costs[peer, name, count], figure)
    return mine / theirs


def main(arguments: list[str]) -> None:
    """Measure."""
    for argument in arguments or ["1x0", "2", "50"]:
        hosts, _separator, turns = argument.partition("x")
        for line in table(int(hosts), int(turns or TURNS)):
            print(line, flush=True)


if __name__ == "__main__":
    if SSHD is None:
        sys.exit("sshd is not installed")
    main(sys.argv[1:])
