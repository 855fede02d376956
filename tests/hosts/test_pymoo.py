"""pymoo's algorithms behind the host protocol, and the drop-in that pymoo itself drives."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

pytest.importorskip("pymoo")

from pymoo.algorithms.moo.age2 import AGEMOEA2
from pymoo.algorithms.moo.moead import MOEAD
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.moo.rvea import RVEA
from pymoo.algorithms.moo.sms import SMSEMOA
from pymoo.algorithms.soo.nonconvex.cmaes import CMAES
from pymoo.algorithms.soo.nonconvex.de import DE
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.algorithms.soo.nonconvex.pso import PSO
from pymoo.core.callback import Callback
from pymoo.core.mixed import MixedVariableGA
from pymoo.core.problem import ElementwiseProblem, Problem
from pymoo.core.repair import Repair
from pymoo.core.variable import Integer, Real
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.operators.repair.rounding import RoundingRepair
from pymoo.operators.sampling.rnd import IntegerRandomSampling
from pymoo.optimize import minimize
from pymoo.problems import get_problem
from pymoo.util.ref_dirs import get_reference_directions

from janusopt.core.evaluations import Evaluations
from janusopt.errors import HostError, InputError
from janusopt.hosts.pymoo import PymooHost, evaluations_of, make_algorithm
from janusopt.infill import Proposals, RandomInfill, StepRecord
from janusopt.infills import PARETO_NAMES
from janusopt.pareto import ParetoJanus
from janusopt.pymoo import Janus
from janusopt.testing import HostConformance

UNPICKLABLE = "pymoo's tournament holds a decorated function, which the standard library cannot pickle"
DIRECTIONS = get_reference_directions("das-dennis", 2, n_partitions=15)

MULTI = {
    "sms-emoa": lambda: SMSEMOA(pop_size=16),
    "age-moea2": lambda: AGEMOEA2(pop_size=16),
    "nsga2": lambda: NSGA2(pop_size=16),
    "nsga3": lambda: NSGA3(DIRECTIONS),
    "moead": lambda: MOEAD(DIRECTIONS, n_neighbors=5),
    "rvea": lambda: RVEA(DIRECTIONS),
    "steady-state": lambda: SMSEMOA(pop_size=16, n_offsprings=1),
}
SINGLE = {
    "de": lambda: DE(pop_size=16),
    "steady-de": lambda: DE(pop_size=16, n_offsprings=4),
    "ga": lambda: GA(pop_size=16),
    "pso": lambda: PSO(pop_size=16),
}


class Corner:
    """An infill that fills every slot it may with one corner of the box, and remembers what it saw."""

    def __init__(self, share: float = 1.0) -> None:
        self.share, self.seen, self.slots = share, [], []
        self.records: list[StepRecord] = []

    def propose(self, frame, slots):
        k = int(self.share * slots)
        self.slots.append(slots)
        return Proposals(np.tile(frame.lower, (k, 1)), ("corner",) * k)

    def observe(self, X, evals):
        self.seen.append((X.copy(), evals))

    def restart(self):
        pass


class Elliptic(Problem):
    """Two spheres (or the first alone), with constraints if asked for."""

    def __init__(self, n_obj=2, n_ieq_constr=0, n_eq_constr=0, n_var=6):
        super().__init__(n_var=n_var, n_obj=n_obj, n_ieq_constr=n_ieq_constr, n_eq_constr=n_eq_constr, xl=-4.0, xu=5.0)

    def _evaluate(self, x, out, *args, **kwargs):
        out["F"] = np.column_stack([((x - c) ** 2).sum(axis=1) for c in (1.2, -0.5)[: self.n_obj]])
        if self.n_ieq_constr:
            out["G"] = np.column_stack([1.0 - x[:, 0], x[:, 1] - 2.0])[:, : self.n_ieq_constr]
        if self.n_eq_constr:
            out["H"] = x[:, :1] - x[:, 1:2]


def same(a, b):
    np.testing.assert_array_equal(a.pop.get("X"), b.pop.get("X"))
    np.testing.assert_array_equal(a.pop.get("F"), b.pop.get("F"))
    np.testing.assert_array_equal(a.F, b.F)
    assert a.algorithm.evaluator.n_eval == b.algorithm.evaluator.n_eval
    assert a.algorithm.n_iter == b.algorithm.n_iter


class PymooConformance(HostConformance):
    """The host contract for a pymoo algorithm; the bare run is pymoo's own."""

    unbounded = False
    budget = None

    def algorithm(self):
        raise NotImplementedError

    def make_host(self, seed, bounds):
        lower, upper = bounds
        return PymooHost(self.algorithm(), lower, upper, objectives=self.objectives, seed=seed, budget=self.budget)

    def bare_run(self, seed, generations):
        outer, run = self, []

        class Watched(Problem):
            def _evaluate(self, x, out, *args, **kwargs):
                run.append(x.copy())
                evals = outer.evaluations(x)
                out["F"] = evals.f if outer.objectives == 1 else evals.objectives

        problem = Watched(n_var=self.dimension, n_obj=self.objectives, xl=self.box[0], xu=self.box[1])
        ends = ("n_eval", self.budget) if self.budget else ("n_gen", 10_000)
        algorithm = copy.deepcopy(self.algorithm()).setup(problem, termination=ends, seed=seed)
        while len(run) < generations:
            algorithm.next()
        return run


class TestSMSEMOA(PymooConformance):
    objectives = 2
    pickles = UNPICKLABLE

    def algorithm(self):
        return MULTI["sms-emoa"]()


class TestAGEMOEA2(PymooConformance):
    objectives = 2

    def algorithm(self):
        return MULTI["age-moea2"]()


class TestNSGA2(PymooConformance):
    objectives = 2

    def algorithm(self):
        return MULTI["nsga2"]()


class TestNSGA3(PymooConformance):
    objectives = 2
    pickles = UNPICKLABLE

    def algorithm(self):
        return MULTI["nsga3"]()


class TestMOEAD(PymooConformance):
    objectives = 2
    smoke_generations = 400
    pickles = "MOEA/D suspends a generator between its offspring"

    def algorithm(self):
        return MULTI["moead"]()


class TestRVEA(PymooConformance):
    objectives = 2
    budget = 16 * 200

    def algorithm(self):
        return MULTI["rvea"]()


class TestDE(PymooConformance):
    def algorithm(self):
        return SINGLE["de"]()


class TestGA(PymooConformance):
    pickles = UNPICKLABLE

    def algorithm(self):
        return SINGLE["ga"]()


@pytest.mark.parametrize("name", [*MULTI, *SINGLE])
def test_infill_off_is_the_bare_algorithm_bit_for_bit(name):
    make = MULTI[name] if name in MULTI else SINGLE[name]
    problem = Elliptic(n_obj=2 if name in MULTI else 1)
    bare = minimize(problem, make(), ("n_eval", 160), seed=3)
    same(minimize(problem, Janus(make(), infill=None), ("n_eval", 160), seed=3), bare)
    same(minimize(problem, Janus(make(), infill=Corner(share=0.0)), ("n_eval", 160), seed=3), bare)


@pytest.mark.parametrize("name", [*MULTI, *SINGLE])
def test_infill_spends_no_evaluations_of_its_own(name):
    make = MULTI[name] if name in MULTI else SINGLE[name]
    problem = Elliptic(n_obj=2 if name in MULTI else 1)
    bare = minimize(problem, make(), ("n_eval", 160), seed=3)
    infill = minimize(problem, Janus(make()), ("n_eval", 160), seed=3)
    assert infill.algorithm.evaluator.n_eval == bare.algorithm.evaluator.n_eval
    if name != "rvea":  # its population has as many members as directions that found one
        assert len(infill.pop) == len(bare.pop)
    again = minimize(problem, Janus(make()), ("n_eval", 160), seed=3)
    same(again, infill)


def test_infill_gets_every_offspring_but_none_of_the_initial_population():
    corner = Corner(share=0.5)
    result = minimize(Elliptic(), Janus(NSGA2(pop_size=16), infill=corner), ("n_gen", 4), seed=1)
    corner = result.algorithm._janus
    assert corner.slots == [0, 16, 16, 16]
    assert [len(X) for X, _ in corner.seen] == [16, 16, 16, 16]
    for X, evals in corner.seen[1:]:
        np.testing.assert_array_equal(X[:8], -4.0)
        np.testing.assert_allclose(evals.objectives[:8], [[6 * 5.2**2, 6 * 3.5**2]] * 8)
        assert not (X[8:] == -4.0).all(axis=1).any()


def test_moead_gives_one_slot_at_a_time():
    result = minimize(Elliptic(), Janus(MULTI["moead"](), infill=Corner()), ("n_gen", 3), seed=1)
    assert set(result.algorithm._janus.slots[1:]) == {1}


def test_de_offspring_keep_the_parent_they_compete_with():
    lower, upper = np.full(4, -4.0), np.full(4, 5.0)
    host = PymooHost(DE(pop_size=12, n_offsprings=5), lower, upper, seed=1)
    for _ in range(4):
        X = host.ask(np.tile(lower, (min(3, host.slots), 1)))
        index = [individual.data.get("index") for individual in host._asked]
        assert len(set(index)) == (len(X) if host.algorithm.is_initialized else 1)
        host.tell(X, Evaluations((X**2).sum(axis=1), np.zeros(len(X), dtype=bool)))
    assert len(host.algorithm.pop) == 12


@pytest.mark.parametrize("make", [MULTI["sms-emoa"], MULTI["age-moea2"], MULTI["nsga2"]])
def test_constraints_keep_working(make):
    problem = Elliptic(n_ieq_constr=2)
    bare = minimize(problem, make(), ("n_eval", 480), seed=2)
    same(minimize(problem, Janus(make(), infill=None), ("n_eval", 480), seed=2), bare)
    result = minimize(problem, Janus(make()), ("n_eval", 480), seed=2)
    assert result.F is not None
    assert (result.G <= 0).all()
    assert (result.algorithm._janus.front.X[:, 0] >= 1.0).all()


def test_infeasible_rows_never_become_anchors():
    problem = Elliptic(n_eq_constr=1)
    result = minimize(problem, Janus(NSGA2(pop_size=16)), ("n_gen", 8), seed=2)
    records = result.algorithm.janus_records
    assert {record.reason for record in records} <= {"no slots in this generation", "no feasible row yet"}
    assert all(not record.sources for record in records)


def test_the_host_takes_constraints():
    lower, upper = np.full(3, -4.0), np.full(3, 5.0)
    host = PymooHost(NSGA2(pop_size=20), lower, upper, objectives=2, constraints=1, seed=1)
    for _ in range(25):
        X = host.ask(np.empty((0, 3)))
        F = np.column_stack([(X**2).sum(axis=1), ((X - 2.0) ** 2).sum(axis=1)])
        none = np.zeros(len(X), dtype=bool)
        host.tell(X, Evaluations(np.full(len(X), np.nan), none, objectives=F, constraints=1.0 - X[:, :1]))
    assert (host.algorithm.pop.get("X")[:, 0] >= 1.0).all()


def test_failed_rows_of_a_constrained_problem_are_infeasible():
    lower, upper = np.full(3, -4.0), np.full(3, 5.0)
    host = PymooHost(NSGA2(pop_size=20), lower, upper, objectives=2, constraints=1, seed=1)
    X = host.ask(np.empty((0, 3)))
    failed = np.arange(20) < 10
    F, G = (np.where(failed[:, None], np.nan, values) for values in (X[:, :2], np.ones((20, 1))))
    host.tell(X, Evaluations(np.full(20, np.nan), failed, objectives=F, constraints=G))
    cv = np.array([individual.CV[0] for individual in host.algorithm.pop])
    bad = np.array([bool(individual.data.get("failed")) for individual in host.algorithm.pop])
    assert cv[bad].min() > cv[~bad].max()


def test_a_generation_that_failed_as_a_whole_is_forgotten_for_the_first_that_did_not():
    lower, upper = np.full(3, -4.0), np.full(3, 5.0)
    host = PymooHost(NSGA2(pop_size=12), lower, upper, objectives=2, seed=1)
    for generation in range(3):
        X = host.ask(np.empty((0, 3)))
        failed = np.full(len(X), generation == 0)
        F = np.where(failed[:, None], np.nan, 1e6 + X[:, :2])
        host.tell(X, Evaluations(np.full(len(X), np.nan), failed, objectives=F))
    assert not any(individual.data.get("failed") for individual in host.algorithm.pop)
    assert (host.algorithm.pop.get("F") > 1e5).all()


def test_callbacks_display_history_and_result_keep_working(capsys):
    class Count(Callback):
        def __init__(self):
            super().__init__()
            self.data["n_eval"] = []

        def notify(self, algorithm):
            self.data["n_eval"].append(algorithm.evaluator.n_eval)

    problem = get_problem("zdt1", n_var=6)
    result = minimize(
        problem, Janus(SMSEMOA(pop_size=12)), ("n_gen", 6), seed=1, callback=Count(), verbose=True, save_history=True
    )
    assert result.algorithm.callback.data["n_eval"] == [12, 24, 36, 48, 60, 72]
    assert "n_eval" in capsys.readouterr().out
    assert [entry.evaluator.n_eval for entry in result.history] == [12, 24, 36, 48, 60, 72]
    assert [len(entry.janus_records) for entry in result.history] == [1, 2, 3, 4, 5, 6]
    assert isinstance(result.algorithm, SMSEMOA)
    assert result.X.shape[1] == 6


@pytest.mark.parametrize("name", [*MULTI, *SINGLE])
def test_display_history_and_copies_keep_working_in_every_algorithm(name, capsys):
    problem = Elliptic(n_obj=2 if name in MULTI else 1)
    make = MULTI[name] if name in MULTI else SINGLE[name]
    generator = name == "moead"  # suspended between offspring: neither pymoo nor anyone else can copy it
    whole = minimize(problem, Janus(make()), ("n_eval", 160), seed=3, verbose=True, save_history=not generator)
    assert "n_eval" in capsys.readouterr().out
    assert any(record.sources for record in whole.algorithm.janus_records)
    if generator:
        return
    assert whole.history[-1].evaluator.n_eval == whole.algorithm.evaluator.n_eval
    algorithm = Janus(make()).setup(problem, termination=("n_eval", 160), seed=3)
    while algorithm.evaluator.n_eval < 80:
        algorithm.next()
    for checkpoint in (copy.deepcopy(algorithm), algorithm):
        np.testing.assert_array_equal(checkpoint.run().pop.get("X"), whole.pop.get("X"))


@pytest.mark.parametrize(
    "values",
    [
        lambda x: np.column_stack([x[:, 0] ** 2, np.ones(len(x))]),  # a constant objective
        lambda x: np.column_stack([(x**2).sum(axis=1)] * 2),  # objectives that agree: the front is one point
        lambda x: np.ones((len(x), 2)),
    ],
)
@pytest.mark.parametrize("name", ["sms-emoa", "nsga2", "moead"])
def test_fronts_of_one_point_do_not_break_a_run(name, values):
    class Degenerate(Elliptic):
        def _evaluate(self, x, out, *args, **kwargs):
            out["F"] = values(x)

    result = minimize(Degenerate(), Janus(MULTI[name]()), ("n_eval", 160), seed=1)
    assert result.algorithm.evaluator.n_eval == 160
    assert all(record.sources or record.reason for record in result.algorithm.janus_records)


def test_the_wrapped_algorithm_is_a_copy_and_can_be_wrapped_again():
    bare = NSGA2(pop_size=12)
    wrapped = Janus(bare)
    minimize(Elliptic(), wrapped, ("n_gen", 3), seed=1)
    assert bare.problem is None
    assert wrapped.problem is None
    with pytest.raises(InputError, match="already has infill"):
        Janus(wrapped)


def test_a_run_can_be_asked_and_told():
    problem = Elliptic()
    algorithm = Janus(NSGA2(pop_size=12)).setup(problem, termination=("n_gen", 5), seed=1)
    while algorithm.has_next():
        offspring = algorithm.ask()
        algorithm.evaluator.eval(problem, offspring)
        algorithm.tell(infills=offspring)
    same(algorithm_result(algorithm), minimize(problem, Janus(NSGA2(pop_size=12)), ("n_gen", 5), seed=1))


def algorithm_result(algorithm):
    result = algorithm.result()
    result.algorithm = algorithm
    return result


def test_a_copy_and_a_pickle_go_on_as_the_original_does():
    problem = Elliptic()
    algorithm = Janus(NSGA2(pop_size=12)).setup(problem, termination=("n_gen", 9), seed=1)
    for _ in range(4):
        algorithm.next()
    twins = [copy.deepcopy(algorithm), pickle.loads(pickle.dumps(algorithm))]
    expected = algorithm.run()
    for twin in twins:
        np.testing.assert_array_equal(twin.run().F, expected.F)


def test_numpys_global_random_state_is_untouched():
    before = np.random.get_state(legacy=False)  # noqa: NPY002
    minimize(Elliptic(), Janus(SMSEMOA(pop_size=12)), ("n_gen", 6), seed=1)
    np.testing.assert_equal(np.random.get_state(legacy=False), before)  # noqa: NPY002


def test_runs_without_a_seed_differ():
    a, b = (minimize(Elliptic(), Janus(NSGA2(pop_size=12)), ("n_gen", 2)) for _ in range(2))
    assert not np.array_equal(a.pop.get("X"), b.pop.get("X"))


def test_integer_variables_are_left_alone():
    class Whole(Problem):
        def __init__(self):
            super().__init__(n_var=4, n_obj=2, xl=-4, xu=5, vtype=int)

        def _evaluate(self, x, out, *args, **kwargs):
            out["F"] = np.column_stack([(x**2).sum(axis=1), ((x - 2) ** 2).sum(axis=1)])

    operators = {
        "sampling": IntegerRandomSampling(),
        "crossover": SBX(vtype=float, repair=RoundingRepair()),
        "mutation": PM(vtype=float, repair=RoundingRepair()),
    }
    bare = minimize(Whole(), NSGA2(pop_size=12, **operators), ("n_gen", 6), seed=1)
    result = minimize(Whole(), Janus(NSGA2(pop_size=12, **operators)), ("n_gen", 6), seed=1)
    same(result, bare)
    assert {record.reason for record in result.algorithm.janus_records} == {"variables are not all real"}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_mixed_variables_are_left_alone():
    class Mixed(ElementwiseProblem):
        def __init__(self):
            super().__init__(vars={"x": Real(bounds=(0, 1)), "n": Integer(bounds=(0, 5))}, n_obj=1)

        def _evaluate(self, X, out, *args, **kwargs):
            out["F"] = (X["x"] - 0.3) ** 2 + X["n"]

    bare = minimize(Mixed(), MixedVariableGA(pop_size=10), ("n_gen", 5), seed=1)
    result = minimize(Mixed(), Janus(MixedVariableGA(pop_size=10)), ("n_gen", 5), seed=1)
    assert result.F == bare.F
    assert {record.reason for record in result.algorithm.janus_records} == {"variables are not all real"}


def test_the_algorithms_own_repair_is_applied_to_infill():
    class Quarters(Repair):
        def _do(self, problem, X, **kwargs):
            return np.round(X * 4) / 4

    result = minimize(
        Elliptic(), Janus(NSGA2(pop_size=12, repair=Quarters()), infill=RandomInfill(6, rng=1)), ("n_gen", 6), seed=1
    )
    X = result.pop.get("X")
    np.testing.assert_array_equal(X, np.round(X * 4) / 4)


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")  # in pymoo's crowding distance
def test_values_that_are_not_finite_stay_out_of_the_infill():
    class Holes(Elliptic):
        def _evaluate(self, x, out, *args, **kwargs):
            super()._evaluate(x, out)
            out["F"][x[:, 0] > 3.0] = np.inf

    result = minimize(Holes(), Janus(NSGA2(pop_size=20)), ("n_gen", 8), seed=1)
    assert np.isfinite(result.algorithm._janus.front.F).all()
    assert (result.algorithm._janus.front.X[:, 0] <= 3.0).all()


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("name", ["sms-emoa", "de"])
def test_few_variables_work(name, d):
    problem = Elliptic(n_obj=1 if name == "de" else 2, n_var=d)
    make = SINGLE[name] if name == "de" else MULTI[name]
    assert minimize(problem, Janus(make()), ("n_eval", 160), seed=1).F is not None


def test_a_mating_that_finds_nothing_new_stops_the_host():
    class Still(Repair):
        def _do(self, problem, X, **kwargs):
            return np.round(X)

    host = PymooHost(NSGA2(pop_size=4, repair=Still()), np.full(1, -0.4), np.full(1, 1.4), objectives=2, seed=1)
    for _ in range(50):
        if host.stop():
            break
        X = host.ask(np.empty((0, 1)))
        none = np.zeros(len(X), dtype=bool)
        host.tell(X, Evaluations(np.full(len(X), np.nan), none, objectives=np.hstack([X, -X])))
    assert "mating" in host.stop()
    assert host.ask(np.empty((0, 1))).shape == (0, 1)


def test_a_survival_that_breaks_stops_the_host():
    host = PymooHost(AGEMOEA2(pop_size=8), np.zeros(2), np.ones(2), objectives=2, seed=1)
    X = host.ask(np.empty((0, 2)))
    host.tell(X, Evaluations(np.full(8, np.nan), np.zeros(8, dtype=bool), objectives=np.ones((8, 2))))
    assert "could not rank" in str(host.stop()["survival"])
    assert host.restarted(2.0) is None


def test_misuse_is_named():
    lower, upper = np.zeros(2), np.ones(2)
    with pytest.raises(InputError, match="reads only the values"):
        Janus(CMAES())
    with pytest.raises(InputError, match="expected a pymoo algorithm"):
        Janus("sms-emoa")
    with pytest.raises(InputError, match="infill must be one of"):
        Janus(NSGA2(), infill="gn")
    with pytest.raises(InputError, match="propose, observe"):
        Janus(NSGA2(), infill=object())
    with pytest.raises(InputError, match="fraction is for infill by name"):
        Janus(NSGA2(), infill=ParetoJanus(), fraction=0.1)
    with pytest.raises(InputError, match="finite bounds"):
        PymooHost(NSGA2(), lower, np.full(2, np.inf))
    with pytest.raises(InputError, match="host must be one of"):
        make_algorithm("nsga4", 2, None, {})
    with pytest.raises(InputError, match="pass n_obj"):
        make_algorithm("nsga3", None, None, {})
    with pytest.raises(InputError, match="popsize must be"):
        make_algorithm("nsga2", 2, 2, {})
    host = PymooHost(NSGA2(pop_size=4), lower, upper, objectives=2, seed=1)
    with pytest.raises(HostError, match="at most 0"):
        host.ask(np.zeros((1, 2)))
    X = host.ask(np.empty((0, 2)))
    with pytest.raises(HostError, match="expected the 4 rows"):
        host.tell(X[:2], Evaluations(np.zeros(2), np.zeros(2, dtype=bool)))
    with pytest.raises(HostError, match="2 objectives"):
        host.tell(X, Evaluations(np.zeros(4), np.zeros(4, dtype=bool)))


@pytest.mark.parametrize("name", ["sms-emoa", "age-moea2", "nsga2", "nsga3", "moead", "rvea", "spea2"])
def test_named_algorithms_have_about_the_size_asked_for(name):
    algorithm = make_algorithm(name, 3, 40, {})
    assert 30 <= algorithm.pop_size <= 40


def test_evaluations_mark_infeasible_rows_of_one_objective_as_failed():
    problem = Elliptic(n_obj=1, n_ieq_constr=1)
    pop = minimize(problem, GA(pop_size=30), ("n_gen", 1), seed=1).algorithm.off
    evals = evaluations_of(list(pop))
    np.testing.assert_array_equal(evals.failed, pop.get("X")[:, 0] < 1.0)
    assert evals.violation[~evals.failed].max(initial=0.0) == 0.0


@pytest.mark.parametrize(("name", "reference"), [("zdt1", (1.1, 5.0)), ("dtlz2", (1.5, 1.5, 1.5))])
def test_infill_does_not_lose_hypervolume(name, reference):
    pytest.importorskip("moocore")
    from janusopt.volume import hypervolume

    problem, volumes = get_problem(name), {"bare": 0.0, "janus": 0.0}
    for seed in (1, 2):
        for arm, algorithm in (("bare", SMSEMOA(pop_size=40)), ("janus", Janus(SMSEMOA(pop_size=40)))):
            volumes[arm] += hypervolume(minimize(problem, algorithm, ("n_eval", 2000), seed=seed).F, reference)
    assert volumes["janus"] > 0.98 * volumes["bare"]


def test_the_default_follows_the_number_of_objectives():
    several = minimize(Elliptic(), Janus(NSGA2(pop_size=8)), ("n_gen", 2), seed=1).algorithm._janus
    assert isinstance(several, ParetoJanus)
    single = minimize(Elliptic(n_obj=1), Janus(DE(pop_size=8), fraction=0.1), ("n_gen", 2), seed=1).algorithm._janus
    assert single.config.fraction == 0.1


@pytest.mark.parametrize("name", PARETO_NAMES)
def test_every_named_infill_runs_inside_pymoo(name):
    result = minimize(Elliptic(), Janus(SMSEMOA(pop_size=16), infill=name, fraction=0.5), ("n_gen", 8), seed=1)
    taken = sum(len(record.sources) for record in result.algorithm.janus_records)
    assert (taken > 0) == (name != "none")
    assert result.algorithm.evaluator.n_eval == 8 * 16
