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
const file = async (name) => (await files())[name];

function createElement(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

// --- what is not seen at the start stands in <template>s, and is filled in when it is opened
const templates = (root = document) => $$("template", root);

// All elements of a kind, also those that are not filled in yet.
const everywhere = (selector, root = document) =>
  [...$$(selector, root), ...templates(root).flatMap((template) => everywhere(selector, template.content))];

function fill(details) {
  const template = details.querySelector(":scope > template");
  if (!template) return;
  template.replaceWith(template.content);
  for (const place of $$(".plot[data-id]", details)) showPoints(place);
}

// The element of that id, its section being filled and opened if need be.
function find(id) {
  const inside = templates().find((template) => template.content.getElementById(id));
  if (inside) fill(inside.parentElement);
  const element = document.getElementById(id);
  const around = element?.closest("article") && element.closest("details.figures");
  if (around) around.open = true;
  return element;
}

addEventListener("toggle", ({ target }) => { if (target.open) fill(target); }, true);

for (const copy of $$("img[data-copy]")) copy.src = everywhere(`img[data-name="${copy.dataset.copy}"]`)[0].src;

// --- the viewer: opening it adds an entry to the history, so that Back closes it
const viewer = $("#viewer");
let blobUrls = []; // of the links that save something, to be revoked
let opener = null; // has the focus again when the viewer is closed
let wentBack = Promise.resolve(); // resolved when the history is back at the page itself

async function open(request) {
  await wentBack; // otherwise that step would close this viewer
  opener = document.activeElement;
  history.pushState({ viewer: request }, "");
  show(request);
}

async function show(request) {
  const place = $("#viewer-body");
  $("#viewer-title").textContent = request.file ?? request.picture;
  place.replaceChildren(createElement("p", { textContent: "Opening ..." }));
  $("#viewer-saves").replaceChildren();
  if (!viewer.open) viewer.showModal();
  const [element, links, afterwards] = await (request.picture ? largePicture(request.picture) : content(request));
  if (JSON.stringify(history.state?.viewer) !== JSON.stringify(request)) return; // closed meanwhile
  place.replaceChildren(element);
  $("#viewer-saves").replaceChildren(...links);
  afterwards?.();
}

// What to show, the links that save it, and perhaps a function to call once it is shown.
async function content({ file: name, line }) {
  const text = await file(name);
  const links = [saveLink(name, new Blob([text]))];
  const start = line ? text.split("\n").slice(0, line - 1).join("\n").length + 1 : 0;
  const mark = createElement("mark", { textContent: line ? text.split("\n")[line - 1] : "" });
  const rest = text.slice(start + mark.textContent.length);
  const pre = createElement("pre", { tabIndex: 0 }, text.slice(0, start), mark, rest);
  return [pre, links, () => { if (line) pre.scrollTop = mark.offsetTop - pre.offsetTop - 40; }];
}

async function largePicture(png) {
  const small = everywhere(`img[data-name="${png}"]`)[0];
  const large = createElement("img", { src: small.src, alt: small.alt });
  const { csv } = small.dataset;
  const box = createElement("div", { className: "large", tabIndex: 0 }, large);
  if (innerWidth < 700) box.classList.add("full"); // on a phone a picture is larger than the screen
  large.addEventListener("click", () => box.classList.toggle("full"));
  const picture = await (await fetch(small.src)).blob();
  return [box, [saveLink(png, picture), saveLink(csv, new Blob([await file(csv)]))]];
}

function saveLink(name, blob) {
  const href = URL.createObjectURL(blob);
  blobUrls.push(href);
  return createElement("a", { href, download: name.split("/").pop(), textContent: `save ${name.split(".").pop().toUpperCase()}` });
}

viewer.addEventListener("close", () => {
  if (viewer.open) return; // it was opened again meanwhile
  $("#viewer-body").replaceChildren();
  blobUrls.splice(0).forEach(URL.revokeObjectURL);
  if (!history.state?.viewer) return;
  wentBack = new Promise((resolve) => addEventListener("popstate", resolve, { once: true }));
  wentBack.then(() => setTimeout(() => opener?.focus({ preventScroll: true }), 50)); // the step back takes the focus first
  history.back();
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
  if (name) open({ file: name, line: Number(line) || 0 });
  else if ("picture" in button.dataset) open({ picture: button.querySelector("img").dataset.name });
  else if ("close" in button.dataset) viewer.close();
  else if ("themeSwitch" in button.dataset) setTheme(button.textContent.toLowerCase());
});

// --- light and dark: the system's setting, until the reader chooses another; print is always light
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen = "";
try { chosen = localStorage.getItem("theme") ?? ""; } catch { /* the browser allows no storage */ }

function showTheme(theme = chosen || (system.matches ? "dark" : "light")) {
  document.documentElement.dataset.theme = theme;
  $("[data-theme-switch]").textContent = theme === "dark" ? "Light" : "Dark";
}

function setTheme(name) {
  chosen = name;
  try { localStorage.setItem("theme", name); } catch { /* as above */ }
  showTheme();
}

showTheme();
system.addEventListener("change", () => showTheme());
addEventListener("beforeprint", () => {
  $$("details.figures").forEach((details) => { fill(details); details.open = true; });
  showTheme("light");
});
addEventListener("afterprint", () => showTheme());
