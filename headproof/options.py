"""Options of the command line: their types, and what `--help` says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only what is wrong or was asked for.")]
Model = Annotated[
    str | None,
    typer.Option("--model", help="GGUF file, safetensors folder or hub id. Default: the installed SmolLM2-135M."),
]
Device = Annotated[str, typer.Option("--device", help="Where the model runs: cpu, cuda or cuda:N.")]
Seed = Annotated[str, typer.Option("--seed", metavar="N", help="Everything random follows from it.")]
Effort = Annotated[str, typer.Option("--effort", metavar="quick|full", help="How many cases, prompts and seeds.")]

Tiers = Annotated[
    list[str] | None,
    typer.Option(
        "--tier",
        metavar="NAME",
        help="Known by this tier only, or several: kernel, proof, exact, certified, tested, measured. Repeat.",
    ),
]


# -- of `profile` --------------------------------------------------------------------------------------------------

ModelArgument = Annotated[
    str | None, typer.Argument(help="GGUF file, safetensors folder or hub id. Default: the installed SmolLM2-135M.")
]
Task = Annotated[str | None, typer.Option(metavar="NAME", help="binding (default), induction, text, prompt.")]
File = Annotated[Path | None, typer.Option(help="A UTF-8 file; sets the task text.")]
Prompt = Annotated[str | None, typer.Option(help="The text itself; sets the task prompt.")]
Facts = Annotated[str | None, typer.Option(metavar="N", help="Task binding: number of facts. Default: 48.")]
Length = Annotated[str | None, typer.Option(metavar="N", help="Task induction: tokens that are repeated. Default: 64.")]
Asked = Annotated[
    str | None,
    typer.Option(metavar="LIST", help="Asked of each seed: first,middle,last, every, numbers. Default: one in turn."),
]
Blocks = Annotated[
    str | None, typer.Option(metavar="N", help="Tasks text, prompt: number of blocks. Default: about 48.")
]
BlockLength = Annotated[str | None, typer.Option(metavar="N", help="Tasks text, prompt: tokens of a block.")]
WithSink = Annotated[bool, typer.Option("--with-sink", help="Let blocks begin at position 0, the attention sink.")]
Seeds = Annotated[
    str | None, typer.Option(metavar="N", help="Tasks binding, induction: prompts of N seeds, from --seed. Default: 6.")
]
Query = Annotated[
    str, typer.Option(metavar="LIST", help="Query tokens: last, positions from 0, fractions of the prompt.")
]
Temperatures = Annotated[str, typer.Option(metavar="LIST", help="Of the weights of swaps; 0 and inf are allowed.")]
Gamma = Annotated[str, typer.Option(metavar="G", help="Margin from which a head counts as pure, between 0 and 0.5.")]
NullSeeds = Annotated[str, typer.Option(metavar="N", help="Seeds of each of the two null models.")]
Planes = Annotated[bool, typer.Option("--planes/--no-planes", help="Measure rotary planes too.")]
Heads = Annotated[
    str | None,
    typer.Option(metavar="LIST", help="Heads drawn: LAYER:HEAD, such as 12:0,3:4. Default: six that stand out."),
]
Out = Annotated[Path | None, typer.Option("--out", help="Folder for tables, summary and plots.")]
Dtype = Annotated[str, typer.Option(metavar="NAME", help="float32, float64, bfloat16 or float16.")]
Anew = Annotated[bool, typer.Option("--fresh", help="Measure anew what an earlier run has left.")]

# -- of `generalize` -----------------------------------------------------------------------------------------------

Parts = Annotated[str | None, typer.Option(metavar="LIST", help="Of heads, tolerance, length. Default: all three.")]
Files = Annotated[
    list[Path] | None, typer.Option("--file", help="A UTF-8 text in place of the corpus; may be given several times.")
]
Texts = Annotated[
    str | None, typer.Option(metavar="N", help="Parts heads, tolerance: how many texts of the corpus. Default: 6.")
]
Tokens = Annotated[
    str | None,
    typer.Option(metavar="N", help="Tokens of a text, 64 or more; tolerance takes 256 at most. Default: 400."),
]
Nulls = Annotated[
    str | None, typer.Option("--null-seeds", metavar="N", help="Seeds of each of the two null models. Default: 2.")
]
Single = Annotated[str, typer.Option("--dtype", metavar="NAME", help="float32 or float64.")]
CurveHeads = Annotated[
    str | None,
    typer.Option("--heads", metavar="LIST", help="Heads whose false distances are drawn. Default: six that differ."),
]
Shares = Annotated[
    str | None,
    typer.Option(metavar="LIST", help="Part tolerance: per cent of the words that move. Default: 2.5,5,10,20."),
]
Draws = Annotated[
    str | None, typer.Option(metavar="N", help="Part tolerance: random draws of moved words a text. Default: 3.")
]
TrainingLength = Annotated[
    str | None, typer.Option("--length", metavar="N", help="Part length: training length. Default: the config's.")
]
Extra = Annotated[
    str | None, typer.Option(metavar="N", help="Part length: tokens beyond it. Default: 2048, or half of it if less.")
]
Orders = Annotated[
    str | None, typer.Option(metavar="N", help="Part length: random orders of the texts, two or more. Default: 3.")
]
GeneralizeOut = Annotated[Path | None, typer.Option("--out", help="Folder for tables, summary and figures.")]


# -- of `train` ----------------------------------------------------------------------------------------------------

ToyTask = Annotated[
    str | None,
    typer.Argument(help="Toys: index, retrieval or induction. Multihop models: number or letter."),
]
ModelSize = Annotated[
    str | None, typer.Option("--size", metavar="NAME", help="Multihop: full (default, the source's model) or small.")
]
Angles = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Angles to try, radians per position, such as '1/10,2/5 pi'; & joins angles of one head: '0&1/10'.",
    ),
]
SweepFile = Annotated[
    str | None,
    typer.Option("--sweep", metavar="NAME|FILE", help="quick (default of a task), committed, or a TOML file."),
]
ToySeeds = Annotated[
    str | None, typer.Option("--seeds", metavar="N", help="Seeds 0 to N - 1. Default: the sweep's; multihop 1.")
]
ToyLength = Annotated[
    str | None,
    typer.Option("--length", metavar="LIST", help="Toys: tokens of an input, query included. Default: 32."),
]
Steps = Annotated[
    str | None,
    typer.Option(
        metavar="N", help="Training steps; of toys, of the first round. Default: 2000; multihop 6000, small 1500."
    ),
]
Again = Annotated[
    bool | None,
    typer.Option("--again/--once", help="Train failing toys again: four times the steps, two widths."),
]
ExecutorName = Annotated[
    str, typer.Option("--executor", metavar="NAME", help="processes, here (this one), or dask=ADDRESS of a scheduler.")
]
Workers = Annotated[str | None, typer.Option(metavar="N", help="Batches at once. Default: one a core.")]
ToysOut = Annotated[
    Path | None, typer.Option("--out", help="Folder for tables, summary and toys (safetensors). Default: the cache.")
]
ToysAnew = Annotated[bool, typer.Option("--fresh", help="Train all toys of this sweep, or these models, anew.")]
