"""How many threads torch computes with: sums in another order round otherwise, and training amplifies that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def threads(count: int) -> Iterator[None]:
    """Let torch compute with so many threads on the CPU meanwhile; 0 leaves their number as it is."""
    import torch

    before = torch.get_num_threads()
    if count:
        torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
