"""A configurator that notes what it does, and reports an instance."""

from pathlib import Path

from ansible_ensemble.configurators.api import Configurator, Task


class Made(Configurator):
    def run(self, task: Task):
        note(task)
        if task.operation == "Standard.create":
            task.update_instances({"name": "s1", "template": "store", "readyState": "ok"})
            return task.done(modified=True, attributes={"url": f"http://{task.name}"})
        done = yield task.create_sub_task("Tool.twice", inputs={"n": task.inputs["size"]})
        return task.done(done.success)


def note(task: Task) -> bool:
    with Path("log").open("a") as log:
        log.write(f"{task.operation} {task.name}\n")
    return True
