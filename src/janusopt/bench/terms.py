"""How the runs of a plan are judged, where that differs from suite to suite."""

from __future__ import annotations

from dataclasses import dataclass

TESTS = ("wilcoxon", "mann-whitney")


@dataclass(frozen=True, slots=True)
class Terms:
    """What a report takes for a win, and which marks it counts.

    ``test``: Wilcoxon's on pairs of runs, Holm-corrected, or Mann–Whitney's U on all runs, Bonferroni-corrected.
    ``feasible``: an error below it counts as feasible. ``solved``: τ, a run at f ≤ f* + τ (f0 − f*) has solved its
    problem, f0 the value at the shared start. ``at``: evaluation counts before the budget that are reported as well.
    """

    test: str = "wilcoxon"
    feasible: float | None = None
    solved: float | None = None
    at: tuple[int, ...] = ()

    @property
    def audited(self) -> bool:
        """Whether plain means, medians and feasible runs are told problem by problem."""
        return self.feasible is not None or self.test == "mann-whitney"
