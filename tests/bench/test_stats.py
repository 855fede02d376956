"""The statistics of the report against naive twins."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from janusopt.bench import stats
from janusopt.bench.holm import holm


def naive_signed_rank(logs, worse):
    """Exact p-value by all sign patterns: how many have a rank sum at least as extreme."""
    ranks = np.argsort(np.argsort(np.abs(logs))) + 1
    seen = sum(r for r, v in zip(ranks, logs, strict=True) if (v > 0) == worse)
    sums = [
        sum(r for r, s in zip(ranks, signs, strict=True) if s) for signs in itertools.product([0, 1], repeat=len(logs))
    ]
    return np.mean([total >= seen for total in sums])


def naive_rank_sum(ours, theirs):
    """Exact p-value that ours is lower: over all ways to split the pool."""

    def inversions(a, b):
        return sum(x > y for x in a for y in b)

    pool = [*ours, *theirs]
    splits = itertools.combinations(range(len(pool)), len(ours))
    counts = [
        inversions([pool[i] for i in chosen], [pool[i] for i in range(len(pool)) if i not in chosen])
        for chosen in splits
    ]
    return np.mean([count <= inversions(ours, theirs) for count in counts])


def test_pairs_are_floored_before_they_are_compared():
    logs = stats.log_ratios([1e-12, 4.0, 1e-9], [1e-9, 2.0, 1e-7], floor=1e-8)
    assert logs == pytest.approx([0.0, math.log(2), -math.log(10)])
    assert stats.won_even_lost(logs) == (1, 1, 1)


def test_the_ratio_weighs_every_problem_the_same():
    problems = [np.log([4.0, 1.0]), np.log([0.5] * 10)]
    assert stats.ratio(problems) == pytest.approx(1.0)
    assert stats.geometric_mean([1.0, 100.0]) == pytest.approx(10.0)


def test_p_values_are_wilcoxons_with_holm_over_the_problems():
    rng = np.random.default_rng(1)
    problems = [rng.normal(shift, 1.0, 8) for shift in (-3.0, 0.2, 2.0)]
    found = stats.paired_verdicts(problems)
    assert [v.better for v in found] == pytest.approx(holm([naive_signed_rank(p, worse=False) for p in problems]))
    assert [v.worse for v in found] == pytest.approx(holm([naive_signed_rank(p, worse=True) for p in problems]))
    assert [v.word for v in found] == ["win", "even", "loss"]


def test_ties_are_no_evidence():
    assert stats.paired_verdicts([np.zeros(9)])[0] == stats.Verdict(1.0, 1.0)
    lead = np.array([-1.0, -2.0, -3.0, -4.0, -5.0])
    assert stats.paired_verdicts([np.concatenate([lead, np.zeros(4)])]) == stats.paired_verdicts([lead])


def test_pairs_of_equal_size_raise_no_warning():
    assert stats.paired_verdicts([np.full(15, -1.0)])[0].word == "win"


@pytest.mark.parametrize(
    ("pairs", "problems", "possible"), [(3, 1, False), (5, 1, True), (5, 16, False), (9, 16, True)]
)
def test_too_few_pairs_can_never_be_significant(pairs, problems, possible):
    assert stats.decidable(pairs, problems) is possible
    verdicts = stats.paired_verdicts([np.linspace(-2.0, -1.0, pairs)] * problems)
    assert (verdicts[0].word == "win") is possible


def test_the_interval_is_the_spread_of_resampled_ratios():
    rng = np.random.default_rng(3)
    problems = [rng.normal(-1.0, 0.5, 12), rng.normal(1.0, 0.2, 7)]
    naive = [math.exp(np.mean([np.mean(rng.choice(logs, len(logs))) for logs in problems])) for _ in range(4000)]
    assert stats.ratio_interval(problems) == pytest.approx(np.quantile(naive, [0.025, 0.975]), rel=0.05)
    assert stats.ratio_interval(problems) == stats.ratio_interval(problems)


def test_one_pair_has_no_interval():
    assert all(math.isnan(end) for end in stats.ratio_interval([np.array([0.3]), np.arange(5.0)]))


def test_unpaired_p_values_are_rank_sums_with_bonferroni():
    ours, theirs = np.array([1.0, 2.0, 4.5, 0.5]), np.array([3.0, 5.0, 6.0, 7.0, 4.0])
    found = stats.unpaired_verdicts([(ours, theirs), (theirs, ours)])
    assert found[0].better == pytest.approx(2 * naive_rank_sum(ours, theirs))
    assert found[1].worse == found[0].better
    assert found[0].worse == 1.0


@pytest.mark.parametrize(
    ("ours", "theirs", "problems", "possible"), [(2, 2, 1, False), (5, 5, 2, True), (3, 3, 2, False)]
)
def test_too_few_runs_can_never_be_significant(ours, theirs, problems, possible):
    assert stats.decidable_unpaired(ours, theirs, problems) is possible
    verdicts = stats.unpaired_verdicts([(np.arange(ours, dtype=float), 100.0 + np.arange(theirs))] * problems)
    assert (verdicts[0].word == "win") is possible


def test_a_curve_is_a_step_function():
    curve = stats.Curve(np.array([2.0, 10.0, 50.0]), np.array([9.0, 3.0, 1.0]))
    assert curve.at(np.array([1.0, 2.0, 9.0, 10.0, 49.0, 900.0])).tolist() == [np.inf, 9.0, 9.0, 3.0, 3.0, 1.0]


def test_quartiles_are_taken_over_the_runs():
    curves = [stats.Curve(np.array([1.0, 10.0]), np.array([level, level / 2])) for level in (1.0, 2.0, 3.0, 4.0, 5.0)]
    assert stats.quartiles(curves, np.array([1.0, 10.0])).tolist() == [[2.0, 1.0], [3.0, 1.5], [4.0, 2.0]]


def test_the_ecdf_counts_run_and_target_pairs():
    runs = [
        (stats.Curve(np.array([1.0, 10.0]), np.array([100.0, 1.0])), np.array([50.0, 5.0])),
        (stats.Curve(np.array([1.0, 10.0]), np.array([30.0, 20.0])), np.array([50.0, 5.0])),
    ]
    assert stats.ecdf(runs, np.array([1.0, 10.0])).tolist() == [0.25, 0.75]


def test_targets_go_from_the_start_down_to_the_best():
    wanted = stats.targets(100.0, 1e-8)
    assert len(wanted) == stats.TARGETS
    assert wanted[[0, -1]] == pytest.approx([100.0, 1e-8])
    assert set(stats.targets(1.0, 5.0)) == {1.0}


def test_the_grid_has_whole_numbers_from_first_to_last():
    grid = stats.log_grid(20_000)
    assert grid[[0, -1]].tolist() == [1.0, 20_000.0]
    assert np.all(np.diff(grid) >= 1)
    assert np.all(grid == grid.round())
