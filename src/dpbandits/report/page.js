"use strict";
const $ = (selector) => document.querySelector(selector);
const json = (id) => JSON.parse(document.getElementById(id).textContent);
let parsed = null; // the embedded files, read when the first one is asked for
const files = () => (parsed ??= json("files"));
const file = (name) => filled(files()[name]);

// Bytes are kept once: a picture where this page shows it; a placeholder stands for it elsewhere.
const filled = (text) => text.replace(/@@([^@\s]+)@@/g, (found, name) => base64(name) ?? found);

function base64(name) {
  const picture = document.querySelector(`img[data-name="${name}"]`);
  if (picture) return picture.src.split(",")[1];
  return name in files() ? btoa(bytes(file(name))) : null;
}

function bytes(text) {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return binary;
}

// --- filtering the claims
const filters = $(".filters");

function filter() {
  const wanted = Object.fromEntries(new FormData(filters));
  const words = wanted.words.toLowerCase().split(/\s+/);
  const rows = [...document.querySelectorAll(".claims > tbody > tr")];
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    const same = (key) => !wanted[key] || row.dataset[key] === wanted[key];
    row.hidden = !(["paper", "kind", "verdict"].every(same) && words.every((w) => text.includes(w)));
  }
  $(".filters output").value = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
}

function show(paper, verdict) {
  filters.reset();
  filters.elements.paper.value = paper;
  filters.elements.verdict.value = verdict;
  filter();
  filters.scrollIntoView();
}

if (filters) {
  filters.addEventListener("input", filter);
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("reset", () => setTimeout(filter));
}

// A link to one claim shows it even if it is filtered away, and opens how it was judged.
function follow() {
  const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (row?.matches(".claims > tbody > tr")) {
    if (row.hidden) { filters.reset(); filter(); }
    row.querySelector("details").open = true;
    row.scrollIntoView();
  }
}
addEventListener("hashchange", follow);
follow();

// --- the viewer
const viewer = $("#viewer");

function view(title, element, saved) {
  $("#viewer-title").textContent = title;
  const save = $("#viewer-save");
  URL.revokeObjectURL(save.href);
  save.hidden = !saved;
  if (saved) {
    save.href = URL.createObjectURL(new Blob([saved]));
    save.download = title.split("/").pop();
  }
  $("#viewer-body").replaceChildren(element);
  viewer.showModal();
}

viewer.addEventListener("close", () => {
  if (!viewer.open) $("#viewer-body").replaceChildren(); // it may be open again by now
});

function frame(title, page, sandbox) {
  const element = document.createElement("iframe");
  element.title = title;
  if (sandbox) element.sandbox = "";
  element.srcdoc = page;
  return element;
}

function viewFile(name, find) {
  const text = file(name);
  if (name.endsWith(".html")) {
    view(name, frame(name, text, true), text);
    return;
  }
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.textContent = text;
  view(name, pre, text);
  const lines = text.split("\n");
  const line = find ? lines.findIndex((candidate) => candidate.includes(find)) : 0;
  pre.scrollTop = (pre.scrollHeight / lines.length) * Math.max(0, line - 2);
}

function viewPicture(small) {
  const box = document.createElement("div");
  box.className = "large";
  box.tabIndex = 0;
  const large = new Image();
  large.src = small.src;
  large.alt = small.alt;
  box.append(large);
  view(small.dataset.name, box);
}

function viewWorkflow() {
  view("The workflow's own report", frame("The workflow's own report", filled(json("workflow"))));
}

addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { file, find, setPaper, setVerdict } = button.dataset;
  if (file) viewFile(file, find);
  else if (setPaper !== undefined) show(setPaper, setVerdict);
  else if ("picture" in button.dataset) viewPicture(button.firstElementChild);
  else if ("workflow" in button.dataset) viewWorkflow();
  else if ("close" in button.dataset) viewer.close();
});
