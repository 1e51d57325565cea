"""The copy of an example that `make demo` deploys has ports that are free."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import yaml

EXAMPLES = Path(__file__).parents[3] / "examples"


def copied(folder: Path, example: str, *inputs: str) -> dict[str, object]:
    """The inputs of a copy."""
    script = [sys.executable, EXAMPLES / "copy.py", EXAMPLES / example, folder / example, *inputs]
    subprocess.run(script, check=True)
    read = yaml.safe_load((folder / example / "ensemble.yaml").read_text())
    inputs_of: dict[str, object] = read["spec"]["inputs"]
    return inputs_of


def test_a_port_that_is_taken_is_replaced(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        inputs = copied(tmp_path, "guestbook", f"port={port}", f"app_port={port}")
    ports = [inputs["port"], inputs["app_port"]]
    assert port not in ports and len(set(ports)) == 2 and inputs["title"] == "Guestbook"


def test_several_ports_of_an_input(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        inputs = copied(tmp_path, "machines", f"port={port}", f"site_ports={port},{port},{port}")
    ports = inputs["site_ports"]
    assert isinstance(ports, list) and len({*ports, inputs["port"], port}) == 5
