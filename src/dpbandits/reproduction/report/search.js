// --- the ledger: ranked search, filters and order; all of them are kept in the address
const filters = $("#filters");
const rows = $$(".claims > tbody > tr");
const tables = rows.length ? $(".claims > tbody") : null;
const cards = everywhere("article");
const places = $$("[data-say]:not(tr)"); // parts of the front page that answer questions
const sections = $$("section[data-words]:not([data-say])"); // one per paper
const KEYS = ["paper", "kind", "verdict", "severity", "reading", "repaired"];
const SYNONYMS = { thm: "theorem", th: "theorem", lem: "lemma", cor: "corollary", prop: "proposition", def: "definition", sec: "section", fig: "figure", eq: "equation", regularisation: "regularization", regularised: "regularized" };
const GREEK = "α alpha β beta γ gamma δ delta ε epsilon ζ zeta η eta θ theta κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma τ tau φ phi χ chi ψ psi ω omega ∞ infinity".split(" ");
const LETTERS = new Map(GREEK.flatMap((name, i) => (i % 2 ? [] : [[name, GREEK[i + 1]]])));

// The words and numbers of a text; Greek letters by name, whether written eps, ε or \varepsilon.
function words(text) {
  const plain = text.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "").replace(/ϵ/g, "ε").replace(/ϕ/g, "φ")
    .replace(/ς/g, "σ").replace(/./gu, (letter) => (LETTERS.has(letter) ? ` ${LETTERS.get(letter)} ` : letter));
  const tokens = plain.match(/[a-z]+|\d+(?:\.\d+)*/g) ?? [];
  return tokens.map((word) => SYNONYMS[word] ?? (/^(var)?eps(ilon)?$/.test(word) ? "epsilon" : word.replace(/^var(?=phi|theta|rho)/, "")));
}

// The text of an element, with spaces between its text nodes, so that the symbols of a formula are separate words.
function textOf(element) {
  const pieces = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = "";
  while (pieces.nextNode()) text += ` ${pieces.currentNode.data}`;
  return text;
}

const FILLERS = new Set("a an and are as at be by can do does for how i in is it much of on or please s should the there this to was what when where why with".split(" "));

// Element -> its fields, [weight, words] each. Paths and names of files are not searched.
const wordsOf = (element, parts) => words(everywhere(parts, element).map(textOf).join(" "));
let cachedIndex = null;
const index = () => (cachedIndex ??= new Map([
  ...rows.map((row) => [row, [
    [40, words(row.querySelector("th a").textContent)], [20, words(row.dataset.where)], [8, words(row.dataset.text)], [6, words(row.dataset.topics ?? "")],
    [4, words(`${row.dataset.verdict} ${row.dataset.severity} ${row.dataset.kind} ${row.dataset.method}`)], [1, wordsOf(row, ".claimed, .brief, .story, .sentences")],
  ]]),
  ...cards.map((card) => [card, [[20, wordsOf(card, "h3")], [1, wordsOf(card, "dl dd:not(.chips)")]]]),
  ...places.map((place) => [place, [[place.dataset.first ? 5 : 4.5, words(place.dataset.say)], [6, words(nameOf(place))], [4, words(place.dataset.words)], [1, words(place.tagName === "SECTION" ? textOf(place) : "")]]]),
  ...sections.map((section) => [section, [[20, wordsOf(section, "h2")], [8, words(section.dataset.words)]]]),
]));

// The terms of a query, each a list of words that must follow each other: "two words" in quotes, or
// a word and a number (theorem 8). Words that ask or join are left out. The last word of a term may be incomplete.
function terms(query) {
  const parts = query.match(/"[^"]*"?|\p{L}+\s+\d[\d.]*(?!\p{L})|\S+/gu) ?? [];
  const found = parts.map(words).filter((term) => term.length);
  const telling = found.filter((term) => term.length > 1 || !FILLERS.has(term[0]));
  return telling.length ? telling : found;
}

// Where a term is in a field: { start, whole: whether its last word is complete }, or null.
function match(field, term) {
  for (let start = 0; start + term.length <= field.length; start++) {
    let i = 0;
    while (i < term.length && field[start + i] === term[i]) i++;
    if (i === term.length) return { start, whole: true };
    const last = term[i];
    if (i === term.length - 1 && last.length > 2 && field[start + i].startsWith(last)) return { start, whole: false };
  }
  return null;
}

// 0 if fewer than `least` terms are found, otherwise the sum over the terms of the best fields' scores.
function score(fields, query, least = query.length) {
  const scores = query.map((term) => Math.max(0, ...fields.map((field) => termScore(field, term))));
  return scores.filter((each) => each > 0).length >= least ? scores.reduce((a, b) => a + b, 0) : 0;
}

// More for a weighty field, a complete word, an early position and, of equals, a short field, so that FL-E2
// comes before FL-E2-M.
function termScore([weight, field], term) {
  const found = match(field, term);
  if (!found) return 0;
  const position = weight > 6 ? 1 / (1 + found.start) : 1;
  return weight * (found.whole ? 1 : 0.5) * (1 + position) + 0.01 * term.length / field.length;
}

const state = () => Object.fromEntries([...new FormData(filters)].filter(([, value]) => value.trim()));

function filter() {
  const wanted = state();
  const allowed = rows.filter((row) => KEYS.every((key) => !wanted[key] || row.dataset[key] === wanted[key]));
  const allowedRows = new Set(allowed);
  const showsAllowed = (card) => everywhere(".chips a", card).some((link) => allowedRows.has(document.getElementById(link.hash.slice(1))));
  const others = [
    ...sections.filter((section) => !wanted.paper || section.id.endsWith(`-${wanted.paper.toLowerCase()}`)),
    ...cards.filter((card) => allowed.length === rows.length || showsAllowed(card)),
    ...(allowed.length === rows.length ? places : []),
  ];
  const { query, note, least } = correctQuery(terms(wanted.words ?? ""), [...allowed, ...others]);
  const preference = (element) => (places.includes(element) ? 4 : /^Theorem/.test(element.dataset.where) ? 1.5 : 1); // answers, then theorems
  const scoreOf = (element) => (query.length ? score(index().get(element), query, least) * preference(element) : 1);
  const scores = new Map(rows.map((row) => [row, allowedRows.has(row) ? scoreOf(row) : 0]));
  for (const row of rows) row.hidden = !scores.get(row);
  tables?.append(...ordered(wanted.sort ?? "", scores));
  const shown = rows.filter((row) => !row.hidden);
  const printed = (list) => list.filter((row) => row.dataset.reading !== "other").length;
  const more = shown.length - printed(shown);
  filters.querySelector("output").value = `${printed(shown)} of ${printed(rows)} statements${more ? `, ${more} further reading${more > 1 ? "s" : ""}` : ""}`;
  const all = query.length ? [...others, ...shown].map((element) => [scoreOf(element), element]) : [];
  showHits(all.filter(([sum]) => sum), note);
}

// The query to use, how many of its terms an element must have at least, and a note for the reader. If no
// element has all terms, mistyped words are corrected; if that does not suffice, fewer terms are asked for.
function correctQuery(query, elements) {
  const countTerms = (element, list) => list.filter((term) => score(index().get(element), [term])).length;
  const most = (list) => Math.max(0, ...elements.map((element) => countTerms(element, list)));
  if (!query.length || most(query) === query.length) return { query, note: "", least: query.length };
  const text = (list) => `“${list.flat().join(" ")}”`;
  const corrected = query.map((term) => term.map((word) => nearest(word) ?? word));
  const better = most(corrected) > most(query);
  const chosen = better ? corrected : query;
  const least = most(chosen);
  let note = better ? `Did you mean ${text(corrected)}? Nothing matches ${text(query)}. ` : "";
  if (!least) note = `Nothing matches ${text(query)}. Try another word, or “show all”. `;
  else if (least < chosen.length) note += `Nothing matches all words of ${text(chosen)}; these match most of them. `;
  return { query: chosen, note, least: Math.max(1, least) };
}

let vocabulary = null; // all words of weighty fields
function nearest(word) {
  const fields = () => [...index().values()].flat().filter(([weight]) => weight > 1);
  vocabulary ??= [...new Set(fields().flatMap(([, field]) => field))].filter((each) => /[a-z]{4}/.test(each));
  if (word.length < 4 || /\d/.test(word) || vocabulary.some((each) => each.startsWith(word))) return null;
  const near = vocabulary.map((each) => [distance(word, each), each]).sort(([a], [b]) => a - b)[0];
  return near && near[0] <= (word.length > 6 ? 2 : 1) ? near[1] : null;
}

// The number of letters to insert, delete, change or swap with the next; 9 if the lengths differ by more than 2.
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
  const verdicts = [...(filters.elements.verdict?.options ?? [])].map((option) => option.value);
  const value = { id: (row) => row.id, verdict: (row) => String(verdicts.indexOf(row.dataset.verdict)), kind: (row) => row.dataset.kind, method: (row) => row.dataset.method }[key];
  const direction = sort.startsWith("-") ? "descending" : "ascending";
  for (const button of $$("[data-sort]")) button.closest("th").ariaSort = button.dataset.sort === key ? direction : null;
  if (!value) return [...rows].sort((a, b) => scores.get(b) - scores.get(a));
  const sign = sort.startsWith("-") ? -1 : 1;
  return [...rows].sort((a, b) => sign * value(a).localeCompare(value(b), "en", { numeric: true }));
}

// Below the search field: the note, and what a query finds first, of all parts of the page.
const MOST = 8;
const nameOf = (element) => element.dataset.title ?? (element.matches("tr") ? element.id : element.querySelector("h2, h3").textContent);
function showHits(hits, note) {
  const best = hits.sort((a, b) => b[0] - a[0]).slice(0, MOST).map(([, element]) => element);
  const about = (element) => element.dataset.say?.replaceAll("`", "") ?? (element.matches("article") ? "a figure" : "a paper");
  const text = (element) => [element.dataset.where ? `${element.dataset.where}: ${element.dataset.text}` : "", about(element)].filter(Boolean).join(" — ");
  const items = best.map((element) => createElement("li", {}, createElement("a", { href: `#${element.id}`, textContent: nameOf(element) }), ` ${text(element)}`));
  $("#found").hidden = !items.length && !note;
  $("#found").replaceChildren(...(note ? [createElement("p", { textContent: note })] : []), createElement("ol", {}, ...items));
}

// --- the address: #verdicts?paper=HU&words=theorem+8, #CLAIM, #figure-NAME, with ?panel=1 explored
function writeAddress() {
  const query = new URLSearchParams(state()).toString();
  history.replaceState(history.state, "", query ? `#verdicts?${query}` : "#verdicts");
}

let started = false; // until then the page is unfiltered and in its order

function readAddress() {
  const [anchor, query] = location.hash.slice(1).split("?");
  const target = find(decodeURIComponent(anchor));
  const row = target?.matches(".claims > tbody > tr");
  const wanted = new URLSearchParams(query);
  if (anchor === "verdicts" ? query || started : started && !anchor) {
    for (const field of filters.elements) if (field.name) field.value = wanted.get(field.name) ?? "";
    filter();
  }
  if (row) {
    if (target.hidden) { filters.reset(); filter(); }
    const details = target.querySelector("details");
    fill(details);
    details.open = true;
  }
  const place = target?.querySelector("article .shown, :scope > .shown");
  if (query && place && target.matches("article")) openPlot(place, wanted, false);
  if (target && anchor !== "verdicts") target.scrollIntoView();
}

const inputs = [filters, $("input[name=words]")];
for (const input of inputs) input.addEventListener("input", () => { filter(); writeAddress(); });
filters.addEventListener("submit", (event) => event.preventDefault());
filters.addEventListener("reset", () => setTimeout(() => { filter(); writeAddress(); }));
for (const button of $$("[data-sort]")) button.addEventListener("click", () => {
  const { sort } = filters.elements;
  sort.value = sort.value === button.dataset.sort ? `-${sort.value}` : button.dataset.sort;
  filter();
  writeAddress();
});
addEventListener("load", () => { readAddress(); started = true; });
addEventListener("hashchange", readAddress);
