from __future__ import annotations

from typing import Any

import pytest

from ansible_ensemble.core.sensitive import SensitiveList, SensitiveMap, SensitiveStr
from ansible_ensemble.core.texts import well_formed


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        ("\ud800x", "\ufffdx"),
        ("é😀", "é😀"),
        ({"\udcff": ["\udfff", 1, None, True]}, {"\ufffd": ["\ufffd", 1, None, True]}),
        (("a", "\ud800"), ("a", "\ufffd")),
        (SensitiveStr("\ud800"), SensitiveStr("\ufffd")),
        (SensitiveMap(a="\ud800"), SensitiveMap(a="\ufffd")),
        (SensitiveList(["\ud800"]), SensitiveList(["\ufffd"])),
    ],
)
def test_lone_surrogates_are_replaced(value: Any, clean: Any) -> None:
    made = well_formed(value)
    assert made == clean
    assert type(made) is type(clean)
