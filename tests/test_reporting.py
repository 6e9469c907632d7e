"""The report: every claim's formula can be set, what a page says is what the records say, and it is written whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pytest

from headproof.checks import ledger, report
from headproof.checks.engines.symbolic import verify_proof
from headproof.checks.registry import Context, claims, select
from headproof.explaining import explain, form_blocks, step_lines
from headproof.paper_figs.figure import Figure, save
from headproof.reporting import content, pages, pictures, writing
from headproof.reporting.content import SHARED_BY
from headproof.reporting.entries import Section
from headproof.reporting.front import Front, front, of_ledger, of_report
from headproof.reporting.mathml import PARTS, mathml
from headproof.reporting.numbers import number_text, ratio_text, rows
from headproof.tabulating import latex_text, shortest_counterexample, tiers, verdicts_latex
from headproof.theory.errors import InputError

NAMES = ["dec.thm1", "shapes", "dec.emp.depth"]
VOID = {"meta", "link", "img", "br", "hr", "input"}


def silent(*said: Any) -> None:
    del said


def made(names: list[str]) -> tuple[Front, tuple[Section, ...]]:
    chosen = of_ledger(names)
    built = content.sections(chosen.names, chosen.records, chosen.efforts, silent)
    return front(chosen, built, "headproof report"), built


@pytest.fixture(scope="module")
def small() -> tuple[Front, tuple[Section, ...]]:
    """A head and sections of few claims: proved, refuted, repaired and measured ones."""
    return made(NAMES)


@pytest.fixture(scope="module")
def page(small: tuple[Front, tuple[Section, ...]]) -> str:
    return pages.web_page(*small, ())


def drawn(data: pa.Table) -> Any:
    import matplotlib.pyplot as plt

    picture, axes = plt.subplots(figsize=(3, 2))
    axes.plot(data["x"].to_numpy())
    return picture


TABLE = pa.table({"x": [1.0, 2.0, 1.0]})
SHOWN = Figure("toyfigure", "A toy", lambda context, message: TABLE, drawn, lambda data: "Three points.", ("dec.thm1",))


def installed(monkeypatch: pytest.MonkeyPatch, *figures: Figure | Exception) -> None:
    """Let these be the figures that are installed; an error in place of one is what loading it raises."""

    def loading(figure: Figure | Exception) -> Callable[[], Figure]:
        def load() -> Figure:
            if isinstance(figure, Exception):
                raise figure
            return figure

        return load

    names = [figure.name if isinstance(figure, Figure) else f"broken{place}" for place, figure in enumerate(figures)]
    points = {
        name: SimpleNamespace(name=name, value="here:figure", load=loading(figure))
        for name, figure in zip(names, figures, strict=True)
    }
    monkeypatch.setattr(pictures, "figure_points", lambda: points)


# -- formulas ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("topic", sorted({claim.split(".")[0] for claim in claims()}))
def test_every_formula_is_set(topic: str) -> None:
    """Well-formed, nothing but MathML, no command left over, no letters of a command left as letters."""
    for claim in claims().values():
        if claim.id.split(".")[0] != topic:
            continue
        root = ElementTree.fromstring(f"<div>{mathml(claim.latex)}</div>")
        assert {part.tag for part in root} <= {"math", "span"}, claim.id
        text = "".join(root.itertext())
        assert "\\" not in text, claim.id
        assert all(len(each) == PARTS[each.tag] for each in root.iter() if each.tag in PARTS), claim.id
        assert all(each.text for each in root.iter("mo")), f"{claim.id} has an empty operator"
        assert not list(root.iter("mover")) or "―" not in text, claim.id


@pytest.mark.parametrize("latex", [r"a \nosuchcommand b", r"\frac{1}", r"\left( a"])
def test_a_formula_that_cannot_be_set_is_named(latex: str) -> None:
    with pytest.raises(InputError, match=re.escape(repr(latex))):
        mathml(latex)


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"\mathrm{Var}(x)", "<mi>Var</mi>"),
        (r"s_{pos}", "<mi>pos</mi>"),
        (r"\arg\max_f x", "<mi>arg</mi>"),
        (r"1, .., n", '<mo lspace="0" rspace="0">…</mo>'),
        (r"|a|", '<mo stretchy="false" form="postfix">|</mo>'),
        (r"\overline{a+b}", '<mrow class="bar">'),
        (r"d_i'^2", '<msubsup><mrow><mi>d</mi><mo lspace="0" rspace="0">′</mo></mrow><mi>i</mi><mn>2</mn></msubsup>'),
        (r"a = -b", '<mo form="prefix">−</mo>'),
        (r"c\cos\theta", '<mi>c</mi><mspace width="0.167em" /><mi>cos</mi><mspace width="0.167em" /><mi>θ</mi>'),
    ],
)  # fmt: skip
def test_what_is_mended(latex: str, expected: str) -> None:
    assert expected in mathml(latex)


def test_a_formula_breaks_between_its_parts_only() -> None:
    assert mathml(r"a \iff b").count("<math") == 2
    assert mathml(r"a = 1,\quad b = 2").count("<math") == 2
    assert mathml(r"f(a,\ b) = 1").count("<math") == 1
    assert mathml(r"a = b").count("<math") == 1
    assert mathml("a = " + " + ".join("bcdefghijklmnopqrstuvwxyz") + " = c").count("<math") == 3
    words = "words that go on for longer than a line is"
    assert f"<span>{words}</span>" in mathml(rf"a \implies \text{{{words}}}")


# -- numbers -------------------------------------------------------------------------------------------------------


def test_an_interval_stands_beside_its_number() -> None:
    """Also where a share of 2.5 % is a label of its own, and where the middle is not reported."""

    def given(**values: float) -> dict[str, Any]:
        return {name.replace("_", " "): {"value": value, "tolerance": 0} for name, value in values.items()}

    numbers = given(r=0.5) | {
        f"{label}{end}": {"value": value, "tolerance": 0}
        for label in ("r", "gap")
        for end, value in ((", 2.5 %", 0.25), (", 97.5 %", 0.75))
    }
    numbers["moved, 2.5 %"] = {"value": 3.0, "tolerance": 0}
    found = {row.label: (row.value, row.low, row.high) for row in rows(numbers, "")}
    assert found == {"r": ("0.5", "0.25", "0.75"), "gap": ("", "0.25", "0.75"), "moved, 2.5 %": ("3", "", "")}


def test_every_number_of_the_ledger_is_shown_once() -> None:
    for name, record in ledger.records().items():
        for finding in record["findings"]:
            shown = rows(finding["numbers"], finding["summary"])
            values = [row.value for row in shown if row.value] + [each for row in shown for each in (row.low, row.high)]
            assert sorted(filter(None, values)) == sorted(
                number_text(each["value"]) for each in finding["numbers"].values()
            ), name
            assert len({row.label for row in shown}) == len(shown), name


def test_ratios() -> None:
    assert ratio_text("61229464299/62500000000") == "about 0.97967"


# -- content -------------------------------------------------------------------------------------------------------


def test_an_entry_says_what_claim_record_and_checker_say(small: tuple[Front, tuple[Section, ...]]) -> None:
    entries = {entry.id: entry for section in small[1] for entry in section.entries}
    assert set(entries) == set(select(NAMES))
    recorded = ledger.records()
    for name, entry in entries.items():
        claim, record = claims()[name], recorded[name]
        assert (entry.verdict, entry.tiers) == (record["verdict"], tuple(tiers(record)))
        assert entry.counterexample == shortest_counterexample(record["findings"])
        assert [each.verdict for each in entry.findings] == [each["verdict"] for each in record["findings"]]
        assert (entry.repair or None) == claim.repair
        if claim.proof is not None and claim.statement is not None:
            results = verify_proof(claim.proof, claim.statement)
            assert [step.accepted for step in entry.steps] == [result.accepted for result in results]
            assert [list(step.lines) for step in entry.steps] == [list(step_lines(step)) for step in claim.proof.steps]
        assert [each.status for each in entry.premises] == [each["status"] for each in record["premises"]] or (
            record["verdict"] == "REFUTED"
        )
        ran = [control for finding in record["findings"] for control in finding["controls"]]
        assert sum(len(control.outcomes) for control in entry.controls) == len(ran)


def test_repair_and_repaired_point_to_each_other(small: tuple[Front, tuple[Section, ...]]) -> None:
    entries = {entry.id: entry for section in small[1] for entry in section.entries}
    repaired = [entry for entry in entries.values() if entry.repair]
    assert repaired
    for entry in repaired:
        assert entry.id in entries[entry.repair].repairs
        assert entry.counterexample
        assert entry.survives


def test_a_step_that_does_not_check_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def rejecting(proof: Any, statement: Any) -> list[Any]:
        results = verify_proof(proof, statement)
        return [*results[:-1], replace(results[-1], accepted=False, reason="made to fail")]

    monkeypatch.setattr(content, "verify_proof", rejecting)
    head, built = made(["dec.thm1.closed-form"])
    assert head.unproved == ("dec.thm1.closed-form",)
    text = pages.web_page(head, built, ())
    assert "REJECTED: made to fail" in text
    assert "NOT all accepted" in text
    assert "REJECTED: made to fail" in pages.markdown(head, built, ())


def test_a_control_that_is_not_met_is_said() -> None:
    chosen = of_ledger(["dec.thm1.closed-form"])
    record = json.loads(json.dumps(chosen.records["dec.thm1.closed-form"]))
    record["findings"][0]["controls"][0] |= {"passed": False, "outcome": "upheld"}
    built = content.sections(chosen.names, {"dec.thm1.closed-form": record}, {}, silent)
    (entry,) = built[0].entries
    assert [control.passed for control in entry.controls].count(False) == 1
    assert "1 not met" in pages.web_page(front(chosen, built, ""), built, ())


def test_shared_remarks_stand_once() -> None:
    _, built = made(["dyn.llm"])
    (section,) = built
    assert section.notes
    for number, note in enumerate(section.notes, 1):
        assert sum(number in entry.notes for entry in section.entries) >= SHARED_BY
        assert not any(note in entry.remarks for entry in section.entries)
    for entry in section.entries:
        kept = {*entry.remarks, *(section.notes[number - 1] for number in entry.notes)}
        assert kept == set(claims()[entry.id].remarks)


def test_explain_and_the_report_show_the_same_form() -> None:
    text = explain("gen.thm2")
    statement = claims()["gen.thm2"].statement
    assert statement is not None
    blocks = list(form_blocks(statement.form))
    assert blocks
    for intro, lines in blocks:
        assert intro in text
        assert all(f"    {line}" in text for line in lines)


# -- where the records come from -----------------------------------------------------------------------------------


def run_of(names: list[str], **changed: Any) -> report.Report:
    """A report as `check --json` writes it, made of the committed ledger's."""
    full = ledger.require_expected("full")
    kept = [record for record in full["claims"] if record["id"] in select(names)]
    return {**full, "effort": "quick", "command": ["headproof", "check"], "claims": kept, **changed}


def test_a_report_file_in_place_of_the_ledger(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(report.to_text(run_of(["dec.thm1.closed-form", "dec.thm1.identity"], seed=7)))
    chosen = of_report(path, [])
    assert chosen.names == ["dec.thm1.closed-form", "dec.thm1.identity"]
    built = content.sections(chosen.names, chosen.records, chosen.efforts, silent)
    head = front(chosen, built, "headproof report")
    assert (head.runs[0].seed, head.runs[0].effort, head.runs[0].count) == (7, "quick", 2)
    for text in (pages.web_page(head, built, ()), pages.markdown(head, built, ())):
        assert "the report mine.json" in text
        assert "the committed ledger" not in text
    assert of_report(path, ["dec.thm1"]).names == chosen.names
    with pytest.raises(InputError, match=r"has no claim dec\.thm1\.equality; it has 2"):
        of_report(path, ["dec.thm1.identity", "dec.thm1.equality"])


def test_a_report_whose_verdict_its_findings_do_not_bear_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    for name in ("dec.thm7.u-shape", "dec.emp.depth.gemma-3-270m"):
        edited = run_of([name])
        edited["claims"] = [{**edited["claims"][0], "verdict": "HOLDS"}]
        path.write_text(report.to_text(edited))
        with pytest.raises(InputError, match=f"says HOLDS of {name}, but its findings say (REFUTED|SUPPORTED)"):
            of_report(path, [])


def test_a_report_with_a_stranger_or_nothing_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    stray = run_of(["dec.thm1.closed-form"])
    stray["claims"] = [{**stray["claims"][0], "id": "their.claim"}]
    for given, said in ((stray, "their.claim"), (run_of(["dec.thm1"], claims=[]), "has no claims")):
        path.write_text(report.to_text(given))
        with pytest.raises(InputError, match=said):
            of_report(path, [])


def test_other_words_are_said(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    changed = run_of(["dec.thm1.closed-form"])
    changed["claims"][0] = {**changed["claims"][0], "title": "an older title"}
    path.write_text(report.to_text(changed))
    chosen = of_report(path, [])
    built = content.sections(chosen.names, chosen.records, chosen.efforts, silent)
    head = front(chosen, built, "")
    assert head.changed == ("dec.thm1.closed-form",)
    assert "Other words" in pages.web_page(head, built, ())
    assert made(["dec.thm1"])[0].changed == ()


# -- the page ------------------------------------------------------------------------------------------------------


class Outline(HTMLParser):
    """Ids, internal links, headings and unclosed elements of a page, and addresses that it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.headings: list[int] = []
        self.loaded: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [held["id"] or ""] if "id" in held else []
        self.links += [(held["href"] or "")] if tag == "a" else []
        self.loaded += [held[name] or "" for name in ("src", "srcset", "data", "poster") if name in held]
        self.headings += [int(tag[1])] if re.fullmatch("h[1-6]", tag) else []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes <{self.open[-1]}>"
        self.open.pop()


def outline(text: str) -> Outline:
    parser = Outline()
    parser.feed(text)
    assert parser.open == []
    return parser


def test_the_page_is_whole(page: str) -> None:
    """Every link has its target, ids are unique, headings go down one at a time, nothing is loaded from elsewhere."""
    found = outline(page)
    assert page.startswith("<!doctype html>")
    assert len(set(found.ids)) == len(found.ids)
    assert found.links
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert all(after <= before + 1 for before, after in zip(found.headings, found.headings[1:], strict=False))
    assert found.headings.count(1) == 1
    assert all(each.startswith("data:image/webp;base64,") for each in found.loaded)
    assert not re.search(r"(?:href|src)=\"?https?:|@import|url\(", page)


def test_a_broken_page_is_caught() -> None:
    with pytest.raises(AssertionError):
        outline("<p><b>text</p>")


def test_the_page_says_what_a_claim_says(page: str) -> None:
    for name in select(NAMES):
        claim = claims()[name]
        article = page.split(f'<article class="claim" id="{name}"')[1].split("</article>")[0]
        assert f"headproof check {name}" in article
        assert ledger.records()[name]["verdict"] in article
        assert mathml(claim.latex) in article
        assert "<h3>" in article


def test_text_is_escaped_and_ids_are_links() -> None:
    head, built = made(["dec.thm1.closed-form"])
    entry = replace(
        built[0].entries[0], sentence="<script>alert(1)</script> & `a < b`, see dec.thm1.closed-form.", sharp_at="<b>"
    )
    section = replace(built[0], entries=(entry,))
    text = pages.web_page(head, (section,), ())
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; <code>a &lt; b</code>" in text
    assert '<a href="#dec.thm1.closed-form"><code>dec.thm1.closed-form</code></a>.' in text
    kept = pages.markdown(head, (section,), ())
    assert r"\<script>alert(1)\</script>" in kept
    assert "`a < b`" in kept


def test_boilerplate_stands_once(page: str) -> None:
    assert page.count("none rests on examples") == 2  # one sentence for each of the two kinds of proof
    assert page.count("ICLR 2026") == 1


def test_markdown_says_the_same(small: tuple[Front, tuple[Section, ...]]) -> None:
    text = pages.markdown(*small, ())
    targets = set(re.findall(r'<a id="([^"]+)"></a>', text))
    assert set(select(NAMES)) <= targets
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= targets
    for name in select(NAMES):
        assert f"$$\n{claims()[name].latex}\n$$" in text
    assert text.count("<details>") == text.count("</details>")


# -- figures -------------------------------------------------------------------------------------------------------


def test_figures_are_drawn_and_missing_ones_named(
    monkeypatch: pytest.MonkeyPatch, small: tuple[Front, tuple[Section, ...]]
) -> None:
    def unmeasured(context: Context, message: Any) -> Any:
        raise InputError("there is no model", "install one")

    missing = replace(SHOWN, name="shapes_missing", title="Another", compute=unmeasured, claims=())
    nowhere = replace(SHOWN, name="nowhere", claims=("no.such.claim",))
    installed(monkeypatch, SHOWN, missing, nowhere, RuntimeError("a broken module"))
    said: list[str] = []
    found = {each.name: each for each in pictures.pictures(select(NAMES), None, silent, said.append)}
    assert found["toyfigure"].images is not None
    assert found["toyfigure"].topic == "exclusion"
    assert found["shapes_missing"].problem == "there is no model; install one"
    assert found["shapes_missing"].topic == "shapes"
    assert "no.such.claim" in found["nowhere"].problem
    assert "a broken module" in found["broken3"].problem
    assert len(said) == 3
    text = pages.web_page(*small, tuple(found.values()))
    outline(text)
    assert text.count("data:image/webp;base64,") == 1
    assert '<a href="#figure:toyfigure">' in text
    for name in ("shapes_missing", "nowhere", "broken3"):
        assert f"Not drawn: {found[name].problem}".replace("'", "&#39;") in text
    assert "(figures/toyfigure.png)" in pages.markdown(*small, tuple(found.values()))


def test_a_figure_of_other_claims_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, SHOWN, replace(SHOWN, name="shapes_x", claims=()))
    shown = pictures.pictures(select(["shapes"]), None, silent, silent)
    assert [each.name for each in shown] == ["shapes_x"]


def test_kept_data_are_drawn_without_computing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    save(SHOWN, tmp_path, Context(), silent)

    def never(context: Context, message: Any) -> Any:
        raise AssertionError("computed")

    installed(monkeypatch, replace(SHOWN, compute=never), replace(SHOWN, name="dec_other", compute=never))
    kept, other = pictures.pictures(select(["dec.thm1"]), tmp_path, silent, silent)
    if kept.name != "toyfigure":
        kept, other = other, kept
    assert kept.images is not None
    assert (kept.images.width, kept.images.height) == (450, 300)
    assert "headproof figures dec_other" in other.problem


# -- writing -------------------------------------------------------------------------------------------------------


def test_the_report_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    installed(monkeypatch, SHOWN)
    writing.report(["dec.thm1"], tmp_path / "out", None, None, False)
    files = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*") if path.is_file())
    formal = ["formal/common.v", "formal/exclusion.v"]
    assert files == ["figures/toyfigure.png", *formal, "report.html", "report.md", "verdicts.tex"]
    assert "report.html" in capsys.readouterr().out
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    writing.report(["dec.thm1"], tmp_path / "out", None, None, True)
    assert capsys.readouterr().out == ""
    assert {path: path.read_bytes() for path in before} == before


def test_it_is_written_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed(monkeypatch, SHOWN)
    writing.report(["dec.thm1.identity"], tmp_path, None, None, True)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def failing(*given: Any) -> str:
        raise InputError("no table today")

    monkeypatch.setattr(writing, "verdicts_latex", failing)
    with pytest.raises(InputError, match="no table today"):
        writing.report(["dec.thm1"], tmp_path, None, None, True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("names", "said"), [(["dec.thm1.closed-from"], "did you mean dec.thm1.closed-form"), (["zzz"], "unknown claim")]
)
def test_an_unknown_claim_is_named(names: list[str], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        writing.report(names, tmp_path / "out", None, None, True)
    assert not (tmp_path / "out").exists()


def test_a_folder_of_data_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no folder"):
        writing.report(["dec.thm1.identity"], tmp_path / "out", None, tmp_path / "none", True)


# -- the LaTeX table -----------------------------------------------------------------------------------------------


def test_the_latex_table_has_a_row_a_claim() -> None:
    text = verdicts_latex([])
    body = text.split("begin of the table")[1].split("end of the table")[0]
    assert body.count(r"\texttt{") == len(claims())
    for name, record in ledger.records().items():
        spelled = re.sub(r"([.-])", r"\1\\allowbreak{}", name)
        (line,) = [line for line in body.splitlines() if rf"\texttt{{{spelled}}}" in line]
        assert f"& {record['verdict']} & {', '.join(tiers(record))} &" in line
        # Three bare ampersands: four cells, whatever stands in the title.
        assert len(re.findall(r"(?<!\\)&", line)) == 3
        assert line.endswith(r" \\")
    for opened in ("document", "longtable"):
        assert text.count(rf"\begin{{{opened}}}") == text.count(rf"\end{{{opened}}}") == 1
    assert len(re.findall(r"(?<!\\)[{]", text)) == len(re.findall(r"(?<!\\)[}]", text))
    assert text.isascii()


def test_latex_text_leaves_nothing_to_tex() -> None:
    given = '\\ & % $ # _ { } ~ ^ < > | " é θ Δ Α ≥ − ∀'
    text = latex_text(given)
    assert text == (
        r"\textbackslash{} \& \% \$ \# \_ \{ \} \textasciitilde{} \textasciicircum{} \ensuremath{<} \ensuremath{>} "
        r"\ensuremath{|} '' é \ensuremath{\theta} \ensuremath{\Delta} [greek capital letter alpha] \ensuremath{\ge} "
        r"\ensuremath{-} [for all]"
    )


def test_the_latex_table_of_another_run() -> None:
    record = {**ledger.records()["dec.thm1"], "verdict": "ERROR", "findings": []}
    text = verdicts_latex(["dec.thm1"], {"dec.thm1": record})
    assert "& ERROR &" in text
    assert "& not recorded &" in text
