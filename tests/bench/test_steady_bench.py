"""The simulated clock of the asynchronous bench."""

from __future__ import annotations

import numpy as np

from janusopt.bench import steady


def test_a_generation_takes_what_its_workers_take():
    clock = steady.Clock(lambda x: float(x @ x), 1)
    evals = clock.generation(np.arange(32.0)[:, None])
    np.testing.assert_array_equal(evals.f, np.arange(32.0) ** 2)
    times = 10.0 ** np.random.default_rng(1).random(32)
    assert max(times.max(), times.sum() / steady.WORKERS) <= clock.now < times.sum() / steady.WORKERS + times.max()


def test_a_run_repeats_and_asynchronous_ones_save_time():
    late, again, whole = (
        steady.run("sphere", "cma", None, 1, asynchronous=asynchronous) for asynchronous in (True, True, False)
    )
    assert (late.evaluations, late.time) == (again.evaluations, again.time)
    assert late.reached
    assert whole.reached
    assert late.time < whole.time
