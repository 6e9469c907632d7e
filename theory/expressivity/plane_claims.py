"""The claims about constructions of one and two planes (DEC, theorems 3, 5 and 6), all together."""

from __future__ import annotations

from headproof.theory.expressivity.plane_ahead_claims import PLANE_AHEAD_CLAIMS
from headproof.theory.expressivity.plane_binding_claims import PLANE_BINDING_CLAIMS
from headproof.theory.expressivity.plane_index_claims import PLANE_INDEX_CLAIMS
from headproof.theory.expressivity.plane_limit_claims import PLANE_LIMIT_CLAIMS
from headproof.theory.expressivity.plane_low_claims import PLANE_LOW_CLAIMS
from headproof.theory.expressivity.plane_phase_claims import PLANE_PHASE_CLAIMS
from headproof.theory.expressivity.plane_reach_claims import PLANE_REACH_CLAIMS

PLANE_CLAIMS = (
    *PLANE_INDEX_CLAIMS,
    *PLANE_BINDING_CLAIMS,
    *PLANE_LIMIT_CLAIMS,
    *PLANE_AHEAD_CLAIMS,
    *PLANE_PHASE_CLAIMS,
    *PLANE_LOW_CLAIMS,
    *PLANE_REACH_CLAIMS,
)
