"use strict";
(() => {
  const form = document.getElementById("filter");
  const found = document.getElementById("found");
  const unfold = document.getElementById("unfold");
  const claims = [...document.querySelectorAll(".claim")];
  const rows = new Map([...document.querySelectorAll("tr[data-claim]")].map((row) => [row.dataset.claim, row]));
  const topics = [...document.querySelectorAll("section.topic")];
  const boxes = [...document.querySelectorAll(".formula, .scroll")];
  const texts = new Map();

  const text = (claim) => {
    if (!texts.has(claim)) texts.set(claim, claim.textContent.toLowerCase());
    return texts.get(claim);
  };

  const fits = (claim, asked, words) =>
    (!asked.verdict || claim.dataset.verdict === asked.verdict) &&
    (!asked.tier || claim.dataset.tiers.split(" ").includes(asked.tier)) &&
    (!asked.topic || claim.dataset.topic === asked.topic) &&
    words.every((word) => text(claim).includes(word));

  const filter = () => {
    const asked = Object.fromEntries(new FormData(form));
    const words = asked.text.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const claim of claims) {
      const shown = fits(claim, asked, words);
      claim.hidden = !shown;
      const row = rows.get(claim.id);
      if (row) row.hidden = !shown;
      count += shown;
    }
    for (const topic of topics) topic.hidden = !topic.querySelector(".claim:not([hidden])");
    found.textContent = `${count} of ${claims.length} claims`;
  };

  // A link to something hidden or folded shows it.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) {
      form.reset();
      filter();
    }
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView();
  };

  // Only boxes that do scroll need a stop of their own for the keyboard.
  const stops = () => {
    const wide = boxes.map((box) => box.scrollWidth > box.clientWidth);
    boxes.forEach((box, index) => {
      if (wide[index]) {
        box.tabIndex = 0;
        box.setAttribute("role", "region");
        box.ariaLabel = box.dataset.label;
      } else {
        for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
      }
    });
  };

  const fold = (open) => {
    for (const each of document.querySelectorAll("details")) each.open = open;
    unfold.textContent = open ? "Fold all" : "Unfold all";
  };

  for (const box of boxes) box.dataset.label = box.ariaLabel;
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  unfold.addEventListener("click", () => fold(unfold.textContent === "Unfold all"));
  addEventListener("hashchange", reveal);
  addEventListener("resize", stops);
  document.addEventListener("toggle", stops, true);
  addEventListener("beforeprint", () => fold(true));
  filter();
  stops();
  reveal();
})();
