"""A figure as images for a document that carries its pictures inside it."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import Any

from headproof.paper_figs.figure import Figure, drawing, house_style

DPI = 150
# Lines and letters of few colours: without loss smaller than with it, and sharp.
WEBP = {"lossless": True, "quality": 90, "method": 4}


@dataclass(frozen=True)
class Images:
    """One drawn figure as WebP and as PNG, both `width` x `height` pixels, and its caption."""

    webp: bytes
    png: bytes
    width: int
    height: int
    caption: str


def images(figure: Figure, data: Any) -> Images:
    """The figure drawn from its data (a pyarrow table) at 150 pixels an inch, on its white ground."""
    import matplotlib.pyplot as plt

    made = drawing(figure, data)
    try:
        with house_style():
            png = _encoded(made.picture, "png", {"optimize": True})
            webp = _encoded(made.picture, "webp", WEBP)
    finally:
        plt.close(made.picture)
    # A PNG begins with a signature of 8 bytes, a length, the word IHDR, then width and height.
    width, height = (int.from_bytes(png[start : start + 4], "big") for start in (16, 20))
    return Images(webp, png, width, height, made.caption)


def _encoded(picture: Any, kind: str, how: dict[str, Any]) -> bytes:
    buffer = BytesIO()
    # No metadata: it would name the program's version, and the same data give the same bytes.
    metadata = {"Software": None} if kind == "png" else None
    picture.savefig(buffer, format=kind, dpi=DPI, pil_kwargs=how, metadata=metadata)
    return buffer.getvalue()
