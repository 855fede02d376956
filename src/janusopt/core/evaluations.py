"""What came back from the objective for one generation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from janusopt.core.arrays import Mask, Rows, Vec


@dataclass(frozen=True, slots=True, eq=False)
class Evaluations:
    """One generation's values, row by row with X.

    f (n,): the value a single-objective host ranks by, NaN where failed (with several objectives: NaN throughout).
    components (n, m) or None: the terms of f. objectives (n, k) or None: several objectives.
    constraints (n, c) or None: satisfied where ≤ 0; violation (n,) or None: their sum, 0 where feasible. failed (n,):
    rows to keep out of the window. ``residuals``: the components are signed residuals with ``f = ½‖r‖²``, not terms
    with ``f = mean(r)``.
    """

    f: Vec
    failed: Mask
    components: Rows | None = None
    objectives: Rows | None = None
    violation: Vec | None = None
    constraints: Rows | None = None
    residuals: bool = False

    def __len__(self) -> int:
        return len(self.f)

    def ranking(self, worst: float) -> Vec:
        """f for a host that cannot take NaN: a failed row is strictly worse than ``worst`` and all that came along."""
        good = self.f[~self.failed]
        ceiling = max(worst, float(good.max())) if len(good) else worst
        if not np.isfinite(ceiling):
            ceiling = 0.0
        return np.where(self.failed, np.nextafter(ceiling, np.inf), self.f)
