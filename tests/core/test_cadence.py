"""How long fits stand and reshapes rest."""

import pytest

from janusopt.config import JanusConfig
from janusopt.core.cadence import rest, span

DEFAULT = JanusConfig()


@pytest.mark.parametrize(
    ("d", "owns", "back", "generations"),
    [
        (30, True, False, 1),
        (76, True, True, 1),
        (77, True, True, 2),
        (199, True, True, 2),
        (100, True, False, 1),
        (200, True, False, 2),
        (1000, True, False, 2),
        (1000, False, False, 1),
    ],
)
def test_a_fit_stands_where_it_knows_little_and_where_it_costs_much(d, owns, back, generations):
    assert span(DEFAULT, d, owns_covariance=owns, looks_back=back) == generations


def test_a_longer_window_knows_more_and_is_fitted_anew_for_longer():
    assert span(JanusConfig(window=600), 100, owns_covariance=True, looks_back=True) == 1


def test_a_cadence_that_was_asked_for_is_kept_at_any_size():
    for d in (10, 100, 1000):
        assert span(JanusConfig(refit_every=7), d, owns_covariance=True, looks_back=d == 100) == 7


def test_reshapes_by_a_long_window_rest_twice_as_long():
    assert rest(DEFAULT, 60, 25, looks_back=False) == 5
    assert rest(DEFAULT, 60, 25, looks_back=True) == 10
    assert rest(DEFAULT, 500, 25, looks_back=False) == 20
    assert rest(JanusConfig(mix_every=9, refit_every=50), 100, 25, looks_back=True) == 18
