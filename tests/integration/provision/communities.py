"""Packs of content as communities have them: each announces features, needs others, and has tasks."""

from __future__ import annotations

import json
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import yaml

Idiom = dict[str, Any]

IDIOMS: list[Idiom] = yaml.safe_load((Path(__file__).parent / "community_idioms.yaml").read_text(encoding="utf-8"))
#: What packs ask for, in one or the other way of writing it.
_ANNOUNCED = (
    "sane-exit-codes",
    "sprig, fsm-runner",
    "sprig multiarch http-range-header",
    "change-stage-v2, tenants, secure-params",
    "elevated-tasks log-has-head-method",
    "overridable-bootloaders, centos-8",
    "virtual-media-boot asset-dir sprig",
    "",
)
_SCHEMAS: dict[type, dict[str, Any]] = {
    bool: {"type": "boolean"},
    int: {"type": "number"},
    str: {"type": "string"},
    list: {"type": "array"},
    dict: {"type": "object"},
}
#: Params that have a default.
_PARAMS: dict[str, Any] = {
    "arguments": {"audit": "on", "level": "2"},
    "cluster": "PACK-cluster",
    "collect": {"cpu": {"Command": "lscpu -J {{ .Machine.Name }}", "Fields": {"model": ".lscpu[0].data"}}},
    "count": 3,
    "document": '{"a": {"b": 7}}',
    "done": ["a.bin"],
    "empty": "",
    "files": [
        {"File": "a.bin", "Force": False, "Script": ""},
        {"File": "files/b.bin", "Force": True, "Script": "echo by hand"},
        {"File": "http://elsewhere.example/c.bin", "Force": False, "Script": ""},
    ],
    "folder": "/etc/PACK",
    "force": True,
    "greetings": ["hello {{ .Machine.Name }}"],
    "kind": "azure",
    "members": [{"Name": "one", "Address": "10.0.0.11"}, {"Name": "two", "Address": "10.0.0.12"}],
    "network": {"lan": {"routes": [{"network": "10.20.0.0", "netmask": "255.255.0.0", "gateway": "10.0.0.1"}]}},
    "nothing": {},
    "other": ["x", "y"],
    "packages": {"debian": ["vim", "openssh-server"], "unknown": ["core"]},
    "planner": "somebody",
    "ports": ["22/tcp", "53/udp", "443"],
    "range": "10.0.0.10-10.0.0.20",
    "rules": [{"test": "has_disk sda", "actions": ["set_role web"], "continue": True}, {"test": "true", "actions": []}],
    "scheme": "lvm",
    "source": "PACK/other",
    "switches": {
        "dvs01": {
            "mtu": 9000,
            "portgroups": {"inside": {"type": "ephemeral", "vlan": 10, "migrate": {"vswitch": "vSwitch0"}}, "out": {}},
        }
    },
    "tag": "lan",
    "tasks": ["first", "second"],
    "template": "PACK-text.tmpl",
    "text": "one|two",
    "url": "",
    "user": "admin",
}
_TEMPLATES = {
    "PACK-text.tmpl": "text of PACK for {{ .Machine.Name }}\n",
    "PACK-lvm.tmpl": "scheme of {{ .Machine.ShortName }}\n",
    "PACK-library.tmpl": 'say() { echo "{{ .Param "PACK/kind" }}: $*"; }\n',
}


def made_packs(packs: int, tasks: int) -> tuple[list[dict[str, Any]], dict[str, Idiom]]:
    """So many packs that have so many tasks together, and the idiom of each task."""
    idioms, made, of_task = cycle(IDIOMS), [], {}
    for number in range(packs):
        name = f"made-{number + 1:02}"
        some = [*islice(idioms, tasks // packs + (number < tasks % packs))]
        scoped: list[Idiom] = [_scoped(idiom, name) for idiom in some]
        of_task |= {f"{name}-{idiom['name']}": idiom for idiom in scoped}
        made.append(_pack(name, number, scoped))
    return made, of_task


def _scoped(value: Any, name: str) -> Any:
    return json.loads(json.dumps(value).replace("PACK", name))


def _pack(name: str, number: int, idioms: list[Idiom]) -> dict[str, Any]:
    params = {
        f"PACK/{key}": {"Name": f"PACK/{key}", "Schema": {**_SCHEMAS[type(value)], "default": value}}
        for key, value in _PARAMS.items()
    }
    params["PACK/password"] = {
        "Name": "PACK/password",
        "Secure": True,
        "Schema": {"type": "string", "default": "calvin"},
    }
    tasks = {f"PACK-{idiom['name']}": _task(idiom, number) for idiom in idioms}
    sections = {
        "params": params,
        "templates": {key: {"ID": key, "Contents": text} for key, text in _TEMPLATES.items()},
        "tasks": tasks,
        "profiles": {
            "PACK-cluster": {"Name": "PACK-cluster", "Params": {"PACK/count": 5}, "Meta": {"icon": "object group"}}
        },
        "stages": {"PACK": {"Name": "PACK", "Tasks": [*tasks], "RequiredParams": None, "OptionalParams": []}},
        "workflows": {"PACK": {"Name": "PACK", "Stages": ["PACK"]}},
    }
    meta = {
        "Name": "PACK",
        "Version": f"v4.{number}.0",
        "RequiredFeatures": _ANNOUNCED[number % len(_ANNOUNCED)],
        "Prerequisites": "site-base: >=4.0.0" if number % 2 else "site-base,site-library\n",
        "Documentation": "As written for another server.",
        "DisplayName": f"Pack {number}",
        "Author": "Nobody",
        "License": "APLv2",
        "Tags": "one,two",
    }
    scoped: dict[str, Any] = _scoped({"meta": meta, "sections": sections}, name)
    return scoped


def _task(idiom: Idiom, number: int) -> dict[str, Any]:
    first: dict[str, Any] = {"Name": idiom["name"], "Meta": idiom.get("meta"), "Path": idiom.get("path", "")}
    first |= {"ID": idiom["id"]} if "id" in idiom else {"Contents": idiom["contents"]}
    return {
        "Name": f"PACK-{idiom['name']}",
        "Documentation": "Long,\nin lines.\n",
        "Meta": {"icon": "bolt", "color": "blue", "title": "Site", "feature-flags": "sane-exit-codes"},
        "RequiredParams": idiom.get("required"),
        "OptionalParams": ["PACK/absent"],
        "Prerequisites": [],
        "ExtraClaims": [{"scope": "files,contents", "action": "*", "specific": "*"}] if number % 5 == 0 else None,
        "Templates": [first, *idiom.get("others", [])],
    }
