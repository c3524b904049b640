"""The fast versions of HU's algorithms (`simulate` in NAME.py), and the parts that they share.

Also for algorithms that decide only between phases: a run of 10^6 rounds (five arms, eps = 1/2) of
the file itself, with one Binomial a phase, takes 1.6 ms (adap-ucb), 35 (adap-klucb), 218 (dp-klucb)
and 15 (dp-imed), of the engine 0.06, 0.06, 0.25 and 0.16, and `make` has 89,000 such runs.

What is named here is for other packages, too.
"""

from dpbandits.stochastic.engine.phases import simulate
from dpbandits.stochastic.engine.runs import record, simulate_runs

__all__ = ["record", "simulate", "simulate_runs"]
