"""Wilson's interval for a share: it stays within 0 and 1 and says something of samples that are all right or wrong."""

from __future__ import annotations

from math import ceil, sqrt

from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer

# The normal quantile of a 95 % interval, two-sided.
Z = 1.959963984540054


def wilson(right: float, count: int) -> tuple[float, float]:
    """The 95 % interval of a share of which `right` of `count` independent draws were seen. InputError if none, or if
    `right` is not within 0 and `count`.

    >>> tuple(round(end, 3) for end in wilson(50, 100))
    (0.404, 0.596)
    """
    total = require_integer(count, "the number of draws", 1)
    if not 0 <= right <= total:
        raise InputError(f"{right} right of {total}", f"0 to {total}")
    share, square = right / total, Z**2
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = Z * sqrt(share * (1 - share) / total + square / (4 * total**2)) / (1 + square / total)
    return (0.0 if right == 0 else middle - half), (1.0 if right == total else middle + half)


def sample_size(half: float) -> int:
    """The least number of draws after which the interval is no wider than `half` to either side, whatever the share.

    Raises InputError for a half-width that is not within 0 and 1/2.

    >>> sample_size(0.05)
    381
    """
    if not 0 < half < 0.5:
        raise InputError(f"an interval of {half!r:.40} to either side", "give a number above 0 and below 1/2")
    # The widest interval is that of one half, z / (2 sqrt(n + z^2)).
    return max(1, ceil(Z**2 / (4 * half**2) - Z**2))
