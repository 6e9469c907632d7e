r"""Disentanglement: how far position and content add up in a rotary head's logits, and why (GEN, theorem 2).

The logit of a key k at distance d from a query q is a sum over the head's planes, `W(q, k, d) =
sum_f q_f^T R(theta_f d) k_f`. Position and content add exactly if every double difference vanishes, the interaction

    I = W(q, k, d) - W(q, k0, d) - W(q, k, d0) + W(q, k0, d0).

In one plane `R(theta d) - R(theta d0)` is a turn, stretched by `2 sin(theta (d - d0) / 2)`, so that the plane's part of
the interaction is at most

    2 |q_f| |k_f - k0_f| |sin(theta_f (d - d0) / 2)|,

which is small where the plane turns slowly and where the keys vary little. The measures below are this bound, the
interaction of a table, and the bound of the mean square of a whole table's interaction effects. Claims and proofs stand
in the other modules of this package.
"""

from __future__ import annotations

from typing import Any

import array_api_compat
import numpy as np
from jaxtyping import Float

from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer
from headproof.theory.measures import widen
from headproof.theory.table import LogitTable

# Below this `m |theta| / 2`, a resultant is so near to 1 that its distance from 1 is taken from a series.
SMALL = 0.1


def interaction(table: LogitTable, a: Any, a0: Any, b: Any, b0: Any) -> Any:
    """The double difference `M[a, b] - M[a0, b] - M[a, b0] + M[a0, b0]`, in logit units; exact for exact tables.

    `a`, `a0` are contents and `b`, `b0` positions, counted from 0: integers, or integer arrays of one shape S for many
    at once. Returns shape `(*batch, *S)`, float64 for floating tables. Zero for all arguments exactly if the table is
    additive, `M[a, b] = c_a + d_b` (gen.additive.interaction).
    """

    def at(content: Any, position: Any) -> Any:
        return widen(table, table.logits[..., content, position])

    return (at(a, b) - at(a0, b)) - (at(a, b0) - at(a0, b0))


def turning_bound(query_norms: Any, key_norms: Any, angles: Any, shift: Any) -> Any:
    """`sum_f 2 |q_f| |k_f - k0_f| |sin(theta_f (d - d0) / 2)|` (gen.thm2), in logit units.

    `query_norms` are `|q_f|`, `key_norms` are `|k_f - k0_f|` and `angles` are `theta_f` in radians, with the planes on
    the last axis; `shift` is `d - d0`, of the leading axes' shape. All broadcast; the result has the leading axes.
    Raises InputError for a negative norm.
    """
    xp, (query, key, theta, by) = _arrays(query_norms, key_norms, angles, shift)
    _require_norms(xp, query, key)
    half = theta * by[..., None] / 2
    return xp.sum(2 * query * key * xp.abs(xp.sin(half)), axis=-1)


def mean_resultant(angles: Any, m: int) -> Any:
    """`D_m(theta) = |sin(m theta / 2) / (m sin(theta / 2))|`, in [0, 1]; 1 at multiples of 2 pi. Shape of `angles`.

    It is the length of the mean of m unit vectors turned by theta, 2 theta, ..., m theta, for

        |e^{i theta} + ... + e^{i m theta}| = |e^{i m theta} - 1| / |e^{i theta} - 1|
                                            = |sin(m theta / 2) / sin(theta / 2)|

    (gen.thm2.turning). The angle is first reduced by whole turns, which changes the quotient by a sign at most; near
    0 both sines are accurate, and so is their quotient. Raises InputError unless m is an integer, 1 or more.
    """
    xp, (theta,) = _arrays(angles)
    m = _require_count(m)
    half = _reduced(xp, theta) / 2
    still = half == 0
    below = m * xp.sin(xp.where(still, xp.ones_like(half), half))
    quotient = xp.abs(xp.sin(m * half) / below)
    return xp.where(still, xp.ones_like(half), xp.where(quotient > 1, xp.ones_like(half), quotient))


def turning_spread(angles: Any, m: int) -> Any:
    """`1 - D_m(theta)^2`: the mean squared distance of m unit vectors, turned by theta, 2 theta, ..., from their mean.

    In [0, 1], of the shape of `angles`. Where D is near 1 the difference would lose its digits; there it comes from
    `log(sin x / x) = -x^2/6 - x^4/180 - x^6/2835 - x^8/37800 - ...` as `-expm1(2 log D)`, with
    `log D = log(sin(m x) / (m x)) - log(sin x / x)` at `x = theta / 2`. Raises InputError as `mean_resultant`.
    """
    xp, (theta,) = _arrays(angles)
    m = _require_count(m)
    resultant = mean_resultant(theta, m)
    half = _reduced(xp, theta) / 2
    near = m * xp.abs(half) < SMALL
    x = xp.where(near, half, xp.zeros_like(half))
    series = 0 - xp.expm1(2 * (_log_sinc(m * x) - _log_sinc(x)))  # not -expm1, which is -0.0 at whole turns
    return xp.where(near, series, (1 - resultant) * (1 + resultant))


def interaction_bound(query_norms: Any, key_deviations: Any, angles: Any, m: int) -> Any:
    """`(sum_f |q_f| sigma_f sqrt(1 - D_m(theta_f)^2))^2`, the bound of the mean square interaction effect.

    For m keys at the positions 1 .. m, `key_deviations` are the root mean squares `sigma_f` of the distances of the
    keys' plane f from their mean, `query_norms` are `|q_f|` and `angles` are `theta_f` in radians; planes on the last
    axis, all broadcast. Returns the leading axes, in squared logit units. What it bounds is
    `analysis_of_variance(table).interaction / m^2` (gen.thm2.anova). Raises InputError for a negative norm or
    deviation, and unless m is an integer, 1 or more.
    """
    xp, (query, deviation, theta) = _arrays(query_norms, key_deviations, angles)
    _require_norms(xp, query, deviation)
    return xp.sum(query * deviation * xp.sqrt(turning_spread(theta, m)), axis=-1) ** 2


def sharp_interaction_bound(query_norm: Any, key_deviation: Any, angle: Any, m: int) -> Any:
    """One plane's sharp bound, `|q|^2 sigma^2 max((1 + C) / 2 - D^2, (1 - C) / 2)` (gen.thm2.anova-sharp).

    `C = sin(m theta) / (m sin theta)`, signed, and `D = D_m(theta)`: the mean squares of m equally spaced directions
    along and across their middle one, around their mean. All arguments broadcast; there is no axis of planes.
    Raises InputError as `interaction_bound`.
    """
    xp, (query, deviation, theta) = _arrays(query_norm, key_deviation, angle)
    _require_norms(xp, query, deviation)
    m = _require_count(m)
    across = _half_below_one(xp, theta, m)
    along = turning_spread(theta, m) - across  # (1 + C)/2 - D^2 = (1 - D^2) - (1 - C)/2
    return (query * deviation) ** 2 * xp.where(along > across, along, across)


def _half_below_one(xp: Any, theta: Any, m: int) -> Any:
    """`(1 - C) / 2` with `C = sin(m theta) / (m sin theta)`, the signed mean of the cosines of m centred multiples of
    2 theta: where theta is reduced by half turns, an odd number of them changes the sign if m is even."""
    cosine, sine = xp.cos(theta), xp.sin(theta)
    odd = cosine < 0
    rest = xp.atan2(xp.where(odd, -sine, sine), xp.abs(cosine))
    one = xp.ones_like(theta)
    sign = xp.where(odd, -one, one) if m % 2 == 0 else one
    still = rest == 0
    below = m * xp.sin(xp.where(still, one, rest))
    mean = sign * xp.where(still, one, xp.sin(m * rest) / below)
    near = (m * xp.abs(rest) < SMALL) & (sign > 0)
    x = xp.where(near, rest, xp.zeros_like(rest))
    series = (0 - xp.expm1(_log_sinc(m * x) - _log_sinc(x))) / 2
    return xp.where(near, series, (1 - mean) / 2)


def _log_sinc(x: Any) -> Any:
    """`log(sin x / x)` for |x| < 0.1, to the last digits of float64."""
    y = x * x
    return -y * (1 / 6 + y * (1 / 180 + y * (1 / 2835 + y * (1 / 37800 + y / 467775))))


def _reduced(xp: Any, theta: Any) -> Any:
    """The angle less whole turns, in [-pi, pi]; from its sine and cosine, for multiples of a float 2 pi drift."""
    return xp.atan2(xp.sin(theta), xp.cos(theta))


def _arrays(*values: Any) -> tuple[Any, list[Float[Any, "..."]]]:
    """The namespace of the values, and all of them in float64 on one device.

    Arrays other than numpy's decide both; numpy's, lists and numbers follow them. Raises InputError for arrays of two
    other libraries or on two devices.
    """
    arrays = [each for each in values if array_api_compat.is_array_api_obj(each)]
    leading = [each for each in arrays if not array_api_compat.is_numpy_array(each)]
    if not leading:
        return np, [np.asarray(each, dtype=np.float64) for each in values]
    namespaces = {array_api_compat.array_namespace(each).__name__ for each in leading}
    devices = {str(array_api_compat.device(each)) for each in leading}
    if len(namespaces) > 1 or len(devices) > 1:
        found = ", ".join(sorted(namespaces if len(namespaces) > 1 else devices))
        raise InputError(f"arrays of {found} together", "give all of one library, on one device")
    xp, device = array_api_compat.array_namespace(leading[0]), array_api_compat.device(leading[0])
    taken = {id(each) for each in leading}
    return xp, [
        xp.astype(each, xp.float64, copy=False)
        if id(each) in taken
        else xp.asarray(np.array(each, dtype=np.float64), device=device)
        for each in values
    ]


def _require_norms(xp: Any, *norms: Any) -> None:
    """Raise InputError, naming the value, for a negative length."""
    for each in norms:
        negative = each < 0
        if bool(xp.any(negative)):
            raise InputError(f"a length of {float(each[negative][0])}", "norms and deviations are not negative")


def _require_count(m: int) -> int:
    return require_integer(m, "m, the number of keys,", 1)
