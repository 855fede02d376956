"""Keys of runs."""

from __future__ import annotations

from janusopt.bench.task import Run, Task


def test_a_key_is_readable_and_never_changes():
    run = Run(Task("bbob", "f10", 30, 11), "janus", 100, 20_000)
    assert run.key == "bbob/f10/d30/i11/janus/s100/b20000"


def test_runs_that_differ_anywhere_have_different_keys():
    task = Task("bbob", "f10", 30, 11)
    runs = [
        Run(task, "janus", 100, 20_000),
        Run(task, "cma", 100, 20_000),
        Run(task, "janus", 101, 20_000),
        Run(task, "janus", 100, 2_500),
        Run(Task("bbob-noisy", "f10", 30, 11), "janus", 100, 20_000),
        Run(Task("bbob", "f1", 30, 11), "janus", 100, 20_000),
        Run(Task("bbob", "f10", 31, 11), "janus", 100, 20_000),
        Run(Task("bbob", "f10", 30, 12), "janus", 100, 20_000),
    ]
    assert len({run.key for run in runs}) == len(runs)
