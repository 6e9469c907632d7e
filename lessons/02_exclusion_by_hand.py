import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="2. The exclusion identity by hand")

with app.setup(hide_code=True):
    from fractions import Fraction

    import board
    import marimo as mo
    import numpy as np

    from headproof.paper_figs.exclusion import REFERENCES
    from headproof.theory.exclusion import exclusion_terms, literal_exclusion_terms, variance_ratio
    from headproof.theory.exclusion.definitions import is_positional, is_symbolic
    from headproof.theory.table import LogitTable


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 2. The exclusion identity, by hand

    *45 minutes. You need: lesson 1 (the logit table, positional, symbolic), squares and means.*

    Lesson 1 ended with: a head that is positional **and** symbolic has constant logits. A good theorem says more: how
    far from both must a head be, if its logits vary? The source answers with an inequality. Here you check it on a
    table of your own, term by term, and find the **identity** behind it.

    For $m$ keys, with the logits in use $\lambda_j = M[j,j]$ and their mean $\mu$, let

    $$
    \mathrm{Var}(\lambda) = \frac1m \sum_j (\lambda_j - \mu)^2, \qquad
    \delta_{pos}(\pi, j) = M[\pi(j), j] - \lambda_j, \qquad
    \delta_{sym}(\pi, j) = M[j, \pi(j)] - \lambda_j .
    $$

    All $\delta_{pos}$ are zero for a positional head, all $\delta_{sym}$ for a symbolic one. Their squares are added up
    over **all** $m!$ permutations and all $m$ keys.
    """)
    return


@app.cell(hide_code=True)
def _():
    board.card("dec.thm1")
    return


@app.cell(hide_code=True)
def _():
    PRESETS = {
        "somewhere in between": [[1, 0, 2], [3, 2, 0], [1, 1, 6]],
        "purely positional": [[0, 1, 5], [0, 1, 5], [0, 1, 5]],
        "purely symbolic": [[0, 0, 0], [1, 1, 1], [5, 5, 5]],
        "the bound attained": [[0, 1, 3], [1, 2, 4], [3, 4, 6]],
        "both: constant": [[2, 2, 2], [2, 2, 2], [2, 2, 2]],
        "logits equal, the rest not": [[1, 0, 4], [2, 1, 0], [3, 5, 1]],
    }
    preset = mo.ui.dropdown(list(PRESETS), value="somewhere in between", label="start from")
    return PRESETS, preset


@app.cell(hide_code=True)
def _(PRESETS, preset):
    entries = mo.ui.matrix(
        PRESETS[preset.value],
        min_value=-9,
        max_value=9,
        step=1,
        row_labels=["content 1", "content 2", "content 3"],
        column_labels=["pos. 1", "pos. 2", "pos. 3"],
    )
    return (entries,)


@app.cell(hide_code=True)
def _(entries, preset):
    mo.vstack(
        [
            mo.md(
                "## Your table\n\nDrag a number sideways, or double-click and type. Everything below follows, in exact "
                "fractions. Work it out on paper first: three keys are enough to see all of it."
            ),
            mo.hstack([preset, entries], justify="start", gap=2),
        ]
    )
    return


@app.cell(hide_code=True)
def _(entries):
    table = board.table_of(entries.value)
    terms = exclusion_terms(table)
    literal = literal_exclusion_terms(table)
    ratio = variance_ratio(terms)
    logits = [Fraction(_each) for _each in table.diagonal]
    m = table.size
    return literal, logits, m, ratio, table, terms


@app.cell(hide_code=True)
def _(logits, m, terms):
    _mean = sum(logits) / m
    _squares = " + ".join(rf"\left({board.tex(_l - _mean)}\right)^2" for _l in logits)
    mo.md(
        rf"""
    ### Step 1. Mean and variance of the logits in use

    $$
    \mu = \tfrac13\left({" + ".join(board.tex(_l) for _l in logits)}\right) = {board.tex(_mean)}, \qquad
    \mathrm{{Var}}(\lambda) = \tfrac13\left[{_squares}\right] = {board.tex(terms.variance)}.
    $$
    """
    )
    return


@app.cell(hide_code=True)
def _(literal, logits, m, table, terms):
    _names, _places = [f"content {_k}" for _k in range(1, m + 1)], [f"pos. {_k}" for _k in range(1, m + 1)]
    positional_squares = [[(table.logits[_a, _b] - logits[_b]) ** 2 for _b in range(m)] for _a in range(m)]
    symbolic_squares = [[(table.logits[_a, _b] - logits[_a]) ** 2 for _b in range(m)] for _a in range(m)]
    _pos_total, _sym_total = (sum(sum(_row) for _row in _rows) for _rows in (positional_squares, symbolic_squares))
    assert (_pos_total / m**2, _sym_total / m**2) == (terms.positional, terms.symbolic) == literal
    _left = mo.md(
        "Squares against the **column's** logit, $(M[a,b] - \\lambda_b)^2$:\n\n"
        + board.grid(positional_squares, _names, _places, bold=False)
    )
    _right = mo.md(
        "Squares against the **row's** logit, $(M[a,b] - \\lambda_a)^2$:\n\n"
        + board.grid(symbolic_squares, _names, _places, bold=False)
    )
    mo.vstack(
        [
            mo.md(
                r"""
    ### Step 2. Both deviations, without any permutation

    A content $a$ meets a position $b$ in $(m-1)! = 2$ of the $m! = 6$ permutations, whatever $a$ and $b$ are. So the
    sum over permutations is $(m-1)!$ times a sum over the nine entries, and
    $\frac{(m-1)!}{m!\,m} = \frac1{m^2} = \frac19$:
    """
            ),
            mo.hstack([_left, _right], widths=[1, 1]),
            mo.md(
                rf"""
    $$
    \frac{{\|\delta_{{pos}}\|^2}}{{3!\cdot 3}} = \tfrac19 \cdot {board.tex(_pos_total)} = {board.tex(terms.positional)},
    \qquad
    \frac{{\|\delta_{{sym}}\|^2}}{{3!\cdot 3}} = \tfrac19 \cdot {board.tex(_sym_total)} = {board.tex(terms.symbolic)}.
    $$

    Adding up all six permutations as printed gives ${board.tex(literal[0])}$ and ${board.tex(literal[1])}$: the same.
    The **bound** is their sum, ${board.tex(terms.bound)}$.
    """
            ),
        ]
    )
    return positional_squares, symbolic_squares


@app.cell(hide_code=True)
def _(logits, m, table, terms):
    _HEADER = (
        "| a, b | x | its logits | left side | half the squared difference | twice the square to the middle |",
        "| --- | :-: | :-: | :-: | :-: | :-: |",
    )
    _rows = []
    _slack_total = Fraction(0)
    _half_total = Fraction(0)
    for _a in range(m):
        for _b in range(m):
            if _a == _b:
                continue
            _x, _one, _other = table.logits[_a, _b], logits[_a], logits[_b]
            _left = (_x - _one) ** 2 + (_x - _other) ** 2
            _half = (_one - _other) ** 2 / Fraction(2)
            _rest = 2 * (_x - (_one + _other) / Fraction(2)) ** 2
            assert _left == _half + _rest
            _slack_total += _rest
            _half_total += _half
            _rows.append(
                f"| {_a + 1}, {_b + 1} | {board.shown(_x)} | {board.shown(_one)}, {board.shown(_other)} | "
                f"{board.shown(_left)} | {board.shown(_half)} | {board.shown(_rest)} |"
            )
    assert (_half_total / m**2, _slack_total / m**2) == (terms.variance, terms.slack)
    mo.vstack(
        [
            mo.md(r"""
    ### Step 3. Each entry off the diagonal stands between two logits

    Add the two tables. An entry $x = M[a, b]$ off the diagonal is compared with both of *its* logits, $\lambda_a$ and
    $\lambda_b$. The squared distances of a number to two others obey the **parallelogram law**

    $$
    (x - \lambda_a)^2 + (x - \lambda_b)^2
    = \tfrac12 (\lambda_a - \lambda_b)^2 + 2 \left(x - \tfrac{\lambda_a + \lambda_b}{2}\right)^2 .
    $$
    """),
            mo.md("\n".join((*_HEADER, *_rows))),
            mo.md(
                rf"""
    Column by column, divided by $m^2 = 9$: the left sides give the bound, ${board.tex(terms.bound)}$; the halves give
    ${board.tex(_half_total / 9)}$, which is the **variance** (a variance is a sum over pairs); what is left is the
    **slack**, ${board.tex(_slack_total / 9)}$.
    """
            ),
        ]
    )
    return


@app.cell(hide_code=True)
def _(ratio, terms):
    balanced = terms.residual == 0
    _verdict = (
        "Both sides are 0, so there is no ratio." if ratio is None else rf"Variance over bound is ${board.tex(ratio)}$."
    )
    mo.vstack(
        [
            mo.md(r"### Step 4. The identity"),
            mo.callout(
                mo.md(
                    rf"""
    $$
    \underbrace{{{board.tex(terms.positional)}}}_{{\text{{from positional}}}} +
    \underbrace{{{board.tex(terms.symbolic)}}}_{{\text{{from symbolic}}}} =
    \underbrace{{{board.tex(terms.variance)}}}_{{\mathrm{{Var}}(\lambda)}} +
    \underbrace{{{board.tex(terms.slack)}}}_{{\text{{slack}} \ge 0}}
    $$

    {"The two sides balance exactly." if balanced else "**They do not balance: this is a bug.**"} {_verdict}
    """
                ),
                kind="success" if balanced else "danger",
            ),
        ]
    )
    return (balanced,)


@app.cell(hide_code=True)
def _():
    board.card("dec.thm1.identity")
    return


@app.cell(hide_code=True)
def _():
    moved = mo.ui.dropdown(
        {f"M[{_a}, {_b}]": (_a - 1, _b - 1) for _a in range(1, 4) for _b in range(1, 4)},
        value="M[1, 2]",
        label="the entry that moves",
    )
    return (moved,)


@app.cell(hide_code=True)
def _(moved, ratio, table, terms):
    with board.drawing((7.2, 2.7), 1, 2, width_ratios=(1, 1.35)) as (_figure, _axes):
        _left, _right = _axes
        _bars = ((terms.positional, board.BLUE, "from positional"), (terms.symbolic, board.RED, "from symbolic"))
        _sides = (_bars, ((terms.variance, board.GREEN, "variance"), (terms.slack, "0.75", "slack")))
        for _x, _side in enumerate(_sides):
            _base = 0.0
            for _value, _colour, _label in _side:
                _left.bar(_x, float(_value), bottom=_base, color=_colour, width=0.55, label=_label)
                _base += float(_value)
        _left.set_xticks([0, 1], ["bound", "variance\n+ slack"])
        _left.set(title="a  both sides", ylabel="logit²", xlim=(-0.5, 1.5))
        _left.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7)

        _a, _b = moved.value
        _values = np.linspace(-9, 9, 145)
        _batch = np.repeat(table.logits.astype(float)[None], len(_values), axis=0)
        _batch[:, _a, _b] = _values
        _swept = exclusion_terms(LogitTable(_batch))
        _right.plot(_values, _swept.bound, color=board.PINK, label="bound")
        _right.plot(_values, _swept.variance, color=board.GREEN, label="variance")
        _right.fill_between(_values, _swept.variance, _swept.bound, color="0.85", linewidth=0, label="slack")
        _now = float(table.logits[_a, _b])
        _right.axvline(_now, color="0.3", linestyle=":", linewidth=1)
        _right.set(
            title=f"b  as $M[{_a + 1}, {_b + 1}]$ moves; dotted: now", xlabel="value of the entry", ylabel="logit²",
            ylim=(0, None),
        )  # fmt: skip
        _right.legend(loc="upper center", fontsize=7, ncols=3)
    mo.vstack(
        [
            mo.md(
                r"""
    ## Look at it

    An entry off the diagonal leaves the variance alone. The bound is a parabola in it, lowest where the entry is the
    **middle** of its two logits. An entry on the diagonal moves everything.
    """
            ),
            moved,
            board.image(_figure, f"Bound {terms.bound} against variance {terms.variance} plus slack {terms.slack}"),
            mo.md(
                "" if ratio is None else f"Your table: variance over bound **{board.shown(ratio)}**, "
                f"positional: **{'yes' if is_positional(table) else 'no'}**, "
                f"symbolic: **{'yes' if is_symbolic(table) else 'no'}**."
            ),
        ]
    )  # fmt: skip
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Three ratios to remember

    * **1, the bound attained.** The slack is a sum of squares, so it vanishes only if *every* entry is the middle of
      its logits: $M[a, b] = u_a + u_b$ with $u = \lambda / 2$. Choose "the bound attained" above.
    * **1/2, a pure head.** If a head is positional, $M[a, b] = \lambda_b$, the first table of step 2 is zero, and the
      second has the entries $(\lambda_b - \lambda_a)^2$: twice the variance. The same for symbolic. So the best mixed
      head is *twice as tight* as any pure one.
    * **1/4, noise.** If all entries are independent with one variance $s^2$, then
      $E\,\mathrm{Var} = (1 - \frac1m) s^2$ and $E\,\mathrm{bound} = 4 (1 - \frac1m) s^2$.

    A ratio is a description and no proof of purity: other tables have the ratio 1/2, too.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.vstack([board.card("dec.thm1.equality"), board.card("dec.thm1.positional"), board.card("dec.thm1.additive")])
    return


@app.cell(hide_code=True)
def _():
    key_count = mo.ui.slider(2, 24, 1, value=8, label="keys m", show_value=True)
    return (key_count,)


@app.cell(hide_code=True)
def _():
    mixture = mo.ui.slider(0, 100, 5, value=0, label="additive part in each table (%)", show_value=True)
    return (mixture,)


@app.cell(hide_code=True)
def _(key_count, mixture):
    _chance = np.random.default_rng(0)
    _m, _share = key_count.value, mixture.value / 100
    _noise = _chance.normal(size=(3000, _m, _m))
    _parts = _chance.normal(size=(3000, _m))
    _tables = (1 - _share) * _noise + _share * (_parts[:, :, None] + _parts[:, None, :])
    random_terms = exclusion_terms(LogitTable(_tables))
    random_ratios = variance_ratio(random_terms)
    with board.drawing((6.4, 2.5)) as (_figure, _axes):
        _axes.hist(random_ratios, bins=np.linspace(0, 1, 51), color=board.SKY)
        for (_value, _label), _style in zip(REFERENCES, ("-", "--", ":"), strict=True):
            _axes.axvline(_value, color="0.2", linestyle=_style, label=f"{_value:g}: {_label}")
        _axes.set(xlim=(0, 1.02), xlabel="variance / bound", ylabel="tables", title="3,000 random tables")
        _axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    mo.vstack(
        [
            mo.md("### Random tables, and a road from noise to equality"),
            mo.hstack([key_count, mixture], justify="start"),
            board.image(_figure, "Histogram of variance over bound of random tables"),
            mo.md(
                f"Median {np.median(random_ratios):.3f}, largest {random_ratios.max():.3f}: none above 1, as the "
                "theorem says. On heads of a real model the distribution sits elsewhere than on random heads: "
                + board.said("dec.thm1.ratio-on-heads")
                + "."
            ),
        ]
    )
    return random_ratios, random_terms


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## To take home

    1. $\text{bound} = \mathrm{Var}(\lambda) + \text{slack}$, for *every* square table. Nothing about attention is used:
       it is a fact about tables of numbers, and $m!$ permutations cost no more than $m^2$ subtractions.
    2. The inequality is sharp; equality exactly for $u_a + u_b$.
    3. Ratios 1, 1/2, 1/4: attained, pure, noise.

    **To discuss.** The theorem holds for noise as well. So what would a measurement of the two sides on a trained model
    show, and what would it not show? (The ledger files it under "checks the arithmetic of the code".) Exercises 3 and
    4 of lesson 7 belong here.
    """)
    return


if __name__ == "__main__":
    app.run()
