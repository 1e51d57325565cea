"""The store on PostgreSQL."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.integration.provision.postgres import Cluster
from tests.unit.provision.store import backups
from tests.unit.provision.store.contract import Case
from tests.unit.provision.store.contract_events import CASES
from tests.unit.provision.store.opened import opener
from tests.unit.provision.store.statemachine import run_state_machine


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_contract(case: Case, postgres: str) -> None:
    asyncio.run(case(opener(postgres)))


@pytest.mark.slow
def test_random_histories_are_as_those_of_a_model(cluster: Cluster) -> None:
    run_state_machine(lambda: opener(cluster.emptied()), examples=10)


@pytest.mark.parametrize("case", backups.CASES, ids=lambda case: case.__name__)
def test_backup(case: backups.Case, cluster: Cluster, tmp_path: Path) -> None:
    case(cluster.database(), cluster.emptied(), tmp_path / "backup.gz")


def test_a_backup_goes_from_one_kind_of_database_to_the_other(cluster: Cluster, tmp_path: Path) -> None:
    backups.goes_around(str(tmp_path / "full.db"), cluster.database(), tmp_path / "there.gz")
    backups.goes_around(cluster.database(), str(tmp_path / "empty.db"), tmp_path / "back.gz")
