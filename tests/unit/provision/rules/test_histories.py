"""Random histories of a machine: whatever is asked in whatever order, some things always hold."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.codec import from_plain, plain
from ansible_ensemble.provision.objects.job import NO_JOB, STATES
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import split_entry
from ansible_ensemble.provision.rules.job_edit import action_ended, edited_job
from ansible_ensemble.provision.rules.job_end import ENDED, retried, retry_due
from ansible_ensemble.provision.rules.machine_create import created_machine
from ansible_ensemble.provision.rules.machine_edit import edited_machine
from ansible_ensemble.provision.rules.machine_state import is_complete, settled
from ansible_ensemble.provision.rules.next_job import JobRequest, next_job
from ansible_ensemble.provision.rules.placement import is_place
from ansible_ensemble.provision.rules.refusal import Refused
from tests.unit.provision.rules.world import MACHINE, NOW, new_keys, shelf

CONTENT = {
    "bootenvs": {"env1": {}, "env2": {}},
    "tasks": {"t1": {}, "t2": {}, "t3": {"Prerequisites": ["t1"]}, "h1": {}},
    "stages": {
        "s1": {"BootEnv": "env1", "Tasks": ["t1", "t3"]},
        "s2": {"BootEnv": "env2", "Tasks": ["t2", "context:c", "action:power", "context:", "t3"]},
        "s3": {"Tasks": ["t3", "bootenv:env1", "t3"]},
        "s4": {},
    },
    "workflows": {"w12": {"Stages": ["s1", "s2"]}, "w343": {"Stages": ["s3", "s4", "s3"]}, "w": {"Stages": []}},
}
ENTRIES = st.sampled_from(["t1", "t2", "t3", "stage:s3", "bootenv:env2", "context:c", "context:", "action:power", "h1"])
STAGES = st.sampled_from(["s1", "s2", "s3", "s4", "none", ""])
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "task-single-step": st.booleans(),
        "task-stop-at": st.sampled_from([["t2"], ["t3", "stage:s2"], []]),
        "task-retry": st.fixed_dictionaries({"t1": st.integers(0, 2), "action:power": st.integers(0, 1)}),
        "task-error-handlers": st.sampled_from([{"t3": ["h1"]}, {"t1": ["bootenv:env2", "h1"], "t2": ["h1", "t1"]}]),
    },
)


class History(RuleBasedStateMachine):
    """One machine, its jobs, and the content that both name."""

    def __init__(self):
        super().__init__()
        self.catalog, self.keys, self.jobs = shelf(CONTENT), new_keys(), {}
        self.now, self.machine = NOW, None

    @initialize(workflow=st.sampled_from(["", "w12", "w343"]), stage=STAGES, tasks=st.lists(ENTRIES, max_size=4))
    def create(self, workflow, stage, tasks):
        asked = Machine(name="m1", workflow=workflow, stage=stage, tasks=tasks)
        self.machine = created_machine(asked, self.catalog, {}, uuid=MACHINE, secret="s")
        assert self.machine.runnable

    def edit(self, force=False, **changes):
        asked = from_plain(Machine, {**plain(self.machine), **changes})
        try:
            self.machine = edited_machine(self.machine, asked, self.catalog, force)
        except Refused as refused:
            assert refused.error.code in (403, 422)
            assert refused.error.messages

    @rule(name=st.sampled_from(["", "w12", "w343", "w"]))
    def set_workflow(self, name):
        before = self.machine
        self.edit(Workflow=name)
        if before.workflow != name == self.machine.workflow:
            assert self.machine.current_task == -1

    @rule(name=STAGES, force=st.booleans())
    def set_stage(self, name, force):
        self.edit(force, Stage=name)

    @rule(name=st.sampled_from(["env1", "env2"]), force=st.booleans())
    def set_bootenv(self, name, force):
        before = self.machine.boot_env
        self.edit(force, BootEnv=name)
        assert self.machine.boot_env == before or not self.machine.runnable

    @rule(index=st.integers(-2, 12))
    def move(self, index):
        self.edit(CurrentTask=index)

    @rule(index=st.integers(0, 12), gone=st.integers(0, 3), new=st.lists(ENTRIES, max_size=3))
    def edit_tasks(self, index, gone, new):
        tasks = self.machine.tasks
        self.edit(Tasks=[*tasks[:index], *new, *tasks[index + gone :]])

    @rule(params=PARAMS)
    def set_params(self, params):
        self.edit(Params=params)

    @rule()
    def pause(self):
        self.edit(Runnable=False)

    @rule()
    def run(self):
        self.edit(Runnable=True)
        assert self.machine.runnable == self.machine.available

    @rule(key=st.sampled_from(["t2", "h1", "t3"]))
    def content_goes_and_appears(self, key):
        """Content that is named by others goes only with its bundle; its objects cannot be used until it is back."""
        kind = KINDS["tasks"]
        if self.catalog.get(kind, key):
            del self.catalog[kind, key]
        else:
            self.catalog.put(kind(name=key, prerequisites=CONTENT["tasks"][key].get("Prerequisites", [])))
        self.catalog.settle()
        self.machine = settled(self.machine, self.catalog)

    @rule(in_its_context=st.sampled_from([True, True, True, False]), succeeded=st.booleans())
    def post_job(self, in_its_context, succeeded):
        before, current = self.machine, self.jobs.get(self.machine.current_job)
        context = before.context if in_its_context else "elsewhere"
        try:
            decision = next_job(before, JobRequest(context, current, self.catalog, self.now, self.keys))
        except Refused as refused:
            assert refused.error.code == 409
            waits = current and current.state in ("created", "running") and current.current_index == before.current_task
            assert not (before.runnable and before.available) or waits
            return
        self.keep(decision)
        self.check_progress(before, current, decision)
        if decision.action:
            ended = action_ended(self.machine, decision.job, "", self.catalog, now=self.now, succeeded=succeeded)
            self.keep(ended)
            assert (ended.job is None) == (ended.status == 204)

    def keep(self, decision):
        for job in (decision.previous, decision.created):
            if job:
                self.jobs[job.uuid] = job
        self.machine = decision.machine

    def check_progress(self, before, current, decision):
        after = decision.machine
        if decision.status == 204 and decision.created is None and after != before and after.runnable:
            assert after.workflow_complete
        if after.tasks == before.tasks and after.current_task > before.current_task:
            passed = before.tasks[before.current_task + 1 : after.current_task]
            assert all(is_place(entry) for entry in passed)
            begun = before.current_task >= 0 and not is_place(before.tasks[before.current_task])
            assert not begun or current.state == "finished"
        if decision.status == 201:
            assert decision.job.task == after.tasks[after.current_task]
            assert not is_place(decision.job.task)

    @precondition(lambda self: self.jobs)
    @rule(data=st.data(), state=st.sampled_from(STATES), any_job=st.sampled_from([False, False, True]))
    def patch_job(self, data, state, any_job):
        uuid = data.draw(st.sampled_from(sorted(self.jobs))) if any_job else self.machine.current_job
        before = self.jobs[uuid]
        try:
            edit = edited_job(before, before.replaced(state=state), self.machine, self.catalog, self.now)
        except Refused as refused:
            assert refused.error.code == 422
            return
        self.jobs[uuid], self.machine = edit.job, edit.machine
        if state == "failed" != before.state and uuid == self.machine.current_job:
            assert not self.machine.runnable

    @precondition(lambda self: self.machine and self.machine.current_job)
    @rule()
    def wait_for_retry(self):
        job = self.jobs[self.machine.current_job]
        due = retry_due(self.machine, job)
        if due:
            self.now = max(self.now + timedelta(seconds=1), due)
            self.machine, self.jobs[job.uuid] = retried(self.machine, job, self.catalog)

    @invariant()
    def at_most_one_job_has_not_ended(self):
        assert sum(job.state not in ENDED for job in self.jobs.values()) <= 1

    @invariant()
    def the_chain_of_jobs_is_whole(self):
        chain, uuid = [], self.machine.current_job if self.machine else ""
        while uuid and uuid != NO_JOB:
            chain.append(uuid)
            uuid = self.jobs[uuid].previous
        assert sorted(chain) == sorted(self.jobs)

    @invariant()
    def exactly_the_latest_job_is_current(self):
        current = [job.uuid for job in self.jobs.values() if job.current]
        assert current == ([self.machine.current_job] if self.jobs else [])

    @precondition(lambda self: self.machine and self.machine.workflow and not self.machine.task_error_stacks)
    @invariant()
    def stage_and_bootenv_follow_the_list(self):
        machine = self.machine
        done = machine.tasks[: machine.current_task + 1]
        last = {split_entry(entry)[0]: split_entry(entry)[1] for entry in done}
        assert machine.stage == last.get("stage", machine.stage)
        if done and not is_place(done[-1]):
            assert machine.boot_env == last.get("bootenv", machine.boot_env)

    @precondition(lambda self: self.machine)
    @invariant()
    def what_is_computed_is_up_to_date(self):
        assert settled(self.machine, self.catalog) == self.machine
        assert self.machine.workflow_complete == is_complete(self.machine)
        assert self.machine.available or not self.machine.runnable
        assert self.machine.current_task >= -1

    @precondition(lambda self: self.machine and self.machine.workflow_complete and self.machine.workflow)
    @invariant()
    def a_complete_workflow_leaves_nothing_unfinished(self):
        assert self.machine.current_task >= len(self.machine.tasks) or not self.machine.tasks
        current = self.jobs.get(self.machine.current_job)
        assert not self.machine.tasks or current is None or current.state == "finished"


History.TestCase.settings = settings(settings.default, max_examples=300, stateful_step_count=40)
TestHistory = History.TestCase
