"""What a deploy over three Receptor nodes costs here, beside one that executes all by itself: processor time alone.

Run it with `make bench`, or `python tests/bench/bench_mesh.py [SHELL MODULES [REPEATED]]`: so many operations of each
kind. With REPEATED only the mesh is measured, with that many times the shell operations, too: what each costs stays.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.integration.mesh.receptors import RECEPTOR
from tests.integration.mesh.site import Site, site_of

_SERVICE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Shell:
    derived_from: tosca.nodes.Root
    attributes: {made: {type: string}}
    interfaces: {Standard: {operations: {create: "echo '{\\"made\\": \\"it\\"}'"}}}
  Module:
    derived_from: tosca.nodes.Root
    interfaces:
      Standard:
        operations: {create: {implementation: ansible.builtin.stat, inputs: {path: /}}}
topology_template:
  node_templates:
"""


def service(shell: int, modules: int) -> str:
    """A template of so many nodes of each kind."""
    lines = [f"    shell{number}: {{type: Shell}}\n" for number in range(shell)]
    return _SERVICE + "".join([*lines, *(f"    module{number}: {{type: Module}}\n" for number in range(modules))])


def measured(site: Site, count: int, *, on_mesh: bool) -> tuple[float, float]:
    """Seconds of processor time of a deploy and all that it started here, and of its plan."""
    (site.project / "ensemble.yaml").unlink(missing_ok=True)
    settings = json.loads((site.project / "ensemble-project.yaml").read_text())
    settings["environments"]["defaults"]["mesh"]["place"] = [{"node": "b*" if on_mesh else "local"}]
    (site.project / "ensemble-project.yaml").write_text(json.dumps(settings))
    planned = _cpu(lambda: _run(site, "plan"))
    whole = _cpu(lambda: _run(site, "deploy", "--approve", "--jobs", "48" if on_mesh else "6", count=count))
    return whole, planned


def _run(site: Site, *words: str, count: int | None = None) -> None:
    process = site.command(*words, "--output", "json")
    out, err = process.communicate()
    report = json.loads(out)
    assert count is None or report["job"]["ok"] == count, err


def _cpu(work: Callable[[], None]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(shell: int = 3000, modules: int = 600, repeated: int = 0) -> None:
    """Print the figures."""
    if RECEPTOR is None:
        sys.exit("there is no receptor; `make receptor` builds it with Go")
    counts = [(shell, modules)] if not repeated else [(shell, 0), (shell * repeated, 0)]
    for one, other in counts:
        with site_of(service(one, other), ("b1", "b2", "b3")) as site:
            costs = {}
            for on_mesh in (True,) if repeated else (True, False):
                since = time.monotonic()
                whole, planned = measured(site, one + other, on_mesh=on_mesh)
                each = (whole - planned) / (one + other)
                costs[on_mesh] = each
                peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
                print(
                    f"{one} shell, {other} modules, {'on three nodes' if on_mesh else 'here'}: {whole:.1f} s of cpu, "
                    f"{planned:.1f} s to plan; {1000 * each:.2f} ms an operation beyond its plan; "
                    f"{peak:.0f} MB at most; {time.monotonic() - since:.0f} s",
                    flush=True,
                )
            if len(costs) > 1:
                print(f"on nodes it costs {costs[True] / costs[False]:.2f} of what it costs here", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
