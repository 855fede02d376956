"""Memory grows with d, not with d²."""

from __future__ import annotations

import subprocess
import sys

RUN = """
import resource
import numpy as np
from janusopt.config import JanusConfig
from janusopt.core.evaluations import Evaluations
from janusopt.hosts.pycma import PycmaHost
from janusopt.janus import Janus

d, rows = 20_000, 40
free = np.full(d, np.inf)
host = PycmaHost(np.zeros(d), np.ones(d), -free, free, seed=1, popsize=rows, sampler="diagonal")
infill = Janus(JanusConfig(chart="newton"), rng=1)
proposed = 0
for _ in range(12):
    proposals = infill.propose(host.frame(), host.slots)
    proposed += len(proposals)
    X = host.ask(proposals.X)
    evals = Evaluations(((X - 0.5) ** 2).sum(axis=1), np.zeros(rows, dtype=bool))
    infill.observe(X, evals)
    host.tell(X, evals)
host.reshape(infill._pages[0].chart.geometry.metric(1.0), 0.3)
print(proposed, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_twenty_thousand_variables_need_no_square_matrix():
    """One d×d array of floats would be 3,200 MB; a window of 300 rows is 48."""
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    proposed, megabytes = map(int, done.stdout.split())
    assert proposed > 0
    assert megabytes < 900
