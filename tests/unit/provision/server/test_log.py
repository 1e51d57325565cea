"""The log of a running server: its lines."""

from __future__ import annotations

import json
import logging
import sys

import pytest

from ansible_ensemble.provision.server import log


@pytest.fixture
def logger():
    """The logger of the server, with the handlers that it had."""
    known = [logging.getLogger(name) for name in log._LOGGERS]
    before = [(one, list(one.handlers), one.level) for one in known]
    yield known[0]
    for one, handlers, level in before:
        one.handlers, one.level = handlers, level
        one.setLevel(level)


def _fail(logger):
    try:
        raise ValueError("why")
    except ValueError:
        logger.error("it\nfailed", exc_info=sys.exc_info())


def test_the_latest_lines_are_kept_by_part_of_the_server(logger):
    kept = log.begin("info", "text")
    for count in range(1001):
        logger.info("line %s", count)
    logger.getChild("server.plugins").warning("a plugin")
    logger.getChild("server.app").error("a request")
    told = [(line.service, line.level, line.message) for line in kept.lines[-3:]]
    assert told == [
        ("default", "info", "line 1000"),
        ("plugin", "warn", "a plugin"),
        ("frontend", "error", "a request"),
    ]
    assert (len(kept.lines), kept.lines[0].message, kept.lines[0].seq) == (1000, "line 3", 4)


def test_preferences_say_the_levels(logger):
    kept = log.begin("warning", "text")

    def shown(**preferences):
        kept.follow(preferences)
        kept._lines.clear()
        for part in ("store", "server.app", "server.plugins", "server.plugin_process"):
            logger.getChild(part).info(part)
            logger.getChild(part).debug(part)
        return [f"{line.service} {line.level}" for line in kept.lines]

    assert shown() == []
    assert shown(debugPlugins="debug") == ["plugin info", "plugin debug"] * 2
    assert shown(logLevel="info", debugFrontend="error", debugPlugins="warn") == ["default info"]
    assert shown(logLevel="info", debugFrontend="1") == ["default info", "frontend info", "plugin info", "plugin info"]
    assert shown() == []


def test_text_is_one_line_each(logger, capsys):
    log.begin("info", "text")
    logger.debug("nothing")
    _fail(logger)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("Z ERROR it\\nfailed")


def test_json_is_one_object_each(logger, capsys):
    log.begin("info", "json")
    _fail(logger)
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line).items() >= {"level": "error", "message": "it\nfailed", "logger": logger.name}.items()
    assert "traceback" not in json.loads(line)


@pytest.mark.parametrize("form", ["text", "json"])
def test_tracebacks_are_for_who_asks_for_everything(logger, capsys, form):
    log.begin("debug", form)
    _fail(logger)
    assert "ValueError: why" in capsys.readouterr().err


def test_of_a_long_line_the_middle_is_not_kept(logger):
    kept = log.begin("info", "text")
    logger.info("begin %s end", "x" * 1_000_000)
    (line,) = kept.lines
    assert line.message.startswith("begin xxx")
    assert line.message.endswith("xxx end")
    assert len(line.message) < 10_000


def test_a_message_that_cannot_be_made_harms_nobody(capsys):
    kept = log.Log()
    kept.handle(logging.makeLogRecord({"msg": "%d of %d", "args": (1,)}))
    assert kept.lines == []
    assert "not enough arguments" in capsys.readouterr().err
