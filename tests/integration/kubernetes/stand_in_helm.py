"""The program of `stand_in.write_helm`: any chart makes a secret of all values, and a map of all but the password."""

from __future__ import annotations

import argparse
import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import yaml

_VALUED = ("--namespace", "--output", "--history-max", "--timeout", "--version", "--labels", "--username", "--dry-run")


class _Server:
    """The API server of KUBECONFIG."""

    def __init__(self, namespace: str) -> None:
        told = json.loads(Path(os.environ["KUBECONFIG"]).read_text())
        self._address = f"{told['clusters'][0]['cluster']['server']}/api/v1/namespaces/{namespace}"
        self._headers = {"Authorization": f"Bearer {told['users'][0]['user']['token']}"}

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._address}/{path}", data, self._headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise


def main() -> Any:
    """What a command answers."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("words", nargs="*")
    for name in _VALUED:
        parser.add_argument(name)
    for name in ("--values", "--set-file", "--set-json"):
        parser.add_argument(name, action="append", default=[])
    given = parser.parse_known_args()[0]
    if given.words[0] == "repo":
        return None
    name = given.words[2 if given.words[0] == "get" else 1]
    server, kept = _Server(given.namespace), f"secrets/release.{name}"
    release = server.ask("GET", kept)
    if given.words[0] == "upgrade":
        made = _made(given, name, 1 if release is None else release["version"] + 1)
        if not given.dry_run:
            for one in _objects(made):
                server.ask("PATCH", _path(one), one)
            server.ask("PATCH", kept, made)
        return made
    if release is None:
        sys.exit("Error: release: not found")
    if given.words[0] == "get":
        return {"chart": "shop", "version": "1.0.0", "appVersion": "7"}
    if given.words[0] == "uninstall":
        for path in (*map(_path, _objects(release)), kept):
            server.ask("DELETE", path)
        return None
    live = {f"v1/{one['kind']}": [{**one, **server.ask("GET", _path(one))}] for one in _objects(release)}
    return {**release, "info": {"status": "deployed", "resources": live}}


def _made(given: argparse.Namespace, name: str, version: int) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for file in given.values:
        values |= yaml.safe_load(sys.stdin if file == "-" else Path(file).read_text())
    for path, file in (one.split("=", 1) for one in given.set_file):
        values[path] = Path(file).read_text()
    plain = {key: value for key, value in values.items() if key != "password"}
    head = {"apiVersion": "v1", "metadata": {"name": name}}
    objects = [
        {**head, "kind": "Secret", "stringData": {"all": json.dumps(values)}},
        {**head, "kind": "ConfigMap", "data": {"all": json.dumps(plain)}},
    ]
    return {
        "info": {"status": "deployed"},
        "version": version,
        "namespace": given.namespace,
        "manifest": "".join(f"---\n{json.dumps(one)}\n" for one in objects),
        "config": values,
        "chart": {"metadata": {"name": "shop", "version": "1.0.0"}},
    }


def _objects(release: dict[str, Any]) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(release["manifest"]))


def _path(one: dict[str, Any]) -> str:
    return f"{one['kind'].lower()}s/{one['metadata']['name']}"


if __name__ == "__main__":
    told = main()
    if told is not None:
        json.dump(told, sys.stdout)
