"""Random histories of a machine: whatever is asked in whatever order, some things always hold."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from ansible_ensemble.provision.objects import KINDS
from ansible_ensemble.provision.objects.codec import from_plain, plain
from ansible_ensemble.provision.objects.job import NO_JOB, STATES
from ansible_ensemble.provision.objects.machine import Machine
from ansible_ensemble.provision.objects.parts import split_entry
from ansible_ensemble.provision.rules.job_edit import action_ended, edited_job
from ansible_ensemble.provision.rules.job_end import ENDED, retried, retry_due
from ansible_ensemble.provision.rules.machine_create import created_machine
from ansible_ensemble.provision.rules.machine_edit import edited_machine
from ansible_ensemble.provision.rules.machine_state import settled
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
    "workflows": {"w12": {"Stages": ["s1", "s2"]}, "w343": {"Stages": ["s3", "s4", "s3"]}, "empty": {"Stages": []}},
}
ENTRIES = st.sampled_from(["t1", "t2", "t3", "stage:s3", "bootenv:env2", "context:c", "context:", "action:power", "h1"])
ENDS = st.sampled_from(["finished", "finished", "finished", "failed", "incomplete"])
WORKFLOWS = st.sampled_from(["", "w12", "w343", "empty"])
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


class History:
    """One machine, its jobs, and the content that both name."""

    def __init__(self, **asked):
        self.catalog, self.keys, self.jobs = shelf(CONTENT), new_keys(), {}
        self.now = NOW
        self.machine = created_machine(Machine(name="m1", **asked), self.catalog, {}, uuid=MACHINE, secret="s")
        assert self.machine.runnable

    def edit(self, force=False, **changes):
        asked = from_plain(Machine, {**plain(self.machine), **changes})
        try:
            self.machine = edited_machine(self.machine, asked, self.catalog, force)
        except Refused as refused:
            assert refused.error.code in (403, 422)
            assert refused.error.messages

    def set_workflow(self, name):
        before = self.machine
        self.edit(Workflow=name)
        if before.workflow != name == self.machine.workflow:
            assert self.machine.current_task == -1

    def set_stage(self, name, force):
        self.edit(force, Stage=name)

    def set_bootenv(self, name, force):
        before = self.machine.boot_env
        self.edit(force, BootEnv=name)
        assert self.machine.boot_env == before or not self.machine.runnable

    def move(self, index):
        self.edit(CurrentTask=index)

    def edit_tasks(self, index, gone, new):
        tasks = self.machine.tasks
        self.edit(Tasks=[*tasks[:index], *new, *tasks[index + gone :]])

    def set_params(self, params):
        self.edit(Params=params)

    def pause(self):
        self.edit(Runnable=False)

    def run(self):
        self.edit(Runnable=True)
        assert self.machine.runnable == self.machine.available

    def content_goes_and_appears(self, key):
        """Content that is named by others goes only with its bundle; its objects cannot be used until it is back."""
        kind = KINDS["tasks"]
        if self.catalog.get(kind, key):
            del self.catalog[kind, key]
        else:
            self.catalog.put(kind(name=key, prerequisites=CONTENT["tasks"][key].get("Prerequisites", [])))
        self.catalog.settle()
        self.machine = settled(self.machine, self.catalog)

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
        if decision.status == 202:
            assert (decision.job, decision.job.current_index) == (current, before.current_task)
        if decision.status == 201:
            assert decision.job.task == after.tasks[after.current_task]
            assert not is_place(decision.job.task)

    def work(self, ends):
        """An agent asks, runs and ends job after job; somebody makes the machine runnable, and lets it begin anew."""
        if self.machine.workflow_complete:
            self.move(-1)
        for end in ends:
            self.wait_for_retry()
            self.run()
            self.post_job(True, end != "failed")
            for state in ("running", end):
                job = self.jobs.get(self.machine.current_job)
                if job and job.state not in ENDED:
                    self.patch(job, state)

    def patch_job(self, age, state):
        """Somebody sets the state of the current job, or of an older one."""
        for uuid in self.chain()[age : age + 1]:
            self.patch(self.jobs[uuid], state)

    def patch(self, before, state):
        try:
            edit = edited_job(before, before.replaced(state=state), self.machine, self.catalog, self.now)
        except Refused as refused:
            assert refused.error.code == 422
            return
        self.jobs[before.uuid], self.machine = edit.job, edit.machine
        if state == "failed" != before.state and before.uuid == self.machine.current_job:
            assert not self.machine.runnable

    def wait_for_retry(self):
        job = self.jobs.get(self.machine.current_job)
        due = retry_due(self.machine, job)
        if due:
            self.now = max(self.now + timedelta(seconds=1), due)
            self.machine, self.jobs[job.uuid] = retried(self.machine, job, self.catalog)

    def chain(self):
        """The jobs of the machine, the latest first."""
        chain, uuid = [], self.machine.current_job
        while uuid and uuid != NO_JOB:
            chain.append(uuid)
            uuid = self.jobs[uuid].previous
        return chain

    def check(self):
        self.check_jobs()
        self.check_machine()
        if self.machine.workflow and not self.machine.task_error_stacks:
            self.check_place()

    def check_jobs(self):
        """At most one job has not ended; their chain is whole; exactly the latest is current."""
        assert sum(job.state not in ENDED for job in self.jobs.values()) <= 1
        assert sorted(self.chain()) == sorted(self.jobs)
        current = [job.uuid for job in self.jobs.values() if job.current]
        assert current == ([self.machine.current_job] if self.jobs else [])

    def check_machine(self):
        """What is computed is up to date; what is complete is finished."""
        machine, current = self.machine, self.jobs.get(self.machine.current_job)
        assert settled(machine, self.catalog) == machine
        assert machine.available or not machine.runnable
        assert machine.current_task >= -1
        assert machine.workflow_complete == (machine.current_task >= len(machine.tasks) or not machine.tasks)
        if machine.workflow_complete and not all(map(is_place, machine.tasks)):  # places that hold already need no job
            assert current is None or current.state == "finished"

    def check_place(self):
        """Stage and bootenv of a workflow are those of the place in the list."""
        done = self.machine.tasks[: self.machine.current_task + 1]
        last = {split_entry(entry)[0]: split_entry(entry)[1] for entry in done}
        assert self.machine.stage == last.get("stage", self.machine.stage)
        if done and not is_place(done[-1]):
            assert self.machine.boot_env == last.get("bootenv", self.machine.boot_env)


WORK = {"ends": st.lists(ENDS, min_size=1, max_size=8)}
STEPS = [
    (History.work, WORK),
    (History.work, WORK),
    (History.work, WORK),
    (History.set_workflow, {"name": WORKFLOWS}),
    (History.set_stage, {"name": STAGES, "force": st.booleans()}),
    (History.set_bootenv, {"name": st.sampled_from(["env1", "env2"]), "force": st.booleans()}),
    (History.move, {"index": st.integers(-2, 12)}),
    (
        History.edit_tasks,
        {"index": st.integers(0, 12), "gone": st.integers(0, 3), "new": st.lists(ENTRIES, max_size=3)},
    ),
    (History.set_params, {"params": PARAMS}),
    (History.pause, {}),
    (History.run, {}),
    (History.content_goes_and_appears, {"key": st.sampled_from(["t2", "h1", "t3"])}),
    (History.post_job, {"in_its_context": st.booleans(), "succeeded": st.booleans()}),
    (History.patch_job, {"age": st.integers(0, 3), "state": st.sampled_from(STATES)}),
    (History.wait_for_retry, {}),
]
STEP = st.one_of(*(st.tuples(st.just(step), st.fixed_dictionaries(arguments)) for step, arguments in STEPS))


@given(
    asked=st.fixed_dictionaries(
        {"workflow": WORKFLOWS, "stage": STAGES, "tasks": st.lists(ENTRIES, max_size=4), "params": PARAMS}
    ),
    steps=st.lists(STEP, min_size=25, max_size=40),
)
def test_what_always_holds(asked, steps):
    history = History(**asked)
    for step, arguments in steps:
        step(history, **arguments)
        history.check()
