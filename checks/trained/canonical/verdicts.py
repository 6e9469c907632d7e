"""What the committed sweep decides, and the committed planes of real models: by criterion and controls.

Every number is computed from the committed tables anew; nothing is trained and no model is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from headproof.checks.engines.decision import Decision
from headproof.checks.registry import Context
from headproof.checks.trained import committed
from headproof.checks.trained.canonical import measurement, real_numbers
from headproof.checks.trained.canonical.numbers import MEASURES
from headproof.checks.trained.judging import judge, not_measured
from headproof.checks.trained.rows import columns_of, described
from headproof.theory.canonical.empirical_claims import FINDINGS
from headproof.theory.canonical.geometry_claims import GEOMETRY_FINDINGS, GEOMETRY_PRINTED, prefix_of
from headproof.theory.claim import Verdict


def decide_empirical(context: Context) -> Mapping[str, Decision]:
    """All empirical claims of the topic."""
    absent = Decision(Verdict.NOT_RUN, "nothing", summary="the source's models are not at hand")
    return {**{claim.id: absent for claim in GEOMETRY_PRINTED}, **_on_toys(context), **_on_real_heads(context)}


def _on_real_heads(context: Context) -> dict[str, Decision]:
    """The claims of dec.geometry and dyn.geometry, on each measured model."""
    decisions = {}
    for model in committed.MODELS:
        table = measurement.read_planes(model)
        planes = None if table is None else real_numbers.Geometry(columns_of(table))
        for finding in GEOMETRY_FINDINGS:
            name = f"{prefix_of(finding)}.{finding.name}.{model.slug}"
            if table is None or planes is None:
                decisions[name] = not_measured(model, "canonical")
                continue
            about = described(table)
            plan = about["plan"]
            domain = (
                f"{model.name}, texts {', '.join(plan['texts'])}, null seeds {', '.join(map(str, plan['null_seeds']))}"
            )
            found, controls = real_numbers.MEASURES[finding.name](planes, context.seed)
            decisions[name] = judge(finding, found, controls, (), model, domain, about)
    return decisions


def _on_toys(context: Context) -> dict[str, Decision]:
    """The claims of dec.toy, from the committed sweep."""
    tables = measurement.read()
    if tables is None:
        return {f"dec.toy.{each.name}": not_measured(measurement.TOYS, "canonical") for each in FINDINGS}
    about = described(tables["cells"])
    columns = {name: columns_of(table) for name, table in tables.items()}
    sweep = about["sweep"]
    domain = (
        f"{tables['cells'].num_rows} toys: {', '.join(map(str, sweep['lengths']))} tokens, seeds "
        f"{', '.join(map(str, sweep['seeds']))}, null seeds {', '.join(map(str, sweep['null_seeds']))}"
    )
    decisions = {}
    for finding in FINDINGS:
        numbers, controls = MEASURES[finding.name](columns, context.seed)
        decided = judge(finding, numbers, controls, (), measurement.TOYS, domain, about)
        # Toys are trained, not loaded: they are not the model that a report speaks of.
        details = {("toys" if name == "model" else name): value for name, value in decided.details.items()}
        decisions[f"dec.toy.{finding.name}"] = replace(decided, details=details)
    return decisions
