"""One module per figure: `compute()` returns the plotted data, `draw()` draws it."""

if not __name__.startswith("headproof."):
    raise ImportError(f"import this package as headproof.paper_figs, not as {__name__}")
