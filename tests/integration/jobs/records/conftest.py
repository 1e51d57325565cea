from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.jobs.records.canaries import Watch


@pytest.fixture
def watched() -> Iterator[Watch]:
    watch = Watch()
    watch.start()
    yield watch
    watch.done.set()
    watch.join()
