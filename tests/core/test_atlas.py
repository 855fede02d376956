"""Which charts a window gets: contracts, not constants."""

from __future__ import annotations

import numpy as np
import pytest

from janusopt.config import JanusConfig
from janusopt.core.atlas import Atlas, fitted_rows
from janusopt.core.charts import NewtonChart
from janusopt.core.evaluations import Evaluations
from janusopt.core.frame import Frame
from janusopt.core.trace import Trace

D = 4


def frame(**changes):
    fields = {
        "mean": np.zeros(D),
        "sigma": 1.0,
        "scale": np.ones(D),
        "lower": np.full(D, -9.0),
        "upper": np.full(D, 9.0),
    }
    return Frame(**(fields | changes))


def window(fun, n=80, components=None):
    X = np.random.default_rng(3).standard_normal((n, D))
    S = None if components is None else np.array([components(x) for x in X])
    trace = Trace(200)
    trace.record(X, Evaluations(np.array([fun(x) for x in X]), np.zeros(n, dtype=bool), components=S))
    return trace.window()


def bowl(x):
    return float(((x - 0.5) ** 2) @ np.array([1.0, 2.0, 4.0, 8.0]))


def opened(config, rows, **more):
    return Atlas(config).open(rows, frame(), **({"residuals": False, "complete": True} | more))


def test_a_quadratic_window_gets_the_newton_chart_first():
    pages, reason = opened(JanusConfig(), window(bowl))
    assert reason == ""
    chart = pages[0].chart
    assert chart.name == "newton"
    z = chart.geometry.descend(chart.slope(np.zeros(D)), 1e-9)
    np.testing.assert_allclose(z, 0.5, atol=0.05)


@pytest.mark.parametrize("name", ["newton", "quadratic", "linear"])
def test_a_chart_that_is_named_is_the_only_one(name):
    pages, _ = opened(JanusConfig(chart=name), window(bowl))
    assert [page.chart.name for page in pages] == [name]


def test_components_get_a_chart_of_their_own_before_the_scalar_one():
    rows = window(bowl, components=lambda x: (x - 0.5) ** 2 * np.array([1.0, 2.0, 4.0, 8.0]))
    names = [page.chart.name for page in opened(JanusConfig(), rows)[0]]
    assert names[0] == "components"
    assert "newton" in names
    assert [page.chart.name for page in opened(JanusConfig(chart="components"), rows)[0]] == ["components"]


def test_the_chart_of_linear_residuals_is_those_residuals():
    A = np.random.default_rng(1).standard_normal((6, D))
    rows = window(lambda x: 0.5 * float(((A @ x - 1.0) ** 2).sum()), components=lambda x: A @ x - 1.0)
    chart = opened(JanusConfig(chart="components", ridge=1e-9, trim=0.0), rows, residuals=True)[0][0].chart
    np.testing.assert_allclose(chart.J, A, atol=1e-6)
    np.testing.assert_allclose(chart.b, -1.0, atol=1e-6)
    assert chart.score > 0.999


@pytest.mark.parametrize("chart", ["auto", "newton", "linear", "quadratic"])
def test_a_flat_window_gives_a_reason_and_no_chart(chart):
    pages, reason = opened(JanusConfig(chart=chart), window(lambda x: 3.0))
    assert pages == []
    assert "flat" in reason


def test_fewer_rows_than_variables_use_what_is_known_of_the_variables_unless_that_is_off():
    rng = np.random.default_rng(8)
    d, trace = 120, Trace(300)
    X = rng.standard_normal((40, d))
    R = (X[:, :4] + 3.0) ** 2
    trace.record(X, Evaluations(R.mean(axis=1), np.zeros(40, dtype=bool), components=R))
    wide = Frame(np.zeros(d), 1.0, np.ones(d), np.full(d, -9.0), np.full(d, 9.0))
    charts = {}
    for relevance in (True, False):
        config = JanusConfig(chart="components", relevance=relevance)
        ((page,), _) = Atlas(config).open(trace.window(), wide, residuals=False, complete=False)
        charts[relevance] = np.linalg.norm(page.chart.J, axis=0)
    dead, alive = charts[True][4:].max(), charts[True][:4].min()
    assert alive > 5.0 * dead
    assert charts[False][:4].min() < 2.0 * charts[False][4:].max()


def test_components_that_do_not_vary_give_a_reason():
    pages, reason = opened(JanusConfig(chart="components"), window(bowl, components=lambda x: np.ones(3)))
    assert pages == []
    assert "do not vary" in reason


def test_a_window_that_is_not_finite_in_z_gives_a_reason():
    tiny = frame(sigma=1e-320)
    with np.errstate(all="ignore"):
        pages, reason = Atlas(JanusConfig()).open(window(bowl), tiny, residuals=False, complete=True)
    assert pages == []
    assert "finite" in reason


def test_noise_scores_low_and_a_quadratic_high():
    noise = np.random.default_rng(9)
    low, high = Atlas(JanusConfig()), Atlas(JanusConfig())
    for _ in range(30):
        low.open(window(lambda x: noise.standard_normal()), frame(), residuals=False, complete=True)
        high.open(window(bowl), frame(), residuals=False, complete=True)
    assert low.score < 0.2
    assert high.score > 0.8


def test_blocks_decouple_the_geometry_in_the_axes_of_x():
    rotated = frame(basis=np.linalg.qr(np.random.default_rng(2).standard_normal((D, D)))[0], roots=np.full(D, 2.0))

    def coupled(x):
        return float((x.sum() - 1.0) ** 2 + 0.1 * x @ x)

    config = JanusConfig(blocks=[[0, 1], [2, 3]], chart="newton")
    pages, _ = Atlas(config).open(window(coupled), rotated, residuals=False, complete=True)
    page = pages[0]
    assert isinstance(page.chart, NewtonChart)
    assert page.frame.basis is None
    geometry = page.chart.geometry
    G = (geometry.Vt.T * (geometry.curvature - geometry.rest)) @ geometry.Vt
    assert np.abs(G[:2, 2:]).max() < 1e-10 * np.abs(G).max()


def test_a_fit_reads_the_best_rows_and_weighs_good_and_recent_ones_more():
    f = np.array([5.0, 1.0, 4.0, 2.0, 3.0])
    rows, weights = fitted_rows(f, np.zeros(5), recency=1.0, trim=0.4)
    assert rows.tolist() == [1, 3, 4]
    assert (np.diff(weights) < 0).all()
    _, aged = fitted_rows(f, np.array([0.0, 0.8, 0.0, 0.0, 0.0]), recency=1.0, trim=0.4)
    assert aged[0] < weights[0]
    rows, weights = fitted_rows(f, np.zeros(5), recency=0.0, trim=0.0)
    assert f[rows] is not f
    np.testing.assert_array_equal(f[rows], f)
    np.testing.assert_array_equal(np.argsort(-weights), np.argsort(f))
