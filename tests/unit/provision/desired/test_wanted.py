"""What is wanted of an object is checked before anything is asked of a server."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.provision.desired.wanted import Wanted
from ansible_ensemble.provision.objects import Machine, Param, Task, Template

WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (Machine, {"Adress": "192.0.2.1"}, "machines has no field Adress.*Address"),
    (Machine, {"Available": True}, "Available of machines is the server's"),
    (Machine, {"TaskErrorStacks": []}, "TaskErrorStacks of machines is the server's"),
    (Machine, {"Params": ["a"]}, "Params of machines Name:one is to be a map"),
    (Machine, {"Runnable": "perhaps"}, "machines Name:one: .*bool"),
    (Task, {"Templates": [{"Name": "a"}, {"Content": "b"}]}, r"Templates\[1\] has no field Content.*Contents"),
]


@pytest.mark.parametrize(("kind", "fields", "message"), WRONG)
def test_what_nothing_would_come_of_is_refused(kind: Any, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Wanted(kind, "Name:one", fields).made()


def test_a_new_object_has_the_name_that_it_was_looked_for_by() -> None:
    assert Wanted(Machine, "Name:one", {"Pool": "x"}).made() == Machine(name="one", pool="x")
    assert Wanted(Template, "a.sh", {}).made() == Template(id="a.sh")
    assert Wanted(Param, "a/b:c", {}).made() == Param(name="a/b:c")
    assert Wanted(Machine, "Name:one", {"Params": {"a": 1, "b": None}}).made().params == {"a": 1}  # type: ignore[attr-defined]
