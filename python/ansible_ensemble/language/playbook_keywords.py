"""The keywords of Ansible's plays, blocks and tasks."""

from __future__ import annotations

from collections.abc import Mapping

_ANYWHERE = frozenset(
    {"any_errors_fatal", "become", "become_exe", "become_flags", "become_method", "become_user", "check_mode"}
    | {"collections", "connection", "debugger", "diff", "environment", "ignore_errors", "ignore_unreachable"}
    | {"module_defaults", "name", "no_log", "port", "remote_user", "run_once", "tags", "throttle", "timeout", "vars"}
)
_WITHIN = _ANYWHERE | {"delegate_facts", "delegate_to", "when"}
BLOCK_PARTS = ("block", "rescue", "always")
BLOCK = _WITHIN | {*BLOCK_PARTS, "notify"}
TASK = _WITHIN | {
    *("action", "args", "async", "changed_when", "delay", "failed_when", "local_action", "loop", "loop_control"),
    *("notify", "poll", "register", "retries", "until"),
}
HANDLER = TASK | {"listen"}
#: Lists of a play with what runs, and whether they hold tasks.
PLAY_TASKS = ("pre_tasks", "tasks", "post_tasks", "handlers")
PLAY = _ANYWHERE | {
    *("fact_path", "force_handlers", "gather_facts", "gather_subset", "gather_timeout", "hosts"),
    *("max_fail_percentage", "order", "roles", "serial", "strategy", "vars_files", "vars_prompt"),
    *("become_pass", "user", *PLAY_TASKS),
}
#: Task keywords that say how a host is reached, and as whom.
CONNECTION = frozenset(
    {"become", "become_user", "become_method", "become_flags", "connection", "port", "remote_user", "no_log", "vars"}
)
#: What acts where Ansible runs a task, and where it runs a play.
TASK_KEYS = CONNECTION | {"changed_when", "delegate_to", "environment", "failed_when", "until"}
PLAY_KEYS = CONNECTION | {"environment", "gather_facts", "check_mode"}

_IN_TASKS = "write it in a task file, and make that the implementation"
#: Keys of Ansible's or Unfurl's that are not supported -> what to use instead.
ELSEWHERE: Mapping[str, str] = {
    "when": f"a workflow's step has a filter; or {_IN_TASKS}",
    "loop": f"`count` of a node template makes several instances; or {_IN_TASKS}",
    "register": "what it returns is in its outputs, and in `result` of the input resultTemplate",
    "ignore_errors": "write failed_when: false, or the input done: {success: true}",
    "ignore_unreachable": "a node template's metadata may have the priority `optional`",
    "tags": "a job is limited by --instance and --template",
    "notify": "the trigger of a policy runs operations when others have changed something",
    "listen": "the trigger of a policy runs operations when others have changed something",
    "async": "operations already run in parallel; `timeout` limits one",
    "poll": "operations already run in parallel; `timeout` limits one",
    "throttle": "write serial: and a name that these operations share",
    "run_once": "an operation runs once for its instance",
    "args": "the operation's inputs are the arguments",
    "action": "write primary: and the module",
    "name": "write description:",
    "diff": "--diff is an option of the job",
    "collections": "name the module with its collection",
    "module_defaults": "write inputs beside the interface's operations",
    "shell": "write className: Cmd; the shell's path is the input shell",
    "until": _IN_TASKS,
    "delegate_to": "write operation_host:",
    "changed_when": _IN_TASKS,
    "failed_when": _IN_TASKS,
    "gather_facts": "only a role and tasks gather facts",
    "check_mode": "only Ansible has a check mode; a command has the input dryrun",
}

_AS_TASKS = "write the task in a task file, and `tasks:` with the file in place of `module:`"
#: Keywords that a resource does not have -> what to write instead.
IN_RESOURCES: Mapping[str, str] = {
    "when": _AS_TASKS,
    "loop": f"write a resource for each; or {_AS_TASKS}",
    "register": _AS_TASKS,
    "ignore_errors": "write failed_when: false",
    "run_once": "write it beside module:, not in keywords",
    "args": "write args: beside module:",
    "action": "write module:",
    "delegate_to": "write host:",
    "name": "the resource's name is its key",
}
