"""The commands of the field's client, each as the requests that it consists of."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

from tests.integration.provision import go_objects
from tests.integration.provision.go_objects import MODELS, TEXT
from tests.integration.provision.wire import Refusal, Wire

Object = dict[str, Any]
_KEYS = {"machines": "Uuid", "jobs": "Uuid", "templates": "ID"}


class Drpcli:
    """Commands, in the words of the command line."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire

    # --- every kind ---

    async def create(self, prefix: str, given: Object, force: bool = False) -> Object:
        query = "?force=true" if force else ""
        return await self.wire.call("POST", f"{prefix}{query}", go_objects.body(prefix, given), MODELS[prefix])

    async def show(self, prefix: str, key: str, query: str = "") -> Object:
        return await self.wire.call("GET", f"{prefix}/{key}{query}", shape=MODELS[prefix])

    async def exists(self, prefix: str, key: str) -> bool:
        status, _ = await self.wire.headers("HEAD", f"{prefix}/{key}")
        assert status in (200, 404)
        return status == 200

    async def list(self, prefix: str, *filters: str) -> list[Object]:
        """`Field=value`, also with an operator; what is listed is not decoded, as the command prints it raw."""
        query = "?" + "&".join(filters) if filters else ""
        return await self.wire.call("GET", f"{prefix}{query}")

    async def count(self, prefix: str, *filters: str) -> int:
        query = "?" + "&".join(filters) if filters else ""
        status, headers = await self.wire.headers("HEAD", f"{prefix}{query}")
        assert status == 200
        assert int(headers["X-DRP-LIST-TOTAL-COUNT"]) >= 0
        return int(headers["X-DRP-LIST-FILTER-COUNT"])

    async def update(
        self, prefix: str, key: str, changes: Object, ref: Object | None = None, force: bool = False
    ) -> Object:
        """Merge changes into what is there; with a reference, all of that has to be as it was."""
        old = ref or await self.show(prefix, key)
        new = _merged(copy.deepcopy(old), changes)
        patch = [_operation("test", "", old), *_replacements(old, new, "", False)] if ref else patch_between(old, new)
        return await self.patch(prefix, old[_KEYS.get(prefix, "Name")], patch, force)

    async def patch(self, prefix: str, key: str, patch: list[Object], force: bool = False) -> Object:
        query = "?force=true" if force else ""
        return await self.wire.call("PATCH", f"{prefix}/{key}{query}", patch, MODELS[prefix])

    async def destroy(self, prefix: str, key: str) -> Object:
        return await self.wire.call("DELETE", f"{prefix}/{key}", shape=MODELS[prefix])

    async def meta(self, prefix: str, key: str) -> dict[str, str]:
        return await self.wire.call("GET", f"meta/{prefix}/{key}", shape=go_objects.TEXT_MAP)

    async def indexes(self, prefix: str) -> dict[str, Any]:
        return await self.wire.call("GET", f"indexes/{prefix}")

    async def actions(self, prefix: str, key: str) -> list[Object]:
        return await self.wire.call("GET", f"{prefix}/{key}/actions", shape=[go_objects.MAP])

    async def upload_template(self, key: str, contents: str) -> Object:
        """`templates upload FILE as KEY`."""
        try:
            there = await self.show("templates", key)
        except Refusal as refusal:
            assert refusal.status == 404
            return await self.create("templates", {"ID": key, "Contents": contents})
        changed = {**there, "Contents": contents}
        return await self.wire.call("PUT", f"templates/{key}", changed, MODELS["templates"])

    # --- machines ---

    async def machine_field(self, key: str, force: bool = False, **fields: Any) -> Object:
        """`machines workflow|stage|bootenv|run|pause|addprofile|tasks ...`: one field of what was fetched."""
        old = await self.show("machines", key)
        return await self.patch("machines", old["Uuid"], patch_between(old, {**old, **fields}), force)

    async def workflow(self, key: str, name: str) -> Object:
        return await self.machine_field(key, Workflow=name)

    async def stage(self, key: str, name: str, force: bool = False) -> Object:
        return await self.machine_field(key, force, Stage=name)

    async def run(self, key: str) -> Object:
        return await self.machine_field(key, Runnable=True)

    async def machine_token(self, key: str, ttl: str = "1h") -> str:
        return (await self.wire.call("GET", f"machines/{key}/token?ttl={ttl}", shape=go_objects.TOKEN))["Token"]

    async def delete_jobs(self, key: str) -> int:
        machine = await self.show("machines", key)
        query = f"Machine=Eq({machine['Uuid']})", "sort=StartTime", "reverse=true"
        jobs = await self.list("jobs", *query)
        for job in jobs:
            await self.destroy("jobs", job["Uuid"])
        return len(jobs)

    # --- params of machines, profiles and stages ---

    async def set_param(self, prefix: str, key: str, name: str, value: Any) -> Any:
        try:
            param = await self.show("params", name)
            assert not param["Secure"], "use `set_secure_param`"
        except Refusal as refusal:
            assert refusal.status == 404
        return await self.wire.call("POST", f"{prefix}/{key}/params/{name}", value)

    async def get_param(self, prefix: str, key: str, name: str, query: str = "") -> Any:
        return await self.wire.call("GET", f"{prefix}/{key}/params/{name}{query}")

    async def add_param(self, prefix: str, key: str, name: str, value: Any) -> Any:
        """`add ID param NAME to VALUE`: only where it is not set."""
        there = await self.params(prefix, key)
        patch = [_operation("test", "", there), _operation("add", f"/{_escaped(name)}", value)]
        return await self.wire.call("PATCH", f"{prefix}/{key}/params", patch, go_objects.MAP)

    async def remove_param(self, prefix: str, key: str, name: str) -> Any:
        return await self.wire.call("DELETE", f"{prefix}/{key}/params/{name}")

    async def params(self, prefix: str, key: str, query: str = "") -> dict[str, Any]:
        return await self.wire.call("GET", f"{prefix}/{key}/params{query}", shape=go_objects.MAP)

    async def set_params(self, prefix: str, key: str, values: dict[str, Any]) -> dict[str, Any]:
        return await self.wire.call("POST", f"{prefix}/{key}/params", values, go_objects.MAP)

    async def public_key(self, prefix: str, key: str) -> str:
        return await self.wire.call("GET", f"{prefix}/{key}/pubkey", shape=TEXT)

    # --- jobs ---

    async def create_job(self, machine: str, context: str = "", **given: Any) -> Object | None:
        body = go_objects.body("jobs", {"Machine": machine, "Context": context, **given})
        return await self.wire.call("POST", "jobs", body, MODELS["jobs"])

    async def set_job(self, key: str, **fields: Any) -> Object:
        old = await self.show("jobs", key)
        return await self.patch("jobs", key, patch_between(old, {**old, **fields}))

    async def job_actions(self, key: str, system: str = "") -> list[Object]:
        query = f"?os={system}" if system else ""
        return await self.wire.call("GET", f"jobs/{key}/actions{query}", shape=[go_objects.ACTION])

    async def log(self, key: str) -> str:
        return (await self.wire.bytes(f"jobs/{key}/log")).decode()

    async def current_log(self, key: str) -> str:
        return await self.log((await self.show("machines", key))["CurrentJob"])

    async def history(self, machine: str) -> list[Object]:
        """The jobs of a machine, the first one first, by their chain."""
        last, chain = (await self.show("machines", machine))["CurrentJob"], []
        while last and last.strip("0-"):
            job = await self.show("jobs", last)
            chain.append(job)
            last = job["Previous"]
        return chain[::-1]

    # --- content ---

    async def upload_content(self, name: str, sections: dict[str, dict[str, Object]]) -> Object:
        """`contents upload`: replaced where it is, created where it is not."""
        content = {"meta": {"Name": name, "Version": "v1"}, "sections": sections}
        there = await self.wire.call("GET", "contents")
        if any(json.dumps(name) in json.dumps(summary) for summary in there):
            return await self.wire.call("PUT", f"contents/{name}", content)
        return await self.wire.call("POST", "contents", content)


def patch_between(old: Object, new: Object) -> list[Object]:
    """The patch that the command makes: tests what was, replaces arrays as a whole, and says `from` everywhere."""
    return list(_replacements(old, new, "", True))


def _replacements(old: Object, new: Object, path: str, tested: bool) -> Iterator[Object]:
    for name in sorted(old.keys() | new.keys()):
        place = f"{path}/{_escaped(name)}"
        if name not in old:
            yield _operation("add", place, new[name])
        elif name not in new:
            if tested:
                yield _operation("test", place, old[name])
            yield _operation("remove", place, None)
        elif isinstance(old[name], dict) and isinstance(new[name], dict):
            yield from _replacements(old[name], new[name], place, tested)
        elif json.dumps(old[name]) != json.dumps(new[name]):
            if tested:
                yield _operation("test", place, old[name])
            yield _operation("replace", place, new[name])


def _operation(op: str, path: str, value: Any) -> Object:
    return {"op": op, "path": path, "from": "", "value": value}


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _merged(old: Object, changes: Object) -> Object:
    for name, value in changes.items():
        if isinstance(value, dict) and isinstance(old.get(name), dict):
            _merged(old[name], value)
        else:
            old[name] = value
    return old
