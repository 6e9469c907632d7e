"""Rotary position encoding (RoPE) as pure functions of one frozen configuration; exact, numpy and torch.

Convention (DEC and DYN, appendix C): `R_p` turns plane `f` by the angle `theta_f p`, and the logit of a query
at position `i` for a key at position `j` is `(R_j k)^T (R_i q) = k^T R_{i-j} q`; per plane it is `|q_f| |k_f|
cos(theta_f (i - j) + phase_f)`, with `phase_f` the angle from `k_f` to `q_f`. Only differences of positions
matter. Nothing is cached: two configurations in one process cannot mix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import array_api_compat
import numpy as np
import sympy
from jaxtyping import Float, Shaped

from headproof.constructions import exact
from headproof.theory.errors import InputError
from headproof.theory.inputs import require_integer

Layout = Literal["half", "adjacent"]
LAYOUTS: tuple[Layout, ...] = ("half", "adjacent")

# Entries of a `rope_scaling` mapping that say nothing about the angles of the scalings supported here.
_NEUTRAL_KEYS = {"original_max_position_embeddings", "max_position_embeddings"}


@dataclass(frozen=True)
class RopeConfig:
    """Everything that a rotary encoding depends on.

    `angles`: radians per position, one a plane; an int, Fraction, SymPy expression or Turn is exact, a float
    is not. `layout` of the `rotary_dim = 2 len(angles)` leading coordinates: "half" pairs `(f, f +
    rotary_dim/2)` (Llama, Gemma), "adjacent" pairs `(2f, 2f + 1)` (GPT-J). `head_dim`: coordinates from
    `rotary_dim` on are never rotated, that is, NoPE; None means that there are none.

    Raises InputError for an angle that is not a finite real number, an unknown layout, or a head_dim below
    the rotary dimension or below 1.
    """

    angles: tuple[Any, ...]
    layout: Layout = "half"
    head_dim: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.angles, (tuple, list)):
            raise InputError(f"RoPE angles are a tuple, one a plane; got {self.angles!r}")
        angles = tuple(a if isinstance(a, exact.Turn) else exact.number(a, "RoPE angle") for a in self.angles)
        object.__setattr__(self, "angles", angles)
        if self.layout not in LAYOUTS:
            raise InputError(f"unknown RoPE layout {self.layout!r}", f"known layouts: {', '.join(LAYOUTS)}")
        head_dim = self.rotary_dim if self.head_dim is None else require_integer(self.head_dim, "head_dim")
        if head_dim < max(1, self.rotary_dim):
            raise InputError(
                f"head_dim {head_dim} is below the {self.rotary_dim} coordinates of {len(angles)} planes"
                if angles
                else f"head_dim {head_dim} with no angles leaves no coordinates"
            )
        object.__setattr__(self, "head_dim", head_dim)

    @classmethod
    def nope(cls, head_dim: int) -> RopeConfig:
        """No positional encoding: `head_dim` coordinates that are never rotated (all angles 0)."""
        return cls(angles=(), head_dim=head_dim)

    @classmethod
    def of_base(
        cls,
        base: Any,
        rotary_dim: int,
        *,
        layout: Layout = "half",
        head_dim: int | None = None,
        scaling: Mapping[str, Any] | None = None,
    ) -> RopeConfig:
        """The geometric angles `g_k = base^(-2(k-1)/rotary_dim)`, `k = 1 .. rotary_dim/2` (DEC, DYN).

        A number as `base` gives float angles, a SymPy expression exact ones. `scaling` is a `rope_scaling` or
        `rope_parameters` mapping of transformers: types "default" and "linear" (angles divided by `factor`).
        Raises InputError for an odd rotary_dim, a base that is not positive, any other scaling type, an entry
        of `scaling` that would be ignored, and one that contradicts the other arguments.
        """
        planes, odd = divmod(require_integer(rotary_dim, "rotary_dim"), 2)
        if odd or planes < 1:
            raise InputError(f"rotary_dim {rotary_dim} is not a positive even number")
        start = exact.number(base, "RoPE base")
        if exact.sign(start) <= 0:
            raise InputError(f"RoPE base {exact.shown(start)} is not positive")
        factor = _linear_factor(scaling or {}, start, rotary_dim, head_dim or rotary_dim)
        if isinstance(base, sympy.Expr):
            angles = [base ** sympy.Rational(-k, planes) / factor for k in range(planes)]
        else:
            angles = [float(start) ** (-k / planes) / float(factor) for k in range(planes)]
        return cls(angles=tuple(angles), layout=layout, head_dim=head_dim)

    @property
    def rotary_dim(self) -> int:
        """Number of rotated coordinates, two a plane."""
        return 2 * len(self.angles)

    @property
    def dim(self) -> int:
        """Number of coordinates of a query or key: `head_dim`, as an int for type checkers."""
        return int(self.head_dim or 0)

    @property
    def exact(self) -> bool:
        """Whether no angle is a float, so that exact arrays can be rotated."""
        return all(exact.is_exact(angle) for angle in self.angles)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The two coordinates of each plane, in the order of `angles`."""
        planes = len(self.angles)
        if self.layout == "half":
            return tuple((f, f + planes) for f in range(planes))
        return tuple((2 * f, 2 * f + 1) for f in range(planes))

    def plane(self, index: int) -> RopeConfig:
        """The two-dimensional configuration of one plane; it goes with the coordinates `pairs[index]`."""
        return RopeConfig(angles=(self.angles[index],), layout=self.layout)

    def numeric(self) -> RopeConfig:
        """The same configuration with float angles. Raises InputError where an angle has free symbols."""
        return RopeConfig(tuple(exact.to_float(a) for a in self.angles), self.layout, self.head_dim)


def cos_sin(
    config: RopeConfig, positions: Shaped[Any, "*positions"]
) -> tuple[Float[np.ndarray[Any, Any], "*positions plane"], Float[np.ndarray[Any, Any], "*positions plane"]]:
    """Cosine and sine of `position * angle`, float64, shape `(*positions, planes)`.

    The product is taken in float64, so each value errs by at most about `eps (1 + |angle position|)`,
    `eps = 2^-52`. Raises InputError for positions that are not finite and for angles with free symbols.
    """
    where = float_positions(positions)
    phases = where[..., None] * np.asarray([exact.to_float(a) for a in config.angles], dtype=np.float64)
    return np.cos(phases), np.sin(phases)


def exact_cos_sin(
    config: RopeConfig, positions: Shaped[Any, "*positions"]
) -> tuple[Shaped[np.ndarray[Any, Any], "*positions plane"], Shaped[np.ndarray[Any, Any], "*positions plane"]]:
    """Cosine and sine of `position * angle` without rounding, object arrays of shape `(*positions, planes)`.

    Positions are integers, Fractions or SymPy expressions. Raises InputError for a float angle or position.
    """
    if not config.exact:
        raise InputError(
            f"exact arrays need exact angles, got {config.angles}",
            "give Fraction, SymPy or Turn angles, or float arrays",
        )
    where = exact.object_array(positions)
    cos, sin = (np.empty((*where.shape, len(config.angles)), dtype=object) for _ in range(2))
    known: dict[Any, list[tuple[Any, Any]]] = {}
    for index in np.ndindex(where.shape):
        position = exact.number(where[index], "position")
        if not exact.is_exact(position):
            raise InputError(f"exact arrays need exact positions, got {position!r}")
        if position not in known:
            known[position] = [exact.turned(angle, position) for angle in config.angles]
        for plane, (c, s) in enumerate(known[position]):
            cos[(*index, plane)], sin[(*index, plane)] = c, s
    return cos, sin


def rotate(
    x: Shaped[Any, "*batch head_dim"], positions: Shaped[Any, "*positions"], config: RopeConfig
) -> Shaped[Any, "*batch head_dim"]:
    """`R_position x`: the queries or keys `x`, each turned to its position; a new array of x's kind.

    `positions` broadcasts against `x.shape[:-1]`; it is a number, an array or nested sequences. float32 and
    float64 arrays of numpy or torch keep their dtype (torch gradients flow through x); a numpy object array
    is rotated exactly. Raises InputError for other dtypes, a last axis that is not `config.head_dim`, shapes
    that do not broadcast, and the inputs that `cos_sin` and `exact_cos_sin` refuse.
    """
    xp = vector_namespace(x, config)
    if x.dtype == object:
        cos, sin = exact_cos_sin(config, positions)
    else:
        cos, sin = (_like(x, part) for part in cos_sin(config, positions))
    planes, rotary = len(config.angles), config.rotary_dim
    if config.layout == "half":
        first, second = x[..., :planes], x[..., planes:rotary]
    else:
        first, second = x[..., :rotary:2], x[..., 1:rotary:2]
    try:
        parts = (first * cos - second * sin, first * sin + second * cos)
    except (ValueError, RuntimeError) as error:
        raise InputError(
            f"positions of shape {tuple(cos.shape[:-1])} do not broadcast to vectors {tuple(x.shape)}"
        ) from error
    batch = tuple(parts[0].shape[:-1])
    if config.layout == "half":
        rotated = xp.concat(parts, axis=-1)
    else:
        rotated = xp.reshape(xp.stack(parts, axis=-1), (*batch, rotary))
    rest = xp.broadcast_to(x[..., rotary:], (*batch, config.dim - rotary))
    return xp.concat((rotated, rest), axis=-1)


def _linear_factor(scaling: Mapping[str, Any], base: Any, rotary_dim: int, head_dim: int) -> Any:
    """What the angles are divided by; refuses a scaling that would change them in another way."""
    given = {key: value for key, value in scaling.items() if value is not None and key not in _NEUTRAL_KEYS}
    names = {str(given.pop(key)) for key in ("rope_type", "type") if key in given}
    if len(names) > 1 or names - {"default", "linear"}:
        raise InputError(
            f"RoPE scaling {', '.join(sorted(names))} is not supported",
            "supported: default, linear; or pass the scaled angles to RopeConfig",
        )
    if (named := given.pop("rope_theta", base)) != base:
        raise InputError(f"RoPE scaling names the base {named}, but the base given is {base}")
    part = given.pop("partial_rotary_factor", None)
    if part is not None and int(head_dim * part) != rotary_dim:
        raise InputError(f"partial_rotary_factor {part} of {head_dim} coordinates is not rotary_dim {rotary_dim}")
    linear = names == {"linear"}
    if linear != ("factor" in given):
        raise InputError(
            f"RoPE scaling {dict(scaling)}",
            "'linear' needs a factor, and no other type supported here takes one",
        )
    factor = exact.number(given.pop("factor", 1), "RoPE scaling factor")
    if exact.sign(factor) <= 0:
        raise InputError(f"RoPE scaling factor {factor} is not positive")
    if given:
        raise InputError(f"RoPE scaling entry {given} is not supported", "pass the scaled angles to RopeConfig")
    return factor


def vector_namespace(x: Any, config: RopeConfig) -> Any:
    """The array namespace of vectors that `config` can rotate."""
    if not array_api_compat.is_array_api_obj(x):
        raise InputError(f"queries and keys are numpy or torch arrays, got {type(x).__name__}")
    xp = array_api_compat.array_namespace(x)
    if x.dtype not in (object, xp.float32, xp.float64):
        raise InputError(
            f"cannot rotate an array of {x.dtype}", "use float32, float64, or dtype object for exact numbers"
        )
    if x.ndim < 1 or x.shape[-1] != config.dim:
        raise InputError(f"vectors of shape {tuple(x.shape)} in a head of dimension {config.dim}")
    return xp


def _like(x: Any, values: Any) -> Any:
    xp = array_api_compat.array_namespace(x)
    return xp.asarray(values, dtype=x.dtype, device=array_api_compat.device(x))


def float_positions(positions: Any) -> Float[np.ndarray[Any, Any], "*positions"]:
    """Positions as finite float64 numbers of a numpy array, from a number, nested sequences or any array."""
    if array_api_compat.is_torch_array(positions):
        positions = positions.detach().cpu().numpy()
    where = np.asarray(positions)
    if where.dtype == object:
        where = np.vectorize(exact.to_float, otypes=[np.float64])(where)
    where = where.astype(np.float64)
    if not np.all(np.isfinite(where)):
        raise InputError(f"positions are finite, got {where[~np.isfinite(where)][0]}")
    return where
