"use strict";
// --- what is embedded: each once; compressed text is unpacked when the first of it is asked for
const $ = (selector) => document.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

async function unpacked(script) {
  const stream = (await fetch(`data:;base64,${script.textContent}`)).body;
  return new Response(stream.pipeThrough(new DecompressionStream("gzip")));
}

let asked = null;
const files = () => (asked ??= unpacked($("#files")).then((found) => found.json()));
const file = async (name) => filled((await files())[name], await files());

// A placeholder stands for bytes that are kept elsewhere in this page.
const filled = (text, all) => text.replace(/@@([^@\s]+)@@/g, (found, name) =>
  picture(name) ?? (name in all ? btoa(bytes(filled(all[name], all))) : found));
const picture = (name) => $(`img[data-name="${name}"]`)?.src.split(",")[1];

function bytes(text) {
  let binary = "";
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return binary;
}

for (const copy of $$("img[data-copy]")) copy.src = $(`img[data-name="${copy.dataset.copy}"]`).src;

function made(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// --- the viewer: each opening is a step of the history, so that Back closes it
const viewer = $("#viewer");
let saved = []; // addresses of what can be saved, to be given back
let wentBack = Promise.resolve(); // the step back after a viewer that was closed

async function open(request) {
  await wentBack; // else that step would close this viewer
  history.pushState({ viewer: request }, "");
  history.replaceState({ viewer: request, length: history.length }, "");
  show(request);
}

async function show(request) {
  const title = request.file ?? request.picture ?? "The workflow's own report";
  const place = $("#viewer-body");
  $("#viewer-title").textContent = title;
  place.replaceChildren(made("p", { textContent: "Opening ..." }));
  $("#viewer-saves").replaceChildren();
  if (!viewer.open) viewer.showModal();
  const [element, saves, then] = await content(request);
  if (JSON.stringify(history.state?.viewer) !== JSON.stringify(request)) return; // closed meanwhile
  place.replaceChildren(element);
  $("#viewer-saves").replaceChildren(...saves);
  then?.();
}

async function content({ file: name, line, picture: png }) {
  if (png) return pictured(png);
  if (!name) return [framed("The workflow's own report", filled(await (await unpacked($("#workflow"))).json(), await files())), []];
  const text = await file(name);
  const saves = [save(name, new Blob([text]))];
  if (name.endsWith(".html")) return [framed(name, text, true), saves];
  const lines = text.split("\n");
  const at = line ? lines.slice(0, line - 1).join("\n").length + 1 : 0;
  const mark = made("mark", { textContent: line ? lines[line - 1] : "" });
  const pre = made("pre", { tabIndex: 0 }, text.slice(0, at), mark, text.slice(at + mark.textContent.length));
  if (line) return [pre, saves, () => { pre.scrollTop = mark.offsetTop - pre.offsetTop - 40; }];
  return [pre, saves];
}

function framed(title, page, sandbox) {
  const element = made("iframe", { title, srcdoc: page });
  if (sandbox) element.sandbox = "";
  return element;
}

async function pictured(png) {
  const small = $(`img[data-name="${png}"]`);
  const { pdf, csv } = small.dataset;
  const large = made("img", { src: small.src, alt: small.alt });
  const whole = $(`script[data-pdf="${pdf}"]`);
  const saves = [save(png, new Blob([decoded(picture(png))]))];
  if (whole) saves.push(save(pdf, await (await unpacked(whole)).blob()));
  saves.push(save(csv, new Blob([await file(csv)])));
  const box = made("div", { className: "large", tabIndex: 0 }, large);
  large.addEventListener("click", () => box.classList.toggle("full"));
  return [box, saves];
}

const decoded = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

function save(name, blob) {
  const href = URL.createObjectURL(blob);
  saved.push(href);
  const kind = name.split(".").pop().toUpperCase();
  return made("a", { href, download: name.split("/").pop(), textContent: /^\w{2,5}$/.test(kind) ? `save ${kind}` : "save" });
}

viewer.addEventListener("close", () => {
  if (viewer.open) return; // open again by now
  $("#viewer-body").replaceChildren();
  saved.splice(0).forEach(URL.revokeObjectURL);
  // What was opened within an embedded page has made steps of its own. (At the browser's limit of
  // steps their number stands still, or falls back: one step then.)
  if (!history.state?.viewer) return;
  wentBack = new Promise((resolve) => addEventListener("popstate", resolve, { once: true }));
  history.go(Math.min(-1, history.state.length - history.length - 1));
});

function revisit(state) {
  if (state?.viewer) show(state.viewer);
  else if (viewer.open) viewer.close();
}
addEventListener("popstate", ({ state }) => revisit(state));
revisit(history.state); // a page that is loaded again keeps its step

addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const { file: name, line } = button.dataset;
  const image = button.querySelector("img");
  if (name) open({ file: name, line: Number(line) || 0 });
  else if ("picture" in button.dataset) open({ picture: image.dataset.name ?? image.dataset.copy });
  else if ("workflow" in button.dataset) open({ workflow: true });
  else if ("close" in button.dataset) viewer.close();
  else if ("themeSwitch" in button.dataset) theme(button.textContent.toLowerCase());
});

// --- light and dark: the system's choice, until the reader makes another
function theme(name) {
  document.documentElement.style.colorScheme = name;
  try { localStorage.setItem("theme", name); } catch { /* a browser that keeps nothing */ }
  told();
}

function told() {
  const chosen = document.documentElement.style.colorScheme;
  const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  $("[data-theme-switch]").textContent = dark ? "Light" : "Dark";
}

try { document.documentElement.style.colorScheme = localStorage.getItem("theme") ?? ""; } catch { /* as above */ }
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", told);
told();

// --- print: the front page, a compact ledger and the figures, in light
let screen = "";
addEventListener("beforeprint", () => {
  screen = document.documentElement.style.colorScheme;
  document.documentElement.style.colorScheme = "light";
});
addEventListener("afterprint", () => { document.documentElement.style.colorScheme = screen; });

// --- a claim that is opened shows its plot: the picture holds its texts a second time
addEventListener("toggle", ({ target }) => {
  const place = target.querySelector?.(".claims .shown");
  if (place && target.open && !place.querySelector(".explorer")) openPlot(place, new URLSearchParams(), false);
}, true);
