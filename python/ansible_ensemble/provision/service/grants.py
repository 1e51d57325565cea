"""Nobody grants what they do not have: what a request gives to users, roles, tasks and machines.

docs/security.md, "Delegated rights", has the rules.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Protocol

from ansible_ensemble.provision.objects.access import Role, User
from ansible_ensemble.provision.objects.base import Object
from ansible_ensemble.provision.objects.content import Stage, Task, Template, Workflow
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import Claim, split_entry
from ansible_ensemble.provision.objects.pool import DEFAULT_POOL, Pool
from ansible_ensemble.provision.objects.tenant import Tenant
from ansible_ensemble.provision.rules.claims import EVERYTHING
from ansible_ensemble.provision.rules.expansion import expand_stage, expand_workflow
from ansible_ensemble.provision.rules.extra_claims import claims_of_roles, extra_claims
from ansible_ensemble.provision.rules.pools import FREE, MOVES, arrived
from ansible_ensemble.provision.rules.refusal import Refused
from ansible_ensemble.provision.service.preferences import preferences
from ansible_ensemble.provision.store.transaction import Reader, Transaction

#: What a template may name another one by.
_QUOTED = re.compile(r"""["'`]([^"'`]+)["'`]""")
#: What takes the names of templates from somewhere else.
_COMPUTED = re.compile(r"CallTemplate|include\s+[^\s\"']")


class Granter(Protocol):
    """Who sends a request."""

    @property
    def is_machine(self) -> bool:
        """Whether it is a machine, by its token."""

    def holds(self, claim: Claim) -> bool:
        """Whether a claim allows nothing that is not allowed already."""


def refuse_grants(tx: Transaction, granter: Granter, scope: str) -> None:
    """Refuse what gives somebody more than the granter has.

    Args:
        tx: what the request created, updated or saved.
        granter: who sends it.
        scope: what the request is about.

    Raises:
        Refused: 403; it names the claim that is missing.
    """
    if all(map(granter.holds, EVERYTHING)):
        return
    for event in tx.events:
        find = _GRANTED.get(type(event.object))
        gone = event.action == "delete" and not isinstance(event.object, Tenant)
        if not find or gone or event.action == "save":
            continue  # what follows from a change grants nothing that the change does not
        claims = find(tx, event.original, event.object, granter)
        if isinstance(event.object, Machine) and scope == Machine.PREFIX:
            claims = chain(claims, _of_move(event.original, event.object))
        for claim in claims:
            if not granter.holds(claim):
                text = f"{claim.scope or '-'}/{claim.action or '-'}/{claim.specific or '-'}"
                message = f"Access denied: this grants {text}, which you do not have"
                raise Refused(403, message, type=event.action.upper(), model=event.type, key=event.key)


def _of_user(tx: Transaction, before: User | None, after: User, _granter: Granter) -> Iterable[Claim]:
    """The claims of new roles; all of the user's with another password, because who sets it can log in."""
    kept = before.roles if before and (User.PREFIX, after.name) not in tx.renewed else ()
    return claims_of_roles((name for name in after.roles if name not in kept), tx, EVERYTHING)


def _of_role(_reader: Reader, before: Role | None, after: Role, _granter: Granter) -> Iterable[Claim]:
    kept = before.claims if before else ()
    return [claim for claim in after.claims if claim not in kept]


def _of_task(reader: Reader, before: Task | None, after: Task, _granter: Granter) -> Iterator[Claim]:
    """All of the task's own, whatever changes of it: what it runs is done with them."""
    yield from extra_claims(before, reader, EVERYTHING)
    yield from extra_claims(after, reader, EVERYTHING)
    yield from _of_tasks(reader, before.prerequisites if before else (), after.prerequisites)


def _of_stage(reader: Reader, before: Stage | None, after: Stage, _granter: Granter) -> Iterator[Claim]:
    return _of_tasks(reader, before.tasks if before else (), after.tasks)


def _of_workflow(reader: Reader, before: Workflow | None, after: Workflow, _granter: Granter) -> Iterator[Claim]:
    def tasks(names: Iterable[str]) -> list[str]:
        return [task for name in names if (stage := reader.get(Stage, name)) for task in stage.tasks]

    return _of_tasks(reader, tasks(before.stages if before else ()), tasks(after.stages))


def _of_machine(reader: Reader, before: Machine | None, after: Machine, granter: Granter) -> Iterator[Claim]:
    """What its new entries claim that do not come from a workflow or stage which the granter may choose.

    A task that does not exist counts as all claims: it may be created with them later.
    """
    given = Counter(after.tasks) - Counter(before.tasks if before else ())
    if not given:
        return
    if _is_chosen(reader, before, after, granter):
        given -= Counter(_expanded(reader, after))
    for entry in given:
        task = reader.get(Task, entry)
        if task is None and not split_entry(entry)[0]:
            yield from EVERYTHING
        yield from extra_claims(task, reader, EVERYTHING)


def _of_move(before: Machine | None, after: Machine) -> Iterator[Claim]:
    """All moves of the pools that it leaves and comes to: by hand it may skip what they want."""
    old = before or Machine(pool=DEFAULT_POOL, pool_status=FREE)
    is_arrival = (
        after.pool_status == arrived(old.replaced(workflow_complete=True)).pool_status and after.workflow_complete
    )
    if (old.pool, old.pool_allocated) == (after.pool, after.pool_allocated) and (
        old.pool_status == after.pool_status or is_arrival
    ):
        return
    for pool in dict.fromkeys((old.pool, after.pool)):
        yield Claim(scope=Pool.PREFIX, action=",".join(MOVES), specific=pool)


def _of_pool(_reader: Reader, before: Pool | None, after: Pool, _granter: Granter) -> Iterator[Claim]:
    """The moves of the pools that it gets machines from and gives them to."""
    known = before or Pool()
    sources = {after.auto_fill.acquire_pool} - {known.auto_fill.acquire_pool}
    goals = {after.parent_pool, after.auto_fill.return_pool} - {known.parent_pool, known.auto_fill.return_pool}
    for move, pools in (("removeMachines", sources), ("addMachines", goals)):
        for pool in sorted(pools - {"", DEFAULT_POOL, after.identifier}):
            yield Claim(scope=Pool.PREFIX, action=move, specific=pool)


def _is_chosen(reader: Reader, before: Machine | None, after: Machine, granter: Granter) -> bool:
    """Whether its workflow or stage is another one that the granter may choose: a machine has that of new machines."""
    if granter.is_machine:
        wanted = preferences(reader)
        return before is None and (
            after.workflow == wanted["defaultWorkflow"] if after.workflow else after.stage == wanted["defaultStage"]
        )
    return before is None or (before.workflow, before.stage) != (after.workflow, after.stage)


def _expanded(reader: Reader, machine: Machine) -> list[str]:
    workflow, stage = reader.get(Workflow, machine.workflow), reader.get(Stage, machine.stage)
    if workflow:
        return expand_workflow(workflow, reader)
    return expand_stage(stage, reader) if stage else []


def _of_tenant(_reader: Reader, _before: Tenant | None, _after: Tenant, _granter: Granter) -> Iterable[Claim]:
    """All there is: a tenant takes from its users, and what is taken from a tenant they may do again."""
    return EVERYTHING


def _of_template(reader: Reader, _before: Template | None, after: Template, _granter: Granter) -> Iterator[Claim]:
    """The claims of the tasks that render it."""
    for task in reader.all(Task):
        if (claims := extra_claims(task, reader, EVERYTHING)) and _renders(reader, task, after.id):
            yield from claims


def _renders(reader: Reader, task: Task, name: str) -> bool:
    """Whether a task may render a template: it, or a template of it, names it or computes names."""
    texts = [template.contents for template in task.templates]
    names = {template.id for template in task.templates}
    waiting = list(names)
    while name not in names and (texts or waiting):
        text = texts.pop() if texts else _contents(reader, waiting.pop())
        if _COMPUTED.search(text):
            return True
        fresh = set(_QUOTED.findall(text)) - names
        names |= fresh
        waiting += fresh
    return name in names


def _contents(reader: Reader, name: str) -> str:
    template = reader.get(Template, name)
    return template.contents if template else ""


def _of_tasks(reader: Reader, before: Iterable[str], after: Iterable[str]) -> Iterator[Claim]:
    """What tasks claim, and their prerequisites, that were not among others before."""
    for name in _with_prerequisites(reader, after) - _with_prerequisites(reader, before):
        yield from extra_claims(reader.get(Task, name), reader, EVERYTHING)


def _with_prerequisites(reader: Reader, names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    waiting = [name for name in names if not split_entry(name)[0]]
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            task = reader.get(Task, name)
            waiting += task.prerequisites if task else ()
    return found


_GRANTED: Mapping[type[Object], Callable[[Transaction, Any, Any, Granter], Iterable[Claim]]] = {
    Machine: _of_machine,
    Pool: _of_pool,
    Role: _of_role,
    Stage: _of_stage,
    Task: _of_task,
    Template: _of_template,
    Tenant: _of_tenant,
    User: _of_user,
    Workflow: _of_workflow,
}
