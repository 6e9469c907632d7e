import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="3. RoPE geometry")

with app.setup(hide_code=True):
    from fractions import Fraction

    import board
    import marimo as mo
    import numpy as np
    from matplotlib.colors import ListedColormap

    from headproof.constructions.heads import rope_table
    from headproof.constructions.rope import RopeConfig, rotate
    from headproof.theory.angles import Angle, reduced
    from headproof.theory.shapes import ShapeCase, is_inverted, is_inverted_u_shaped, is_u_shaped


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 3. RoPE geometry: arrows, cosines, and a U that breaks

    *45 minutes. You need: lesson 1, and what a rotation of the plane is.*

    A rotary position encoding (RoPE) turns queries and keys, two coordinates at a time, by an angle proportional to
    their position. In one such plane with angle $\theta$, a query $q$ at position $i$ and a key $k$ at position $j$
    have the logit

    $$
    (R_{\theta j} k)^\top (R_{\theta i} q) = |q|\,|k| \cos\big(\theta (i - j) + \varphi\big),
    $$

    $\varphi$ the angle from $k$ to $q$. Only the distance $i - j$ matters. A head has many planes, and its logit is
    the sum over them; here we look at **one**.

    The head H_POS uses it to compute Index. All keys are one arrow $v$. The query that asks for position $j$ is turned
    so that the key at position $k$ gets the logit $c \cos(\theta (j - k))$: largest at $k = j$, whatever the tokens
    are. **How much attention does the target get, and does it depend on where the target is?**
    """)
    return


@app.cell(hide_code=True)
def _():
    angle_steps = mo.ui.slider(
        0, 360, 1, value=40, label="θ in steps of π / 180 (degrees)", show_value=True, full_width=True, debounce=True
    )
    return (angle_steps,)


@app.cell(hide_code=True)
def _():
    key_count = mo.ui.slider(3, 16, 1, value=7, label="keys N", show_value=True)
    return (key_count,)


@app.cell(hide_code=True)
def _():
    weight = mo.ui.slider(1, 12, 1, value=3, label="weight c", show_value=True)
    return (weight,)


@app.cell(hide_code=True)
def _(key_count):
    target = mo.ui.slider(1, key_count.value, 1, value=1, label="target j", show_value=True)
    return (target,)


@app.cell(hide_code=True)
def _(angle_steps, key_count, target, weight):
    mo.vstack(
        [
            mo.md("## The plane\n\nMove the angle. All pictures of this lesson follow these four."),
            angle_steps,
            mo.hstack([key_count, weight, target], justify="start"),
        ]
    )
    return


@app.cell(hide_code=True)
def _(angle_steps, key_count, weight):
    theta = Angle(Fraction(angle_steps.value, 180))  # exact: a rational multiple of pi
    case = ShapeCase(theta, key_count.value, Fraction(weight.value))
    rope = RopeConfig((float(theta),), "adjacent")
    keys = np.arange(1, case.keys + 1)
    turns = theta.turns * case.keys / 2  # N theta in full turns, exactly
    return case, keys, rope, theta, turns


@app.cell(hide_code=True)
def _(case, keys, rope):
    # The query for target j is one arrow turned back by (n - j) theta; the table gives it every key position.
    _last = case.keys + 1
    _arrow = np.array([float(case.c), 0.0])
    _queries = rotate(np.broadcast_to(_arrow, (case.keys, 2)), keys - _last, rope)
    logits = rope_table(_queries, np.ones((case.keys, case.keys, 1)) * [1.0, 0.0], rope, _last).logits[:, 0, :]
    _powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    attention = _powers / _powers.sum(axis=1, keepdims=True)  # row j: the weights when target j is asked for
    on_target = attention.diagonal()
    return attention, logits, on_target


@app.cell(hide_code=True)
def _(attention, case, keys, logits, rope, target, theta):
    _j = target.value
    _key_arrows = rotate(np.broadcast_to([1.0, 0.0], (case.keys, 2)), keys, rope)
    _query_arrow = rotate(np.array([1.0, 0.0]), _j, rope)  # turned by n theta, and back by (n - j) theta
    with board.drawing((7.4, 2.9), 1, 3, width_ratios=(1.1, 1, 1)) as (_figure, _axes):
        _plane, _middle, _right = _axes
        _circle = np.linspace(0, 2 * np.pi, 181)
        _plane.plot(np.cos(_circle), np.sin(_circle), color="0.8", linewidth=0.8)
        for _k, _arrow in zip(keys, _key_arrows, strict=True):
            _is_target = _k == _j
            _plane.annotate(
                "", xy=_arrow, xytext=(0, 0),
                arrowprops={
                    "arrowstyle": "-|>", "color": board.ORANGE if _is_target else board.SKY, "linewidth": 1.3,
                    "shrinkA": 0, "shrinkB": 0,
                },
            )  # fmt: skip
            _at = (1.13 + 0.11 * ((_k - 1) * float(theta) // (2 * np.pi))) * _arrow
            _plane.text(*_at, str(_k), ha="center", va="center", fontsize=7, clip_on=False)
        _plane.annotate(
            "", xy=0.72 * _query_arrow, xytext=(0, 0),
            arrowprops={"arrowstyle": "-|>", "color": board.RED, "linewidth": 2.4, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip
        _plane.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), aspect="equal", title="a  keys 1 … N, and the query (red)")
        _plane.axis("off")
        _fine = np.linspace(1, case.keys, 400)
        _keys = np.ones((400, 1)) * [1.0, 0.0]
        _wave = rope_table(np.array([float(case.c), 0.0]), _keys, rope, _j, _fine).logits[0]
        _colours = [board.ORANGE if _k == _j else board.SKY for _k in keys]
        _middle.plot(_fine, _wave, color="0.75", linewidth=1)
        _middle.scatter(keys, logits[_j - 1], color=_colours, zorder=3, s=22)
        _middle.set(xlabel="key position k", ylabel="logit $c\\,\\cos\\theta(j-k)$", title="b  logits are cosines")
        _right.bar(keys, attention[_j - 1], color=_colours, width=0.7)
        _right.set(xlabel="key position k", ylabel="attention weight", title="c  after softmax", ylim=(0, 1))
    mo.vstack(
        [
            board.image(_figure, f"Keys as arrows turned by {theta}, logits and weights for target {_j}"),
            mo.md(
                "A key's logit is the cosine of the angle between its arrow and the red one. Keys on the same spot of "
                "the circle (*aliases*) get the same logit: then the target is not unique. Numbers that stand "
                "further out have gone round a whole turn more."
            ),
        ]
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The U

    Now ask for each target in turn, and look at the weight that it gets,

    $$
    w(j) = \frac{e^{c}}{\sum_{k=1}^{N} e^{c \cos(\theta (j - k))}} .
    $$

    A target at the end has neighbours on one side only, a target in the middle on both. Neighbours have nearly the
    largest logit and take weight away. So the middle should get least: a **U**, much like the "lost in the middle"
    curves of language models. The source (DEC, theorem 7, as reconstructed) says so, and names no condition on the
    angle.
    """)
    return


@app.cell(hide_code=True)
def _(case, key_count, theta, turns):
    strict_u, level_u, inverted = is_u_shaped(case), is_u_shaped(case, at_most=0), is_inverted(case)
    flat = level_u and is_u_shaped(ShapeCase(-theta, case.keys, -case.c), at_most=0) and not strict_u
    shape = (
        "a strict U"
        if strict_u
        else "upside down: a strict inverted U"
        if inverted
        else "level: all targets have the same weight"
        if flat
        else "neither a U nor an inverted U: it goes up and down"
    )
    _small = reduced(theta).turns * key_count.value / 2
    threshold = (
        f"$N\\theta$ is **{board.shown(turns)}** full turns"
        + ("" if _small == turns else f" (with θ reduced by its sign and full turns: **{board.shown(_small)}**)")
        + f", so $N\\theta {'<' if _small < 1 else '=' if _small == 1 else '>'} 2\\pi$."
    )
    return flat, inverted, level_u, shape, strict_u, threshold


@app.cell(hide_code=True)
def _(case, flat, inverted, keys, on_target, shape, strict_u, target, theta, threshold):
    with board.drawing((5.4, 2.7)) as (_figure, _axes):
        _colour = board.BLUE if strict_u else board.RED if inverted else "0.5" if flat else board.PINK
        _axes.plot(keys, on_target, "o-", color=_colour)
        _axes.plot([target.value], [on_target[target.value - 1]], "o", markersize=10, fillstyle="none", color="0.2")
        _span = max(on_target.max() - on_target.min(), 0.02)
        _axes.set(
            xlabel="target position j", ylabel="weight on the target $w(j)$",
            ylim=(on_target.min() - 0.2 * _span, on_target.max() + 0.2 * _span),
            title=f"$\\theta$ = {theta},  N = {case.keys},  c = {case.c}",
        )  # fmt: skip
    mo.hstack(
        [
            board.image(_figure, f"Weight on the target against its position: {np.round(on_target, 4).tolist()}"),
            mo.callout(
                mo.md(f"Decided exactly, without rounding: **{shape}**.\n\n{threshold}"),
                kind="success" if strict_u else "danger" if not flat else "neutral",
            ),
        ],
        widths=[1.3, 1],
        align="center",
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    **Try.** With $N = 7$: find the largest whole number of degrees at which the curve is a U. Then go one further.
    ($360 / 7 = 51.43$.) Then change $N$, and $c$: does the threshold move?

    **By hand.** $N = 3$, $\theta = \pi$: a target at the end sees the logits $c, -c, c$; the target in the middle sees
    $-c, c, -c$. The sums of exponentials are $2 e^c + e^{-c}$ and $e^c + 2 e^{-c}$: the middle gets *more*. The U is
    refuted by three keys.
    """)
    return


@app.cell(hide_code=True)
def _():
    mo.vstack(
        [
            board.card("dec.thm7.u-shape"),
            board.card("dec.thm7.u-shape.range"),
            board.card("dec.thm7.u-shape.beyond"),
        ]
    )
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ### Why exactly one turn?

    One step of the target, from $j$ to $j + 1$, changes the sum in the denominator by two terms: the distance
    $N - j$ leaves at one end and the distance $j$ comes in at the other. So everything hangs on the sign of

    $$
    \cos(\theta j) - \cos(\theta (N - j)) = 2 \sin\frac{\theta N}{2} \, \sin\frac{\theta (N - 2j)}{2} .
    $$

    For $j < N/2$ the second sine is positive as long as $\theta (N - 2 j) < 2\pi$. The **first** changes its sign
    when $N\theta$ passes a full turn: at that moment every step is level, and just after it every step has turned
    round. Nothing depends on $c > 0$. The next picture shows all angles at once.
    """)
    return


@app.cell(hide_code=True)
def _(key_count):
    # The shapes at each whole number of degrees, each decided exactly; the weight c > 0 makes no difference.
    DEGREES = range(1, 181)
    _cases = [ShapeCase(Angle(Fraction(_degree, 180)), key_count.value) for _degree in DEGREES]
    strip = [2 if is_u_shaped(_each) else 0 if is_inverted(_each) else 1 for _each in _cases]
    matched_strip = [2 if is_inverted_u_shaped(_each) else 1 for _each in _cases]
    return DEGREES, matched_strip, strip


@app.cell(hide_code=True)
def _(key_count, matched_strip, strip, theta):
    _n = key_count.value
    with board.drawing((7.2, 1.7), 2, 1, sharex=True) as (_figure, _axes):
        for _panel, _row, _edge, _title in (
            (_axes[0], strip, 360 / _n, "H_POS: blue U, red inverted U; dashed: one full turn over N keys"),
            (_axes[1], matched_strip, 360 / (_n - 2), "simplified H_SYM: blue inverted U; dashed: over N − 2 keys"),
        ):
            _map = ListedColormap([board.RED, "0.85", board.BLUE])
            _panel.imshow([_row], aspect="auto", cmap=_map, vmin=0, vmax=2, extent=(0.5, 180.5, 0, 1))
            _panel.axvline(min(_edge, 180.5), color="black", linestyle="--", linewidth=1)
            _panel.set(yticks=[], xlim=(0.5, 180.5))
            _panel.set_title(_title, fontsize=8)
        _axes[0].plot([float(reduced(theta).turns) * 180], [0.5], "v", color="black", markersize=7)
        _axes[1].set_xlabel("θ in degrees; the triangle: your angle, reduced")
    board.image(_figure, f"Shape of the weight on the target by angle, for {_n} keys")
    return


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## The inverted U

    The source has a counterpart for a symbolic head. In the simplified H_SYM one key matches; its logit is
    $c \cos(\theta (j - j_0))$ with the centre $j_0 = \frac{N+1}{2}$, and all other keys share one logit. Now the
    weight **rises** to the centre and falls after it, as the cosine does. Again the claim names no angle, and again
    there is an exact range: here $(N - 2)\theta < 2\pi$. (The angle counts up to its sign and full turns; where $N$ is
    even up to *two* full turns, for the centre then lies between two places.)
    """)
    return


@app.cell(hide_code=True)
def _():
    others = mo.ui.slider(-6, 6, 1, value=0, label="logit of the other keys", show_value=True)
    return (others,)


@app.cell(hide_code=True)
def _(case, keys, others, rope, theta):
    # The query stands at the centre; the table's rows are equal, so any of them is the matched key's logit.
    _centre = (case.keys + 1) / 2
    _row = rope_table(np.array([float(case.c), 0.0]), np.ones((case.keys, 1)) * [1.0, 0.0], rope, _centre).logits[0]
    on_match = np.exp(_row) / (np.exp(_row) + (case.keys - 1) * np.exp(float(others.value)))
    matched_u = is_inverted_u_shaped(case)
    with board.drawing((5.4, 2.5)) as (_figure, _axes):
        _axes.plot(keys, on_match, "s-", color=board.BLUE if matched_u else board.RED)
        _axes.set(
            xlabel="place j of the matching key", ylabel="its weight",
            title=f"$\\theta$ = {theta},  N = {case.keys},  c = {case.c}",
        )  # fmt: skip
    mo.vstack(
        [
            others,
            mo.hstack(
                [
                    board.image(_figure, f"Weight on the match: {np.round(on_match, 4).tolist()}"),
                    mo.callout(
                        mo.md(
                            f"Decided exactly: **{'a strict inverted U' if matched_u else 'no inverted U'}**. The "
                            "logit of the other keys changes the height, never the shape."
                        ),
                        kind="success" if matched_u else "danger",
                    ),
                ],
                widths=[1.3, 1],
                align="center",
            ),
            board.card("dec.thm7.inverted-u"),
            board.card("dec.thm7.inverted-u.range"),
        ]
    )
    return matched_u, on_match


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    ## To take home

    1. One rotary plane makes logits cosines of distances. All of a one-plane head is on one circle.
    2. H_POS has a strict U **exactly** for $N\theta$ below a full turn, whatever $c$. At a full turn it is level, just
       beyond it stands on its head.
    3. "Whatever the angle" was too much: three keys and half a turn refute it. What survives is sharper than what was
       claimed.

    **To discuss.** A trained model has many planes, of angles from 1 down to a millionth. Which of them can show a
    U over a context of 1,000 tokens? Exercises 5 and 6 of lesson 7 belong here.
    """)
    return


if __name__ == "__main__":
    app.run()
