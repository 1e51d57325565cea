from __future__ import annotations

import pytest

from ansible_ensemble.core.errors import InvalidInput
from ansible_ensemble.jobs.read import locate


@pytest.mark.parametrize("path", ["~no-such-user-here/x", "x" * 300, "a\0b"])
def test_a_path_that_can_be_none_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput, match="there is no file"):
        locate(path)
