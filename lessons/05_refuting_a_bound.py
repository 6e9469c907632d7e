import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="5. Refuting a printed bound")

with app.setup(hide_code=True):
    from fractions import Fraction

    import board
    import marimo as mo
    import numpy as np

    from headproof.checks.deciding import overall
    from headproof.checks.discrepancy import index_cases
    from headproof.checks.discrepancy import topic as discrepancy
    from headproof.checks.engines import property as property_engine
    from headproof.checks.engines.interval import Limits, Root, decided, every, verify
    from headproof.checks.engines.interval import search as search_boxes
    from headproof.checks.registry import Context, Topic, claims
    from headproof.checks.standard import search_check
    from headproof.explaining import explain
    from headproof.theory.angles import Angle, precision
    from headproof.theory.claim import Claim, Fidelity, Kind, Mutant, Source, Statement, Tier, Verdict
    from headproof.theory.cosine_sums import value
    from headproof.theory.discrepancy import IndexCase, best_other
    from headproof.theory.discrepancy.index_claims import (
        IRRATIONAL,
        below_square,
        largest_gap,
        letter_gap,
        smallest_gap,
    )
    from headproof.theory.errors import InputError
    from headproof.theory.rational import rational


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 5. Refuting a printed bound

    *45 minutes. You need: lesson 4 (the gap of Index). Some Python helps at the end.*

    A paper prints a bound. You doubt it. What would convince a referee? Not a plot, and not a floating-point number
    that sticks out by $10^{-9}$. This lesson walks the road from doubt to verdict:

    1. write the claim down as something that can be **false on a case**;
    2. **search** for such a case;
    3. **check** it, without trust in the search, in exact arithmetic;
    4. say what **survives**, and prove that;
    5. make sure that the check could have failed: **mutants** and the **premise audit**;
    6. and then you bring a claim of your own.

    The claim is theorem 3.2 of DYN for the construction Index, with the discrepancy as the paper defines it: at
    length $n$, the largest gap between the largest and the second-largest logit, over all inputs.
    """)
    return


@app.cell(hide_code=True)
def _():
    printed = claims()["dyn.thm3.2.index"]
    mo.vstack(
        [
            mo.md(f"$$\n{printed.latex}\n$$"),
            mo.md(f"In words: {printed.sentence}"),
            mo.md(
                "As data, a claim is a **statement**: premises and a conclusion, each a function that decides one "
                f"exact case. The type of case here is `{printed.statement.case_type.__name__}`: an exact angle and a "
                "length. The premises: "
                f"{', '.join(f'*{each.name}* ({each.sentence})' for each in printed.statement.premises)}."
            ),
        ]
    )
    return (printed,)


@app.cell(hide_code=True)
def _():
    case_angle = mo.ui.text(value="1", label="angle θ (such as `2/3 pi`, `1`, or `1/3 pi + 1/2`)")
    return (case_angle,)


@app.cell(hide_code=True)
def _():
    case_length = mo.ui.slider(2, 24, 1, value=6, label="length n", show_value=True)
    return (case_length,)


@app.cell(hide_code=True)
def _(case_angle, case_length, printed):
    try:
        tried, trouble = IndexCase(Angle.parse(case_angle.value), case_length.value), ""
    except InputError as _error:
        tried, trouble = None, str(_error)
    if tried is None:
        _said = mo.callout(mo.md(trouble), kind="warn")
        tried_refutes = False
    else:
        tried_refutes = printed.statement.refuted_by(tried)
        with precision(64):
            _gap, _limit = value(largest_gap(tried)), 2 * np.pi**2 / tried.n**2
        _said = mo.callout(
            mo.md(
                f"The largest gap is in the ball `{_gap.str(12)}`; $2\\pi^2/n^2 \\approx {_limit:.6f}$ and "
                f"$1 - \\cos\\theta \\approx {1 - np.cos(float(tried.theta)):.6f}$.\n\nPremises met: "
                f"**{'yes' if printed.statement.meets(tried) else 'no'}**. Conclusion: "
                f"**{'holds' if printed.statement.conclusion(tried) else 'fails'}**. So this case "
                + ("**refutes the claim**." if tried_refutes else "does not refute the claim.")
            ),
            kind="danger" if tried_refutes else "neutral",
        )
    mo.vstack([mo.md("## 1. A case\n\nTry some."), mo.hstack([case_angle, case_length], justify="start"), _said])
    return tried, tried_refutes


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 2. Search

    Hypothesis draws cases: small denominators, angles at and beside the places where cosines tie, a length now and
    then that is too short to be interesting. The first case that refutes is then **shrunk**: as long as there is a
    simpler case (a shorter text, a plainer angle) that refutes as well, take that.
    """)
    return


@app.cell(hide_code=True)
def _():
    seed = mo.ui.slider(0, 20, 1, value=0, label="seed of the search", show_value=True)
    return (seed,)


@app.cell(hide_code=True)
def _(printed, seed):
    seen = property_engine.search(printed.statement, index_cases(8), 100, seed.value)
    found = seen.found
    _start = IndexCase(Angle(Fraction(5, 17), Fraction(1, 50)), 7)
    path = [_start]
    while True:  # the engine's own rule, step by step: the first simpler case that refutes as well
        _next = next((_each for _each in path[-1].smaller() if printed.statement.refuted_by(_each)), None)
        if _next is None:
            break
        path.append(_next)
    assert path[-1] == property_engine.shrink(printed.statement, _start)
    mo.vstack(
        [
            seed,
            mo.callout(
                mo.md(
                    f"{seen.drawn} cases drawn, {seen.met} met the premises. "
                    + (f"Shrunk: **{found}**." if found is not None else "None refutes.")
                ),
                kind="danger" if found is not None else "neutral",
            ),
            mo.md(
                f"How shrinking goes, from an ugly case on: {' → '.join(f'`{_each}`' for _each in path)}."
                if printed.statement.refuted_by(_start)
                else "The ugly case that this page starts from does not refute."
            ),
        ]
    )
    return found, path, seen


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 3. Check

    The search may be as clever and as careless as it likes. What counts is the **checker**, which knows only the
    definition and the case. Cosines of exact angles are compared without rounding: equality by algebra ($\pi$ is
    irrational), a strict order by balls of real numbers that get narrower until they tell.

    **By hand.** $n = 4$, $\theta = 2\pi/3$, the query that points two places back. The keys are at the angles
    $-2\theta, -\theta, 0, \theta$, so the logits are $-\frac12, -\frac12, 1, -\frac12$. The gap is $\frac32$, and
    $2\pi^2/16 = 1.2337$.
    """)
    return


@app.cell(hide_code=True)
def _(found, printed):
    _case = found or IndexCase(Angle(Fraction(2, 3)), 4)
    accepted = printed.statement.refuted_by(_case)
    _lines = []
    for _bits in (24, 53, 128):
        with precision(_bits):
            _excess = value(largest_gap(_case)) * _case.n**2 - 2 * Angle(Fraction(1)).enclosure() ** 2
            _lines.append(f"| {_bits} | `{_excess.str(10)}` | {'yes' if _excess > 0 else 'not yet'} |")
    mo.vstack(
        [
            mo.md(
                f"At `{_case}`: does the ball that encloses $n^2 \\cdot \\mathrm{{gap}} - 2\\pi^2$ lie above 0?\n\n"
                "| bits | ball | certainly positive |\n| --- | --- | --- |\n" + "\n".join(_lines)
            ),
            mo.callout(
                mo.md(f"The checker **{'accepts' if accepted else 'rejects'}** the counterexample."),
                kind="danger" if accepted else "neutral",
            ),
            mo.md("What the committed ledger has:"),
            board.card(printed.id),
        ]
    )
    return (accepted,)


@app.cell(hide_code=True)
def _():
    box = mo.ui.range_slider(
        0, 100, 1, value=[60, 70], label="angles from … to … hundredths of π", show_value=True, full_width=True
    )
    return (box,)


@app.cell(hide_code=True)
def _():
    box_length = mo.ui.slider(3, 12, 1, value=4, label="length n", show_value=True)
    return (box_length,)


@app.cell(hide_code=True)
def _(box, box_length):
    def above_printed(balls, parameters):
        """Whether the largest gap, 1 - max cos(u theta) over u <= n/2, is above 2 pi^2 / n^2 on a whole box."""
        (turns,), (n,) = balls, parameters
        limit = 2 * Angle(Fraction(1)).enclosure() ** 2 / n**2
        return every(decided(1 - (turns * u).cos_pi() - limit) for u in range(1, n // 2 + 1))

    _low, _high = (Fraction(_end, 100) for _end in box.value)
    roots = [Root.of([(_low, _high)], (box_length.value,))]
    certificate = search_boxes(above_printed, roots, Limits(boxes=4000))
    box_verdict = verify(certificate, above_printed, roots)
    return box_verdict, certificate


@app.cell(hide_code=True)
def _(box, box_length, box_verdict, certificate):
    _n = box_length.value
    _grid = [Fraction(_k, 240) for _k in range(1, 241)]
    _gaps = [float(value(best_other(IndexCase(Angle(_t), _n), _n // 2)).mid()) for _t in _grid]
    with board.drawing((6.8, 2.7)) as (_figure, _axes):
        _axes.plot([float(_t) for _t in _grid], _gaps, color=board.BLUE, label="largest gap, exactly")
        _axes.axhline(2 * np.pi**2 / _n**2, color="0.2", linestyle="--", label="printed $2\\pi^2/n^2$")
        _axes.axhline(
            1 - np.cos(2 * np.pi / (_n // 2 + 1)), color=board.GREEN, label="sharp, $1-\\cos(2\\pi/(⌊n/2⌋+1))$"
        )  # fmt: skip
        _colour = {"HOLDS": board.RED, "REFUTED": board.GREEN}.get(str(box_verdict), "0.6")
        _axes.axvspan(box.value[0] / 100, box.value[1] / 100, color=_colour, alpha=0.2, linewidth=0, label="your box")
        _axes.set(xlabel="θ / π", ylabel="gap", xlim=(0, 1), ylim=(0, None), title=f"n = {_n}")
        _axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    _words = {
        "HOLDS": f"**Certified**: at *every* real angle in the box the largest gap is above the printed bound "
        f"(balls that cover the box: {certificate.boxes}; the checker replayed them).",
        "REFUTED": "Not everywhere in the box is the gap above the printed bound: the certificate shows an angle "
        f"where it is not, {certificate.refutation.point[0] if certificate.refutation else ''} π.",
    }.get(
        str(box_verdict), "**Undecided**: somewhere in the box the two are equal, and no ball tells. That is no error."
    )
    mo.vstack(
        [
            mo.md(r"""
    ### Not one angle: a whole interval of them

    One counterexample is enough. But is it a freak? Balls can hold *intervals*: if a predicate is certain for a ball,
    it is certain for each real number in it. Choose a box of angles.
    """),
            box,
            box_length,
            board.image(_figure, f"Largest gap against the angle for n = {_n}, with the printed and the sharp bound"),
            mo.callout(mo.md(_words), kind="danger" if str(box_verdict) == "HOLDS" else "neutral"),
        ]
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 4. What survives

    "Refuted" is half a result. The gap of the query for the *middle* is the problem: it sees no key more than
    $\lfloor n/2 \rfloor$ places away. So the circle has to hold only $\lfloor n/2 \rfloor + 1$ places, not $n$, and the
    sharp bound is $1 - \cos\frac{2\pi}{\lfloor n/2 \rfloor + 1}$: four times as much, for large $n$. The green line in
    the picture touches the blue curve: **sharp** means that some angle attains it.
    """)
    return


@app.cell(hide_code=True)
def _():
    repaired = claims()["dyn.thm3.2.index.sharp"]
    _record = board.record_of(repaired.id)
    mo.vstack(
        [
            board.card(repaired.id),
            mo.md(f"Ratio of left to right side at {repaired.witness}: **{_record['sharpness']['ratio']}**."),
            mo.accordion(
                {"The proof, each step checked when you open this": mo.lazy(lambda: mo.md(explain(repaired.id)))}
            ),
        ]
    )
    return (repaired,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 5. Could the check have failed?

    A check that accepts everything is worth nothing. So every check is also run on **mutants**: near misses of the
    claim, such as a constant halved or an off-by-one. Each must come back refuted. (In tier *proof* the proof checker
    must reject the claim's own proof for them. In tier *kernel* the near misses are edits of a theorem's text, which
    its Coq proof must fail to prove: `headproof explain dyn.thm3.2.index.sharp` lists them.) Here are the others,
    run now:
    """)
    return


@app.cell(hide_code=True)
def _(repaired):
    def controls_of(claim, topic, context):
        """(tier, mutant, outcome, counterexample) of every check of a claim on every mutant but the kernel's, whose
        near misses are texts in Coq."""
        found = []
        for check in topic.checks:
            if check.claim != claim.id or check.tier is Tier.KERNEL:
                continue
            for mutant in claim.mutants:
                decision = check.decide(mutant.statement, context)
                outcome = {Verdict.HOLDS: "upheld", Verdict.REFUTED: "refuted"}.get(decision.verdict, "proof rejected")
                case = decision.counterexample
                if case is not None:  # the checker has the last word here too
                    assert mutant.statement.refuted_by(case)
                found.append((check.tier, mutant, outcome, case))
        return found

    mutants = controls_of(repaired, discrepancy, Context())
    mo.md(
        "| check | mutant of the repaired claim | comes back | at |\n| --- | --- | --- | --- |\n"
        + "\n".join(
            f"| {_tier} | {_mutant.title} | {_outcome} | {_case or '–'} |"
            for _tier, _mutant, _outcome, _case in mutants
        )
    )
    return controls_of, mutants


@app.cell(hide_code=True)
def _():
    _claim = claims()["dyn.thm3.2.index.smallest-positive.no-alias"]
    audit = {
        _premise.name: property_engine.search(_claim.statement.without(_premise.name), index_cases(8), 400, 0).found
        for _premise in _claim.statement.premises
    }
    mo.vstack(
        [
            mo.md(
                "The **premise audit** drops each premise in turn. A counterexample shows that it is needed; if a "
                "search finds none, nothing is shown, and the ledger says so. For example:"
            ),
            board.card(_claim.id),
            mo.md(
                "\n".join(
                    f"* without *{_name}*: {f'fails at {_case}, so it is **needed**' if _case else 'nothing found'}"
                    for _name, _case in audit.items()
                )
            ),
        ]
    )
    return (audit,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## 6. Your claim

    Pick what to bound, a constant $C$ and a shift $s$, and claim: at every angle and length,

    $$
    \text{the gap} \;\le\; \frac{C\,\pi^2}{(n + s)^2} .
    $$

    The engine gets your claim the same way as any other: a `Claim` with a `Statement` and mutants, in a `Topic` with a
    check. The mutants are made for you: half the constant, and three quarters of it.
    """)
    return


@app.cell(hide_code=True)
def _():
    reading = mo.ui.dropdown(
        {
            "the largest gap (the discrepancy as defined)": largest_gap,
            "the smallest gap over the inputs": smallest_gap,
            "the gap of an input that ends in a letter": letter_gap,
        },
        value="the largest gap (the discrepancy as defined)",
        label="bound",
    )
    return (reading,)


@app.cell(hide_code=True)
def _():
    constant = mo.ui.text(value="8", label="C (a rational, such as `8` or `15/2`)")
    return (constant,)


@app.cell(hide_code=True)
def _():
    shift = mo.ui.slider(-1, 3, 1, value=0, label="s", show_value=True)
    return (shift,)


@app.cell(hide_code=True)
def _():
    irrational = mo.ui.switch(value=False, label="premise: θ is irrational")
    return (irrational,)


@app.cell
def _(constant, irrational, reading, shift):
    def bound_statement(c, s):
        """`gap <= c pi^2 / (n + s)^2`, decided exactly on one case."""

        def conclusion(case):
            return below_square(reading.value(case), c, case.n + s)

        return Statement(IndexCase, (IRRATIONAL,) if irrational.value else (), conclusion)

    def reader_claim(c, s):
        return Claim(
            id="reader.bound",
            kind=Kind.THEOREM,
            fidelity=Fidelity.OURS,
            title="The reader's bound on a gap of Index",
            source=Source("The reader of this lesson", "section 6"),
            latex=rf"\mathrm{{gap}} \le {c}\,\pi^2 / (n + {s})^2",
            sentence=f"The gap is at most {c} pi^2 / (n + {s})^2.",
            domain="every exact angle, every length n >= 2",
            statement=bound_statement(c, s),
            mutants=(
                Mutant("halved", "the constant halved", bound_statement(c / 2, s)),
                Mutant("three quarters", "three quarters of the constant", bound_statement(c * 3 / 4, s)),
            ),
        )

    def reader_topic(claim):
        return Topic(
            name="reader",
            title="A claim of the reader's own",
            claims=(claim,),
            checks=(search_check(claim, lambda context: index_cases(16), lambda context: "lengths up to 16", 300),),
            cases={claim.id: lambda context: index_cases(16)},
        )

    try:
        own_topic, own_trouble = reader_topic(reader_claim(rational(constant.value.strip()), shift.value)), ""
    except InputError as _error:
        own_topic, own_trouble = None, str(_error)
    return own_topic, own_trouble


@app.cell(hide_code=True)
def _(constant, controls_of, irrational, own_topic, own_trouble, reading, shift):
    own_verdict, own_case, own_controls = None, None, []
    if own_topic is None:
        _said = mo.callout(mo.md(own_trouble), kind="warn")
    else:
        (_claim,) = own_topic.claims
        _decisions = [_check.decide(_claim.statement, Context()) for _check in own_topic.checks]
        own_verdict = overall([_decision.verdict for _decision in _decisions])
        own_case = next((_d.counterexample for _d in _decisions if _d.counterexample is not None), None)
        own_controls = controls_of(_claim, own_topic, Context())
        _survived = [_mutant.title for _tier, _mutant, _outcome, _case in own_controls if _outcome != "refuted"]
        if own_verdict is Verdict.REFUTED:
            assert _claim.statement.refuted_by(own_case)
            _words, _kind = f"**REFUTED** at {own_case}.", "danger"
        elif own_verdict is Verdict.HOLDS and _survived:
            _words = (
                f"**Not refuted, but the control failed**: {', '.join(_survived)} is not refuted either. Your bound "
                "may be true and is not sharp, or the search cannot see where it fails. `headproof check` would "
                "report an ERROR. Lower C."
            )
            _kind = "warn"
        else:
            _words = (
                f"**{own_verdict}**, known by: {', '.join(_check.tier for _check in own_topic.checks)}. "
                f"{_decisions[0].summary}. All mutants came back refuted. A search that finds nothing is the weakest "
                "tier: write a proof, and the tier becomes `proof`."
            )
            _kind = "success" if own_verdict is Verdict.HOLDS else "warn"
        _said = mo.vstack(
            [
                mo.callout(mo.md(_words), kind=_kind),
                mo.md(
                    "| mutant | comes back | at |\n| --- | --- | --- |\n"
                    + "\n".join(
                        f"| {_mutant.title} | {_outcome} | {_case or '–'} |"
                        for _tier, _mutant, _outcome, _case in own_controls
                    )
                ),
            ]
        )
    mo.vstack([mo.hstack([reading, constant], justify="start"), mo.hstack([shift, irrational], justify="start"), _said])
    return own_case, own_controls, own_verdict


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try.** $C = 2$ for the largest gap (the printed bound); $C = 2$ for an input that ends in a letter; $C = 8$ for
    the largest gap; $C = 100$. And then $C = 7$ for the largest gap.
    """)
    return


@app.cell(hide_code=True)
def _():
    # At each length the repaired claim's angle has the largest gap of all; is it above C pi^2 / n^2?
    BEYOND = (Fraction(6), Fraction(7), Fraction(15, 2))

    def fails_at(c, n):
        """The case of length n with the largest gap, if that gap, by its definition, is above c pi^2 / n^2."""
        case = IndexCase(Angle(Fraction(2, n // 2 + 1)), n)
        bound = Statement(IndexCase, (), lambda each: below_square(largest_gap(each), c, each.n))
        return case if bound.refuted_by(case) else None

    first_failure = {c: next(filter(None, (fails_at(c, n) for n in range(2, 65)))) for c in BEYOND}
    far_failure = fails_at(Fraction(7), 64)
    assert far_failure is not None
    mo.vstack(
        [
            mo.md(
                rf"""
    ### Green, and false

    With $C = 7$ and $s = 0$ section 6 is green: the search finds nothing, and both mutants die. Yet the claim is
    **false**: {far_failure} refutes it. That is decided as exactly as any counterexample above. The search could not
    have found it: it draws lengths up to 16, and the first length at which $C = 7$ fails at any angle is
    {first_failure[Fraction(7)].n}.
    """
            ),
            mo.md(
                "| C | true up to length | first fails at |\n| --- | --- | --- |\n"
                + "\n".join(f"| {_c} | {_case.n - 1} | {_case} |" for _c, _case in first_failure.items())
            ),
            mo.md(
                "Every $C < 8$ fails at some length, as $n^2$ times the sharp bound of section 4 tends to $8\\pi^2$. "
                "The mutants showed only that the search can see *coarser* errors. So `HOLDS`, *tested*, means: true "
                "of what was drawn. What makes $C = 8$ more than that is no green box but the proof in section 4, with "
                "$1 - \\cos x \\le x^2/2$."
            ),
        ]
    )
    return far_failure, fails_at, first_failure


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ### Take it with you

    Write the same `Claim` and `Topic` into a file of your own, and pytest decides it, with time limits, the premise
    audit and more patience:

    ```
    pytest --headproof-claims FILE
    ```

    (`docs/add-a-claim.md` goes there step by step.) To bring it to `headproof check` and a ledger of its own, put the
    `Topic` into a package with an entry point (README, *Your own claims*):

    ```toml
    [project.entry-points."headproof.topics"]
    reader = "mypackage.checks:topic"
    ```

    ## To take home

    1. A claim is a predicate on exact cases. Search and check are two functions; only the second is trusted.
    2. A refutation is a small case that one can check by hand, **and** the sharp statement beside it.
    3. A check that cannot fail shows nothing: mutants must die, dropped premises must hurt.
    4. "No counterexample found" is a tier, the lowest: a false claim can have it, mutants and all. Say so.

    **To discuss.** The printed theorem is not "wrong by a typo": with another reading of the discrepancy it is true.
    Which reading would you have chosen, and how would you know? Exercises 8 to 10 of lesson 7 belong here.
    """)
    return


if __name__ == "__main__":
    app.run()
