"""The figures of a report: drawn from computed or from kept data; one that cannot be had is named with the reason."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from headproof.checks.registry import Context, claims, figure_points, select, topic_of, topics
from headproof.paper_figs.data import as_written, read_data
from headproof.paper_figs.figure import Figure, load
from headproof.paper_figs.images import Images, images
from headproof.theory.errors import InputError


@dataclass(frozen=True)
class Picture:
    """A figure of the report, shown in the section of `topic` ("" for none): images, or `problem` in their place.

    `claims` are those that it shows.
    """

    name: str
    title: str
    topic: str
    claims: tuple[str, ...]
    images: Images | None = None
    problem: str = ""

    @property
    def source(self) -> str:
        """The image as the address that stands in a page."""
        return f"data:image/webp;base64,{b64encode(self.images.webp).decode()}" if self.images else ""


def pictures(
    chosen: list[str],
    folder: Path | None,
    step: Callable[[str, int, int], None],
    message: Callable[[str], None],
) -> tuple[Picture, ...]:
    """The installed figures that show any of the chosen claims, in the order of their topics.

    They are drawn from the data in `folder`, or computed (cached measurements are reused). Whatever goes wrong with
    one of them is its `problem`, and a message: a report of everything else is worth having.
    """
    points = figure_points()
    made = []
    for number, (name, point) in enumerate(points.items(), 1):
        figure: Figure | None = None
        try:
            figure = load(point)
            topic, shown = _place(figure)
            if not _wanted(topic, shown, set(chosen)):
                continue
            data = as_written(figure.compute(Context(), message)) if folder is None else read_data(folder, name)
            made.append(Picture(name, figure.title, topic, shown, images(figure, data)))
        except Exception as error:
            said = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
            message(f"figure {name}: {said}")
            made.append(_missing(name, figure, said))
        finally:
            step(f"figure {name}", number, len(points))
    order = {topic.name: place for place, topic in enumerate(topics())}
    return tuple(sorted(made, key=lambda each: order.get(each.topic, len(order))))


def _missing(name: str, figure: Figure | None, said: str) -> Picture:
    """A figure that could not be had. Its place may be what is wrong with it: then it stands by its name alone."""
    try:
        topic, shown = _place(figure) if figure is not None else (_topic_by_name(name), ())
    except InputError:
        topic, shown = _topic_by_name(name), ()
    return Picture(name, figure.title if figure is not None else name, topic, shown, problem=said)


def _place(figure: Figure) -> tuple[str, tuple[str, ...]]:
    """The topic that a figure belongs to, by its name or by the first claim that it shows; and those claims."""
    shown = tuple(select(list(figure.claims))) if figure.claims else ()
    return _topic_by_name(figure.name) or (topic_of(shown[0]).name if shown else ""), shown


def _topic_by_name(name: str) -> str:
    """The topic whose name begins the figure's."""
    return next((topic.name for topic in topics() if f"{name}_".startswith(f"{topic.name}_")), "")


def _wanted(topic: str, shown: tuple[str, ...], chosen: set[str]) -> bool:
    """Whether it shows a chosen claim; one that names none shows its topic, or, without a topic, everything."""
    if shown:
        return bool(chosen & set(shown))
    mine = {claim for claim in claims() if topic and topic_of(claim).name == topic}
    return bool(chosen & mine) or not topic
