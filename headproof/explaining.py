"""`headproof explain`: all that is known of a claim, as Markdown that a referee can read from top to bottom."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headproof.checks.engines.symbolic import StepResult, verify_proof
from headproof.checks.ledger import records
from headproof.checks.registry import claims, topic_of, topics, unknown
from headproof.formal_text import formal_lines
from headproof.tabulating import shortest_counterexample
from headproof.theory.averages import MeansRelation, means_text
from headproof.theory.claim import Claim, Fidelity, Statement
from headproof.theory.derivation import Derivation, Entailments
from headproof.theory.notation import (
    derivation_lines,
    entailment_lines,
    expression_text,
    relation_text,
    sum_text,
)
from headproof.theory.proof import (
    ConcludeImplication,
    ConcludeMeans,
    ConcludeRelation,
    Conjunction,
    Counting,
    Expansion,
    Implication,
    Rewrite,
    Step,
)
from headproof.theory.sums import Relation

MOST_EXHIBITS = 12
FIDELITY = {
    Fidelity.PRINTED: "as printed",
    Fidelity.RECONSTRUCTED: "reconstructed: the source's text was not at hand",
    Fidelity.OURS: "headproof's own statement, not the source's",
}


# By whether the statement is proved in parts.
HOW_CHECKED = {
    True: "Each step was made anew just now by the rules of the proof checker, for all values of the letters; none\n"
    "rests on examples. Each part of the statement as data is proved by the step of its title. A line\n"
    "with `from (c) [name] + ...` adds up c times the named facts; names side by side are multiplied.",
    False: "Each step was put into an exact normal form just now, for general n; none rests on examples. The last\n"
    "one is checked against the statement by itself; those before it say why it is true.",
}


def explain(claim_id: str) -> str:
    """Everything known of a claim. The proof is checked anew; verdicts are the committed ledger's.

    Raises InputError for an unknown claim, naming the claims below it if it is a prefix.
    """
    known = claims()
    if claim_id not in known:
        of_topic = [claim.id for topic in topics() if topic.name == claim_id for claim in topic.claims]
        below = of_topic or [name for name in known if name.startswith(f"{claim_id}.")]
        if not below:
            raise unknown("claim", claim_id, [*known, *(topic.name for topic in topics())])
        lines = [f"# {claim_id}", "", "A compound claim, decided in parts; explain one of them:", ""]
        return "\n".join([*lines, *(f"- `{name}`: {known[name].title}" for name in below)])
    claim = known[claim_id]
    record = records().get(claim_id)
    parts = [
        _head(claim),
        _statement(claim),
        _proof(claim),
        formal_lines(claim, topic_of(claim.id).name, record),
        _findings(record),
        _refutation(record, claim),
        _audit(record, claim),
        _related(claim),
    ]
    return "\n\n".join("\n".join(part) for part in (list(lines) for lines in parts) if part)


def _head(claim: Claim) -> Iterator[str]:
    yield f"# {claim.id}: {claim.title}"
    yield ""
    yield f"{claim.kind.capitalize()}, {FIDELITY[claim.fidelity]}. Topic `{topic_of(claim.id).name}`."
    yield ""
    yield f"Source: {claim.source}."


def _statement(claim: Claim) -> Iterator[str]:
    yield "## Statement"
    yield ""
    yield claim.sentence
    yield ""
    yield f"    {claim.latex}"
    yield ""
    yield f"Domain: {claim.domain}."
    if claim.criterion:
        yield ""
        yield f"Criterion, fixed before the run: {claim.criterion}."
    if claim.statement is not None:
        if claim.statement.premises:
            yield ""
            yield "Premises:"
            yield ""
            yield from (f"- **{premise.name}**: {premise.sentence}" for premise in claim.statement.premises)
        yield from _form(claim.statement.form)
    for remark in claim.remarks:
        yield ""
        yield f"Remark. {remark}"


def _form(form: Any) -> Iterator[str]:
    for intro, lines in form_blocks(form):
        if intro:
            yield ""
            yield intro
        if lines:
            yield ""
            yield from (f"    {line}" for line in lines)


def form_blocks(form: Any) -> Iterator[tuple[str, list[str]]]:
    """A statement's form as data: what introduces each block, and its lines; nothing for a statement without one."""
    if isinstance(form, Relation):
        lines = [relation_text(form)]
        if form.equality_conditions:
            conditions = ", ".join(f"{expression_text(each)} = 0" for each in form.equality_conditions)
            lines.append(f"with equality exactly where, for all j != k: {conditions}")
        yield "As data (m = n - 1 keys; M_jk is the logit of content j at position k):", lines
    if isinstance(form, Implication):
        hypotheses = ", ".join(f"{expression_text(each)} = 0" for each in form.hypotheses)
        conclusions = ", ".join(f"{expression_text(each)} = 0" for each in form.conclusions)
        yield "As data, for all keys j != k:", [f"if   {hypotheses or 'nothing'}", f"then {conclusions}"]
    if isinstance(form, MeansRelation):
        intro = "As data (M(x, y) is the logit of content x at position y; every letter runs over all keys):"
        yield intro, [str(form)]
    if isinstance(form, Conjunction):
        for title, relation in form.relations.items():
            yield f"Part, {title}.", []
            yield from form_blocks(relation)
        if form.entailments:
            yield from form_blocks(Entailments(form.entailments))
    if isinstance(form, Entailments):
        yield "As data:", []
        yield from (("", entailment_lines(part)) for part in form.parts)


def _proof(claim: Claim) -> Iterator[str]:
    if claim.proof is None or claim.statement is None:
        return
    results = verify_proof(claim.proof, claim.statement)
    yield "## Proof"
    yield ""
    yield HOW_CHECKED[proved_in_parts(claim.statement)]
    for number, (step, result) in enumerate(zip(claim.proof.steps, results, strict=False), 1):
        yield ""
        yield f"**Step {number}, {step.title}.** {step.why} {_mark(result)}"
        yield ""
        yield from (f"    {line}" for line in step_lines(step))


def _mark(result: StepResult) -> str:
    return "*(checked)*" if result.accepted else f"*(REJECTED: {result.reason})*"


def proved_in_parts(statement: Statement) -> bool:
    """Whether each part of the statement has a step of the proof, rather than the last step proving all of it."""
    return isinstance(statement.form, Entailments | Conjunction)


def step_lines(step: Step) -> Iterator[str]:
    """What a step of a proof asserts, in plain text, line by line."""
    match step:
        case Rewrite(left=left, right=right):
            yield sum_text(left)
            yield f"  = {sum_text(right)}"
        case Expansion(left=left, right=right):
            yield expression_text(left)
            yield f"  = {expression_text(right)}"
        case Counting(count=count):
            yield f"#{{pi in S_m : pi(j) = k}} = m! / m = {expression_text(count)}"
        case ConcludeRelation(squares=()):
            yield "right side - left side = 0"
        case ConcludeRelation(squares=squares):
            terms = " + ".join(
                f"{expression_text(each.coefficient)} sum_{{j != k}} ({expression_text(each.base)})^2"
                for each in squares
            )
            yield f"right side - left side = {terms} >= 0"
        case ConcludeMeans(squares=squares):
            yield f"right side - left side = {means_text(squares)}{' >= 0' if squares else ''}"
        case Derivation(steps=steps):
            yield from derivation_lines(steps)
        case ConcludeImplication(multipliers=multipliers):
            for combination in multipliers:
                terms = " + ".join(
                    f"({expression_text(value)}) * [hypothesis {index + 1}]" for index, value in combination.items()
                )
                yield f"conclusion = {terms}"


def exhibit(data: Any) -> str:
    """What a check exhibits, such as two inputs with one output, or a certificate, on one line."""
    if isinstance(data, dict):
        return "; ".join(f"{name}: {exhibit(value)}" for name, value in data.items())
    return " | ".join(map(exhibit, data)) if isinstance(data, list) else str(data)


def _findings(record: dict[str, Any] | None) -> Iterator[str]:
    yield "## Verdict"
    yield ""
    if record is None:
        yield "Not in the committed ledger; run `headproof check` on it."
        return
    yield f"**{record['verdict']}** (committed ledger, effort {record['effort']})"
    yield ""
    for finding in record["findings"]:
        name = f" ({finding['name']})" if finding["name"] else ""
        said = f": {finding['summary']}" if finding["summary"] else ""
        yield f"- {finding['tier']}{name}: {finding['verdict']} on {finding['domain']}{said}"
        for label, number in finding["numbers"].items():
            yield f"    - {label}: {number['value']:.6g}"
        for label, exhibits in finding["details"].items():
            if isinstance(exhibits, list):
                yield from (f"    - {label}: {exhibit(each)}" for each in exhibits[:MOST_EXHIBITS])
    controls = [(finding["tier"], control) for finding in record["findings"] for control in finding["controls"]]
    if controls:
        yield ""
        yield "Controls (near misses that the same checks must tell from the claim):"
        yield ""
        for title in dict.fromkeys(control["title"] for _, control in controls):
            outcomes = ", ".join(
                f"{tier} {control['outcome']}" for tier, control in controls if control["title"] == title
            )
            yield f"- {title}: {outcomes}"


def _refutation(record: dict[str, Any] | None, claim: Claim) -> Iterator[str]:
    if record is None or record["verdict"] != "REFUTED":
        return
    yield "## Counterexample"
    yield ""
    yield (shortest_counterexample(record["findings"]) or "none given") + "."
    if claim.repair:
        yield ""
        yield f"Repaired: `{claim.repair}`: {claims()[claim.repair].title}."
        yield ""
        yield f"What survives: {claim.survives}"


def _audit(record: dict[str, Any] | None, claim: Claim) -> Iterator[str]:
    if record is None or not (record["premises"] or record["sharpness"]):
        return
    yield "## Sharpness and premises"
    yield ""
    if record["sharpness"]:
        where = case_text(claim, record["sharpness"]["case"])
        ratio = record["sharpness"]["ratio"]
        yield f"- the left side is {ratio} times the right side (rounded if irrational) at {where}"
    for premise in record["premises"]:
        case = f"; without it the statement fails at {case_text(claim, premise['case'])}" if premise["case"] else ""
        yield f"- premise *{premise['name']}* is {premise['status']}{case}"


def case_text(claim: Claim, data: dict[str, Any]) -> str:
    """An exact case of a record, as one would write it by hand."""
    return str(claim.statement.case_type.of_json(data)) if claim.statement is not None else str(data)


def related(claim_id: str) -> list[str]:
    """The other claims of the same theorem or group: those whose ids share the first two parts."""
    stem = _stem(claim_id)
    return [name for name in claims() if name != claim_id and (name == stem or name.startswith(f"{stem}."))]


def _stem(claim_id: str) -> str:
    return ".".join(claim_id.split(".")[:2])


def _related(claim: Claim) -> Iterator[str]:
    others = related(claim.id)
    yield "## Re-run"
    yield ""
    yield f"    headproof check {claim.id}"
    if others:
        yield ""
        named = ", ".join(f"`{name}`" for name in others[:MOST_EXHIBITS])
        more = f", and {len(others) - MOST_EXHIBITS} more" if len(others) > MOST_EXHIBITS else ""
        yield f"Related claims (`headproof list {_stem(claim.id)}`): {named}{more}."
