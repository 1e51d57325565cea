"""What objects of Kubernetes cost, beside kubectl with the same objects, on the cluster of the tests.

Run it with `make bench`, or `python tests/bench/bench_kubernetes.py [N]`. It needs what `make kubernetes` builds. Each
line is a pair, measured in the same run: ours, kubectl's, and how many times kubectl's wall time ours is.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import yaml

from tests.bench.bench_deploy import measure
from tests.bench.targets import Cost
from tests.integration.kubernetes.cluster import MISSING, PROGRAMS, SKIP_REASON, Cluster, running

COUNT = 200


class Bench:
    """Objects of their own for each of the two, and the commands on them."""

    def __init__(self, cluster: Cluster, folder: Path, count: int) -> None:
        self._cluster = cluster
        self._folder = folder
        for name in ("ours", "manifest", "kubectl"):
            cluster.kubectl("create", "namespace", name)
            (folder / name).mkdir()
        self._write_ours(count)
        self._write_manifests(count)

    def _write_ours(self, count: int) -> None:
        nodes = {
            f"c{number}": {
                "type": "kubernetes.Object",
                "properties": {
                    "kind": "ConfigMap",
                    "namespace": "ours",
                    "definition": {"data": {"number": str(number)}},
                },
            }
            for number in range(count)
        }
        self._write_service("ours", nodes)

    def _write_manifests(self, count: int) -> None:
        for namespace in ("manifest", "kubectl"):
            documents = [
                {
                    "apiVersion": "v1",
                    "kind": "ConfigMap",
                    "metadata": {"name": f"c{number}", "namespace": namespace},
                    "data": {"number": str(number)},
                }
                for number in range(count)
            ]
            (self._folder / namespace / "all.yaml").write_text(yaml.safe_dump_all(documents))
        self._write_service("manifest", {"all": {"type": "kubernetes.Manifest", "properties": {"src": "all.yaml"}}})

    def _write_service(self, name: str, nodes: dict[str, object]) -> None:
        body = {"tosca_definitions_version": "tosca_simple_yaml_1_3", "topology_template": {"node_templates": nodes}}
        (self._folder / name / "service.yaml").write_text(json.dumps(body))

    def us(self, name: str, *arguments: str) -> Cost:
        """Our command, in a folder."""
        program = str(Path(sys.executable).with_name("ansible-ensemble"))
        environment = {"KUBECONFIG": str(self._cluster.kubeconfig), "ANSIBLE_ENSEMBLE_TRUST": "all"}
        return measure([program, *arguments, "service.yaml"], self._folder / name, **environment)

    def kubectl(self, *arguments: str) -> Cost:
        """kubectl on its file."""
        argv = [str(PROGRAMS["kubectl"]), *arguments, "--filename", "all.yaml"]
        return measure(argv, self._folder / "kubectl", KUBECONFIG=str(self._cluster.kubeconfig))

    def pairs(self) -> None:
        """Each thing done by the three of us."""
        first, again = ("deploy", "--approve"), ("deploy", "--approve", "--force")
        apply, diff = ("apply",), ("diff",)
        show("create", self.us("ours", *first), self.us("manifest", *first), self.kubectl(*apply))
        show("no-op plan", self.us("ours", "plan"), self.us("manifest", "plan"), self.kubectl(*diff))
        show("look", self.us("ours", "check"), self.us("manifest", "check"), self.kubectl(*diff))
        show("no-op apply", self.us("ours", *first), self.us("manifest", *first), self.kubectl(*apply))
        show("apply again", self.us("ours", *again), self.us("manifest", *again), self.kubectl(*apply))


def show(what: str, nodes: Cost, manifest: Cost, kubectl: Cost) -> None:
    """A line with seconds of wall time, and their ratios."""
    print(
        f"{what:<12} nodes {nodes.wall:6.2f} s ({nodes.wall / kubectl.wall:5.2f})  "
        f"manifest {manifest.wall:6.2f} s ({manifest.wall / kubectl.wall:5.2f})  kubectl {kubectl.wall:6.2f} s",
        flush=True,
    )


def main() -> None:
    """Measure."""
    if MISSING:
        print(SKIP_REASON)
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    os.environ.pop("KUBECONFIG", None)
    with tempfile.TemporaryDirectory() as folder, running(Path(folder) / "cluster") as cluster:
        print(f"{count} objects; in brackets, times the wall time of kubectl")
        Bench(cluster, Path(folder), count).pairs()


if __name__ == "__main__":
    main()
