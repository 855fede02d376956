"""Columns of J told apart: against the dense twin, and on problems where few variables matter."""

from __future__ import annotations

import numpy as np
import pytest

import reference
from cases import close
from janusopt.core import relevance
from janusopt.core.jacobian import centred, fit_jacobian
from janusopt.core.relevance import Relevance


def sparse(rng, n=60, d=200, m=30, alive=10):
    """Rows, residuals that depend on the first ``alive`` variables, and their true Jacobian."""
    J = np.zeros((m, d))
    J[:, :alive] = rng.standard_normal((m, alive))
    Z = rng.standard_normal((n, d))
    return Z, Z @ J.T + 1.0 + 0.01 * rng.standard_normal((n, m)), J


def off(J, truth):
    return float(np.linalg.norm(J - truth) / np.linalg.norm(truth))


def test_a_round_is_the_ridge_with_a_penalty_of_its_own_on_each_column(monkeypatch):
    rng = np.random.default_rng(1)
    Z, S, weights = rng.standard_normal((7, 12)), rng.standard_normal((7, 4)), rng.uniform(0.5, 2.0, 7)
    tau = rng.uniform(0.2, 3.0, 12)
    monkeypatch.setattr(relevance, "_RIDGES", (0.3,))
    data = centred(Z, S, weights)
    J, _ = relevance._ridge(data, tau)
    unit = np.linalg.eigvalsh((data.Z * tau) @ (data.Z * tau).T).mean()
    close(J, reference.relevant_jacobian(Z, S, weights, tau, 0.3 * unit)[0], rtol=1e-8)


def test_the_ridge_is_the_one_with_the_least_error_on_rows_left_out(monkeypatch):
    rng = np.random.default_rng(2)
    Z, S, weights = rng.standard_normal((9, 15)), rng.standard_normal((9, 3)), rng.uniform(0.5, 2.0, 9)
    data, tau = centred(Z, S, weights), np.ones(15)
    _, chosen = relevance._ridge(data, tau)
    unit = np.linalg.eigvalsh(data.Z @ data.Z.T).mean()
    scores = [reference.ridge_loo(Z, S, weights, ridge * unit) for ridge in relevance._RIDGES]
    assert chosen == pytest.approx(max(scores), rel=1e-5)


def test_few_variables_that_matter_are_found_from_fewer_rows_than_variables():
    rng = np.random.default_rng(3)
    Z, S, J = sparse(rng)
    fit = Relevance().fit(Z, S, np.ones(len(Z)), np.ones(Z.shape[1]))
    plain = fit_jacobian(Z, S, np.ones(len(Z)), ridge=1e-3)
    assert off(fit.J, J) < 0.1
    assert off(plain.J, J) > 0.7
    assert fit.loo > 0.98 > plain.loo


def test_what_was_learned_is_kept_from_fit_to_fit_in_the_units_of_x():
    rng = np.random.default_rng(4)
    Z, S, J = sparse(rng)
    learned = Relevance()
    learned.fit(Z, S, np.ones(60), np.ones(200))
    few = Z[:25] / 3.0
    again = learned.fit(few, S[:25], np.ones(25), np.full(200, 3.0))
    fresh = Relevance().fit(few, S[:25], np.ones(25), np.full(200, 3.0))
    assert off(again.J, 3.0 * J) < off(fresh.J, 3.0 * J)


def test_constant_or_infinite_components_have_no_fit():
    Z = np.random.default_rng(5).standard_normal((5, 8))
    for S in (np.ones((5, 2)), np.full((5, 2), np.inf)):
        with np.errstate(all="ignore"):
            assert Relevance().fit(Z, S, np.ones(5), np.ones(8)) is None
