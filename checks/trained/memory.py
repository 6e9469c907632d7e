"""Keeping freed memory for the next array, on systems whose C library can be told to.

Table work makes and frees arrays of a few megabytes by the thousand. glibc gives such memory back to the system as soon
as it is freed, and each new array is then paged in again, which takes about as long as filling it with exponentials.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# Numbers of glibc's malloc.h, and its default thresholds in bytes.
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
DEFAULT = 128 << 10
KEPT, LARGEST = 512 << 20, 32 << 20
_USERS = [0]
_LOCK = threading.Lock()


@contextmanager
def keeping_memory() -> Iterator[None]:
    """For the block's time freed arrays of up to 32 MiB are kept, 512 MiB at most, and given back at its end.

    Changes no result; does nothing where the C library is not glibc. Blocks may nest and run in several threads. Once
    told, glibc keeps to the thresholds it had at the start and no longer adapts them.
    """
    _change(1)
    try:
        yield
    finally:
        _change(-1)


def _change(by: int) -> None:
    with _LOCK:
        _USERS[0] += by
        if sys.platform == "linux" and (by, _USERS[0]) in ((1, 1), (-1, 0)):
            kept = by > 0
            with suppress(OSError, AttributeError):
                library = ctypes.CDLL("libc.so.6")
                library.mallopt(MMAP_THRESHOLD, LARGEST if kept else DEFAULT)
                library.mallopt(TRIM_THRESHOLD, KEPT if kept else DEFAULT)
                if not kept:
                    library.malloc_trim(0)
