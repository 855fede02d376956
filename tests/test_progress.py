"""What a person sees while it runs."""

from __future__ import annotations

import io

import pytest

from janusopt import progress
from janusopt.console import Bar
from janusopt.progress import Lines, Pace, duration


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "0 s"), (59, "59 s"), (61, "1 min"), (3599, "1 h 0 min"), (12_000, "3 h 20 min"), (187_200, "2 d 4 h")],
)
def test_a_duration_reads_as_people_say_it(seconds, words):
    assert duration(seconds) == words


def test_the_time_left_does_not_count_what_an_earlier_process_did(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    pace = Pace(total=100, done=90)
    assert pace.left(90) == ""
    now[0] = 110.0
    assert pace.left(95) == "10 s left"
    assert pace.left(100) == ""


def test_plain_lines_come_every_ten_seconds_and_once_at_the_end(monkeypatch):
    now, out = [0.0], io.StringIO()
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    lines = Lines(30, out)
    for done in range(1, 31):
        now[0] += 1.0
        lines.update(done, "best 1")
    lines.close()
    assert out.getvalue().split("\n") == ["10/30  best 1", "20/30  best 1", "30/30  best 1", ""]


def test_a_file_gets_plain_lines_and_a_terminal_a_bar(monkeypatch):
    out = io.StringIO()
    assert isinstance(progress.display(3, out), Lines)
    monkeypatch.setattr(out, "isatty", lambda: True, raising=False)
    shown = progress.display(3, out)
    assert isinstance(shown, Bar)
    shown.update(2, "best [red]1")
    shown.say("[stopping]")
    shown.close()
    assert "2/3" in out.getvalue()
    assert "best [red]1" in out.getvalue()
    assert "[stopping]" in out.getvalue()


def test_without_rich_a_terminal_gets_plain_lines(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(out, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(progress, "find_spec", lambda _: None)
    assert isinstance(progress.display(3, out), Lines)
