"""Executors of other people: what a timeout means there, and what happens when they break or hang."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import faulty
from janusopt import minimize
from janusopt.errors import EvaluationError, EvaluationTimeout
from janusopt.evaluate import Evaluate

X = np.arange(12.0).reshape(4, 3)


@pytest.fixture
def patience():
    """What a hanging thread waits for: set when the test is over, so that the pool can end."""
    over = threading.Event()
    yield over
    over.set()


def test_on_threads_a_row_that_hangs_fails_and_the_others_go_on(patience):
    def fun(x):
        if x[0] == 3.0:
            patience.wait(60.0)
        return faulty.sphere(x)

    seen = []
    with ThreadPoolExecutor(2) as pool:
        evaluate = Evaluate(fun, executor=pool, timeout=0.2, on_error=lambda x, error: seen.append((x[0], error)))
        evals = evaluate(X)
        assert evals.failed.tolist() == [False, True, False, False]
        assert [(x, type(error)) for x, error in seen] == [(3.0, EvaluationTimeout)]
        assert not evaluate(X[2:]).failed.any()  # on the one thread that is left
        patience.set()


def test_rows_that_only_wait_for_their_turn_are_not_late():
    with ThreadPoolExecutor(1) as pool:
        evals = Evaluate(faulty.asleep, args=(0.1,), executor=pool, timeout=0.3, on_error="skip")(np.ones((8, 2)))
    assert not evals.failed.any()


def test_when_every_thread_hangs_the_run_stops_and_keeps_what_there_is(patience):
    calls = []

    def fun(x):
        calls.append(1)
        if len(calls) > 40:
            patience.wait(60.0)
        return faulty.sphere(x)

    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(EvaluationError, match=r"the executor does not answer: of .* workers=") as caught:
            minimize(fun, [1.0, 1.0], budget=500, rng=1, executor=pool, timeout=0.2, on_error="skip")
        patience.set()
    assert caught.value.result.nfev >= 40
    assert caught.value.result.fun < 2.0
    assert caught.value.result.success is False


def test_a_pool_that_loses_a_process_stops_the_run_and_keeps_what_there_is():
    start = []
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:

        def kill_one(result):
            start.append(result.nfev)
            if len(start) == 5:
                os.kill(next(iter(pool._processes)), 9)

        with pytest.raises(EvaluationError, match=r"lost a worker process and is broken for good.*workers=") as caught:
            minimize(faulty.sphere, [1.0, 1.0], budget=5000, rng=1, executor=pool, on_error="skip", callback=kill_one)
    assert start[4] <= caught.value.result.nfev < 5000
    assert caught.value.result.fun < 2.0


def test_a_broken_pool_is_said_to_be_broken_also_in_the_next_run():
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        for _ in range(2):
            with pytest.raises(EvaluationError, match="broken for good"):
                Evaluate(faulty.die_first, executor=pool, on_error="skip")(X)


def test_failed_rows_are_counted_and_told_of():
    result = minimize(lambda x: np.nan if x[0] > 0.9 else x @ x, [1.0, 1.0], budget=60, rng=1, on_error="skip")
    assert result.janus["failures"] > 0
    assert f"; {result.janus['failures']} evaluations failed" in result.message
    assert "failed" not in minimize(faulty.sphere, [1.0, 1.0], budget=60, rng=1).message
