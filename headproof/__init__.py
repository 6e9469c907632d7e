"""headproof: theorems about attention heads, decided and measured."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("headproof")
except PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

__all__ = ["__version__"]
