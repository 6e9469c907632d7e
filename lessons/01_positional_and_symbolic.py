import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="1. Positional and symbolic")

with app.setup(hide_code=True):
    from fractions import Fraction

    import board
    import marimo as mo
    import numpy as np

    from headproof.constructions.exact import Turn
    from headproof.constructions.expressivity import h_pos, h_sym, two_angle
    from headproof.constructions.heads import Head
    from headproof.constructions.rope import RopeConfig
    from headproof.constructions.tasks import index_task, partial_induction_task, retrieval_task
    from headproof.theory.exclusion.definitions import is_positional, is_symbolic
    from headproof.theory.measures import analysis_of_variance


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 1. What *positional* and *symbolic* mean

    *45 minutes. You need: what an attention head computes (queries, keys, softmax). Nothing else.*

    People who look into language models say that a head "looks at the previous token" or "looks for the same word".
    The first head goes by **place**, the second by **content**. This lesson makes that precise, with one object that
    all later lessons use.

    ## The logit table

    Take one query, at position $n$, and the $m = n - 1$ keys before it. The head gives the key with content $x_j$ at
    position $j$ the logit $\lambda_j$. But a head would answer a *hypothetical* question as well: which logit would
    the content of key $a$ get if it stood at position $b$? All answers together are a table,

    $$
    M[a, b] = \text{logit of the content of key } a \text{, placed at position } b,
    \qquad \lambda_j = M[j, j].
    $$

    The diagonal is what the head really uses. The rest is what it would use if tokens changed places. A table does
    not know what made it: a construction on paper, a toy, or a head of a real model (lesson 6).
    """)
    return


@app.cell(hide_code=True)
def _():
    head_choice = mo.ui.dropdown(
        [
            "H_POS, computes Index",
            "H_SYM, computes Retrieval",
            "two angles, computes partial induction",
            "my own table",
        ],
        value="H_POS, computes Index",
        label="the head",
    )
    mo.vstack(
        [
            mo.md(r"""
            ## Four heads

            * **H_POS** computes *Index*: the query is a number $j$, the answer is the symbol at position $j$. Its logit
              for the key at position $k$ is $\cos(\theta (j - k))$, whatever stands there.
            * **H_SYM** computes *Retrieval*: the query is a symbol, the answer is the attribute bound to it. Its logit
              is 1 for the pair of that symbol and 0 for every other, wherever it stands.
            * The **two-angle** head computes *partial induction*: of several pairs of the symbol asked for, the
              latest counts. It needs both, content and place.
            * And a table of your own.
            """),
            head_choice,
        ]
    )
    return (head_choice,)


@app.cell(hide_code=True)
def _():
    own_table = mo.ui.matrix(
        [[2, 1, 0, 0], [1, 2, 1, 0], [0, 1, 2, 1], [0, 0, 1, 2]],
        min_value=-9,
        max_value=9,
        step=1,
        row_labels=["x₁", "x₂", "x₃", "x₄"],
        column_labels=["1", "2", "3", "4"],
    )
    return (own_table,)


@app.cell(hide_code=True)
def _():
    _turn = Turn.of_half_tangent(Fraction(1, 3))  # cos 4/5, sin 3/5: an exact rotation
    _slow = Turn.of_half_tangent(Fraction(1, 8))
    _circle = (Turn(1, 0), Turn(0, 1), Turn(-1, 0))
    # Head, task and input of each choice: four keys and a query.
    HEADS = {
        "H_POS, computes Index": (
            h_pos("abc", 5, _turn), index_task("abc", 5), ("b", "a", "c", "a", 3)
        ),
        "H_SYM, computes Retrieval": (
            h_sym("abcd", "xyz"),
            retrieval_task("abcd", "xyz"),
            (("a", "x"), ("b", "y"), ("c", "x"), ("d", "z"), "c"),
        ),
        "two angles, computes partial induction": (
            two_angle("abc", "xyz", 5, _slow, directions=_circle),
            partial_induction_task("abc", "xyz"),
            (("a", "x"), ("b", "y"), ("a", "z"), ("c", "x"), "a"),
        ),
    }  # fmt: skip
    return (HEADS,)


@app.cell(hide_code=True)
def _(HEADS, head_choice, own_table):
    if head_choice.value in HEADS:
        head, task, tokens = HEADS[head_choice.value]
        table = head.table(task.encode(tokens))
        contents = ["".join(token) if isinstance(token, tuple) else str(token) for token in tokens[:-1]]
    else:
        head, task, tokens = None, None, ()
        table = board.table_of(own_table.value)
        contents = ["x₁", "x₂", "x₃", "x₄"]
    positions = [str(place) for place in range(1, 5)]
    positional, symbolic = bool(is_positional(table)), bool(is_symbolic(table))
    return contents, head, positional, positions, symbolic, table, task, tokens


@app.cell(hide_code=True)
def _(contents, head, own_table, positional, positions, symbolic, table, task, tokens):
    with board.drawing((3.6, 3.1)) as (_figure, _axes):
        board.heat(_axes, table.logits, "logit table, the logits in use framed", contents, positions)
    _asked = (
        mo.md("Drag a number to change it, or double-click and type.")
        if head is None
        else mo.md(
            f"Input `{' '.join(contents)}`, query `{tokens[-1]}`. Under hard attention the head answers "
            f"**{task.decode(head.output_at(task.encode(tokens), -1, float('inf')))}**; the reference solver says "
            f"**{task.solve(tokens)}**."
        )
    )
    _words = {
        (True, False): "Every **column** is constant: the head is **positional** on this input.",
        (False, True): "Every **row** is constant: the head is **symbolic** on this input.",
        (True, True): "Rows and columns are constant: the head is **both**, and all logits are equal.",
        (False, False): "Neither rows nor columns are constant: the head is **neither** on this input.",
    }[positional, symbolic]
    mo.vstack(
        [
            *([own_table] if head is None else []),
            _asked,
            mo.hstack(
                [
                    board.image(_figure, f"The logit table of the head as colours: {table.logits.tolist()}"),
                    mo.callout(mo.md(_words), kind="info"),
                ],
                widths=[1, 1],
                align="center",
            ),
        ]
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Permuting tokens

    The definitions speak of permutations. Let $\pi$ be any permutation of the keys, and put the content $x_{\pi(j)}$
    at position $j$. The head is

    * **positional** on the input if no permutation changes the logit of any *position*:
      $M[\pi(j), j] = M[j, j]$ for all $\pi$, $j$;
    * **symbolic** on the input if no permutation changes the logit of any *content*:
      $M[j, \pi(j)] = M[j, j]$ for all $\pi$, $j$.

    Every pair of keys occurs in some permutation. So positional says that $M[a, b]$ does not depend on $a$ (**each
    column is constant**), and symbolic that it does not depend on $b$ (**each row is constant**). Two sentences about
    $m!$ permutations have become two glances at a table of $m^2$ numbers.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.vstack([board.card("dec.definitions.positional"), board.card("dec.definitions.symbolic")])
    return


@app.cell(hide_code=True)
def _():
    permutation = mo.ui.dropdown(
        {
            "swap the first and the last key": (3, 1, 2, 0),
            "swap the middle two": (0, 2, 1, 3),
            "reverse the order": (3, 2, 1, 0),
            "shift all by one place": (3, 0, 1, 2),
            "change nothing": (0, 1, 2, 3),
        },
        value="reverse the order",
        label="permutation of the keys",
    )
    mo.vstack([mo.md("Try it. The head above is run again on the permuted input."), permutation])
    return (permutation,)


@app.cell(hide_code=True)
def _(contents, head, permutation, positions, table, task, tokens):
    _order = list(permutation.value)
    before = list(table.diagonal)
    after = [table.logits[_order[_j], _j] for _j in range(4)]
    if head is not None:  # the table must say what the head does
        _moved = (*(tokens[_k] for _k in _order), tokens[-1])
        _rerun = head.logits(task.encode(_moved))[:-1]
        assert all(_one == _other for _one, _other in zip(_rerun, after, strict=True))
    if_positional = before
    if_symbolic = [before[_k] for _k in _order]
    with board.drawing((6.4, 2.7), 1, 2, sharey=True) as (_figure, _axes):
        _places = np.arange(4)
        for _panel, _values, _title, _names in (
            (_axes[0], before, "a  before", contents),
            (_axes[1], after, "b  after the permutation", [contents[_k] for _k in _order]),
        ):
            _panel.bar(_places, [float(_v) for _v in _values], color=board.SKY, width=0.6, label="logit in use")
            _panel.axhline(0, color="0.3", linewidth=0.8)
            _panel.set_xticks(_places, [f"{_p}\n{_n}" for _p, _n in zip(positions, _names, strict=True)])
            _panel.set(title=_title, xlabel="position and content")
        _axes[0].set_ylabel("logit")
        _axes[1].plot(
            _places, [float(_v) for _v in if_positional], "_", markersize=22, markeredgewidth=2, color=board.BLUE,
            label="what a positional head does",
        )  # fmt: skip
        _axes[1].plot(
            _places, [float(_v) for _v in if_symbolic], "o", markersize=6, color=board.RED, fillstyle="none",
            markeredgewidth=1.5, label="what a symbolic head does",
        )  # fmt: skip
        _axes[1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    mo.vstack(
        [
            board.image(_figure, f"Logits before {before} and after {after} the permutation"),
            mo.md(
                "Blue dashes: if logits stayed with their **positions**. Red rings: if they went along with their "
                "**contents**. A head that is neither hits neither everywhere."
            ),
        ]
    )
    return after, before, if_positional, if_symbolic


@app.cell(hide_code=True)
def _(contents, positions, table):
    shares = analysis_of_variance(table).shares
    _text = (
        "All entries are equal: there is nothing to share."
        if shares[0] is None
        else f"position **{board.shown(shares[0])}**, content **{board.shown(shares[1])}**, interaction "
        f"**{board.shown(shares[2])}** of the sum of squares around the mean."
    )
    mo.vstack(
        [
            mo.md(r"""
    ## How much of each?

    "Neither" is a large box. A two-way analysis of variance writes any table as
    $M[a, b] = \text{mean} + \text{content}_a + \text{position}_b + \text{interaction}_{ab}$ and says how much
    each part has. For the table above,
    """),
            mo.md(board.grid(table.logits, contents, positions)),
            mo.md(
                f"it is {_text} A positional head is all position, a symbolic one all content. The two-angle head "
                "of this lesson has both and no interaction at all: it *adds* a content part and a position part."
            ),
        ]
    )
    return (shares,)


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## Both at once

    Suppose a head is positional **and** symbolic on an input. Look at the key contents $j$ and $k$: content $k$ at
    position $j$ has the logit of position $j$ (positional), and the logit of content $k$ (symbolic). So
    $\lambda_j = M[k, j] = \lambda_k$, and all logits are equal. A head that distinguishes anything must give up one of
    the two. Lesson 2 measures how much.
    """)
    return


@app.cell(hide_code=True)
def _():
    board.card("dec.definitions.both-constant")
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ### A remark that is one word too strong

    The source goes on: such a head has *uniform attention*. Is that so? Softmax also runs over the query's **own**
    key, and the permutations do not touch it. Try: all earlier keys have the logit 0, so the head is positional and
    symbolic. The own key's logit is yours.
    """)
    return


@app.cell(hide_code=True)
def _():
    own_logit = mo.ui.slider(-4, 4, 1, value=2, label="logit of the query's own key", show_value=True)
    return (own_logit,)


@app.cell(hide_code=True)
def _():
    key_count = mo.ui.slider(1, 8, 1, value=4, label="earlier keys", show_value=True)
    return (key_count,)


@app.cell(hide_code=True)
def _(key_count, own_logit):
    # Embeddings (1, 0) for every earlier key and (0, 1) for the query; no rotation.
    _head = Head([[0, 1]], [[0, own_logit.value]], [[1, 0], [0, 1]], RopeConfig.nope(1))
    _inputs = [[1, 0]] * key_count.value + [[0, 1]]
    own_key_table = _head.table(_inputs)
    weights = [float(_w) for _w in _head.weights(_inputs, -1, 1)]
    own_key_both = bool(is_positional(own_key_table) and is_symbolic(own_key_table))
    with board.drawing((4.6, 2.2)) as (_figure, _axes):
        _axes.bar(range(len(weights)), weights, color=[board.SKY] * key_count.value + [board.ORANGE], width=0.6)
        _axes.axhline(1 / len(weights), color="0.3", linestyle="--", linewidth=1, label="uniform attention")
        _axes.set_xticks(range(len(weights)), [*map(str, range(1, len(weights))), "own"])
        _axes.set(xlabel="key", ylabel="attention weight", ylim=(0, 1))
        _axes.legend(loc="upper left")
    mo.vstack(
        [
            mo.hstack([own_logit, key_count], justify="start"),
            board.image(_figure, f"Attention weights {[round(_w, 3) for _w in weights]}"),
            mo.md(
                f"Positional and symbolic: **{'yes' if own_key_both else 'no'}**. Uniform over all keys: "
                f"**{'yes' if own_logit.value == 0 else 'no'}**. Uniform over the *earlier* keys: **yes**."
            ),
        ]
    )
    return own_key_both, own_key_table, weights


@app.cell(hide_code=True)
def _():
    mo.vstack(
        [
            mo.md("What the ledger says of the three readings:"),
            board.card("dec.definitions.uniform.earlier-keys"),
            board.card("dec.definitions.uniform.repaired"),
            board.card("dec.definitions.uniform.visible-keys"),
        ]
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## To take home

    1. One query, one table: $M[a, b]$, content $a$ at position $b$; the diagonal is in use.
    2. Positional: columns constant. Symbolic: rows constant. Both on one *input*; another input can differ.
    3. Both at once: all logits equal (and attention uniform over the earlier keys, not more).
    4. Heads that do something interesting can be neither, as the two-angle head is.

    **To discuss.** The words "on this input" matter: can you give a head that is positional on one input and symbolic
    on another? (Think of inputs whose tokens are all alike.) Exercises 1 and 2 of lesson 7 belong here.
    """)
    return


if __name__ == "__main__":
    app.run()
