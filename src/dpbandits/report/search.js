// --- the ledger: search that ranks, filters that stand in the address, an order of one's own
const filters = $(".filters");
const rows = $$(".claims > tbody > tr");
const cards = $$("article");
const KEYS = ["paper", "kind", "verdict", "reading", "repaired"];
const GREEK = "α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau φ phi χ chi ψ psi ω omega ∞ infinity".split(" ");
const LETTERS = new Map(GREEK.flatMap((name, i) => (i % 2 ? [] : [[name, GREEK[i + 1]]])));

// Words and numbers of a text; greek letters by name however they are written: eps, ε, \varepsilon.
function words(text) {
  const flat = text.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "").replace(/ϵ/g, "ε").replace(/ϕ/g, "φ")
    .replace(/ς/g, "σ").replace(/./gu, (letter) => (LETTERS.has(letter) ? ` ${LETTERS.get(letter)} ` : letter));
  const found = flat.match(/[a-z]+|\d+(?:\.\d+)*/g) ?? [];
  return found.map((word) => (/^(var)?eps(ilon)?$/.test(word) ? "epsilon" : word.replace(/^var(?=phi|theta|rho)/, "")));
}

// The text of an element, its pieces apart: the parts of a formula are words of their own.
function said(element) {
  const pieces = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = "";
  while (pieces.nextNode()) text += ` ${pieces.currentNode.data}`;
  return text;
}

// Fields with their weights, from the id down to all that is said.
let known = null;
const index = () => (known ??= new Map([
  ...rows.map((row) => [row, [
    [40, words(row.querySelector("th a").textContent)], [20, words(row.dataset.where)],
    [8, words(row.dataset.said)], [4, words(`${row.dataset.verdict} ${row.dataset.kind} ${row.dataset.method}`)],
    [1, words(said(row))],
  ]]),
  ...cards.map((card) => [card, [
    [20, words(said(card.querySelector("h3")))], [1, words(said(card.querySelector("dl")))],
  ]]),
]));

// "two words", and a word before a number (theorem 8), are to stand together; the last may be begun.
function terms(query) {
  const parts = query.match(/"[^"]*"?|\p{L}+\s+\d[\d.]*(?!\p{L})|\S+/gu) ?? [];
  return parts.map(words).filter((term) => term.length);
}

function place(field, term) {
  for (let at = 0; at + term.length <= field.length; at++) {
    let i = 0;
    while (i < term.length && field[at + i] === term[i]) i++;
    if (i === term.length) return { at, whole: true };
    const rest = term[i];
    if (i === term.length - 1 && rest.length > 2 && field[at + i].startsWith(rest)) return { at, whole: false };
  }
  return null;
}

// 0 if a term is nowhere; else more for a weightier field, an earlier place and a whole word; of
// equals the one with less beside it comes first, FL-E2 before FL-E2-M.
function score(fields, wanted) {
  let sum = 0;
  for (const term of wanted) {
    let best = 0;
    for (const [weight, field] of fields) {
      const found = place(field, term);
      if (found) best = Math.max(best, weight * (found.whole ? 1 : 0.5) * (1 + 1 / (1 + found.at)) + 0.01 * term.length / field.length);
    }
    if (!best) return 0;
    sum += best;
  }
  return sum;
}

const state = () => Object.fromEntries([...new FormData(filters)].filter(([, value]) => value.trim()));

function filter() {
  const wanted = state();
  const query = terms(wanted.words ?? "");
  const scores = new Map(rows.map((row) => [row, query.length ? score(index().get(row), query) : 1]));
  for (const row of rows) row.hidden = !(scores.get(row) && KEYS.every((key) => !wanted[key] || row.dataset[key] === wanted[key]));
  $(".claims > tbody").append(...ordered(wanted.sort ?? "", scores));
  filters.querySelector("output").value = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  found(query);
}

function ordered(sort, scores) {
  const key = sort.replace("-", "");
  const verdicts = [...filters.elements.verdict.options].map((option) => option.value);
  const value = { id: (row) => row.id, verdict: (row) => String(verdicts.indexOf(row.dataset.verdict)), kind: (row) => row.dataset.kind, method: (row) => row.dataset.method }[key];
  for (const button of $$("[data-sort]")) {
    const own = button.dataset.sort === key;
    button.closest("th").ariaSort = own ? (sort.startsWith("-") ? "descending" : "ascending") : null;
  }
  if (!value) return [...rows].sort((a, b) => scores.get(b) - scores.get(a));
  const sign = sort.startsWith("-") ? -1 : 1;
  return [...rows].sort((a, b) => sign * value(a).localeCompare(value(b), "en", { numeric: true }));
}

function found(query) {
  const hits = query.length ? cards.map((card) => [score(index().get(card), query), card]).filter(([points]) => points) : [];
  const best = hits.sort((a, b) => b[0] - a[0]).slice(0, 8).map(([, card]) =>
    made("a", { href: `#${card.id}`, textContent: card.querySelector("img").closest(".shown").dataset.title }));
  $("#found").hidden = !best.length;
  $("#found").replaceChildren(`Figures (${hits.length}): `, ...best.flatMap((link) => [link, "  "]));
}

// --- the address: #verdicts?paper=HU&words=theorem+8, #CLAIM, #figure-NAME
function remember() {
  const query = new URLSearchParams(state()).toString();
  history.replaceState(history.state, "", query ? `#verdicts?${query}` : "#verdicts");
}

let started = false; // the page comes unfiltered, in its order

function follow() {
  const [anchor, query] = location.hash.slice(1).split("?");
  const target = document.getElementById(decodeURIComponent(anchor));
  if (filters && (query || (started && ["", "verdicts"].includes(anchor)))) {
    const wanted = new URLSearchParams(query);
    for (const field of filters.elements) if (field.name) field.value = wanted.get(field.name) ?? "";
    filter();
  }
  if (target?.matches(".claims > tbody > tr")) {
    if (target.hidden) { filters.reset(); filter(); }
    target.querySelector("details").open = true;
  }
  if (target && (query || target.matches("tr"))) target.scrollIntoView();
}

if (filters) {
  filters.addEventListener("input", () => { filter(); remember(); });
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("reset", () => setTimeout(() => { filter(); remember(); }));
  for (const button of $$("[data-sort]")) button.addEventListener("click", () => {
    const { sort } = filters.elements;
    sort.value = sort.value === button.dataset.sort ? `-${sort.value}` : button.dataset.sort;
    filter();
    remember();
  });
}
follow();
started = true;
addEventListener("hashchange", follow);
