"""A stand-in for the facade: it notes each call, and fails where the environment asks for it."""

import json
import os
from pathlib import Path

from ansible_ensemble.core.errors import InvalidInput, Locked


def _note(name, **values):
    with Path(os.environ["STAND_IN_LOG"]).open("a") as log:
        log.write(json.dumps({"call": name, **values}, default=str) + "\n")
    return os.environ.get("STAND_IN_FAIL", "") == name


def lock(ensemble, *, state, operation, lock_id, timeout, pid, environment, plan_file, plan_document, action):
    given = {"environment": environment, "plan_file": plan_file, "plan_document": plan_document}
    if _note("lock", state=state, operation=operation, lock_id=lock_id, timeout=timeout, **given):
        raise Locked("held by somebody (wait with --lock-timeout)")
    return {"changed": True, "lock": {"id": "L1", "pid": pid, "environment": environment or (plan_file and "planned")}}


def plan(ensemble, *, workflow, options, plan_file, check, diff, action, task_vars, say):
    if _note("plan", workflow=workflow, options=options, plan_file=plan_file, check=check, diff=diff):
        raise InvalidInput("ensemble.yaml:3:1: unknown type")
    text = f"plan for {ensemble}: runs git commit --message; {say('--prune is not set')}"
    return {
        "changed": True,
        "plan": {"summary": {}},
        "plan_file": plan_file or "made.json",
        "plan_digest": "d1",
        "text": text,
    }


def execute(action, task_vars, *, ensemble, workflow, plan_file, plan_digest, plan_document, options, show):
    given = {"workflow": workflow, "plan_file": plan_file, "plan_digest": plan_digest, "plan_document": plan_document}
    failed = _note("execute", **given, options=options)
    if os.environ.get("STAND_IN_FAIL") == "start":
        raise InvalidInput("the plan is stale")
    return {"changed": True, "failed": failed, "journal": "j.jsonl", "job": {}, "msg": "app failed" if failed else ""}


def record(ensemble, *, journal, options, check, action, task_vars, say):
    if _note("record", journal=journal, options=options, check=check):
        raise InvalidInput("cannot write")
    told = {key: {} for key in ("job", "plan", "outputs", "summary", "hosts", "drift")}
    sound = os.environ.get("STAND_IN_FAIL") != "drift"
    return {"changed": True, **told, "sound": sound, "text": "the table\njob is recorded"}


def inventory(path, *, loader):
    if _note("inventory", path=path):
        raise InvalidInput("the ensemble has no status")
    return {
        "instances": {
            "db": _instance(
                {"ansible_host": "192.0.2.1"}, "ok", is_machine=True, properties=_PROPERTIES, attributes=_SET
            ),
            "app": _instance(_LOCAL, attributes={"note": "{{ not_rendered }}"}),
            "tenant": _instance(machine="house"),
            "lodger": _instance(machine="inn"),
            "gone": _instance(status="absent", is_machine=True),
        },
        "group_vars": {"front": {"of_the_group": "well", "port": 1}},
        "groups": {"front": ["db", "app"], "empty": []},
    }


_LOCAL = {"ansible_connection": "local"}
_PROPERTIES = {"port": 5432, "engine": "sqlite"}
_SET = {"port": 5433, "note": "{{ not_rendered }}", "tables": [{}, {"name": "entry"}]}


def _instance(connection=None, status="error", *, machine=None, is_machine=False, properties=None, attributes=None):
    groups = {"template": ["template_one"], "type": ["type_tosca_nodes_Database"] if properties else []}
    return {
        "connection": connection or {},
        "machine": machine,
        "is_machine": is_machine,
        "groups": groups | {"status": [f"status_{status}"], "state": []},
        "recorded": {"status": status, "properties": properties or {}, "attributes": attributes or {}},
    }
