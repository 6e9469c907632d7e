"""The command line. Each command imports what it needs when it runs, so that `--help` is quick."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from headproof import options
from headproof.options import Device, Effort, Model, Quiet, Seed
from headproof.theory.errors import InputError

app = typer.Typer(
    name="headproof",
    help="Decide theorems about transformer attention heads, and measure the same quantities on real models.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
cache_app = typer.Typer(help="Show or clear the cache (HEADPROOF_CACHE moves it).", rich_markup_mode=None)
app.add_typer(cache_app, name="cache", no_args_is_help=True)

DIFFERS = 1
USAGE = 2
INTERRUPTED = 130


def main() -> None:
    """Run the command line: 0 in agreement, 1 where something differs, 2 for bad input (one line on stderr)."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without a character shows its number
            stream.reconfigure(errors="backslashreplace")
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except InputError as error:
        print(f"headproof: {error}", file=sys.stderr)
        sys.exit(USAGE)
    except SystemExit as end:
        if end.code == INTERRUPTED:  # typer's answer to Ctrl-C
            kept = {"check": "claims", "train": "toys"}.get("".join(sys.argv[1:2]))
            again = f"; the same command takes up the finished {kept} again" if kept else ""
            print(f"headproof: interrupted{again}", file=sys.stderr)
        raise
    except OSError as error:  # names too long, full disks: the surroundings, not the program
        print(f"headproof: {error.strerror or error}: {str(error.filename)[:100]}", file=sys.stderr)
        sys.exit(USAGE)
    except Exception as error:
        if isinstance(error, RuntimeError) and ("home directory" in str(error) or "Symlink loop" in str(error)):
            print(f"headproof: {error}", file=sys.stderr)
            sys.exit(USAGE)
        if not hasattr(error, "format_message"):  # what typer and click raise for a wrong command line has it
            raise
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error.format_message())
            sys.exit(USAGE)
        command = getattr(getattr(error, "ctx", None), "command_path", "headproof")
        said = " ".join(error.format_message().split()).rstrip(".")
        print(f"headproof: {said}; see {command} --help", file=sys.stderr)
        sys.exit(USAGE)


def _version(wanted: bool) -> None:
    if wanted:
        from headproof import __version__

        print(f"headproof {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Decide theorems about transformer attention heads, and measure the same quantities on real models."""


@app.command()
def check(
    claim: Annotated[list[str] | None, typer.Argument(help="Claim ids, prefixes or topics; none for all.")] = None,
    effort: Effort = "quick",
    tier: options.Tiers = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the report to this file; - for stdout.")
    ] = None,
    model: Model = None,
    device: Device = "cpu",
    seed: Seed = "0",
    jobs: Annotated[
        str | None, typer.Option("-j", "--jobs", metavar="N", help="Worker processes. Default: all cores.")
    ] = None,
    time_limit: Annotated[str, typer.Option(metavar="SECONDS", help="For each claim.")] = "600",
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="Another ledger than the committed one, such as your package's.")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do not take up an interrupted run.")] = False,
    update_ledger: Annotated[
        bool, typer.Option("--update-ledger", help="Commit this run's results as expected.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Decide claims and compare with the ledger.

    Exit status 1 if a verdict differs.
    """
    from headproof import running

    wanted = running.Options(json_file, ledger, update_ledger, not fresh, quiet)
    pace = running.pace(jobs, time_limit)
    context = running.settings(effort, seed, device, model, tuple(tier or ()))
    raise typer.Exit(running.check(claim or [], context, pace, wanted))


@app.command("list")
def list_claims(
    name: Annotated[list[str] | None, typer.Argument(help="Claim ids, prefixes or topics; none for all.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table a topic.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print a LaTeX document, one long table.")] = False,
    refuted: Annotated[bool, typer.Option("--refuted", help="Only what fails as given, as a Markdown table.")] = False,
) -> None:
    """List the claims, with their verdicts in the committed ledger."""
    from headproof import showing, tabulating

    if latex:
        if refuted or markdown:
            raise InputError("--latex with another form of table", "ask for one of --latex, --markdown, --refuted")
        sys.stdout.write(tabulating.verdicts_latex(name or []))
    elif refuted or markdown:
        table = tabulating.refuted_markdown if refuted else tabulating.verdicts_markdown
        showing.markdown(table(name or []), True)
    else:
        showing.list_claims(name or [])


@app.command()
def explain(
    claim: Annotated[str, typer.Argument(help="A claim id.")],
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown source.")] = False,
) -> None:
    """All that is known of a claim, its proof included.

    Statement, source, premises, proof (checked now), verdicts, counterexample and repair.
    """
    from headproof import explaining, showing

    showing.markdown(explaining.explain(claim), as_source=markdown)


@app.command()
def verify(
    report: Annotated[Path, typer.Argument(help="A report written by check --json.")], quiet: Quiet = False
) -> None:
    """Re-verify a report without the searches behind it.

    Counterexamples, refuted mutants, needed premises, proofs, ratios and criteria.
    """
    from headproof import showing
    from headproof.checks.report import read
    from headproof.checks.verify import verify_report

    raise typer.Exit(DIFFERS if showing.verified(verify_report(read(report)), quiet) else 0)


@app.command()
def diff(
    before: Annotated[Path, typer.Argument(help="A report written by check --json.")],
    after: Annotated[Path, typer.Argument(help="Another one.")],
) -> None:
    """How two reports differ.

    Exit status 1 if they do.
    """
    from headproof import showing
    from headproof.checks.ledger import differences, not_compared
    from headproof.checks.report import read

    first, second = read(before), read(after)
    found = differences(first, second)
    showing.differences(found, not_compared(first, second), f"{after} against {before}")
    raise typer.Exit(DIFFERS if found else 0)


@app.command()
def figures(
    name: Annotated[list[str] | None, typer.Argument(help="Figure names; none for all.")] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for PNG, SVG and CSV.")] = Path("figures"),
    data: Annotated[
        Path | None, typer.Option("--data", help="Draw from the CSV and JSON files in this folder; compute nothing.")
    ] = None,
    effort: Effort = "quick",
    model: Model = None,
    device: Device = "cpu",
    seed: Seed = "0",
    quiet: Quiet = False,
) -> None:
    """Draw figures as PNG and SVG, with data and caption.

    The plotted data come as CSV (and JSON, which says what the columns are), the caption as text.
    """
    from headproof import running

    running.figures(name or [], out, data, running.settings(effort, seed, device, model), quiet)


@app.command()
def report(
    claim: Annotated[list[str] | None, typer.Argument(help="Claim ids, prefixes or topics; none for all.")] = None,
    out: Annotated[Path, typer.Option("--out", help="Folder for the page, its Markdown and LaTeX.")] = Path("report"),
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Report this run (check --json) in place of the committed ledger.")
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="Draw figures from this folder (figures --out); compute none.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write the ledger as one page that needs nothing else, with proofs, counterexamples and figures.

    Also as Markdown, and the verdicts as LaTeX.
    """
    from headproof.reporting.writing import report as write_report

    write_report(claim or [], out, json_file, data, quiet)


@app.command()
def profile(
    model: options.ModelArgument = None,
    task: options.Task = None,
    file: options.File = None,
    prompt: options.Prompt = None,
    facts: options.Facts = None,
    length: options.Length = None,
    asked: options.Asked = None,
    blocks: options.Blocks = None,
    block_length: options.BlockLength = None,
    with_sink: options.WithSink = False,
    seed: Seed = "0",
    seeds: options.Seeds = None,
    query: options.Query = "0.5,last",
    temperatures: options.Temperatures = "1e-4,0.01,inf",
    gamma: options.Gamma = "0.1",
    null_seeds: options.NullSeeds = "2",
    planes: options.Planes = True,
    heads: options.Heads = None,
    out: options.Out = None,
    device: Device = "cpu",
    dtype: options.Dtype = "float32",
    fresh: options.Anew = False,
    quiet: Quiet = False,
) -> None:
    """Profile the heads of a model: positional or symbolic, at which frequencies, and how sure that is.

    Two null models are always measured beside it.
    """
    from headproof import profiling

    given = profiling.Input(task, file, prompt, facts, length, asked, blocks, block_length, seed, seeds, with_sink)
    how = profiling.Asked(query, temperatures, gamma, null_seeds, planes, heads, device, dtype)
    profiling.profile(model, given, how, out, fresh, quiet)


@app.command()
def generalize(
    model: options.ModelArgument = None,
    parts: options.Parts = None,
    file: options.Files = None,
    texts: options.Texts = None,
    tokens: options.Tokens = None,
    heads: options.CurveHeads = None,
    null_seeds: options.Nulls = None,
    shares: options.Shares = None,
    draws: options.Draws = None,
    length: options.TrainingLength = None,
    extra: options.Extra = None,
    orders: options.Orders = None,
    seed: Seed = "0",
    out: options.GeneralizeOut = None,
    device: Device = "cpu",
    dtype: options.Single = "float32",
    fresh: options.Anew = False,
    quiet: Quiet = False,
) -> None:
    """Measure how far position and content add in a model's heads, and what that buys.

    Additive fits, false distances and planes (part heads), moved words and positions (tolerance), contexts beyond the
    training length (length). Two null models are measured beside it; an interrupted run is taken up again.
    """
    from headproof import generalizing

    files = tuple(file or ())
    asked = generalizing.Asked(
        parts, files, texts, tokens, heads, null_seeds, shares, draws, length, extra, orders, seed, device, dtype
    )
    generalizing.generalize(model, asked, out, fresh, quiet)


@app.command()
def remeasure(
    topic: Annotated[str, typer.Argument(help="canonical, disentanglement, multihop or scores, which take long.")],
    model: Model = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder. Default: where the committed one stands.")] = None,
    device: Device = "cpu",
    quiet: Quiet = False,
) -> None:
    """Measure anew what check replays from committed tables.

    Many minutes a model; an interrupted run is taken up again. headproof check then decides from the new tables.
    """
    from headproof import remeasuring

    remeasuring.remeasure(topic, model, out, device, quiet)


@app.command()
def train(
    task: options.ToyTask = None,
    angles: options.Angles = None,
    sweep: options.SweepFile = None,
    seeds: options.ToySeeds = None,
    length: options.ToyLength = None,
    steps: options.Steps = None,
    again: options.Again = None,
    device: Device = "cpu",
    executor: options.ExecutorName = "processes",
    workers: options.Workers = None,
    size: options.ModelSize = None,
    out: options.ToysOut = None,
    fresh: options.ToysAnew = False,
    quiet: Quiet = False,
) -> None:
    """Train models from scratch and see what they learn; an interrupted run is taken up again.

    One-layer toys, each allowed a chosen set of rotary angles: TASK is index, retrieval or induction; --sweep quick
    trains all three at 12 angle sets and 5 seeds. Multihop models of one head a layer: TASK is number or letter; heads,
    accuracy by hops and mechanism are measured at every checkpoint.
    """
    from headproof import learning, training

    if task in learning.TASKS:
        toys = {"--angles": angles, "--sweep": sweep, "--length": length, "--again": again, "--workers": workers}
        toys["--executor"] = None if executor == "processes" else executor
        if given := [name for name, value in toys.items() if value is not None]:
            raise InputError(f"{given[0]} with the task {task}", "it is for index, retrieval and induction")
        learning.learn(learning.Asked(str(task), size, seeds, steps, device), out, fresh, quiet)
        return
    if size is not None:
        raise InputError(f"--size {size!r} without a multihop task", f"it is for {' and '.join(learning.TASKS)}")

    asked = training.Asked(task, angles, sweep, seeds, length, steps, again, device, executor, workers)
    training.train(asked, out, fresh, quiet)


@app.command()
def doctor() -> None:
    """What is installed and what would not run.

    Exit status 1 if something would not run.
    """
    from headproof import diagnosing, showing

    raise typer.Exit(DIFFERS if showing.diagnosis(diagnosing.diagnose()) else 0)


@cache_app.command("show")
def cache_show() -> None:
    """List what the cache holds."""
    from headproof import showing
    from headproof.checks.files import cache_entries

    showing.cache(cache_entries())


@cache_app.command("clear")
def cache_clear() -> None:
    """Delete what the cache holds; converted models are made anew when needed."""
    from headproof import showing
    from headproof.checks.files import clear_cache

    deleted, in_use = clear_cache()
    showing.cleared(deleted, in_use)


if __name__ == "__main__":
    main()
