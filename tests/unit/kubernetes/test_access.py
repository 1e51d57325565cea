from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ansible_ensemble.core.errors import EnsembleError
from ansible_ensemble.kubernetes.access import Access, Given, find_access


def config(name: str = "one", **user: Any) -> dict[str, Any]:
    return {
        "current-context": name,
        "clusters": [{"name": name, "cluster": {"server": f"https://{name}.example"}}],
        "users": [{"name": name, "user": user}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name, "namespace": f"of-{name}"}}],
    }


def write(folder: Path, content: Any, name: str = "config") -> Path:
    file = folder / name
    file.write_text(json.dumps(content))
    return file


def found(folder: Path, given: Given | None = None, **environment: str) -> Access:
    return find_access(given or Given(), {"HOME": str(folder / "home"), **environment}, folder)


def test_the_current_context_of_the_files_of_the_environment(tmp_path: Path) -> None:
    one, two = write(tmp_path, config(token="a"), "1"), write(tmp_path, config("two", token="b"), "2")
    access = found(tmp_path, KUBECONFIG=f"{one}:{two}:{tmp_path / 'none'}")
    assert (access.server, access.token, access.namespace) == ("https://one.example", "a", "of-one")
    access = found(tmp_path, Given(context="two"), KUBECONFIG=f"{one}:{two}")
    assert (access.server, access.token, access.namespace) == ("https://two.example", "b", "of-two")


def test_the_file_of_the_home_folder(tmp_path: Path) -> None:
    (tmp_path / "home" / ".kube").mkdir(parents=True)
    write(tmp_path / "home" / ".kube", config())
    assert found(tmp_path).server == "https://one.example"
    assert found(tmp_path, Given(kubeconfig="~/.kube/config")).server == "https://one.example"


def test_what_is_given_goes_first(tmp_path: Path) -> None:
    write(tmp_path, config(token="a"))
    (tmp_path / "authority").write_text("-----BEGIN CERTIFICATE-----")
    given = Given(kubeconfig="config", token="mine", ca_cert="authority", namespace="n", validate_certs=False)
    access = found(tmp_path, given)
    assert access == Access(
        "https://one.example",
        f"context one of {tmp_path / 'config'}",
        token="mine",
        authority="-----BEGIN CERTIFICATE-----",
        verify=False,
        namespace="n",
    )
    assert found(tmp_path, Given(server="http://here", token="t")).token == "t"


def test_files_and_data_of_a_user(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("of a file\n")
    (tmp_path / "key").write_text("KEY")
    data = base64.b64encode(b"CERT").decode()
    write(tmp_path, config(**{"tokenFile": "token", "client-certificate-data": data, "client-key": "key"}))
    access = found(tmp_path, Given(kubeconfig="config"))
    assert (access.token, access.client_cert, access.client_key) == ("of a file", "CERT", "KEY")


def plugin(code: str) -> dict[str, Any]:
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": sys.executable, "args": ["-c", code]}}


GIVES = (
    "import os, json; json.loads(os.environ['KUBERNETES_EXEC_INFO']); print(json.dumps({'status': {'token': 'made'}}))"
)


def test_a_program_gives_the_credentials(tmp_path: Path) -> None:
    write(tmp_path, config(**plugin(GIVES)))
    assert found(tmp_path, Given(kubeconfig="config")).token == "made"


FAULTS: list[tuple[Any, Given, str]] = [
    (None, Given(), "there is no kubeconfig .*home/.kube/config"),
    (config(), Given(kubeconfig="config", context="x"), r"there is no context x in .* \(there are: one\)"),
    ({**config(), "current-context": ""}, Given(kubeconfig="config"), "has no current context"),
    ({**config(), "clusters": []}, Given(kubeconfig="config"), "names the cluster one, which is not there"),
    ({**config(), "users": []}, Given(kubeconfig="config"), "names the user one, who is not there"),
    ([1], Given(kubeconfig="config"), "is no kubeconfig"),
    (config(tokenFile="none"), Given(kubeconfig="config"), "none cannot be read: No such file"),
    (config(), Given(server="here"), "'here' is no address"),
    (config(), Given(server="https://a", ca_cert="none"), "the ca_cert of the cluster: .*none cannot be read"),
    (config(**{"client-key-data": "%"}), Given(kubeconfig="config"), "client-key-data .* not encoded by base64"),
    (config(**plugin("raise SystemExit('no ticket')")), Given(kubeconfig="config"), "exit code 1: no ticket"),
    (config(**plugin("print(7)")), Given(kubeconfig="config"), "printed no credentials"),
    (config(exec={"command": "./none"}), Given(kubeconfig="config"), "none, .* cannot be run: No such file"),
]


@pytest.mark.parametrize(("content", "given", "message"), FAULTS)
def test_what_is_wrong_is_told(tmp_path: Path, content: Any, given: Given, message: str) -> None:
    if content is not None:
        write(tmp_path, content)
    with pytest.raises(EnsembleError, match=message):
        found(tmp_path, given)
