"""CMA-ES with JANUS infill as an Optuna sampler: the one file that imports Optuna.

What Optuna does, checked on 5.0.0:

* A trial asks for its parameters when it starts and may finish in any order, in any thread or process, or never.
  Generations are therefore formed from trials, and a generation is closed once as many of its trials are finished as it
  has rows; trials that start while all rows are out draw from the same distribution and stand in for late ones.
* The state lives in the trials (:mod:`janusopt.integrations.ledger`) and is restored by replay.
* ``system_attrs`` of a finished trial cannot be written any more, those of a running one can be read by everybody.
* An enqueued trial is asked for its row too, and then evaluated elsewhere: it is told where it really was.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from janusopt.config import JanusConfig
from janusopt.core.arrays import Vec
from janusopt.errors import InputError, MissingExtraError
from janusopt.integrations.generations import Generations, Outcome, Setup
from janusopt.integrations.ledger import Entry, Ledger
from janusopt.space import Space

try:
    import optuna
    from optuna._transform import _SearchSpaceTransform
    from optuna.distributions import BaseDistribution, CategoricalDistribution, distribution_to_json
    from optuna.samplers import BaseSampler, TPESampler
    from optuna.search_space import IntersectionSearchSpace
    from optuna.study import Study, StudyDirection
    from optuna.trial import FrozenTrial, TrialState
except ImportError as error:
    raise MissingExtraError("optuna", "optuna", "JanusSampler") from error

__all__ = ["JanusSampler", "optuna"]

HOSTS = ("cma", "sep-cma", "vkd-cma")
_EARLIER = 300  # trials from before the start that the window is shown
_ENOUGH = 10  # of them, or as many as there are parameters, before they are worth more than the centre
_log = logging.getLogger("optuna.janusopt")


class JanusSampler(BaseSampler):
    """CMA-ES with JANUS infill over the float and int parameters of a study with one objective.

    x0: where to start, by parameter; without it the best of the earlier trials if there are enough of them or if any
    was enqueued, else the centre. sigma0: initial standard deviation as a share of each parameter's range (on its log
    scale where it has one). popsize: trials a generation. host: "cma", "sep-cma" or "vkd-cma"; infill as for
    :func:`janusopt.minimize`. Categorical, conditional and changing parameters, and the first ``n_startup_trials``,
    go to ``independent_sampler`` (TPE by default).

    Failed and pruned trials count as the worst of their generation. A trial with a positive constraint
    (``trial.set_constraint``) ranks behind every feasible one, by its total violation. Processes on one study should
    make their samplers alike; the seed of the one that starts counts.
    """

    def __init__(
        self,
        *,
        x0: Mapping[str, Any] | None = None,
        sigma0: float = 0.2,
        popsize: int | None = None,
        host: str = "cma",
        infill: str | JanusConfig | None = "janus",
        n_startup_trials: int = 1,
        independent_sampler: BaseSampler | None = None,
        warn_independent_sampling: bool = True,
        seed: int | None = None,
    ) -> None:
        if host not in HOSTS:
            raise InputError(f"host must be one of {', '.join(HOSTS)}, got {host!r}")
        if infill is not None and not isinstance(infill, (str, JanusConfig)):
            raise InputError(
                f"infill must be a name, a JanusConfig or None, got {type(infill).__name__}: replay makes it anew"
            )
        if not 0.0 < sigma0 <= 1.0:
            raise InputError(f"sigma0 must be a share of the range, above 0 and at most 1, got {sigma0!r}")
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0):
            raise InputError(f"seed must be a non-negative int or None, got {seed!r}")
        self._start = None if x0 is None else dict(x0)
        self._sigma0, self._setup = float(sigma0), Setup(host, infill, popsize)
        self._startup = n_startup_trials
        self._independent = independent_sampler or TPESampler(seed=None if seed is None else int(seed))
        self._warn, self._warned = warn_independent_sampling, set[str]()
        self._seed = None if seed is None else int(seed)
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[tuple[str, str], _Run] = {}
        self._spaces: dict[str, IntersectionSearchSpace] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_runs", "_spaces")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def reseed_rng(self) -> None:
        """For the independent sampler; the stream of a run belongs to its study, not to a copy of the sampler."""
        self._independent.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """The float and int parameters that all completed trials share."""
        with self._lock:
            seen = self._spaces.setdefault(study.study_name, IntersectionSearchSpace())
            space = seen.calculate(study)
        return {
            name: distribution
            for name, distribution in space.items()
            if not distribution.single() and not isinstance(distribution, CategoricalDistribution)
        }

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The next row of the generation that is out."""
        self._require_one_objective(study)
        if not search_space:
            return {}
        with self._lock:
            name = _signature(search_space)
            run = self._runs.get((study.study_name, name))
            if run is None:
                run = _Run(name, search_space, study.direction, self._setup, self._sigma0, self._start, self._seed)
                self._runs[study.study_name, name] = run
            return run.sample(study, trial, self._startup)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """What does not fit a CMA-ES, with a note once a parameter."""
        self._require_one_objective(study)
        if self._warn and param_name not in self._warned:
            done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
            if len(done) >= max(self._startup, 1):
                self._warned.add(param_name)
                _log.warning(
                    f"JanusSampler leaves the parameter {param_name!r} (first in trial {trial.number}) to "
                    f"{type(self._independent).__name__}: CMA-ES takes float and int parameters that every trial has "
                    "with the same range, not categorical, conditional or changing ones. "
                    "warn_independent_sampling=False hides this note."
                )
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """For the independent sampler."""
        self._independent.before_trial(study, trial)

    def after_trial(self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None) -> None:
        """For the independent sampler."""
        self._independent.after_trial(study, trial, state, values)

    def _require_one_objective(self, study: Study) -> None:
        if len(study.directions) > 1:
            raise InputError(
                f"JanusSampler is for one objective, this study has {len(study.directions)}; "
                "take janusopt.minimize_multi, or one of Optuna's samplers for several"
            )


class _Run:
    """One CMA-ES over one search space of one study: as far as this process has followed it."""

    def __init__(
        self,
        name: str,
        space: dict[str, BaseDistribution],
        direction: StudyDirection,
        setup: Setup,
        sigma0: float,
        start: Mapping[str, Any] | None,
        seed: int | None,
    ) -> None:
        self._space, self._sign = space, -1.0 if direction == StudyDirection.MAXIMIZE else 1.0
        self._box = _SearchSpaceTransform(space, transform_0_1=True)
        self._setup, self._sigma0, self._start, self._seed = setup, sigma0, start, seed
        self._ledger = Ledger(f"janus:{name}:")
        self._generations: Generations | None = None
        self._followed: list[Entry] = []

    def sample(self, study: Study, trial: FrozenTrial, startup: int) -> dict[str, Any]:
        """Follow what others did, close the generation if it is complete, hand out a row."""

        def set_attribute(key: str, value: Any) -> None:
            study._storage.set_trial_system_attr(trial._trial_id, key, value)

        ledger = self._ledger
        trials = study.get_trials(deepcopy=False)
        ledger.read(trials)
        if len(ledger.completed) < startup:
            return {}
        self._follow(trials)
        entry = self._due()
        if entry is not None:
            ledger.write(set_attribute, len(self._followed), entry)
            self._apply(entry, trials)
        if self._generations is None:
            return {}
        generation = self._generations.number
        row = ledger.free_row(generation)
        ledger.seat(set_attribute, generation, row)
        return self._box.untransform(self._generations.row(row))

    def _follow(self, trials: Sequence[FrozenTrial]) -> None:
        entries = self._ledger.entries()
        if entries[: len(self._followed)] != self._followed:
            self._generations, self._followed = None, []
        for entry in entries[len(self._followed) :]:
            self._apply(entry, trials)

    def _due(self) -> Entry | None:
        """What opens the next generation, if it is time."""
        if self._generations is None:
            entropy = int(np.random.default_rng().integers(2**63)) if self._seed is None else self._seed
            return Entry((), tuple(self._ledger.unlisted()[-_EARLIER:]), entropy)
        told = self._ledger.closing(self._generations.number, len(self._generations.X))
        if told is None:
            return None
        also = [number for number in self._ledger.unlisted() if number not in told]
        return Entry(told, tuple(also[-_EARLIER:]), self._followed[0].entropy)

    def _apply(self, entry: Entry, trials: Sequence[FrozenTrial]) -> None:
        also = [self._read(trials[number], None) for number in entry.also]
        window = self._outcome([row for row in also if row is not None and not row[2]])
        generations = self._generations
        if generations is None:
            enough = len(window) >= max(_ENOUGH, len(self._space))
            enqueued = any("fixed_params" in trials[number].system_attrs for number in entry.also)
            space = self._unit_box(window, enough or enqueued)
            self._generations = Generations(space, self._setup, entry.entropy, window if enough else window[:0])
        else:
            rows = []
            for i, x in enumerate(generations.X):
                number = entry.told[i] if i < len(entry.told) else -1
                place = self._ledger.place(generations.number, number)
                row = self._read(trials[number], generations.row(place)) if place >= 0 else None
                rows.append(row or (x, np.nan, True, 0.0))
            generations.tell(self._outcome(rows), window)
        self._followed.append(entry)

    def _unit_box(self, earlier: Outcome, from_best: bool) -> Space:
        d = len(self._box.bounds)
        feasible = np.flatnonzero(earlier.violation <= 0.0)
        if self._start is not None:
            x0 = self._given(self._start)
        elif len(feasible) and from_best:
            x0 = earlier.X[feasible[np.argmin(earlier.f[feasible])]]
        else:
            x0 = np.full(d, 0.5)
        return Space(np.zeros(d), np.ones(d), x0, np.full(d, self._sigma0))

    def _given(self, start: Mapping[str, Any]) -> Vec:
        wrong = [name for name, distribution in self._space.items() if not _holds(distribution, start.get(name))]
        if wrong:
            raise InputError(f"x0 must have a value inside its range for every parameter; look at {', '.join(wrong)}")
        return np.asarray(self._box.transform({name: start[name] for name in self._space}))

    def _read(self, trial: FrozenTrial, asked: Vec | None) -> tuple[Vec, float, bool, float] | None:
        """(x, f, failed, violation) of a trial; None where it has no place in this space."""
        params = {name: trial.params.get(name) for name in self._space}
        if not all(_holds(distribution, params[name]) for name, distribution in self._space.items()):
            return None
        x = asked if asked is not None and self._box.untransform(asked) == params else self._box.transform(params)
        value = trial.value if trial.state == TrialState.COMPLETE else None
        if value is None or not np.isfinite(value):
            return x, np.nan, True, 0.0
        return x, self._sign * value, False, float(sum(max(c, 0.0) for c in trial.constraints.values()))

    def _outcome(self, rows: Sequence[tuple[Vec, float, bool, float]]) -> Outcome:
        X = np.array([row[0] for row in rows]).reshape(len(rows), len(self._box.bounds))
        f, violation = np.array([row[1] for row in rows], float), np.array([row[3] for row in rows], float)
        return Outcome(X, f, np.array([row[2] for row in rows], bool), violation)


def _holds(distribution: Any, value: Any) -> bool:
    """Whether a value lies in its distribution's range."""
    if isinstance(distribution, CategoricalDistribution):
        return value in distribution.choices
    return value is not None and bool(distribution.low <= value <= distribution.high)


def _signature(space: Mapping[str, BaseDistribution]) -> str:
    """A short name for a search space, the same in every process."""
    text = "\n".join(f"{name} {distribution_to_json(space[name])}" for name in sorted(space))
    return hashlib.sha256(text.encode()).hexdigest()[:12]
