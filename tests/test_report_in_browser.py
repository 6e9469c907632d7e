"""The report of all claims in a browser: links, images, a phone's width, accessibility, print, the filter.

Needs playwright, Chromium, and axe-core's axe.min.js in the file that HEADPROOF_AXE names.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from headproof.checks import ledger
from headproof.checks.registry import Context, claims, figure_points
from headproof.paper_figs.figure import load, save
from headproof.reporting.writing import report

AXE = os.environ.get("HEADPROOF_AXE", "")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.browser,
    pytest.mark.timeout(1800),
    pytest.mark.xdist_group("browser"),
]
# Drawn here from committed tables; the one that needs the model is named on the page as not drawn.
FIGURES = tuple(name for name in figure_points() if name != "exclusion")
MILLISECONDS = 900_000  # a page of fifty thousand elements, on cores that are shared
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
AXE_RUN = """rules => axe.run(document, {runOnly: rules, resultTypes: ["violations"]}).then(
    found => found.violations.map(each => `${each.id}: ${each.help}: ${each.nodes[0].html.slice(0, 200)}`))"""


@pytest.fixture(scope="session")
def report_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of all claims in the committed ledger, with its figures."""
    folder, out = tmp_path_factory.mktemp("figures"), tmp_path_factory.mktemp("report")
    for name in FIGURES:
        save(load(figure_points()[name]), folder, Context(), lambda text: None)
    report([], out, None, folder, True)
    return out / "report.html"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@dataclass
class Seen:
    """An open page, and what it should not have done: errors, and requests beyond its own file."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


def opened(browser: Any, path: Path, **how: Any) -> Seen:
    """The page in a window of its own; requests to anything but files and data are recorded and refused."""
    page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **how})
    page.set_default_timeout(MILLISECONDS)
    seen = Seen(page)

    def guard(route: Any) -> None:
        if route.request.url.startswith(("file:", "data:")):
            route.continue_()
        else:
            seen.requests.append(route.request.url)
            route.abort()

    page.route("**/*", guard)
    page.on("console", lambda message: seen.errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.goto(path.as_uri())
    return seen


def violations(page: Any) -> list[str]:
    """What axe finds against WCAG 2.1 A and AA and against its best practices."""
    page.add_script_tag(path=AXE)
    return list(page.evaluate(AXE_RUN, RULES))


def test_it_loads_alone_and_in_bounds(browser: Any, report_page: Path) -> None:
    seen = opened(browser, report_page)
    assert (seen.errors, seen.requests) == ([], [])
    assert seen.page.title()
    assert seen.page.locator("article.claim").count() == len(claims())
    assert report_page.stat().st_size < 6e6
    seen.page.close()


def test_a_request_or_an_error_is_seen(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<img src='https://example.org/x.png' alt=''><script>throw new Error('oh')</script>")
    seen = opened(browser, path)
    assert seen.requests == ["https://example.org/x.png"]
    assert any("oh" in error for error in seen.errors)
    seen.page.close()


def test_links_and_images(browser: Any, report_page: Path) -> None:
    seen = opened(browser, report_page)
    dead = seen.page.evaluate(
        "[...document.links].map(a => a.getAttribute('href')).filter(to => "
        "!to.startsWith('#') || !document.getElementById(to.slice(1)))"
    )
    assert dead == []
    widths = seen.page.evaluate(
        "Promise.all([...document.images].map(each => each.decode().then(() => each.naturalWidth, () => 0)))"
    )
    assert len(widths) == len(FIGURES)
    assert min(widths) > 0
    assert seen.page.locator("figure").count() >= len(FIGURES)
    assert seen.page.locator("figure .missing").count() == seen.page.locator("figure").count() - len(FIGURES)
    seen.page.close()


def test_formulas_have_a_size(browser: Any, report_page: Path) -> None:
    """Every claim shows one, in words or in MathML that the browser knows."""
    seen = opened(browser, report_page)
    unset = seen.page.evaluate(
        "[...document.querySelectorAll('article.claim')].filter(claim => { const all = "
        "[...claim.querySelectorAll('.formula > *')]; return !all.length || all.some(each => "
        "!(each instanceof MathMLElement || each.matches('span')) || each.getBoundingClientRect().width < 3) })"
        ".map(claim => claim.id)"
    )
    assert seen.page.locator(".formula math").count() > len(claims())
    assert unset == []
    seen.page.close()


def test_a_phone_scrolls_down_only(browser: Any, report_page: Path) -> None:
    """All details open; what is wider than the screen scrolls inside a box that the keyboard reaches."""
    seen = opened(browser, report_page, viewport={"width": 375, "height": 800})
    for unfolded in (False, True):
        if unfolded:
            seen.page.click("#unfold")
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= 375
    seen.page.wait_for_timeout(500)
    unreachable = seen.page.evaluate(
        "[...document.querySelectorAll('.formula, .scroll')].filter(box => box.scrollWidth > box.clientWidth && "
        "!(box.tabIndex === 0 && box.getAttribute('role') === 'region' && box.ariaLabel)).map(box => box.className)"
    )
    assert unreachable == []
    seen.page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, report_page: Path, scheme: str) -> None:
    """With everything unfolded, so that nothing is hidden from it; folded boxes are the same boxes."""
    seen = opened(browser, report_page, color_scheme=scheme)
    seen.page.click("#unfold")
    assert violations(seen.page) == []
    seen.page.close()


def test_axe_finds_faults(browser: Any, report_page: Path, tmp_path: Path) -> None:
    text = report_page.read_text("utf-8")
    head, rest = text.split("<main", 1)
    first = rest[: rest.index("</section>")]
    faults = "<h5 style='color:#999'>a pale heading</h5><img src='data:,'>"
    path = tmp_path / "page.html"
    path.write_text(f"{head}<main{first}</section>{faults}</main></div></body></html>", "utf-8")
    seen = opened(browser, path)
    found = {each.split(":")[0] for each in violations(seen.page)}
    assert {"color-contrast", "image-alt", "heading-order"} <= found
    seen.page.close()


def test_print_shows_what_is_folded(browser: Any, report_page: Path) -> None:
    """Without a script: the style sheet alone unfolds proofs and leaves the filter out."""
    seen = opened(browser, report_page, java_script_enabled=False)
    step = seen.page.locator('[id="dec.thm1"] .proof li').first
    assert not step.is_visible()
    assert not seen.page.locator("#filter").is_visible()  # it would do nothing
    seen.page.emulate_media(media="print")
    box = step.bounding_box()
    assert box is not None
    assert box["height"] > 10
    assert not seen.page.locator("nav").is_visible()
    seen.page.close()


def test_print_fits_the_paper(browser: Any, report_page: Path) -> None:
    """At the width of A4 between its margins nothing hangs over the edge."""
    seen = opened(browser, report_page, viewport={"width": 673, "height": 1000}, java_script_enabled=True)
    seen.page.emulate_media(media="print")
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= 673
    seen.page.close()


def shown(page: Any) -> list[str]:
    return list(page.evaluate("[...document.querySelectorAll('.claim:not([hidden])')].map(claim => claim.id)"))


def test_the_filter(browser: Any, report_page: Path) -> None:
    seen = opened(browser, report_page)
    page, recorded = seen.page, ledger.records()
    assert len(shown(page)) == len(claims())
    page.select_option("[name=verdict]", "REFUTED")
    refuted = [name for name in claims() if recorded[name]["verdict"] == "REFUTED"]
    assert sorted(shown(page)) == sorted(refuted)
    assert page.locator("#found").inner_text() == f"{len(refuted)} of {len(claims())} claims"
    rows = page.evaluate("[...document.querySelectorAll('tr[data-claim]:not([hidden])')].map(r => r.dataset.claim)")
    assert sorted(rows) == sorted(refuted)
    page.select_option("[name=topic]", "shapes")
    assert sorted(shown(page)) == ["dec.thm7.inverted-u", "dec.thm7.u-shape"]
    assert page.locator("section.topic:not([hidden])").count() == 1
    page.fill("[name=text]", "ENDS see")  # words of a remark, in any order and case
    assert shown(page) == ["dec.thm7.u-shape"]
    page.fill("[name=text]", "xylophone")
    assert shown(page) == []
    page.click("button[type=reset]")
    page.wait_for_function("document.querySelectorAll('.claim[hidden]').length === 0")
    page.select_option("[name=tier]", "certified")
    certified = shown(page)
    assert certified
    assert all("certified" in {each["tier"] for each in recorded[name]["findings"]} for name in certified)
    seen.page.close()


def test_a_link_to_something_hidden_shows_it(browser: Any, report_page: Path) -> None:
    seen = opened(browser, report_page)
    seen.page.select_option("[name=topic]", "shapes")
    seen.page.evaluate("location.hash = '#dec.thm1'")
    seen.page.wait_for_function("!document.getElementById('dec.thm1').hidden")
    assert seen.page.locator("select[name=topic]").input_value() == ""
    seen.page.close()


def test_the_keyboard_skips_to_the_claims(browser: Any, report_page: Path) -> None:
    seen = opened(browser, report_page)
    seen.page.keyboard.press("Tab")
    assert seen.page.evaluate("document.activeElement.className") == "skip"
    assert seen.page.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    assert seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    seen.page.keyboard.press("Enter")
    assert seen.page.evaluate("document.activeElement.id") == "main"
    seen.page.close()
