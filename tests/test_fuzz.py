"""Any configuration, any objective, any host: no crash, no hang, nothing outside its limits, no numpy warnings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import janusopt
from janusopt.config import JanusConfig
from janusopt.infills import make_infill
from janusopt.pareto import ParetoConfig, ParetoJanus


def _noisy():
    rng = np.random.default_rng(0)
    return lambda x: float((x**2).sum() * (1 + 0.5 * rng.normal()) + rng.normal())


#: name → a fresh objective
OBJECTIVES = {
    "constant": lambda: lambda x: 3.0,
    "step": lambda: lambda x: float(np.floor(np.abs(x)).sum()),
    "noisy": _noisy,
    "huge": lambda: lambda x: 1e300 * float(np.abs(np.tanh(x)).mean()),
    "huge-both-signs": lambda: lambda x: 1.5e308 * float(np.tanh(x).mean()),
    "tiny": lambda: lambda x: 1e-300 * float((x**2).sum()),
    "denormal": lambda: lambda x: 5e-324 * math.floor(float((x**2).sum())),
    "spread": lambda: lambda x: 10.0 ** float(np.clip(x.sum(), -150, 150)),
    "discontinuous": lambda: lambda x: float((x**2).sum()) + (1e6 if x[0] > 0 else 0.0),
    "nan-islands": lambda: lambda x: math.nan if math.sin(3 * x[0]) > 0.3 else float((x**2).sum()),
    "nan-nearly-all": lambda: lambda x: math.nan if x[0] > -1.0 else float((x**2).sum()),
    "flat-bottom": lambda: lambda x: max(float((x**2).sum()), 1.0),
    "ridge": lambda: lambda x: float(np.abs(x).max() ** 0.1),
    "components": lambda: lambda x: (float((x**2).mean()), x**2),
    "components-many": lambda: lambda x: (float((x**2).mean()), np.add.outer(x, [0.0, 1.0, 2.0]).ravel() ** 2),
    "components-huge": lambda: lambda x: (1e300 * float((np.tanh(x) ** 2).mean()), 1e300 * np.tanh(x) ** 2),
    "components-constant": lambda: lambda x: (1.0, np.ones(3)),
}


class Checked:
    """An infill whose proposals are held against its frame.

    The clip only where there is no warp: pycma folds its coordinates into the box, where a point has no one length.
    """

    def __init__(self, inner, kappa):
        self._inner, self._kappa = inner, kappa

    def propose(self, frame, slots):
        proposals = self._inner.propose(frame, slots)
        assert len(proposals) <= slots
        assert len(proposals.sources) == len(proposals)
        assert np.all((frame.lower <= proposals.X) & (frame.upper >= proposals.X))
        for x, source in zip(proposals.X, proposals.sources, strict=True):
            longest = (frame.reach if source == "trust" else 1.0) * math.sqrt(frame.d)
            clipped = self._kappa is not None and frame.warp is None
            assert not clipped or frame.length(x) <= self._kappa * longest * (1 + 1e-6) + 1e-9
        return proposals

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def observe(self, X, evals):
        self._inner.observe(X, evals)

    def restart(self):
        self._inner.restart()

    @property
    def records(self):
        return self._inner.records


configurations = st.builds(
    JanusConfig,
    window=st.integers(10, 400),
    ridge=st.floats(1e-12, 1e3),
    kappa=st.floats(0.01, 10.0),
    step=st.floats(0.01, 10.0),
    damping=st.one_of(st.just("auto"), st.floats(1e-9, 1e6)),
    refit_every=st.one_of(st.just("auto"), st.integers(1, 5)),
    chart=st.sampled_from(["auto", "newton", "quadratic", "linear"]),
    component_scale=st.sampled_from(["auto", "sqrt", "level", "shifted", "standardized", "raw"]),
    aspiration=st.sampled_from(["clip", "origin"]),
    curvature=st.floats(0.0, 10.0),
    recency=st.floats(0.0, 10.0),
    trim=st.floats(0.0, 0.85),
    trust=st.floats(-1.0, 0.9),
    anchor=st.sampled_from(["mean", "best"]),
    gn=st.booleans(),
    trust_region=st.booleans(),
    lbfgs=st.booleans(),
    cmix=st.sampled_from(["auto", "mix", "sample", "off"]),
    weight_rule=st.sampled_from(["evidence", "dimension"]),
    mix_every=st.integers(1, 6),
    fraction=st.floats(0.0, 1.0),
)
boxes = st.sampled_from([(-5.0, 5.0), (0.0, 1e-8), (-1e9, 1e9), (-3.0, 1e4), (99.0, 100.0)])


def _watched(fun, lower, upper, seen):
    def watched(x):
        assert np.all((lower <= x) & (x <= upper))
        seen.append(1)
        with np.errstate(all="ignore"):
            return fun(x)

    return watched


@pytest.mark.parametrize("host", ["cma", "sep-cma", "vkd-cma", "cmaes", "de"])
@settings(max_examples=20, phases=[Phase.explicit, Phase.generate])
@given(
    configurations,
    st.sampled_from(sorted(OBJECTIVES)),
    st.integers(2, 6),
    st.one_of(st.none(), boxes),
    st.integers(0, 2**31),
)
def test_one_objective(host, config, objective, d, box, seed):
    lower, upper = np.full(d, -np.inf if box is None else box[0]), np.full(d, np.inf if box is None else box[1])
    where = {"x0": np.ones(d)} if box is None else {"bounds": [box] * d}
    infill = make_infill(config, d=d, scalar=True, rng=np.random.default_rng(seed))
    seen = []
    fun = _watched(OBJECTIVES[objective](), lower, upper, seen)
    result = janusopt.minimize(
        fun, budget=150, host=host, infill=Checked(infill, config.kappa), rng=seed, on_error="skip", **where
    )
    assert len(seen) == result.nfev <= 150
    assert result.x is None or np.all((lower <= result.x) & (result.x <= upper))


SEVERAL = {
    "spheres": lambda x: np.array([(x**2).sum(), ((x - 1) ** 2).sum()]),
    "constant": lambda x: np.ones(2),
    "step": lambda x: np.floor([np.abs(x).sum(), np.abs(x - 1).sum()]),
    "huge": lambda x: 1e300 * np.array([np.tanh(x[0]) ** 2, np.tanh(x[-1] - 1) ** 2]),
    "tiny": lambda x: 1e-300 * np.array([(x**2).sum(), ((x - 1) ** 2).sum()]),
    "nan-islands": lambda x: np.array([(x**2).sum(), np.nan if np.sin(3 * x[0]) > 0.5 else x[0]]),
    "constrained": lambda x: (np.array([x[0], -x[0]]), np.array([x[1], 1.0])),
}


@settings(max_examples=30, phases=[Phase.explicit, Phase.generate])
@given(
    st.sampled_from(sorted(SEVERAL)),
    st.sampled_from(["sms-emoa", "nsga2"]),
    st.integers(2, 5),
    boxes,
    st.builds(
        ParetoConfig,
        fraction=st.floats(0.01, 1.0),
        sources=st.sampled_from([("differential", "newton"), ("gn",), ("snap", "random"), ("gn", "cmix", "newton")]),
        edge=st.sampled_from(["clip", "reflect"]),
        adaptive=st.booleans(),
        kappa=st.floats(0.05, 5.0),
    ),
    st.integers(0, 2**31),
)
def test_several_objectives(objective, host, d, box, config, seed):
    lower, upper = np.full(d, box[0]), np.full(d, box[1])
    seen = []
    fun = _watched(SEVERAL[objective], lower, upper, seen)
    infill = Checked(ParetoJanus(config, rng=np.random.default_rng(seed)), None)
    result = janusopt.minimize_multi(
        fun, bounds=[box] * d, budget=120, popsize=12, host=host, infill=infill, rng=seed, on_error="skip"
    )
    assert len(seen) == result.nfev == 120
    assert np.all((lower <= result.X) & (upper >= result.X))
