"""What is measured: a task, and one run of a method on it, with a key that never changes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """One problem of a suite, of one dimension, in one instance."""

    suite: str
    problem: str
    dimension: int
    instance: int


@dataclass(frozen=True, slots=True)
class Run:
    """A method on a task with a seed, for at most ``budget`` evaluations."""

    task: Task
    method: str
    seed: int
    budget: int

    @property
    def key(self) -> str:
        """Readable and stable, for example ``bbob/f10/d30/i11/janus/s100/b20000``: what is stored is known by it."""
        task = self.task
        return (
            f"{task.suite}/{task.problem}/d{task.dimension}/i{task.instance}/{self.method}/s{self.seed}/b{self.budget}"
        )
