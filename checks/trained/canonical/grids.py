"""The sweeps that come with the house: a quick one, and the one whose results are committed.

The angles go from 0 over low and high ones to such as repeat within the context: exactly ("2/5 pi" after 5 tokens, "pi"
after 2), and nearly (21 times 3/10 and 5 times 5/2 miss a whole number of turns by 0.02 and 0.07).
"""

from __future__ import annotations

from dataclasses import replace

from headproof.checks.trained.canonical.sweep import Angles, Sweep
from headproof.theory.angles import Angle

_INDEX = ("0", "1/100", "1/30", "1/15", "1/10", "1/5", "3/10", "1/2", "1", "2/5 pi", "5/2", "pi")
_RETRIEVAL = ("0", "1/100", "1/30", "1/20", "1/15", "1/10", "3/20", "1/5", "1/2", "1", "5/2", "pi")
_ONE = ("0", "1/100", "1/30", "1/10", "1")
# The second angle beside 0, on both sides of dec.thm6's 2 pi / (2T - 1): 0.103 for 31 keys, 0.217 for 15.
_SECOND = ("1/100", "1/30", "1/15", "1/10", "1/5", "1/2", "1")
# Close to the bounds that claims name. Retrieval's half turn pi / (T - 1) is 0.105 for 31 keys and 0.224 for 15, and
# 3/10 spans between a half and a full turn of 15 keys; dec.thm6's bounds are above.
_NEAR_HALF_TURN = ("11/100", "3/25", "9/40", "3/10")
_NEAR_THRESHOLD = ("11/100", "9/40", "3/10")

QUICK = Sweep(
    {
        "index": tuple((angle,) for angle in _INDEX),
        "retrieval": tuple((angle,) for angle in _RETRIEVAL),
        "induction": (*((angle,) for angle in _ONE), *(("0", angle) for angle in _SECOND)),
    },
    again=False,
)


def _joined(sets: Angles, more: Angles) -> Angles:
    """Angle sets in the order of their sizes and largest angles."""
    return tuple(sorted((*sets, *more), key=lambda each: (len(each), max(float(Angle.parse(angle)) for angle in each))))


COMMITTED = replace(
    QUICK,
    angles={
        **QUICK.angles,
        "retrieval": _joined(QUICK.angles["retrieval"], tuple((angle,) for angle in _NEAR_HALF_TURN)),
        "induction": _joined(QUICK.angles["induction"], tuple(("0", angle) for angle in _NEAR_THRESHOLD)),
    },
    lengths=(16, 32),
    null_seeds=(0, 1),
    again=True,
)
BY_NAME = {"quick": QUICK, "committed": COMMITTED}
