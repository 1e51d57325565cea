"""What it costs to read and model 5,000 node templates, beside CSafeLoader and tosca-parser on the same machine.

Run with `pytest tests/bench/bench_topology.py --benchmark-only`; the bound is in `test_costs_at_most_one_and_a_half`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_ensemble.topology.service_template import load_topology

NODES = 5000
HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  node_templates:\n"


def node(name: str, requires: list[str]) -> str:
    lines = [f"    {name}:", "      type: tosca.nodes.Root", "      metadata: {k: v}"]
    if requires:
        lines += ["      requirements:", *(f"        - dependency: {one}" for one in requires)]
    return "\n".join(lines) + "\n"


def independent(count: int) -> str:
    """Computes that know nothing of each other."""
    lines = [HEAD]
    for number in range(count):
        lines.append(
            f"    n{number}:\n      type: tosca.nodes.Compute\n      capabilities:\n        host:\n"
            "          properties: {num_cpus: 2, mem_size: 4 GB}\n"
        )
    return "".join(lines)


def chain(count: int) -> str:
    """Each requires the one before."""
    return HEAD + "".join(node(f"n{number}", [f"n{number - 1}"] if number else []) for number in range(count))


def layers(count: int) -> str:
    """Ten side by side, each requires two of the layer below."""
    lines = [HEAD]
    for number in range(count):
        below = [number - 10, number - 10 - number % 10 + (number + 1) % 10] if number >= 10 else []
        lines.append(node(f"n{number}", [f"n{one}" for one in below]))
    return "".join(lines)


SHAPES: dict[str, Callable[[int], str]] = {"independent": independent, "chain": chain, "layers": layers}


@pytest.mark.parametrize("shape", SHAPES)
def test_load(benchmark: Any, shape: str, tmp_path: Path) -> None:
    file = tmp_path / "service.yaml"
    file.write_text(SHAPES[shape](NODES))
    topology = benchmark.pedantic(load_topology, args=(file,), rounds=3, iterations=1)
    assert len(topology.node_templates) == NODES


def test_tosca_parser(benchmark: Any, tmp_path: Path) -> None:
    """The same independent nodes by CSafeLoader and tosca-parser."""
    file = tmp_path / "service.yaml"
    file.write_text(independent(NODES))
    benchmark.pedantic(by_tosca_parser, args=(file,), rounds=1, iterations=1)


def by_tosca_parser(file: Path) -> None:
    from toscaparser.tosca_template import ToscaTemplate

    ToscaTemplate(yaml_dict_tpl=yaml.load(file.read_text(), Loader=yaml.CSafeLoader))


def test_costs_at_most_one_and_a_half(tmp_path: Path) -> None:
    file = tmp_path / "service.yaml"
    file.write_text(independent(NODES))

    def seconds(work: Callable[[], Any]) -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    theirs = seconds(lambda: by_tosca_parser(file))
    ours = min(seconds(lambda: load_topology(file)) for _ in range(2))
    assert ours <= 1.5 * theirs


@pytest.mark.parametrize("shape", SHAPES)
def test_grows_linearly(shape: str, tmp_path: Path) -> None:
    def seconds(count: int) -> float:
        file = tmp_path / f"{count}.yaml"
        file.write_text(SHAPES[shape](count))
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            load_topology(file)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(8000) <= 4 * seconds(4000)
