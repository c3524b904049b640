// The search: statements, figures and published panels with all words, of a paper, with a verdict; if
// some are called so ("theorem 8"), only these. All else is HTML.
const form = document.querySelector("#filter");
const items = [...document.querySelectorAll(".item, .panel")];
const texts = items.map((item) => item.textContent.toLowerCase());
const plain = (text) => ` ${text.toLowerCase().replace(/[^\w.-]+/g, " ").trim()} `;
const names = items.map((item) => plain(item.dataset.name));

function filter() {
  const words = form.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const { paper, verdict } = form;
  const called = names.map((name) => words.length > 0 && name.includes(plain(form.words.value)));
  const named = called.some(Boolean) && !form.mentioned.checked;
  items.forEach((item, i) => {
    item.hidden = !((named ? called[i] : words.every((word) => texts[i].includes(word)))
      && (!paper.value || item.dataset.paper === paper.value)
      && (!verdict.value || item.dataset.verdict?.split(" ").includes(verdict.value)));
  });
  const any = words.length || paper.value || verdict.value;
  for (const group of document.querySelectorAll(".group")) {
    group.hidden = !group.querySelector(".item:not([hidden])");
    group.open = any && !group.hidden;
  }
  const shown = items.filter((item) => !item.hidden).length;
  form.querySelector("output").value = any ? `${shown} of ${items.length} statements, figures and panels` : "";
}

function unfold() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target?.hidden) { form.reset(); filter(); }
  for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
  target?.scrollIntoView();
}

for (const small of document.querySelectorAll("[data-of]")) {  // each picture is in the page once
  small.src = document.getElementById(small.dataset.of).querySelector("img").src;
}
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", unfold);
unfold();
