"""Random transactions on a store, beside a model of it that is a few dicts."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from ansible_ensemble.provision.objects import Job, Machine, Object, Stage
from ansible_ensemble.provision.store.transaction import AlreadyExists, NotKept, Reader, Store, Transaction
from tests.unit.provision.store.contract import Opener

KEYS = st.sampled_from(["a", "b", "c", "ä"])
NAMES = st.lists(KEYS, max_size=2)
MADE = st.one_of(
    st.builds(lambda uuid, name, tasks: Machine(uuid=uuid, name=name, tasks=tasks), KEYS, KEYS, NAMES),
    st.builds(lambda name, tasks: Stage(name=name, tasks=tasks), KEYS, NAMES),
    st.builds(lambda uuid, machine, task: Job(uuid=uuid, machine=machine, task=task), KEYS, KEYS, KEYS),
)
STEPS = st.one_of(
    st.tuples(st.sampled_from(["create", "update", "save", "delete"]), MADE),
    st.tuples(st.just("append_log"), KEYS, st.binary(max_size=5)),
    st.tuples(st.just("set_preference"), KEYS, KEYS),
)


@dataclass
class Model:
    """What a store holds."""

    objects: dict[tuple[str, str], Object] = field(default_factory=dict)
    logs: dict[str, bytes] = field(default_factory=dict)
    preferences: dict[str, str] = field(default_factory=dict)

    def do(self, action: str, *arguments: Any) -> str:
        """Take a step; how it ends."""
        if action == "append_log":
            job, data = arguments
            self.logs[job] = self.logs.get(job, b"") + data
        elif action == "set_preference":
            self.preferences[arguments[0]] = arguments[1]
        else:
            return self._change(action, arguments[0])
        return "done"

    def _change(self, action: str, wanted: Object) -> str:
        place = (wanted.PREFIX, wanted.key)
        if action != "create" and place not in self.objects:
            return "NotKept"
        if action == "delete":
            del self.objects[place]
            if isinstance(wanted, Job):
                self.logs.pop(wanted.uuid, None)
            return "done"
        if (action == "create" and place in self.objects) or self._has_name_of_another(wanted):
            return "AlreadyExists"
        self.objects[place] = wanted
        return "done"

    def _has_name_of_another(self, wanted: Object) -> bool:
        others = (kept for kept in self.objects.values() if isinstance(kept, Machine) and kept.key != wanted.key)
        return isinstance(wanted, Machine) and any(other.name == wanted.name for other in others)

    def of_kind(self, kind: type[Object]) -> list[Object]:
        found = ((key, kept) for (prefix, key), kept in self.objects.items() if prefix == kind.PREFIX)
        return [kept for _, kept in sorted(found, key=lambda pair: pair[0])]

    def seen(self) -> dict[str, Any]:
        """What `see` shows of a store that is like this."""
        machines, stages, jobs = (self.of_kind(kind) for kind in (Machine, Stage, Job))
        return {
            "all": [machines, stages, jobs],
            "counts": [len(machines), len(stages), len(jobs)],
            "names": [next((kept for kept in machines if kept.name == key), None) for key in "abcä"],
            "where": [[kept for kept in jobs if kept.machine == key] for key in "abcä"],
            "referrers": [[kept for kept in machines + stages if key in kept.tasks] for key in "abcä"],
            "logs": [self.logs.get(key, b"") for key in "abcä"],
            "preferences": self.preferences,
        }


def see(reader: Reader) -> dict[str, Any]:
    """All that can be read of a store."""
    return {
        "all": [list(reader.all(kind)) for kind in (Machine, Stage, Job)],
        "counts": [reader.count(kind) for kind in (Machine, Stage, Job)],
        "names": [reader.find(Machine, "Name", key) for key in "abcä"],
        "where": [list(reader.where(Job, "Machine", key)) for key in "abcä"],
        "referrers": [reader.referrers("tasks", key) for key in "abcä"],
        "logs": [reader.log(key, 0, 10**6) for key in "abcä"],
        "preferences": reader.preferences(),
    }


class GivenUp(Exception):
    """Raised by a function of a transaction that is to change nothing."""


def take(transaction: Transaction, action: str, *arguments: Any) -> str:
    """Take a step; how it ends."""
    try:
        getattr(transaction, action)(*arguments)
    except (AlreadyExists, NotKept) as refusal:
        return type(refusal).__name__
    return "done"


def run_state_machine(new_opener: Callable[[], Opener], examples: int) -> None:
    """Walk random histories; each begins with a new database."""

    class Histories(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.runner = asyncio.Runner()
            self.opener = new_opener()
            self.model = Model()
            self.open()

        def open(self) -> None:
            self.context = self.opener()
            self.store: Store = self.runner.run(self.context.__aenter__())

        def close(self) -> None:
            self.runner.run(self.context.__aexit__(None, None, None))

        @rule(steps=st.lists(STEPS, max_size=5), keep=st.booleans())
        def transaction(self, steps: list[tuple[Any, ...]], keep: bool) -> None:
            after = copy.deepcopy(self.model)
            expected = [after.do(*step) for step in steps]

            def function(transaction: Transaction) -> None:
                assert [take(transaction, *step) for step in steps] == expected
                assert see(transaction) == after.seen()
                if not keep:
                    raise GivenUp

            try:
                self.runner.run(self.store.transact(function, "user:me"))
            except GivenUp:
                assert not keep
            else:
                assert keep
                self.model = after

        @rule()
        def reopen(self) -> None:
            self.close()
            self.open()

        @invariant()
        def is_like_the_model(self) -> None:
            assert self.runner.run(self.store.read(see)) == self.model.seen()

        def teardown(self) -> None:
            self.close()
            self.runner.close()

    run_state_machine_as_test(Histories, settings=settings(max_examples=examples, stateful_step_count=15))
