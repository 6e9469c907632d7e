"""The sweeps that come with the house: a quick one, and the one whose results are committed.

The angles go from 0 over low and high ones to such as repeat within the context: exactly ("2/5 pi" after 5 tokens, "pi"
after 2), and nearly (21 times 3/10 and 5 times 5/2 miss a whole number of turns by 0.02 and 0.07).
"""

from __future__ import annotations

from dataclasses import replace

from headproof.checks.trained.canonical.sweep import Sweep

_INDEX = ("0", "1/100", "1/30", "1/15", "1/10", "1/5", "3/10", "1/2", "1", "2/5 pi", "5/2", "pi")
_RETRIEVAL = ("0", "1/100", "1/30", "1/20", "1/15", "1/10", "3/20", "1/5", "1/2", "1", "5/2", "pi")
_ONE = ("0", "1/100", "1/30", "1/10", "1")
# The second angle beside 0, on both sides of dec.thm6's 2 pi / (2T - 1): 0.103 for 31 keys, 0.217 for 15.
_SECOND = ("1/100", "1/30", "1/15", "1/10", "1/5", "1/2", "1")

QUICK = Sweep(
    {
        "index": tuple((angle,) for angle in _INDEX),
        "retrieval": tuple((angle,) for angle in _RETRIEVAL),
        "induction": (*((angle,) for angle in _ONE), *(("0", angle) for angle in _SECOND)),
    },
    again=False,
)
COMMITTED = replace(QUICK, lengths=(16, 32), null_seeds=(0, 1), again=True)
BY_NAME = {"quick": QUICK, "committed": COMMITTED}
