// --- interactive plots: a few lines of SVG over the CSV that is in this file anyway
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D00"];
const LIMITS = ["limit", "limit", "repaired"]; // from below, from above, of the repaired statement
const HEIGHT = 340;
const EDGE = { left: 62, right: 14, top: 12, bottom: 46 };

function table(csv) {
  const lines = [...csv.matchAll(/("(?:[^"]|"")*"|[^,\n"]*)(,|\r?\n|$)/g)].reduce((all, [, cell, end]) => {
    all.at(-1).push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell);
    if (end !== ",") all.push([]);
    return all;
  }, [[]]);
  const [names, ...body] = lines.filter((line) => line.length > 1);
  return body.map((line) => Object.fromEntries(names.map((name, i) => [name, line[i]])));
}

const number = (text) => (text === "" || text === undefined ? NaN : text === "inf" ? Infinity : Number(text));
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function short(value) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "";
  const size = Math.abs(value);
  if (!size || (size >= 1e-3 && size < 1e5)) return String(Number(value.toPrecision(4)));
  const [head, power] = value.toExponential(2).split("e");
  const raised = power.replace("+", "").replace("-", "⁻").replace(/\d/g, (digit) => RAISED[digit]);
  return (Number(head) === 1 ? "" : `${Number(head)}·`) + `10${raised}`;
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

class Plot {
  constructor(place, spec, data) {
    Object.assign(this, { place, spec, data, y: spec.y[0], off: new Set(), at: null, chosen: {} });
    this.log = { x: spec.log.includes("x"), y: spec.log.includes("y") };
    const named = data.some((row) => Number.isNaN(number(row[spec.x])));
    this.names = named ? [...new Set(data.map((row) => row[spec.x]))] : null;
    this.values = (column) => [...new Set(data.map((row) => row[column]))];
    for (const column of spec.by) this.chosen[column] = this.values(column)[0];
    this.series = spec.series ? this.values(spec.series) : [""];
    this.box = made("div", { className: "explorer" });
    this.controls();
    this.canvas = made("div", { className: "canvas", tabIndex: 0, role: "group", ariaLabel: `${place.dataset.title}: arrow keys read the values` });
    this.readout = made("output", { className: "readout", ariaLive: "polite" });
    this.legend = made("div", { className: "legend", role: "group", ariaLabel: "Curves, to be switched on and off" });
    this.box.append(this.canvas, this.readout, this.legend);
    this.listen();
  }

  x(row) { return this.names ? this.names.indexOf(row[this.spec.x]) : number(row[this.spec.x]); }
  colour(name) {
    const own = this.spec.looks[name]?.[0] ?? COLOURS[this.series.indexOf(name) % COLOURS.length];
    return own.toLowerCase() === "#000000" ? "currentColor" : own;
  }
  named(text) { return this.spec.names[text] ?? readable(text); }
  dash(name) { return this.spec.looks[name]?.[1] ?? ""; }

  controls() {
    const bar = made("div", { className: "controls" });
    for (const column of this.spec.by) bar.append(this.chooser(column));
    if (this.spec.y.length > 1) bar.append(this.select("y", this.spec.y, this.y, (value) => { this.y = value; }));
    for (const axis of ["x", "y"]) if (axis === "y" || !this.names) bar.append(this.toggle(`log ${axis}`, this.log[axis], (on) => { this.log[axis] = on; }));
    bar.append(made("button", { type: "button", textContent: "back to the picture", onclick: () => closePlot(this.place) }));
    this.box.append(bar);
  }

  chooser(column) {
    const values = this.values(column);
    if (values.some((value) => Number.isNaN(number(value)))) return this.select(column, values, values[0], (value) => { this.chosen[column] = value; });
    values.sort((a, b) => number(a) - number(b));
    this.chosen[column] = values[0];
    const said = made("output", { textContent: short(number(values[0])) });
    const slider = made("input", { type: "range", min: 0, max: values.length - 1, value: 0, name: column });
    slider.setAttribute("aria-valuetext", said.textContent);
    slider.addEventListener("input", () => {
      this.chosen[column] = values[slider.value];
      said.textContent = short(number(values[slider.value]));
      slider.setAttribute("aria-valuetext", said.textContent);
      this.draw();
    });
    return made("label", {}, `${readable(column)} `, slider, said);
  }

  select(name, values, value, chosen) {
    const field = made("select", { name }, ...values.map((each) => made("option", { value: each, textContent: this.named(each) || "all" })));
    field.value = value;
    field.addEventListener("change", () => { chosen(field.value); this.draw(); });
    return made("label", {}, `${readable(name)} `, field);
  }

  toggle(name, on, chosen) {
    const button = made("button", { type: "button", textContent: name, ariaPressed: String(on) });
    button.addEventListener("click", () => {
      on = !on;
      button.ariaPressed = String(on);
      chosen(on);
      this.draw();
    });
    return button;
  }

  // Rows of the choices made; `free`: whatever the sliders say, so that the axes stay while one moves.
  rows(free) {
    return this.data.filter((row) => !this.off.has(row[this.spec.series] ?? "") && this.spec.by.every((column) =>
      row[column] === this.chosen[column] || (free && this.box.querySelector(`input[name="${column}"]`))));
  }

  band(row) { return this.y === this.spec.y[0] && row.low !== undefined ? [number(row.low), number(row.high)] : [NaN, NaN]; }
  // What the statement allows, and what the repaired one does on the same side.
  limits(row) { return this.y === this.spec.y[0] ? [number(row.at_least), number(row.at_most), number(row.repaired_bound)] : [NaN, NaN, NaN]; }

  draw() {
    const width = Math.max(280, this.canvas.clientWidth || 600);
    const all = this.rows(true);
    const xs = all.map((row) => this.x(row));
    const ys = all.flatMap((row) => [number(row[this.y]), ...this.band(row), ...this.limits(row)]);
    this.sx = scale(xs, this.log.x && !this.names, EDGE.left, width - EDGE.right, this.names ? 0.6 : 0);
    this.sy = scale(ys, this.log.y, HEIGHT - EDGE.bottom, EDGE.top, 0, 9);
    const first = all[0] ?? {};
    this.image = svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, "aria-hidden": "true" });
    this.axes(width, this.named(first.x_label || this.spec.x), first.y_label ? this.named(first.y_label) : (this.y === "mean" && this.spec.label ? `${this.spec.label}, mean of runs` : readable(this.y)));
    for (const name of this.series) if (!this.off.has(name)) this.curve(name, this.rows().filter((row) => (row[this.spec.series] ?? "") === name));
    this.cross = svg("line", { class: "cross", y1: EDGE.top, y2: HEIGHT - EDGE.bottom, visibility: "hidden" });
    this.image.append(this.cross);
    this.canvas.replaceChildren(this.image);
    this.tell();
  }

  axes(width, xLabel, yLabel) {
    const text = (content, attributes) => svg("text", { class: "tick", ...attributes }, content);
    const turned = this.names && this.names.length > 5;
    const xTicks = this.names ? this.names.map((_, i) => i) : this.sx.ticks;
    for (const value of xTicks) {
      const x = this.sx(value);
      const y = HEIGHT - EDGE.bottom + 14;
      const label = this.names ? this.named(this.names[value]).slice(0, 16) : short(value);
      this.image.append(svg("line", { class: "grid", x1: x, x2: x, y1: EDGE.top, y2: HEIGHT - EDGE.bottom }),
        text(label, turned ? { x, y, "text-anchor": "end", transform: `rotate(-25 ${x} ${y})` } : { x, y, "text-anchor": "middle" }));
    }
    for (const value of this.sy.ticks) {
      const y = this.sy(value);
      this.image.append(svg("line", { class: "grid", x1: EDGE.left, x2: width - EDGE.right, y1: y, y2: y }),
        text(short(value), { x: EDGE.left - 6, y: y + 3.5, "text-anchor": "end" }));
    }
    if (!turned) this.image.append(text(xLabel, { x: (EDGE.left + width) / 2, y: HEIGHT - 10, "text-anchor": "middle" }));
    this.image.append(text(yLabel.slice(0, 52), { x: 12, y: HEIGHT / 2 - 14, "text-anchor": "middle", transform: `rotate(-90 12 ${HEIGHT / 2 - 14})` }));
  }

  curve(name, rows) {
    const ink = { stroke: this.colour(name), "stroke-dasharray": this.dash(name), class: "curve" };
    const sorted = rows.filter((row) => Number.isFinite(this.sx(this.x(row)))).toSorted((a, b) => this.x(a) - this.x(b));
    const places = sorted.map((row) => this.x(row));
    const cloud = this.names || new Set(places).size < places.length;
    const path = (value) => sorted.reduce((done, row, i) => {
      const y = this.sy(value(row));
      return Number.isFinite(y) ? `${done}${done && places[i] < Infinity && Number.isFinite(this.sy(value(sorted[i - 1]))) ? "L" : "M"}${this.sx(places[i]).toFixed(1)} ${y.toFixed(1)}` : done;
    }, "");
    const banded = sorted.filter((row) => (cloud || this.x(row) < Infinity) && this.band(row).every((v) => Number.isFinite(this.sy(v))));
    const edge = (side) => banded.map((row) => `${this.sx(this.x(row)).toFixed(1)} ${this.sy(this.band(row)[side]).toFixed(1)}`);
    if (!cloud && banded.length > 1) this.image.append(svg("path", { class: "band", fill: this.colour(name), d: `M${edge(1).join("L")}L${edge(0).reverse().join("L")}Z` }));
    if (cloud) for (const row of banded) this.image.append(svg("path", { ...ink, d: `M${this.sx(this.x(row))} ${this.sy(this.band(row)[0])}V${this.sy(this.band(row)[1])}` }));
    if (!cloud) this.image.append(svg("path", { ...ink, d: path((row) => number(row[this.y])) }));
    for (const [side, kind] of LIMITS.entries()) if (!cloud) this.image.append(svg("path", { ...ink, class: kind, d: path((row) => this.limits(row)[side]) }));
    if (cloud || sorted.length < 30) for (const row of sorted) this.mark(row, name);
  }

  mark(row, name) {
    const [cx, cy] = [this.sx(this.x(row)), this.sy(number(row[this.y]))];
    if (!Number.isFinite(cy)) return;
    this.image.append(svg("circle", { cx, cy, r: 2.5, fill: this.colour(name) }));
    if (row.beyond === "True") this.image.append(svg("circle", { cx, cy, r: 6, class: "beyond" }));
    if (this.names) for (const [side, limit] of this.limits(row).entries()) if (Number.isFinite(this.sy(limit))) this.image.append(svg("path", { class: LIMITS[side], stroke: this.colour(name), d: `M${cx - 9} ${this.sy(limit)}h18` }));
  }

  // --- reading values: the pointer or the arrow keys choose an x, the legend tells the values there
  listen() {
    this.canvas.addEventListener("pointermove", (event) => {
      const x = event.clientX - this.canvas.getBoundingClientRect().left;
      const near = this.places().sort((a, b) => Math.abs(this.sx(a) - x) - Math.abs(this.sx(b) - x));
      this.read(near[0] ?? null);
    });
    this.canvas.addEventListener("pointerleave", () => this.read(null));
    this.canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const places = this.places();
      const next = this.at === null ? 0 : places.indexOf(this.at) + step;
      this.read(places[Math.min(Math.max(next, 0), places.length - 1)] ?? null);
    });
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") closePlot(this.place);
    });
  }

  places() { return [...new Set(this.rows().map((row) => this.x(row)))].sort((a, b) => a - b); }

  read(at) {
    this.at = at;
    this.tell();
  }

  tell() {
    const seen = this.at !== null && Number.isFinite(this.sx(this.at));
    this.cross.setAttribute("visibility", seen ? "visible" : "hidden");
    if (seen) for (const end of ["x1", "x2"]) this.cross.setAttribute(end, this.sx(this.at));
    this.readout.textContent = seen ? `${readable(this.spec.x)} = ${this.names ? this.named(this.names[this.at]) : short(this.at)}` : "Point at the plot, or use the arrow keys, to read values.";
    if (this.legend.childElementCount !== this.series.length) this.legend.replaceChildren(...this.series.map((name) => this.entry(name)));
    for (const [i, button] of [...this.legend.children].entries()) {
      const own = this.rows().filter((row) => (row[this.spec.series] ?? "") === this.series[i] && seen && this.x(row) === this.at);
      button.lastElementChild.textContent = own.slice(0, 3).map((row) => this.said(row)).join("; ") + (own.length > 3 ? " ..." : "");
    }
  }

  said(row) {
    const [low, high] = this.band(row);
    const [least, most, repaired] = this.limits(row);
    const band = low < high ? ` [${short(low)}, ${short(high)}]` : "";
    const allowed = `${least > -Infinity ? `, allowed ≥ ${short(least)}` : ""}${most < Infinity ? `, allowed ≤ ${short(most)}` : ""}`;
    const repair = Number.isFinite(repaired) ? `, repaired ${number(row.at_least) > -Infinity ? "≥" : "≤"} ${short(repaired)}` : "";
    return short(number(row[this.y])) + band + allowed + repair;
  }

  entry(name) {
    const swatch = svg("svg", { width: 26, height: 10, "aria-hidden": "true" }, svg("path", { class: "curve", d: "M0 5H26", stroke: this.colour(name), "stroke-dasharray": this.dash(name) }));
    const label = this.spec.series && !Number.isNaN(number(name)) ? `${readable(this.spec.series)} = ${short(number(name))}` : this.named(name || this.y);
    const button = made("button", { type: "button", ariaPressed: "true", value: name }, swatch, made("span", { textContent: label }), made("b"));
    button.addEventListener("click", () => {
      if (!this.off.delete(name)) this.off.add(name);
      button.ariaPressed = String(!this.off.has(name));
      this.draw();
    });
    return button;
  }
}

const readable = (name) => ({ epsilon: "ε", delta: "δ", alpha: "α", gamma: "γ", t: "rounds t" }[name] ?? name.replaceAll("_", " "));

// From values to pixels, with ticks; on a logarithmic axis at most `decades` below the top. On the
// axis of x an infinity (eps = inf) has a place of its own beyond the last finite value.
function scale(values, log, from, to, room, decades = 40) {
  const use = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
  let [low, high] = use.length ? [use.reduce((a, b) => Math.min(a, b)), use.reduce((a, b) => Math.max(a, b))] : [log ? 1 : 0, 10];
  if (log) low = Math.max(low, high / 10 ** decades);
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 1, high + 1];
  const size = log ? Math.log10 : (v) => v;
  const pad = room || (size(high) - size(low)) * 0.03;
  const endless = from < to && values.includes(Infinity);
  const [a, b] = [size(low) - pad, size(high) + (endless ? 5 * pad : pad)];
  const place = (v) => (log && !(v > 0) ? NaN : v === Infinity && endless ? to - (to - from) / 50 : Math.min(Math.max(from + ((size(v) - a) / (b - a)) * (to - from), -1e4), 1e4));
  place.ticks = (log && b - a > 1 ? decadesOf(a, b) : steps(log ? 10 ** a : a, log ? 10 ** b : b)).filter((v) => size(v) >= a && size(v) <= size(high) + pad);
  if (endless) place.ticks.push(Infinity);
  return place;
}

function decadesOf(a, b) {
  const every = Math.ceil((b - a) / 7);
  const powers = Array.from({ length: Math.ceil(b) - Math.floor(a) + 1 }, (_, i) => Math.floor(a) + i);
  const heads = b - a < 2 ? [1, 2, 5] : [1];
  return powers.filter((power) => power % every === 0).flatMap((power) => heads.map((head) => head * 10 ** power));
}

function steps(low, high) {
  const raw = (high - low) / 6;
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((head) => head * base >= raw) * base;
  return Array.from({ length: 9 }, (_, i) => Number(((Math.ceil(low / step) + i) * step).toPrecision(12)));
}

// --- from the picture to the plot and back
async function openPlot(place) {
  const { plot, csv, reading } = place.dataset;
  const data = table(await file(csv)).filter((row) => !reading || row.reading === reading);
  if (place.querySelector(".explorer")) return;
  const drawn = new Plot(place, JSON.parse(plot), data);
  place.append(drawn.box);
  place.classList.add("explored");
  place.closest("article")?.classList.add("exploring");
  drawn.draw();
  drawn.canvas.focus({ preventScroll: true });
  drawn.watch = new ResizeObserver(() => drawn.draw());
  drawn.watch.observe(place);
}

function closePlot(place) {
  place.querySelector(".explorer")?.remove();
  place.classList.remove("explored");
  place.closest("article")?.classList.remove("exploring");
  (place.closest("article") ?? place).querySelector("[data-explore]")?.focus({ preventScroll: true });
}

addEventListener("click", ({ target }) => {
  const button = target.closest("[data-explore]");
  if (!button) return;
  const place = button.closest(".shown") ?? button.closest("article").querySelector(".shown");
  if (place.querySelector(".explorer")) closePlot(place);
  else openPlot(place);
});
