"""Any pymoo algorithm behind the host protocol: the one file that imports pymoo.

What pymoo does, checked on 0.6.2:

* ``infill`` gives the offspring, ``advance`` takes them back evaluated. Infill replaces the X of individuals that were
  asked for and leaves everything else on them, such as the ``index`` of the parent that a DE offspring competes with.
* Default operators are shared between instances and keep state: an algorithm is copied before it is set up.
* MOEA/D gives one ``Individual`` at a time, not a population.
* Local searches (its CMA-ES among them), line searches and Optuna's samplers remember what they asked for and read
  values only: their rows cannot be replaced.
* AGE-MOEA2 divides by zero on a front of one point: the host then stops, and what was found is kept.
* All randomness is the algorithm's own ``random_state``.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from math import comb
from typing import Any

import numpy as np

from janusopt.core.arrays import Mask, Rows, Vec, frozen
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.errors import HostError, InputError, MissingExtraError

try:
    from pymoo.algorithms.base.local import LocalSearch
    from pymoo.core.algorithm import Algorithm
    from pymoo.core.individual import Individual
    from pymoo.core.population import Population
    from pymoo.core.problem import Problem
    from pymoo.core.repair import NoRepair
    from pymoo.core.termination import NoTermination
    from pymoo.termination.max_eval import MaximumFunctionCallTermination
    from pymoo.util.ref_dirs import get_reference_directions
except ImportError as error:
    raise MissingExtraError("pymoo", "pymoo", "running pymoo's algorithms") from error

__all__ = ["Algorithm", "PymooHost", "make_algorithm", "objectives_of"]

_FLOOR = 1e-12  # of the box side: the least spread a frame reports
_EVALUATED = ("F", "G", "H")
_NAMED = {  # module, class, whether it lays out reference directions
    "sms-emoa": ("moo.sms", "SMSEMOA", False),
    "age-moea2": ("moo.age2", "AGEMOEA2", False),
    "nsga2": ("moo.nsga2", "NSGA2", False),
    "nsga3": ("moo.nsga3", "NSGA3", True),
    "moead": ("moo.moead", "MOEAD", True),
    "rvea": ("moo.rvea", "RVEA", True),
    "spea2": ("moo.spea2", "SPEA2", False),
    "de": ("soo.nonconvex.de", "DE", False),
    "ga": ("soo.nonconvex.ga", "GA", False),
    "pso": ("soo.nonconvex.pso", "PSO", False),
}
_DEAF_NAMES = frozenset({"Optuna", "BracketSearch", "LineSearch", "WolfeSearch", "ExponentialSearch"})


class PymooHost:
    """A pymoo algorithm as a :class:`~janusopt.hosts.base.Host`.

    lower, upper (d,) finite; ``objectives`` and ``constraints`` (≤ 0 where satisfied) their numbers. The algorithm is
    copied. Its own termination is replaced: the loop has the budget; give it as ``budget`` to algorithms that schedule
    by it (RVEA). With ``seed`` and no infill the run is bit for bit that of pymoo's ``minimize`` with this seed.
    """

    def __init__(
        self,
        algorithm: Any,
        lower: Vec,
        upper: Vec,
        *,
        objectives: int = 1,
        constraints: int = 0,
        seed: int | None = None,
        budget: int | None = None,
    ) -> None:
        require_replaceable(algorithm)
        if not (np.all(np.isfinite(lower)) and np.all(np.isfinite(upper))):
            raise InputError("pymoo's algorithms sample inside a box: every variable needs finite bounds")
        self._recipe = (copy.deepcopy(algorithm), objectives, constraints, seed, budget)
        self._lower, self._upper = frozen(lower), frozen(upper)
        self._problem = Problem(
            n_var=len(lower), n_obj=objectives, n_ieq_constr=constraints, xl=np.array(lower), xu=np.array(upper)
        )
        ends = NoTermination() if budget is None else MaximumFunctionCallTermination(budget)
        self.algorithm = copy.deepcopy(algorithm).setup(self._problem, termination=ends, seed=seed)
        self._asked: list[Any] | None = None
        self._out: list[Any] | None = None
        self._offspring: Any = None
        self._worst: Vec = np.full(objectives + constraints, -np.inf)
        self._any_failed = False
        self._broken = ""

    @property
    def rows(self) -> int:
        """How many rows the next generation has (the offspring are drawn now if they were not yet)."""
        return len(self._draw())

    @property
    def slots(self) -> int:
        """All rows, but none of the initial population."""
        return self.rows if self.algorithm.is_initialized else 0

    def frame(self) -> Frame:
        """Centre and per-axis spread of the population; of the box while there is none."""
        return population_frame(self.algorithm.pop, self._lower, self._upper)

    def ask(self, infill: Rows) -> Rows:
        """The offspring, ``infill`` in place of the first ones; no rows when mating found nothing new."""
        asked = self._draw()
        if len(infill) > self.slots:
            raise HostError(f"expected at most {self.slots} infill rows, got {len(infill)}")
        replace_rows(asked, np.clip(infill, self._lower, self._upper))
        self._out = asked
        return rows_of(asked) if asked else np.empty((0, len(self._lower)))

    def tell(self, X: Rows, evals: Evaluations) -> None:
        """Put the values on the individuals and let the algorithm survive them."""
        asked = self._out
        if asked is None or len(X) != len(asked):
            raise HostError(f"expected the {len(asked or [])} rows that ask returned, got {len(X)}")
        values = self._values(evals)
        m = self._problem.n_obj
        for individual, row, failed in zip(asked, values, evals.failed, strict=True):
            individual.F, individual.G = row[:m], row[m:]
            individual.evaluated.update(_EVALUATED)
            if failed:
                individual.data["failed"] = True
        self.algorithm.evaluator.n_eval += len(asked)
        offspring, self._asked, self._out, self._offspring = self._offspring, None, None, None
        self._sink_failed()
        try:
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # values up to 1e300: norms overflow
                self.algorithm.advance(infills=offspring)
        except ArithmeticError as error:
            self._broken = f"pymoo's {type(self.algorithm).__name__} could not rank a generation: {error}"

    def stop(self) -> dict[str, object]:
        """The algorithm's termination, a survival that broke, or a mating that found nothing new."""
        if self._broken:
            return {"survival": self._broken}
        if self.algorithm.termination.has_terminated():
            return {"termination": "the algorithm has terminated"}
        if not self._draw():
            return {"mating": "no offspring differs from the population"}
        return {}

    def restarted(self, factor: float) -> PymooHost | None:
        """The same algorithm with a larger population; None where reference directions fix its size."""
        recipe, objectives, constraints, seed, budget = self._recipe
        size = getattr(recipe, "pop_size", None)
        if self._broken or size is None or getattr(recipe, "ref_dirs", None) is not None:
            return None
        fresh = copy.deepcopy(recipe)
        fresh.pop_size = max(round(factor * size), 2)
        if getattr(recipe, "n_offsprings", None) is not None:
            fresh.n_offsprings = max(round(factor * recipe.n_offsprings), 1)
        stream = np.random.SeedSequence(seed).spawn(1)[0]
        return PymooHost(
            fresh,
            self._lower,
            self._upper,
            objectives=objectives,
            constraints=constraints,
            seed=int(stream.generate_state(1)[0]),
            budget=budget,
        )

    def _draw(self) -> list[Any]:
        if self._asked is None:
            self._offspring = self.algorithm.infill()
            self._asked = individuals_of(self._offspring)
        return self._asked

    def _values(self, evals: Evaluations) -> Rows:
        """(n, objectives + constraints); failed rows strictly worse, in every column, than all that was ever seen."""
        F = evals.f[:, None] if evals.objectives is None else evals.objectives
        if self._problem.n_ieq_constr:
            G = evals.constraints if evals.constraints is not None else _column(evals.violation, len(F))
            F = np.hstack([F, G])
        if F.shape[1] != len(self._worst):
            raise HostError(f"expected {len(self._worst)} objectives and constraints a row, got {F.shape[1]}")
        good = F[~evals.failed]
        if len(good):
            self._worst = np.maximum(self._worst, good.max(axis=0))
        self._any_failed |= bool(evals.failed.any())
        return np.where(evals.failed[:, None], self._ceiling(), F)

    def _ceiling(self) -> Vec:
        m = self._problem.n_obj
        worst = np.where(np.isfinite(self._worst), self._worst, 0.0)
        return np.concatenate([np.nextafter(worst[:m], np.inf), np.maximum(worst[m:], 0.0) * 2.0 + 1.0])

    def _sink_failed(self) -> None:
        """Failed rows that survived (a generation may fail as a whole) stay worse than all seen since."""
        if not self._any_failed or self.algorithm.pop is None:
            return
        ceiling, m = self._ceiling(), self._problem.n_obj
        for individual in self.algorithm.pop:
            if individual.data.get("failed"):
                individual.F, individual.G, individual.CV = ceiling[:m], ceiling[m:], None


def require_replaceable(algorithm: Any) -> None:
    """An error unless this is a pymoo algorithm whose offspring may be replaced."""
    if not isinstance(algorithm, Algorithm):
        raise InputError(f"expected a pymoo algorithm such as SMSEMOA(pop_size=100), got {type(algorithm).__name__}")
    deaf = any(kind.__name__ in _DEAF_NAMES for kind in type(algorithm).__mro__)
    if deaf or isinstance(algorithm, LocalSearch):
        raise InputError(
            f"pymoo's {type(algorithm).__name__} reads only the values of the rows it asked for, so none can be "
            "replaced; for CMA-ES use janusopt.minimize(host='cma') or janusopt.CMAEvolutionStrategy"
        )


def make_algorithm(spec: Any, objectives: int | None, popsize: Any, options: Mapping[str, Any]) -> Any:
    """The pymoo algorithm that ``spec`` names, or ``spec`` itself."""
    if not isinstance(spec, str):
        require_replaceable(spec)
        if popsize is not None or options:
            raise InputError("popsize and host_options are for named hosts: set them on the algorithm itself")
        return spec
    if spec not in _NAMED:
        raise InputError(f"host must be one of {', '.join(sorted(_NAMED))}, or a pymoo algorithm, got {spec!r}")
    module, name, directed = _NAMED[spec]
    if spec == "age-moea2" and find_spec("numba") is None:
        raise MissingExtraError("numba", "pymoo", "pymoo's AGE-MOEA2")
    size = 100 if popsize is None else popsize
    if not isinstance(size, (int, np.integer)) or size < 4:
        raise InputError(f"popsize must be a whole number of at least 4, got {popsize!r}")
    kind = getattr(import_module(f"pymoo.algorithms.{module}"), name)
    if not directed:
        return kind(pop_size=int(size), **options)
    if objectives is None or objectives < 2:
        raise InputError(
            f"host {spec!r} lays out reference directions: pass n_obj, the number of objectives (at least 2)"
        )
    return kind(ref_dirs=_directions(objectives, int(size)), **options)


def objectives_of(algorithm: Any) -> int | None:
    """How many objectives the algorithm's reference directions are made for; None when it has none."""
    directions = getattr(algorithm, "ref_dirs", None)
    return None if directions is None else int(np.shape(directions)[1])


def _directions(m: int, most: int) -> Rows:
    """Das and Dennis' directions, as many as fit into ``most`` rows (at least the m corners)."""
    partitions = 1
    while comb(m + partitions, m - 1) <= most:
        partitions += 1
    return np.asarray(get_reference_directions("das-dennis", m, n_partitions=partitions))


def individuals_of(offspring: Any) -> list[Any]:
    """A population, a single individual (MOEA/D) or None (no mating) as a list."""
    if offspring is None:
        return []
    return [offspring] if isinstance(offspring, Individual) else list(offspring)


def rows_of(individuals: Sequence[Any]) -> Rows:
    """X (n, d) of the individuals."""
    return np.array([individual.X for individual in individuals], dtype=float)


def unreplaceable(individuals: Sequence[Any]) -> str:
    """Why the variables of these individuals must be left alone; empty when they need not."""
    if any(getattr(individual.X, "dtype", None) != np.float64 for individual in individuals):
        return "variables are not all real"
    if any(individual.evaluated for individual in individuals):
        return "offspring have values already"
    return ""


def replace_rows(individuals: Sequence[Any], X: Rows) -> None:
    """Give the first len(X) individuals new variables, and nothing else."""
    for individual, x in zip(individuals, X, strict=False):
        individual.X = np.array(x)


def repaired(algorithm: Any, X: Rows, rng: np.random.Generator) -> Rows:
    """X (k, d) after the algorithm's own repair operator, which its offspring went through too."""
    repair = getattr(algorithm, "repair", None)
    if repair is None or isinstance(repair, NoRepair) or len(X) == 0:
        return X
    return np.asarray(repair(algorithm.problem, Population.new(X=X), random_state=rng).get("X"), dtype=float)


def population_frame(pop: Any, lower: Vec, upper: Vec) -> Frame:
    """Per-axis spread of the population about its centre, inside the box; of the box itself when there is none."""
    bounded = np.isfinite(lower) & np.isfinite(upper)
    width = np.subtract(upper, lower, out=np.ones(len(lower)), where=bounded)
    if pop is None or len(pop) == 0:
        centre = np.where(bounded, lower + 0.5 * width, 0.0)
        return Frame(frozen(centre), 1.0, frozen(width / np.sqrt(12.0)), lower, upper)
    X = rows_of(pop)
    centre = np.clip(X.mean(axis=0), lower, upper)
    spread = np.maximum(X.std(axis=0), _FLOOR * np.where(bounded, width, 1.0 + np.abs(centre)))
    return Frame(frozen(centre), 1.0, frozen(spread), lower, upper)


def evaluations_of(individuals: Sequence[Any]) -> Evaluations:
    """What pymoo evaluated, as :class:`Evaluations`; a row with a value that is not finite counts as failed.

    With one objective, rows that violate a constraint count as failed as well: the scalar fit has no place for them.
    """
    F = np.array([individual.F for individual in individuals], dtype=float)
    if len(individuals[0].G) == len(individuals[0].H) == 0:
        failed = ~np.isfinite(F).all(axis=1)
        f = np.where(failed, np.nan, F[:, 0]) if F.shape[1] == 1 else np.full(len(F), np.nan)
        return Evaluations(f, failed, objectives=None if F.shape[1] == 1 else F)
    violation: Vec = np.array([float(individual.CV[0]) for individual in individuals])
    feasible: Mask = np.array([bool(individual.FEAS[0]) for individual in individuals])
    violation = np.where(feasible, 0.0, violation)
    failed = ~np.isfinite(F).all(axis=1) | ~np.isfinite(violation)
    if F.shape[1] == 1:
        failed |= ~feasible
        return Evaluations(np.where(failed, np.nan, F[:, 0]), failed, violation=violation)
    return Evaluations(np.full(len(F), np.nan), failed, objectives=F, violation=violation)


def _column(violation: Vec | None, n: int) -> Rows:
    return np.zeros((n, 1)) if violation is None else violation[:, None]
