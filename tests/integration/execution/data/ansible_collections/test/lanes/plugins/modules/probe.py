#!/usr/bin/python
"""A module that behaves in many ways."""

from __future__ import annotations

import atexit
import os
import sys
import time
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ..module_utils.helper import greeting


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "do": {"default": "greet"},
            "name": {"default": "world"},
            "number": {"type": "int"},
            "password": {"no_log": True},
            "kind": {"choices": ["a", "b"]},
            "old": {"removed_in_version": "9.0.0", "removed_from_collection": "test.lanes"},
        },
        supports_check_mode=True,
        required_together=[("kind", "number")],
    )
    do, name = module.params["do"], module.params["name"]
    result = {"changed": False, "greeting": greeting(name)}
    if do == "crash":
        raise ValueError("broken on purpose")
    if do == "exit":
        sys.exit(3)
    if do == "silent":
        os._exit(0)
    if do == "noise":
        print("some noise before")
    if do == "stderr":
        print("some noise", file=sys.stderr)
    if do == "warn":
        module.warn("take care")
        module.deprecate("this ends", version="9.0.0", collection_name="test.lanes")
    if do == "change":
        result.update(changed=True, diff={"before": "a\n", "after": "b\n"}, check=module.check_mode)
    if do == "secret":
        result.update(echo=f"it is {module.params['password']}")
    if do == "facts":
        result.update(ansible_facts={"lane_fact": [1, {"a": None}]})
    if do == "process":
        mask = os.umask(0)
        result.update(
            folder=str(Path.cwd()),
            variable=os.environ.get("LANE_VARIABLE"),
            home=os.environ.get("HOME"),
            mask=mask,
            stdin=sys.stdin.read(),
            argv=len(sys.argv),
            main=sys.modules["__main__"].__name__,
        )
    if do == "tmpdir":
        result.update(exists=Path(module.tmpdir).is_dir())
    if do == "atexit":
        atexit.register(lambda: Path(name).write_text("done\n"))
    if do == "fail":
        module.fail_json(msg="failed on purpose", rc=7, stdout="out\nput", stderr="err", data={"a": [1]})
    if do == "results":
        result.update(results=[{"a": 1}])
        result.update(results="text")
    if do == "text":
        result.update(
            stdout="a\nb", stderr="", msg="grün 日本 \u2028", raw=b"\xff\xfe".decode("utf-8", "surrogateescape")
        )
    if do == "big":
        result.update(text="x" * 3_000_000)
    if do == "run":
        code, out, err = module.run_command(["sh", "-c", "echo out; echo err >&2; exit 4"])
        result.update(rc=0, code=code, stdout=out, stderr=err)
    if do == "internal":
        result.update(_ansible_secret=1, ansible_python_interpreter="x")
    if do == "append":
        with Path(name).open("a") as file:
            file.write("ran\n")
    if do == "sleep":
        time.sleep(60)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
