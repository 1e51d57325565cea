from __future__ import annotations

from pathlib import Path

from ansible_ensemble.changes.operations import RecordedOperation, RecordedOperations


def test_records_move_with_their_templates(tmp_path: Path) -> None:
    before = RecordedOperations(tmp_path / "none")
    old = RecordedOperation(
        "A1", {"::app::port": "1", "::db::url": "2", "command": "3", "output::app::S.c::x": "4"}, ("::app::url",)
    )
    before._by_instance = {
        "app": {"Standard.create": old, "Standard.start": old},
        "app_1": {"Standard.create": old},
        "web": {"Standard.start": RecordedOperation("A2")},
        "app_x": {"Standard.create": RecordedOperation("A3", {"::app_1::port": "1", "input::app": "2"})},
    }
    before.rename({"app": "web"})
    assert before.of("app") == before.of("app_1") == {}
    moved = before.of("web")["Standard.create"]
    assert moved.digests == {"::web::port": "1", "::db::url": "2", "command": "3", "output::web::S.c::x": "4"}
    assert moved.wrote == ("::web::url",)
    assert before.of("web")["Standard.start"].change_id == "A2", "what ran since counts"
    assert before.of("web_1")["Standard.create"] == moved
    assert before.of("app_x")["Standard.create"].digests == {"::web_1::port": "1", "input::app": "2"}


def test_nothing_moves(tmp_path: Path) -> None:
    recorded = RecordedOperations(tmp_path / "none")
    recorded._by_instance = {"app": {"Standard.create": RecordedOperation("A1", {"::app::port": "1"})}}
    recorded.rename({})
    assert recorded.of("app")["Standard.create"].digests == {"::app::port": "1"}
