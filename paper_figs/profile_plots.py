"""The plots of a profile: the plane of the two scores, maps by layer and head, and the planes of some heads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from headproof.checks.trained.evidence import depth_drop, mean_over
from headproof.checks.trained.rows import described, rows, shown
from headproof.paper_figs.figure import DATA, Drawing, write
from headproof.paper_figs.figure import targets as figure_targets
from headproof.paper_figs.profile_frequencies import MOST_HEADS, TURNING, frequency_profile
from headproof.paper_figs.profile_maps import layer_maps, scores_plane
from headproof.paper_figs.profile_rows import Array, by_head, picked

if TYPE_CHECKING:
    from headproof.checks.trained.scores.profile import Profile

__all__ = ["MOST_HEADS", "captions", "default_heads", "frequency_profile", "layer_maps", "scores_plane", "write_plots"]

FIGURES = ("scores_plane", "layer_maps", "frequency_profile")
SHOWN = 6
PROMPTS_NAMED = 8
Places = Sequence[tuple[int, int]]


def targets(out: Path) -> list[Path]:
    """All files that `write_plots` may write into `out`."""
    return [path for name in FIGURES for path in figure_targets(name, out) if path.suffix not in DATA]


def write_plots(profile: Profile, out: Path, heads: Places | None = None) -> list[Path]:
    """Draw a profile into the folder `out`, each figure as PNG and SVG with its caption as text: all files or none.

    They show the last query and the first temperature; `heads` (layer, head) are those whose planes are drawn,
    `default_heads` if not given. Where no planes were measured that figure is left out, and a caption says so. The
    same profile gives the same files. Raises InputError for more than MOST_HEADS heads, for one that is not there,
    and if the files cannot be written.
    """
    asked, temperature = shown(profile.heads)
    chosen = _chosen(profile, heads)
    pictures = {
        "scores_plane": scores_plane(profile.heads, asked, temperature, profile.correlations),
        "layer_maps": layer_maps(profile.heads, asked, temperature),
    }
    if chosen:
        pictures["frequency_profile"] = frequency_profile(profile.planes, profile.heads, chosen, asked, temperature)
    texts = captions(profile, chosen)
    return write([Drawing(name, picture, texts[name]) for name, picture in pictures.items()], out)


def default_heads(heads: pa.Table, planes: pa.Table, count: int = SHOWN) -> list[tuple[int, int]]:
    """Heads (layer, head) of the trained model to look at: in turn the most positional, the most symbolic, and the
    one whose planes gain most by a turn, each once, until there are `count` or no more with planes.

    Ties go to the lower layer, then the lower head.
    """
    asked, temperature = shown(heads)
    found = by_head(heads, ("purity", *TURNING[1:]), "trained", asked, temperature)
    drawn = picked(planes, ("layer", "head"), group="trained", asked=asked, temperature=temperature)
    with_planes = set(zip(drawn["layer"].tolist(), drawn["head"].tolist(), strict=True))
    places = list(zip(found.layer.tolist(), found.head.tolist(), strict=True))
    gain = mean_over(found.values["turning_agreement"] - found.values["turning_constant"])
    purity = found.mean("purity")
    ranked = [[places[k] for k in _downwards(values)] for values in (purity, -purity, gain)]
    chosen: list[tuple[int, int]] = []
    for turn in range(len(places) * len(ranked)):
        rest = [head for head in ranked[turn % len(ranked)] if head in with_planes and head not in chosen]
        chosen += rest[:1]
        if len(chosen) == count:
            break
    return chosen


def _downwards(values: Array) -> list[int]:
    """Indices from the largest value down; NaN is left out, and ties keep their order."""
    return [int(k) for k in np.argsort(-values, kind="stable") if not np.isnan(values[k])]


def _chosen(profile: Profile, heads: Places | None) -> list[tuple[int, int]]:
    """The heads whose planes are drawn, each once; none if no planes were measured."""
    if not profile.planes.num_rows:
        return []
    return list(dict.fromkeys(heads)) if heads else default_heads(profile.heads, profile.planes)


# -- captions ------------------------------------------------------------------------------------------------------


def captions(profile: Profile, heads: Places | None = None) -> dict[str, str]:
    """Claims, domain and reading of each figure that there is, by name; `heads` as for `write_plots`."""
    chosen = _chosen(profile, heads)
    domain = _domain(profile)
    texts = {"scores_plane": _plane(profile, domain), "layer_maps": _maps(profile, domain)}
    if chosen:
        texts["frequency_profile"] = _frequencies(profile, domain, chosen)
    else:
        texts["scores_plane"] += " No rotary planes were measured, so there is no figure of frequencies."
    return texts


def _domain(profile: Profile) -> str:
    """Model, prompts, query, temperature, and the seed of the nulls."""
    about = described(profile.heads)
    asked, temperature = shown(profile.heads)
    model, prompts = about["model"], about["prompts"]
    digest = f"; sha256 {model['sha256'][:12]}" if model["sha256"] else ""
    names = ", ".join(prompt["name"] for prompt in prompts[:PROMPTS_NAMED])
    more = f" and {len(prompts) - PROMPTS_NAMED} more" if len(prompts) > PROMPTS_NAMED else ""
    lengths = sorted({prompt["tokens"] for prompt in prompts})
    tokens = " to ".join(str(length) for length in dict.fromkeys((lengths[0], lengths[-1])))
    query = "last token" if asked == "last" else f"query {asked}"
    return (
        f"{model['name']} ({model['layers']} layers of {model['heads']} heads{digest}) on {len(prompts)} "
        f"{'prompt' if len(prompts) == 1 else 'prompts'} of {tokens} tokens ({names}{more}), at the {query}, "
        f"temperature {temperature:g}; nulls of seed {about['null_seeds'][0]}"
    )


def _plane(profile: Profile, domain: str) -> str:
    gamma = described(profile.heads)["settings"]["gamma"]
    return (
        f"dec.scores and dec.emp. {domain}. One point a head, the mean over prompts, of the trained model and of two "
        "nulls: a fresh initialisation, and the trained matrices with their entries shuffled. Theorems bound where "
        "points lie: a single swap on or outside the unit circle (dec.scores.circle), an average of swaps on or above "
        "the chord s_pos + s_sym = 1 (dec.scores.average), so none in the grey triangle; where swaps lie near the "
        f"circle, a high score forces the other down. Beyond the margin gamma = {gamma:g} (dotted) a head counts as "
        "positional (top strip), symbolic (right strip) or both (corner: swaps hardly matter, as under uniform "
        "attention); the percentages are of the points drawn. r is Pearson's correlation of the two scores over heads, "
        "the mean over prompts. Surrogates exchange both scores of each swap at random: they keep a swap's weight and "
        "distance to the circle, and lose that a head's swaps agree; the nulls show how much of that is training. "
        "dec.emp prints r = -0.91 for another model and other prompts. summary.json holds intervals and tests."
    )


def _maps(profile: Profile, domain: str) -> str:
    asked, temperature = shown(profile.heads)
    found = by_head(profile.heads, ("positional",), "trained", asked, temperature)
    text = (
        f"dec.scores and dec.emp. {domain}. Means over prompts for each head of the trained model: (a) the positional "
        "score, (b) the symbolic score, (c) their difference, red where the head is more positional, blue where it is "
        "more symbolic."
    )
    drop = depth_drop(found.values["positional"], found.layer)
    if not np.isnan(drop):
        text += (
            f" The median positional score {'falls' if drop >= 0 else 'rises'} by {abs(drop):.2f} from the first half "
            "of the layers to the second; summary.json tests the trend and compares it with the nulls'. dec.emp prints "
            "a fall from 0.83 to 0.56 for another model."
        )
    if np.isnan(found.mean("positional")).any():
        text += (
            " Hatched heads have no score: their layer's window lets the query see fewer than two blocks of any prompt."
        )
    return text


def _frequencies(profile: Profile, domain: str, chosen: Places) -> str:
    asked, temperature = shown(profile.heads)
    columns = picked(profile.heads, ("layer", "head", *TURNING), group="trained", asked=asked, temperature=temperature)
    turns = []
    for layer, head in chosen:
        waves, agreement, constant = (rows(columns, layer=layer, head=head)[name] for name in TURNING)
        shares = f" ({mean_over(agreement):.2f} against {mean_over(constant):.2f})"
        turns.append(
            f"{layer}:{head} in {(~np.isnan(waves)).sum()} of {len(waves)}{'' if np.isnan(agreement).all() else shares}"
        )
    return (
        f"dec.scores and dec.emp. {domain}. Each rotary plane of a head scored as a head of its own, the mean over "
        "prompts, by its wavelength; a marker grows with the plane's share of the energy of its head's planes, and "
        "what does not turn stands at the right end (infinity). Thin lines are medians over all heads of layers with "
        "the same wavelengths, of the trained model and of the nulls: what they show too is nothing special. Grey "
        "lines mark the length of the shortest and the longest prompt: planes of longer wavelength do not come round "
        "within it. The dash-dotted line is the wavelength that best parts positional planes (shorter) from symbolic "
        "ones (longer), the median over the prompts that have one, drawn if half of them do. Layer:head and the "
        "prompts in which it turns, with the energy share that agrees with the turn, against the most without one "
        f"(their difference is what the turn gains): {', '.join(turns)}. dec.emp prints that low frequencies are "
        "symbolic, medium-high ones positional, and the highest high on both."
    )
