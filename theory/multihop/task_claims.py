"""All claims about the multihop tasks as printed (dyn.tasks): examples, formal definitions, data sets."""

from __future__ import annotations

from headproof.theory.claim import Claim
from headproof.theory.multihop.balance_claims import BALANCE_CLAIMS
from headproof.theory.multihop.example_claims import EXAMPLE_CLAIMS
from headproof.theory.multihop.letter_claims import LETTER_CLAIMS
from headproof.theory.multihop.number_claims import NUMBER_CLAIMS

TASK_CLAIMS: tuple[Claim, ...] = (*EXAMPLE_CLAIMS, *NUMBER_CLAIMS, *LETTER_CLAIMS, *BALANCE_CLAIMS)
