"""What the claims about printed definitions share: conclusions that fail where something in them is not defined."""

from __future__ import annotations

from collections.abc import Callable

from headproof.theory.claim import Source
from headproof.theory.errors import InputError
from headproof.theory.expressivity.function_claims import SequenceCase

DEFINITION = Source("DYN", "appendix B.1, the number task")
Conclusion = Callable[[SequenceCase], bool]


def defined(conclusion: Conclusion) -> Conclusion:
    """The conclusion; it fails where something in it is not defined."""

    def holds(case: SequenceCase) -> bool:
        try:
            return bool(conclusion(case))
        except InputError:
            return False

    return holds
