"""The command: choose the records, check the proofs, draw the figures, write the report whole or not at all."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from headproof import progressing, showing
from headproof.checks.files import output_folder, replacing, require_writable
from headproof.reporting.content import sections
from headproof.reporting.front import front, of_ledger, of_report
from headproof.reporting.pages import FIGURES, FORMAL, markdown, web_page
from headproof.reporting.pictures import pictures
from headproof.tabulating import verdicts_latex
from headproof.theory.errors import InputError


def report(names: list[str], out: Path, json_file: Path | None, data: Path | None, quiet: bool) -> None:
    """Write report.html, report.md (with its figures and Coq's files) and verdicts.tex into the folder `out`.

    `names` are claims, prefixes and topics (all for none); `json_file` is a report of `check --json` in place of the
    committed ledger, `data` a folder of `figures --out` from which figures are drawn without computing anything.
    Raises InputError for what is unknown, cannot be read or cannot be written; then nothing is written.
    """
    chosen = of_ledger(names) if json_file is None else of_report(json_file, names)
    if data is not None and not data.is_dir():
        raise InputError(f"{data} is no folder", "headproof figures --out writes one")
    output_folder(out)
    for name in ("report.html", "report.md", "verdicts.tex"):
        require_writable(out / name)  # told now rather than after the work
    with progressing.bar(quiet, "reporting") as bar:
        made = sections(chosen.names, chosen.records, chosen.efforts, bar.step)
        drawn = pictures(chosen.names, data, bar.step, bar.message)
    head = front(chosen, made, showing.command())
    contents: dict[Path, str | bytes] = {
        out / "report.html": web_page(head, made, drawn),
        out / "report.md": markdown(head, made, drawn),
        out / "verdicts.tex": verdicts_latex(chosen.names, chosen.records),
    }
    contents |= {out / FIGURES / f"{each.name}.png": each.images.png for each in drawn if each.images is not None}
    contents |= {out / FORMAL / f"{name}.v": text for name, text in head.formal}
    with ExitStack() as stack:
        for path, content in contents.items():
            temporary = stack.enter_context(replacing(path))
            temporary.write_bytes(content.encode() if isinstance(content, str) else content)
    if not quiet:
        size = sum(len(each.encode()) if isinstance(each, str) else len(each) for each in contents.values())
        what = f"{len(chosen.names)} claims, {size / 1e6:.1f} MB in all"
        showing.say(f"wrote {out / 'report.html'}, report.md, verdicts.tex, {FIGURES}/ and {FORMAL}/: {what}")
