"use strict";
// --- embedded files: a compressed JSON object of texts by name, unpacked at the first use
const $ = (selector) => document.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

async function unpack(script) {
  const stream = (await fetch(`data:;base64,${script.textContent}`)).body;
  return new Response(stream.pipeThrough(new DecompressionStream("gzip")));
}

let unpackedFiles = null;
const files = () => (unpackedFiles ??= unpack($("#files")).then((response) => response.json()));
const file = async (name) => fillPlaceholders((await files())[name], await files());

// Replaces each @@NAME@@ by the content of a picture or a file of this page, in base64.
const fillPlaceholders = (text, all) => text.replace(/@@([^@\s]+)@@/g, (placeholder, name) =>
  picture(name) ?? (name in all ? btoa(bytes(fillPlaceholders(all[name], all))) : placeholder));
const picture = (name) => $(`img[data-name="${name}"]`)?.src.split(",")[1];

function bytes(text) {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return binary;
}

for (const copy of $$("img[data-copy]")) copy.src = $(`img[data-name="${copy.dataset.copy}"]`).src;

function createElement(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// --- the viewer: opening it adds an entry to the history, so that Back closes it
const viewer = $("#viewer");
let blobUrls = []; // of the links that save something, to be revoked
let wentBack = Promise.resolve(); // resolved when the history is back at the page itself

async function open(request) {
  await wentBack; // otherwise that step would close this viewer
  history.pushState({ viewer: request }, "");
  history.replaceState({ viewer: request, length: history.length }, "");
  show(request);
}

async function show(request) {
  const title = request.file ?? request.picture ?? "The workflow's own report";
  const place = $("#viewer-body");
  $("#viewer-title").textContent = title;
  place.replaceChildren(createElement("p", { textContent: "Opening ..." }));
  $("#viewer-saves").replaceChildren();
  if (!viewer.open) viewer.showModal();
  const [element, links, afterwards] = await content(request);
  if (JSON.stringify(history.state?.viewer) !== JSON.stringify(request)) return; // closed meanwhile
  place.replaceChildren(element);
  $("#viewer-saves").replaceChildren(...links);
  afterwards?.();
}

// What to show, the links that save it, and perhaps a function to call once it is shown.
async function content({ file: name, line, picture: png }) {
  if (png) return largePicture(png);
  if (!name) return [await workflowReport(), []];
  const text = await file(name);
  const links = [saveLink(name, new Blob([text]))];
  if (name.endsWith(".html")) return [frame(name, text, true), links];
  const lines = text.split("\n");
  const start = line ? lines.slice(0, line - 1).join("\n").length + 1 : 0;
  const mark = createElement("mark", { textContent: line ? lines[line - 1] : "" });
  const rest = text.slice(start + mark.textContent.length);
  const pre = createElement("pre", { tabIndex: 0 }, text.slice(0, start), mark, rest);
  if (line) return [pre, links, () => { pre.scrollTop = mark.offsetTop - pre.offsetTop - 40; }];
  return [pre, links];
}

async function workflowReport() {
  const page = await (await unpack($("#workflow"))).json();
  return frame("The workflow's own report", fillPlaceholders(page, await files()));
}

function frame(title, page, sandbox) {
  const element = createElement("iframe", { title, srcdoc: page });
  if (sandbox) element.sandbox = "";
  return element;
}

async function largePicture(png) {
  const small = $(`img[data-name="${png}"]`);
  const { pdf, csv } = small.dataset;
  const large = createElement("img", { src: small.src, alt: small.alt });
  const pdfScript = $(`script[data-pdf="${pdf}"]`);
  const links = [saveLink(png, new Blob([decodeBase64(picture(png))]))];
  if (pdfScript) links.push(saveLink(pdf, await (await unpack(pdfScript)).blob()));
  links.push(saveLink(csv, new Blob([await file(csv)])));
  const box = createElement("div", { className: "large", tabIndex: 0 }, large);
  large.addEventListener("click", () => box.classList.toggle("full"));
  return [box, links];
}

const decodeBase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

function saveLink(name, blob) {
  const href = URL.createObjectURL(blob);
  blobUrls.push(href);
  const kind = name.split(".").pop().toUpperCase();
  const textContent = /^\w{2,5}$/.test(kind) ? `save ${kind}` : "save";
  return createElement("a", { href, download: name.split("/").pop(), textContent });
}

viewer.addEventListener("close", () => {
  if (viewer.open) return; // it was opened again meanwhile
  $("#viewer-body").replaceChildren();
  blobUrls.splice(0).forEach(URL.revokeObjectURL);
  // Clicks within an embedded page add entries to the history, too: go back before all of them.
  // (At the browser's limit of entries the difference is 0 or negative: then go back by one.)
  if (!history.state?.viewer) return;
  wentBack = new Promise((resolve) => addEventListener("popstate", resolve, { once: true }));
  history.go(Math.min(-1, history.state.length - history.length - 1));
});

function showState(state) {
  if (state?.viewer) show(state.viewer);
  else if (viewer.open) viewer.close();
}
addEventListener("popstate", ({ state }) => showState(state));
showState(history.state); // a page that is loaded again keeps its entry of the history

addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const { file: name, line } = button.dataset;
  const image = button.querySelector("img");
  if (name) open({ file: name, line: Number(line) || 0 });
  else if ("picture" in button.dataset) open({ picture: image.dataset.name ?? image.dataset.copy });
  else if ("workflow" in button.dataset) open({ workflow: true });
  else if ("close" in button.dataset) viewer.close();
  else if ("themeSwitch" in button.dataset) setTheme(button.textContent.toLowerCase());
});

// --- light and dark: the system's setting, until the reader chooses another
function setTheme(name) {
  document.documentElement.style.colorScheme = name;
  try { localStorage.setItem("theme", name); } catch { /* the browser allows no storage */ }
  updateThemeSwitch();
}

function updateThemeSwitch() {
  const chosen = document.documentElement.style.colorScheme;
  const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  $("[data-theme-switch]").textContent = dark ? "Light" : "Dark";
}

try { document.documentElement.style.colorScheme = localStorage.getItem("theme") ?? ""; } catch { /* as above */ }
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", updateThemeSwitch);
updateThemeSwitch();

// --- print: always in the light theme
let themeOnScreen = "";
addEventListener("beforeprint", () => {
  themeOnScreen = document.documentElement.style.colorScheme;
  document.documentElement.style.colorScheme = "light";
});
addEventListener("afterprint", () => { document.documentElement.style.colorScheme = themeOnScreen; });

// --- an opened claim shows its plot as an interactive one
addEventListener("toggle", ({ target }) => {
  const place = target.querySelector?.(".claims .shown");
  if (place && target.open && !place.querySelector(".explorer")) openPlot(place, new URLSearchParams(), false);
}, true);
