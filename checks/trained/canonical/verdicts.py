"""What the committed sweep decides: the claims of dec.toy, by criterion and controls.

Every number is computed from the committed tables anew; nothing is trained.
"""

from __future__ import annotations

from collections.abc import Mapping

from headproof.checks.engines.decision import Decision
from headproof.checks.registry import Context
from headproof.checks.trained.canonical import measurement
from headproof.checks.trained.canonical.numbers import MEASURES
from headproof.checks.trained.judging import judge, not_measured
from headproof.checks.trained.rows import columns_of, described
from headproof.theory.canonical.empirical_claims import FINDINGS


def decide_empirical(context: Context) -> Mapping[str, Decision]:
    """All empirical claims of the topic, from the committed sweep."""
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
        decisions[f"dec.toy.{finding.name}"] = judge(finding, numbers, controls, (), measurement.TOYS, domain, about)
    return decisions
