// --- the ledger: search that ranks, filters that stand in the address, an order of one's own
const filters = $(".filters");
const rows = $$(".claims > tbody > tr");
const cards = $$("article");
const sections = $$("section[data-words]"); // of the papers
const KEYS = ["paper", "kind", "verdict", "severity", "reading", "repaired"];
const SAME = { thm: "theorem", th: "theorem", lem: "lemma", cor: "corollary", prop: "proposition", def: "definition", sec: "section", fig: "figure", eq: "equation", regularisation: "regularization", regularised: "regularized" };
const GREEK = "α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau φ phi χ chi ψ psi ω omega ∞ infinity".split(" ");
const LETTERS = new Map(GREEK.flatMap((name, i) => (i % 2 ? [] : [[name, GREEK[i + 1]]])));

// Words and numbers of a text; greek letters by name however they are written: eps, ε, \varepsilon.
function words(text) {
  const flat = text.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "").replace(/ϵ/g, "ε").replace(/ϕ/g, "φ")
    .replace(/ς/g, "σ").replace(/./gu, (letter) => (LETTERS.has(letter) ? ` ${LETTERS.get(letter)} ` : letter));
  const found = flat.match(/[a-z]+|\d+(?:\.\d+)*/g) ?? [];
  return found.map((word) => SAME[word] ?? (/^(var)?eps(ilon)?$/.test(word) ? "epsilon" : word.replace(/^var(?=phi|theta|rho)/, "")));
}

// The text of an element, its pieces apart: the parts of a formula are words of their own.
function said(element) {
  const pieces = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = "";
  while (pieces.nextNode()) text += ` ${pieces.currentNode.data}`;
  return text;
}

// Fields with their weights, from the id down to all that is said. No paths, no names of files.
const spoken = (element, parts) => words($$(parts, element).map(said).join(" "));
let known = null;
const index = () => (known ??= new Map([
  ...rows.map((row) => [row, [
    [40, words(row.querySelector("th a").textContent)], [20, words(row.dataset.where)], [8, words(row.dataset.said)], [6, words(row.dataset.topics ?? "")],
    [4, words(`${row.dataset.verdict} ${row.dataset.severity} ${row.dataset.kind} ${row.dataset.method}`)], [1, spoken(row, ".claimed, .brief, .story")],
  ]]),
  ...cards.map((card) => [card, [[20, spoken(card, "h3")], [1, spoken(card, "dl dd:not(.chips)")]]]),
  ...sections.map((section) => [section, [[20, spoken(section, "h2")], [8, words(section.dataset.words)]]]),
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

// 0 if fewer than `least` terms are found; else more for a weightier field, an earlier place and a whole word; of
// equals the one with less beside it comes first, FL-E2 before FL-E2-M.
function score(fields, wanted, least = wanted.length) {
  let [sum, terms] = [0, 0];
  for (const term of wanted) {
    let best = 0;
    for (const [weight, field] of fields) {
      const found = place(field, term);
      if (found) best = Math.max(best, weight * (found.whole ? 1 : 0.5) * (1 + (weight > 6 ? 1 / (1 + found.at) : 1)) + 0.01 * term.length / field.length);
    }
    if (best) terms += 1;
    sum += best;
  }
  return terms >= least ? sum : 0;
}

const state = () => Object.fromEntries([...new FormData(filters)].filter(([, value]) => value.trim()));

function filter() {
  const wanted = state();
  const allowed = rows.filter((row) => KEYS.every((key) => !wanted[key] || row.dataset[key] === wanted[key]));
  const seen = new Set(allowed);
  const others = [...sections.filter((section) => !wanted.paper || section.id.endsWith(`-${wanted.paper.toLowerCase()}`)),
    ...cards.filter((card) => allowed.length === rows.length || $$(".chips a", card).some((link) => seen.has(document.getElementById(link.hash.slice(1)))))];
  const [query, note, least] = understood(terms(wanted.words ?? ""), [...allowed, ...others]);
  const points = (element) => (query.length ? score(index().get(element), query, least) * (/^Theorem/.test(element.dataset.where) ? 1.5 : 1) : 1); // theorems first
  const scores = new Map(rows.map((row) => [row, seen.has(row) ? points(row) : 0]));
  for (const row of rows) row.hidden = !scores.get(row);
  $(".claims > tbody").append(...ordered(wanted.sort ?? "", scores));
  const shown = rows.filter((row) => !row.hidden);
  const printed = (list) => list.filter((row) => row.dataset.reading !== "other").length;
  const more = shown.length - printed(shown);
  filters.querySelector("output").value = `${printed(shown)} of ${printed(rows)} statements${more ? `, ${more} further reading${more > 1 ? "s" : ""}` : ""}`;
  found(query.length ? others.map((each) => [points(each), each]).filter(([sum]) => sum) : [], note);
}

// The query as it is; if nothing has all of its words, with words that were mistyped put right; if
// that does not help, what has most of the words. With a note that says so.
function understood(query, among) {
  const best = (tried) => Math.max(0, ...among.map((each) => tried.filter((term) => score(index().get(each), [term])).length));
  if (!query.length || best(query) === query.length) return [query, "", query.length];
  const right = query.map((term) => term.map((word) => nearest(word) ?? word));
  const text = (list) => `“${list.flat().join(" ")}”`;
  const [chosen, changed] = best(right) > best(query) ? [right, `Did you mean ${text(right)}? Nothing has ${text(query)}. `] : [query, ""];
  const least = best(chosen);
  if (least === chosen.length) return [chosen, changed, least];
  return [chosen, least ? `${changed}Nothing has all words of ${text(chosen)}; shown is what has most of them. ` : `Nothing has ${text(query)}. Try another word, or “show all”. `, Math.max(1, least)];
}

let vocabulary = null;
function nearest(word) {
  vocabulary ??= [...new Set([...index().values()].flatMap((fields) => fields.filter(([weight]) => weight > 1).flatMap(([, field]) => field)))].filter((each) => /[a-z]{4}/.test(each));
  if (word.length < 4 || /\d/.test(word) || vocabulary.some((each) => each.startsWith(word))) return null;
  const near = vocabulary.map((each) => [distance(word, each), each]).sort(([a], [b]) => a - b)[0];
  return near && near[0] <= (word.length > 6 ? 2 : 1) ? near[1] : null;
}

// Letters to insert, leave out, change or swap with the next.
function distance(a, b) {
  if (Math.abs(a.length - b.length) > 2) return 9;
  const d = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => (i && j ? 0 : i + j)));
  for (let i = 1; i <= a.length; i++) for (let j = 1; j <= b.length; j++) {
    d[i][j] = Math.min(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
  }
  return d[a.length][b.length];
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

function found(hits, note) {
  const link = (element) => made("a", { href: `#${element.id}`, textContent: element.querySelector("h2, h3").innerText });
  const best = hits.sort((a, b) => b[0] - a[0]).map(([, element]) => element);
  const parts = [["Paper", best.filter((each) => sections.includes(each)), 4], ["Figures", best.filter((each) => cards.includes(each)), 8]];
  const shown = parts.filter(([, list]) => list.length).flatMap(([name, list, most]) => [`${name}: `, ...list.slice(0, most).flatMap((each) => [link(each), "  "])]);
  $("#found").hidden = !shown.length && !note;
  $("#found").replaceChildren(note, ...shown);
}

// --- the address: #verdicts?paper=HU&words=theorem+8, #CLAIM, #figure-NAME, with ?panel=1 explored
function remember() {
  const query = new URLSearchParams(state()).toString();
  history.replaceState(history.state, "", query ? `#verdicts?${query}` : "#verdicts");
}

let started = false; // the page comes unfiltered, in its order

function follow() {
  const [anchor, query] = location.hash.slice(1).split("?");
  const target = document.getElementById(decodeURIComponent(anchor));
  const row = target?.matches(".claims > tbody > tr");
  const wanted = new URLSearchParams(query);
  if (filters && (anchor === "verdicts" ? query || started : started && !anchor)) {
    for (const field of filters.elements) if (field.name) field.value = wanted.get(field.name) ?? "";
    filter();
  }
  if (row) {
    if (target.hidden) { filters.reset(); filter(); }
    target.querySelector("details").open = true;
  }
  const place = target?.querySelector("article .shown, tr .shown, :scope > .shown");
  if (query && place && target.matches("article, tr")) openPlot(place, wanted, false);
  if (target && (query || row)) target.scrollIntoView();
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
