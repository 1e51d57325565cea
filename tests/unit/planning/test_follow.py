from __future__ import annotations

from collections.abc import Mapping, Sequence

from ansible_ensemble.language.entities import NodeTemplate
from ansible_ensemble.planning.context import Detected, PlannedInstance
from ansible_ensemble.planning.options import PlanOptions
from ansible_ensemble.planning.plan import Plan, ValueChange
from ansible_ensemble.planning.planner import make_plan
from tests.unit.planning.topologies import ToldChanges, deployed, node, relate, topology


class Reading(ToldChanges):
    """What operations read: by instance and operation, names of the instances whose attribute it is.

    The instance `origin` has changed; every operation sets the attribute of its instance.
    """

    def __init__(self, reads: Mapping[str, Mapping[str, list[str]]]) -> None:
        super().__init__()
        self._reads = reads

    def detect(self, member: PlannedInstance) -> dict[str, Detected]:
        if member.name == "origin":
            return {"Standard.configure": Detected(changes=[ValueChange("property", "size", 1, 2)])}
        reads = self._reads.get(member.name, {})
        return {
            f"Standard.{name}": Detected(at_risk=[f"::{one}::value" for one in owners])
            for name, owners in reads.items()
        }

    def wrote(self, instance: str, operation: str) -> list[str] | None:
        return [f"::{instance}::value"]


def planned(reads: Mapping[str, Mapping[str, list[str]]], *nodes: NodeTemplate, replace: Sequence[str] = ()) -> Plan:
    there, options = deployed(*(one.name for one in nodes)), PlanOptions(replace=list(replace))
    return make_plan(topology(*nodes), there, "deploy", options, Reading(reads), ensemble="ensemble.yaml", base={})


def simple(name: str) -> NodeTemplate:
    return node(name, ["create", "configure"])


def test_what_reads_comes_after_what_it_reads_though_it_needs_nothing_and_is_declared_first():
    reads = {"second": {"configure": ["first"]}, "first": {"configure": ["origin"]}, "apart": {"configure": ["other"]}}
    made = planned(reads, *(simple(name) for name in ("second", "first", "apart", "other", "origin")))
    ends = {operation.key: operation.waits_end for operation in made.operations}
    assert ends == {
        "origin:Standard.configure": [],
        "first:Standard.configure": ["origin:Standard.configure"],
        "second:Standard.configure": ["first:Standard.configure"],
    }
    assert list(ends) == ["origin:Standard.configure", "first:Standard.configure", "second:Standard.configure"]


def test_an_operation_that_turns_out_to_be_at_risk_later_is_planned_as_well():
    reads = {"all": {"configure": ["origin"], "create": ["first"]}, "first": {"configure": ["origin"]}}
    made = planned(reads, simple("all"), simple("first"), simple("origin"))
    (change,) = [one for one in made.instances if one.instance == "all"]
    assert change.operations == ["all:Standard.create", "all:Standard.configure"]
    assert [value.name for value in change.changes] == ["origin.value", "first.value"]


def test_what_reads_both_ways_or_is_needed_by_what_it_reads_waits_for_nothing():
    one, other, origin = simple("one"), simple("other"), simple("origin")
    made = planned({"one": {"configure": ["other", "origin"]}, "other": {"configure": ["one"]}}, one, other, origin)
    waits = {operation.instance: operation.waits_end for operation in made.operations}
    assert not (waits["one"] and waits["other"]), "they would wait for each other"
    needed, origin = simple("needed"), simple("origin")
    relate(origin, needed)
    made = planned({"needed": {"configure": ["origin"]}}, needed, origin)
    assert {operation.instance: operation.waits_end for operation in made.operations} == {"needed": [], "origin": []}


def test_what_is_replaced_comes_after_what_it_read_and_stays_replaced():
    reads = {"all": {"configure": ["origin"], "create": ["first"]}, "first": {"configure": ["origin"]}}
    made = planned(reads, simple("all"), simple("first"), simple("origin"), replace=["all"])
    assert {one.instance: one.action.value for one in made.instances}["all"] == "./+"
    waits = {operation.key: operation.waits_end for operation in made.operations}
    assert waits["all:Standard.create"] == ["origin:Standard.configure", "first:Standard.configure"]


def test_what_reads_waits_for_the_end_of_what_it_reads():
    made = planned({"reader": {"configure": ["origin"]}}, simple("reader"), node("origin"))
    waits = {operation.key: operation.waits_end for operation in made.operations}
    assert waits["reader:Standard.configure"] == ["origin:Standard.start"]
    assert list(waits)[:3] == ["origin:Standard.configure", "origin:Standard.stop", "origin:Standard.start"]
