"""A figure as images for a document that carries its pictures inside it."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import Any

from headproof.paper_figs.figure import Figure, drawing, house_style, palette_png

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
        png, webp = palette_png(made.picture, DPI), _webp(made.picture)
    finally:
        plt.close(made.picture)
    # A PNG begins with a signature of 8 bytes, a length, the word IHDR, then width and height.
    width, height = (int.from_bytes(png[start : start + 4], "big") for start in (16, 20))
    return Images(webp, png, width, height, made.caption)


def _webp(picture: Any) -> bytes:
    buffer = BytesIO()
    with house_style():
        picture.savefig(buffer, format="webp", dpi=DPI, pil_kwargs=WEBP)
    return buffer.getvalue()
