"""For people who already run Optuna: ``create_study(sampler=JanusSampler(seed=1))``."""

from __future__ import annotations

from janusopt.integrations.optuna import JanusSampler

__all__ = ["JanusSampler"]
