"""The Optuna sampler: Optuna's own sampler tests, and what they do not ask."""

from __future__ import annotations

import logging
import pickle
import subprocess
import sys

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.samplers import RandomSampler
from optuna.storages import JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from optuna.testing.pytest_samplers import BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase
from optuna.trial import TrialState

from janusopt.errors import InputError
from janusopt.optuna import JanusSampler

NAMES = [f"x{i}" for i in range(5)]


@pytest.fixture(autouse=True)
def _quiet():
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    yield
    optuna.logging.set_verbosity(before)


class TestJanusSampler(BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self):
        return JanusSampler


def _point(trial):
    return np.array([trial.suggest_float(name, -5.0, 5.0) for name in NAMES])


def _bowl(trial):
    return float(np.sum(10.0 ** np.arange(5) * (_point(trial) - 1.3) ** 2))


def _study(objective=_bowl, n_trials=120, *, n_jobs=1, direction="minimize", catch=(), storage=None, **given):
    sampler = JanusSampler(**({"seed": 3} | given))
    study = optuna.create_study(sampler=sampler, direction=direction, storage=storage)
    study.optimize(objective, n_trials=n_trials, n_jobs=n_jobs, catch=catch)
    return study


def _rows(study):
    return [tuple(trial.params[name] for name in NAMES) for trial in study.trials]


def test_a_smooth_bowl_is_solved_far_below_the_bare_host():
    assert _study(n_trials=400).best_value < 1e-6 * _study(n_trials=400, infill=None).best_value


def test_the_same_seed_gives_the_same_trials():
    assert _rows(_study()) == _rows(_study())
    assert _rows(_study(n_trials=20)) != _rows(_study(n_trials=20, seed=4))


def test_maximizing_the_negative_gives_the_same_trials():
    up = _study(lambda trial: -_bowl(trial), direction="maximize", independent_sampler=RandomSampler(seed=1))
    assert _rows(up) == _rows(_study(independent_sampler=RandomSampler(seed=1)))


@pytest.mark.parametrize("kind", ["memory", "sqlite", "journal"])
def test_a_new_sampler_goes_on_where_the_last_one_stopped(kind, tmp_path):
    storage = {
        "memory": lambda: None,
        "sqlite": lambda: RDBStorage(f"sqlite:///{tmp_path / 'study.db'}"),
        "journal": lambda: JournalStorage(JournalFileBackend(str(tmp_path / "study.log"))),
    }[kind]()
    first, second = (23, 12) if kind == "sqlite" else (63, 40)
    study = _study(n_trials=first, storage=storage)
    study.sampler = JanusSampler(seed=77)  # the seed of the run is the study's
    study.optimize(_bowl, n_trials=second)
    assert _rows(study) == _rows(_study(n_trials=first + second))
    if kind == "sqlite":
        storage.remove_session()
        storage.engine.dispose()


def test_a_pickled_sampler_goes_on_too():
    study = _study(n_trials=43)
    study.sampler = pickle.loads(pickle.dumps(study.sampler))
    study.optimize(_bowl, n_trials=40)
    assert _rows(study) == _rows(_study(n_trials=83))


def test_threads_solve_it_too_and_no_row_is_handed_out_twice():
    study = _study(n_trials=400, n_jobs=4)
    assert study.best_value < 1e-3
    assert len(set(_rows(study))) == 400


_WORKER = """
import sys, optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from janusopt.optuna import JanusSampler
study = optuna.load_study(
    study_name="s", storage=JournalStorage(JournalFileBackend(sys.argv[1])), sampler=JanusSampler(seed=int(sys.argv[2]))
)
names = [f"x{i}" for i in range(5)]
study.optimize(
    lambda t: sum(10.0**i * (t.suggest_float(name, -5.0, 5.0) - 1.3) ** 2 for i, name in enumerate(names)), n_trials=60
)
"""


def test_two_processes_share_one_run(tmp_path):
    path = str(tmp_path / "study.log")
    optuna.create_study(study_name="s", storage=JournalStorage(JournalFileBackend(path)))
    command = [sys.executable, "-W", "error", "-c", _WORKER, path]
    workers = [subprocess.Popen([*command, str(seed)], stderr=subprocess.PIPE, text=True) for seed in (1, 2)]
    for worker in workers:
        _, errors = worker.communicate(timeout=100)
        assert worker.returncode == 0, errors
    study = optuna.load_study(study_name="s", storage=JournalStorage(JournalFileBackend(path)))
    assert len(study.trials) == 120
    assert study.best_value < 1e-3 * study.trials[0].value


def test_a_trial_that_never_ends_does_not_hold_up_the_others():
    study = _study(n_trials=3)
    for _ in range(4):
        stuck = study.ask()
        _point(stuck)
    study.optimize(_bowl, n_trials=400)
    assert study.best_value < 1e-6


def test_failed_and_pruned_and_infinite_trials_are_survived():
    def objective(trial):
        value = _bowl(trial)
        if trial.number % 4 == 1:
            raise RuntimeError("crashed")
        if trial.number % 7 == 2:
            raise optuna.TrialPruned
        return float("inf") if trial.number % 9 == 3 else value

    study = _study(objective, n_trials=500, seed=0, catch=(RuntimeError,))
    states = {trial.state for trial in study.trials}
    assert states == {TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED}
    assert study.best_value < 10.0


def test_a_study_in_which_everything_fails_goes_on():
    def objective(trial):
        _point(trial)
        if trial.number:
            raise RuntimeError("crashed")
        return 1.0

    assert len(_study(objective, n_trials=60, catch=(RuntimeError,)).trials) == 60


def test_constraints_are_kept():
    def objective(trial):
        x = _point(trial)
        trial.set_constraint("sum", 4.0 - float(x.sum()))
        return float(np.sum(x**2))

    study = _study(objective, n_trials=500)
    assert study.best_trial.constraints["sum"] <= 0.0
    assert study.best_value == pytest.approx(3.2, rel=0.05)


def test_integers_steps_and_log_scales_are_found():
    def objective(trial):
        n = trial.suggest_int("n", -20, 20)
        step = trial.suggest_float("step", -3.0, 3.0, step=0.25)
        rate = trial.suggest_float("rate", 1e-6, 1.0, log=True)
        size = trial.suggest_int("size", 1, 1000, log=True)
        return (n - 7) ** 2 + (step - 1.5) ** 2 + np.log(rate / 1e-3) ** 2 + np.log(size / 32) ** 2

    study = _study(objective, n_trials=300)
    best = study.best_params
    assert (best["n"], best["step"]) == (7, 1.5)
    assert best["rate"] == pytest.approx(1e-3, rel=0.1)
    assert best["size"] == pytest.approx(32, abs=3)


def test_a_categorical_parameter_goes_to_the_independent_sampler_with_one_note():
    def objective(trial):
        return _bowl(trial) + {"a": 1.0, "b": 0.0}[trial.suggest_categorical("kind", ["a", "b"])]

    notes = []
    handler = logging.Handler()
    handler.emit = lambda record: notes.append(record.getMessage())
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    logging.getLogger("optuna.janusopt").addHandler(handler)
    study = _study(objective, n_trials=200)
    logging.getLogger("optuna.janusopt").removeHandler(handler)
    assert len(notes) == 1
    assert "'kind'" in notes[0]
    assert study.best_params["kind"] == "b"
    assert study.best_value < 1.0


def test_a_space_that_shrinks_is_searched_anew():
    def objective(trial):
        return _bowl(trial) + (trial.suggest_float("w", 0.0, 1.0) if trial.number < 50 else 0.0)

    assert _study(objective, n_trials=500, warn_independent_sampling=False).best_value < 1e-6


def test_it_starts_at_the_best_of_enough_earlier_trials():
    study = optuna.create_study(sampler=RandomSampler(seed=1))
    study.optimize(_bowl, n_trials=60)
    best = np.array([study.best_params[name] for name in NAMES])
    study.sampler = JanusSampler(seed=1, sigma0=1e-3)
    study.optimize(_bowl, n_trials=8)
    assert np.abs(np.array(_rows(study)[-8:]) - best).max() < 0.1


def test_it_starts_at_an_enqueued_trial():
    study = optuna.create_study(sampler=JanusSampler(seed=1, sigma0=1e-3))
    study.enqueue_trial(dict.fromkeys(NAMES, 2.0))
    study.optimize(_bowl, n_trials=8)
    assert np.abs(np.array(_rows(study)) - 2.0).max() < 0.1


def test_a_trial_enqueued_later_is_told_where_it_was():
    study = _study(n_trials=30, infill=None)
    before = study.best_value
    study.enqueue_trial(dict.fromkeys(NAMES, 1.3))
    study.optimize(_bowl, n_trials=200)
    assert study.best_value == 0.0 < before
    assert np.median([trial.value for trial in study.trials[-20:]]) < before


@pytest.mark.parametrize(
    "given",
    [{"host": "de"}, {"infill": 3}, {"infill": "nonsense"}, {"sigma0": 0.0}, {"seed": -1}, {"x0": {"x0": 1.0}}],
    ids=str,
)
def test_bad_input_is_refused(given):
    with pytest.raises(InputError):
        _study(n_trials=3, **given)


def test_x0_is_where_it_starts():
    rows = np.array(_rows(_study(n_trials=8, x0=dict.fromkeys(NAMES, -2.0), sigma0=1e-3))[1:])
    assert np.abs(rows + 2.0).max() < 0.1


def test_several_objectives_are_refused_with_a_way_out():
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=JanusSampler())
    with pytest.raises(InputError, match="minimize_multi"):
        study.ask({"x": FloatDistribution(0.0, 1.0)})


def test_without_optuna_the_error_says_what_to_install():
    code = (
        "import sys; sys.modules['optuna'] = None\n"
        "try:\n    import janusopt; janusopt.optuna\nexcept ImportError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert "janusopt[optuna]" in done.stdout
