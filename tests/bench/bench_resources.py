"""What files of `ansible.Resource` cost, beside one ansible-playbook with the same modules in the same run.

Run it with `make bench`, or `python tests/bench/bench_resources.py [N]`. Each line is a pair: ours, the playbook's, and
how many times the playbook's wall time ours is. The target is that it is at most one time.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.bench.bench_deploy import measure

COUNT = 100


def arguments(folder: Path, number: int) -> dict[str, Any]:
    """Those of the module `copy` for one of the files."""
    return {"dest": str(folder / "made" / f"f{number}"), "content": f"file {number}\n", "mode": "0644"}


def write_ours(folder: Path, count: int) -> None:
    """A service template with a node template for each file."""
    nodes = {f"f{number}": {"module": "copy", "args": arguments(folder, number)} for number in range(count)}
    body = {"tosca_definitions_version": "tosca_simple_yaml_1_3", "topology_template": {"node_templates": nodes}}
    (folder / "service.yaml").write_text(json.dumps(body))


def write_playbook(folder: Path, count: int) -> None:
    """A playbook with a task for each file."""
    tasks = [{"copy": arguments(folder, number)} for number in range(count)]
    (folder / "play.yml").write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "tasks": tasks}]))


def main() -> None:
    """Measure."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    ours = [str(Path(sys.executable).with_name("ansible-ensemble")), "deploy", "--approve"]
    playbook = [str(Path(sys.executable).with_name("ansible-playbook")), "play.yml"]
    pairs = {
        "first": ([*ours, "service.yaml"], playbook),
        "no-op": ([*ours, "service.yaml"], playbook),
        "look": ([ours[0], "check", "service.yaml"], [*playbook, "--check"]),
        "apply again": ([*ours, "--force", "service.yaml"], playbook),
    }
    with tempfile.TemporaryDirectory() as place:
        folders = [Path(place, name) for name in ("ours", "playbook")]
        for folder, write in zip(folders, (write_ours, write_playbook), strict=True):
            (folder / "made").mkdir(parents=True)
            write(folder, count)
        print(f"{count} files; seconds of wall time, and in brackets times that of ansible-playbook")
        for what, commands in pairs.items():
            us, other = (measure(argv, folder) for argv, folder in zip(commands, folders, strict=True))
            print(
                f"{what:<12} ours {us.wall:6.2f} ({us.wall / other.wall:4.2f})  ansible-playbook {other.wall:6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
