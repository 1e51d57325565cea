"""The keywords of Ansible's plays, blocks, tasks and roles [Ansible, "Playbook Keywords"]."""

from __future__ import annotations

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
#: A task's keywords whose values are expressions.
CONDITIONS = ("when", "changed_when", "failed_when", "until")
