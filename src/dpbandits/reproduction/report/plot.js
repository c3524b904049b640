// --- interactive plots: the CSV of a figure, drawn by the columns that the figure declares
const LEFT = 66, RIGHT = 16, TOP = 12, HIGH = 320, BELOW = 42; // pixels
const DASHES = { "--": "6 3", "-.": "6 2 1.5 2", ":": "1.5 2.5" };
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7f7f7f"];

// The rows of a CSV, each an object.
function parseCsv(text) {
  const table = [[""]];
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const row = table.at(-1), letter = text[i];
    if (letter === '"' && quoted && text[i + 1] === '"') row[row.length - 1] += text[i++];
    else if (letter === '"') quoted = !quoted;
    else if (letter === "," && !quoted) row.push("");
    else if (letter === "\n" && !quoted) table.push([""]);
    else row[row.length - 1] += letter;
  }
  const [names, ...rest] = table;
  return rest.filter((row) => row.length === names.length).map((row) => Object.fromEntries(names.map((name, i) => [name, row[i]])));
}

const number = (text) => (text === "" || text === undefined ? NaN : Number(text));

function formatNumber(value) {
  const size = Math.abs(value);
  if (!size || (size >= 1e-3 && size < 1e5)) return String(Number(value.toPrecision(4))).replace("-", "−");
  const [factor, power] = value.toExponential(2).split("e");
  const raised = power.replace("+", "").replace("-", "⁻").replace(/\d/g, (digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]);
  return (Number(factor) === 1 ? "" : `${Number(factor)}·`) + `10${raised}`;
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A function from values to pixels, with the property `ticks`.
function scale(values, log, from, to) {
  const size = log ? Math.log10 : (v) => v;
  const usable = values.filter((v) => Number.isFinite(v) && (!log || v > 0)).map(size);
  let low = usable.reduce((a, b) => Math.min(a, b), Infinity), high = usable.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!usable.length) [low, high] = [0, 1];
  const margin = 0.04 * (high - low) || 0.5;
  [low, high] = [low - margin, high + margin];
  const place = (v) => (log && !(v > 0) ? NaN : from + ((size(v) - low) / (high - low)) * (to - from));
  place.ticks = log && high - low > 0.9 ? powersOfTen(low, high) : steps(log ? 10 ** low : low, log ? 10 ** high : high);
  return place;
}

function powersOfTen(low, high) {
  const every = Math.ceil((high - low) / 7), factors = high - low < 2 ? [1, 2, 5] : [1];
  const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, i) => Math.floor(low) + i);
  const ticks = powers.filter((power) => power % every === 0).flatMap((power) => factors.map((factor) => factor * 10 ** power));
  return ticks.filter((tick) => Math.log10(tick) >= low && Math.log10(tick) <= high);
}

function steps(low, high) {
  const raw = (high - low) / 6, base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * base >= raw) * base;
  return Array.from({ length: 9 }, (_, i) => Number(((Math.ceil(low / step) + i) * step).toPrecision(12))).filter((tick) => tick <= high);
}

class Plot {
  // Of the rows of a CSV by one of some declarations (plots/figures.py); `query`: what to show.
  constructor(place, rows, declarations, query) {
    Object.assign(this, { place, rows, declarations, position: null, off: new Set(query.getAll("off")), swapped: query.has("swap"), title: place.dataset.title });
    this.choose(Math.min(Number(query.get("plot")) || 0, declarations.length - 1), query.get("panel"));
    if (query.has("log")) this.log = { x: query.get("log").includes("x"), y: query.get("log").includes("y") };
    this.box = createElement("div", { className: "explorer" });
    this.bar = createElement("div", { className: "controls" });
    this.canvas = createElement("div", { className: "canvas", tabIndex: 0, role: "group", ariaLabel: `${this.title}: arrow keys read the values` });
    this.readout = createElement("output", { className: "readout", ariaLive: "polite" });
    this.legend = createElement("div", { className: "legend", role: "group", ariaLabel: "Curves, to be switched on and off" });
    this.box.append(this.bar, this.canvas, this.readout, this.legend);
    this.listen();
  }

  choose(index, panel = null) {
    this.index = index;
    this.plot = this.declarations[index];
    this.log = { x: this.plot.log.includes("x"), y: this.plot.log.includes("y") };
    this.arrange(panel);
  }

  // The columns that tell curves and panels apart, which the reader may swap, and the curves of a panel.
  arrange(panel = null) {
    const { curve, panel: other, x, y, low, high } = this.plot;
    [this.curveColumn, this.panelColumn] = this.swapped ? [other, curve] : [curve, other];
    const drawn = this.rows.filter((row) => Number.isFinite(number(row[x])));
    this.names = drawn.length && drawn.every((row) => !Number.isFinite(number(row[y]))) ? [...new Set(drawn.map((row) => row[y]))] : null; // instead of numbers
    const height = (row) => (this.names ? -this.names.indexOf(row[y]) : number(row[y]));
    const valid = drawn.filter((row) => Number.isFinite(height(row)));
    this.panels = this.panelColumn ? [...new Set(valid.map((row) => row[this.panelColumn]))] : [""];
    this.panel = this.panels.includes(panel) ? panel : this.panels[0];
    const curves = new Map();
    for (const row of valid) if (!this.panelColumn || row[this.panelColumn] === this.panel) {
      const value = this.curveColumn ? row[this.curveColumn] : "";
      if (!curves.has(value)) curves.set(value, { ...this.lookOf(this.curveColumn, value, curves.size), points: [] });
      curves.get(value).points.push([number(row[x]), height(row), number(row[low]), number(row[high])]);
    }
    this.curves = [...curves.values()];
    for (const { points } of this.curves) points.sort((a, b) => a[0] - b[0]);
    this.position = null;
  }

  lookOf(column, value, i = 0) {
    const given = this.plot.look[column] ?? {};
    const look = given[value] ?? given[String(Number(value))] ?? Object.entries(given).find(([key]) => Number(key) === Number(value))?.[1];
    return look ?? { name: value || this.plot.y_label || this.plot.y, colour: COLOURS[i % COLOURS.length], dash: "-" };
  }

  label(axis) { return this.plot[`${axis}_label`] || this.plot[axis]; }

  address() { // the view: ?panel=0.5&off=UCB1&log=y&swap=
    const query = new URLSearchParams({ plot: this.index, panel: this.panel, log: `${this.log.x ? "x" : ""}${this.log.y ? "y" : ""}` });
    if (this.swapped) query.set("swap", "");
    for (const name of this.off) query.append("off", name);
    return `#${this.place.closest("[id]").id}?${query}`;
  }

  changed() {
    if (this.place.closest("article")) history.replaceState(history.state, "", this.address());
    this.controls();
    this.draw();
  }

  controls() {
    const focused = [...this.bar.children].findIndex((child) => child.contains(document.activeElement));
    const button = (textContent, onclick, more = {}) => createElement("button", { type: "button", textContent, onclick, ...more });
    const field = (name, texts, value, choose) => {
      const select = createElement("select", { name, onchange: ({ target }) => { choose(target.value); this.changed(); } },
        ...texts.map(([key, textContent]) => createElement("option", { value: key, textContent })));
      select.value = value;
      return createElement("label", {}, `${name} `, select);
    };
    const items = [];
    if (this.declarations.length > 1) items.push(field("show", this.declarations.map((plot, i) => [i, plot.y_label || plot.y]), this.index, (value) => this.choose(Number(value))));
    if (this.panels.length > 1) items.push(field("panel", this.panels.map((value) => [value, this.lookOf(this.panelColumn, value).name]), this.panel, (value) => this.arrange(value)));
    if (this.plot.curve && this.plot.panel) items.push(button("swap curves and panels", () => { this.swapped = !this.swapped; this.off.clear(); this.arrange(); this.changed(); }, { ariaPressed: String(this.swapped) }));
    for (const axis of this.names ? ["x"] : ["x", "y"]) items.push(button(`log ${axis}`, () => { this.log[axis] = !this.log[axis]; this.changed(); }, { ariaPressed: String(this.log[axis]) }));
    items.push(button("save SVG", () => this.export()));
    if (this.place.querySelector(".picture")) items.push(button("back to the picture", () => closePlot(this.place)));
    this.bar.replaceChildren(...items);
    (this.bar.children[focused]?.querySelector("select") ?? this.bar.children[focused])?.focus();
  }

  visible() { return this.curves.filter((curve) => !this.off.has(curve.name)); }

  draw() {
    this.width = Math.max(280, this.canvas.clientWidth || 600);
    const points = this.visible().flatMap((curve) => curve.points);
    const high = this.names ? Math.max(HIGH, 18 * this.names.length) : HIGH, bottom = TOP + high;
    const left = this.names ? Math.min(0.45 * this.width, 14 + 6.8 * Math.max(...this.names.map((name) => name.length))) : LEFT;
    this.sx = scale(points.map((point) => point[0]), this.log.x, left, this.width - RIGHT);
    this.sy = scale(this.names ? [0, 1 - this.names.length] : points.flatMap((point) => point.slice(1)), this.log.y && !this.names, bottom, TOP);
    this.bottom = bottom;
    this.image = svg("svg", { viewBox: `0 0 ${this.width} ${bottom + BELOW}`, width: this.width, height: bottom + BELOW, "aria-hidden": "true", "font-family": "system-ui, sans-serif", "font-size": 12 });
    const text = (content, attributes) => this.image.append(svg("text", { fill: "currentColor", "text-anchor": "middle", ...attributes }, content));
    const line = (x1, y1, x2, y2) => this.image.append(svg("line", { stroke: "#8888", "stroke-width": 0.5, x1, y1, x2, y2 }));
    for (const tick of this.sx.ticks) { line(this.sx(tick), TOP, this.sx(tick), bottom); text(formatNumber(tick), { x: this.sx(tick), y: bottom + 16 }); }
    const rows = this.names?.map((name, i) => [-i, name.length > left / 6.8 ? `${name.slice(0, left / 6.8 - 2)}…` : name]) ?? this.sy.ticks.map((tick) => [tick, formatNumber(tick)]);
    for (const [tick, name] of rows) { line(left, this.sy(tick), this.width - RIGHT, this.sy(tick)); text(name, { x: left - 6, y: this.sy(tick) + 4, "text-anchor": "end" }); }
    text(this.label("x"), { x: this.names ? this.width / 2 : (left + this.width) / 2, y: bottom + 35 });
    if (!this.names) text(this.label("y"), { x: -(TOP + HIGH / 2), y: 12, transform: "rotate(-90)" });
    for (const curve of this.visible()) this.image.append(...this.marks(curve));
    this.cross = svg("line", { stroke: "#76818f", "stroke-dasharray": "2 2", y1: TOP, y2: bottom, visibility: "hidden" });
    this.image.append(this.cross);
    this.canvas.replaceChildren(this.image);
    this.showValues();
  }

  path(points) {
    const pixels = points.map(([x, y]) => [this.sx(x), this.sy(y)]).filter((pair) => pair.every(Number.isFinite));
    return pixels.map((pair) => pair.map((v) => v.toFixed(1)).join(" ")).join(" ");
  }

  marks({ points, colour, dash }) { // a band or bars of the intervals, a line, and dots if there are few points
    const few = points.length < 30, withInterval = points.filter(([, , low, high]) => low < high);
    const band = withInterval.map(([x, , , high]) => [x, high]).concat(withInterval.map(([x, , low]) => [x, low]).reverse());
    const parts = few ? withInterval.map(([x, , low, high]) => svg("polyline", { stroke: colour, points: this.path([[x, low], [x, high]]) }))
      : [svg("polygon", { fill: colour, "fill-opacity": 0.2, points: this.path(band) })];
    if (!this.names) parts.push(svg("polyline", { stroke: colour, "stroke-width": 1.8, fill: "none", "stroke-dasharray": DASHES[dash] ?? "", points: this.path(points) }));
    if (few || this.names) for (const [x, y] of points) if (Number.isFinite(this.sx(x) + this.sy(y))) parts.push(svg("circle", { cx: this.sx(x), cy: this.sy(y), r: 3, fill: colour }));
    return parts;
  }

  // --- reading values: the pointer or the arrow keys choose a position, the legend shows the values
  listen() {
    this.canvas.addEventListener("pointermove", (event) => {
      const pointer = event.clientX - this.canvas.getBoundingClientRect().left;
      const distance = (position) => Math.abs(this.sx(position) - pointer);
      this.read(this.positions().sort((a, b) => distance(a) - distance(b))[0] ?? null);
    });
    this.canvas.addEventListener("pointerleave", () => this.read(null));
    this.canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const positions = this.positions();
      const next = this.position === null ? 0 : positions.indexOf(this.position) + step;
      this.read(positions[Math.min(Math.max(next, 0), positions.length - 1)] ?? null);
    });
    if (this.place.querySelector(".picture")) this.box.addEventListener("keydown", (event) => { if (event.key === "Escape") closePlot(this.place); });
  }

  positions() { return [...new Set(this.visible().flatMap((curve) => curve.points.map(([x]) => x)))].sort((a, b) => a - b); }

  read(position) {
    this.position = position;
    this.showValues();
  }

  showValues() {
    const reading = this.position !== null;
    this.cross.setAttribute("visibility", reading ? "visible" : "hidden");
    if (reading) for (const end of ["x1", "x2"]) this.cross.setAttribute(end, this.sx(this.position));
    this.readout.textContent = reading ? `${this.label("x")}: ${formatNumber(this.position)}` : "Point at the plot, or use the arrow keys, to read values.";
    const names = this.curves.map((curve) => curve.name);
    if ([...this.legend.children].map((child) => child.value).join() !== names.join()) this.legend.replaceChildren(...this.curves.map((curve) => this.entry(curve)));
    this.curves.forEach(({ name, points }, i) => {
      const here = reading && !this.off.has(name) ? points.filter(([x]) => x === this.position) : [];
      this.legend.children[i].lastElementChild.textContent = here.map(([, y, low, high]) => (this.names?.[-y] ?? formatNumber(y)) + (low < high ? ` [${formatNumber(low)}, ${formatNumber(high)}]` : "")).slice(0, 4).join("; ");
    });
  }

  swatch({ colour, dash }) { return svg("path", { d: "M1 7H29", stroke: colour, "stroke-width": 2.5, "stroke-dasharray": DASHES[dash] ?? "" }); }

  entry(curve) {
    const mark = svg("svg", { width: 30, height: 14, "aria-hidden": "true" }, this.swatch(curve));
    const button = createElement("button", { type: "button", ariaPressed: String(!this.off.has(curve.name)), value: curve.name }, mark, createElement("span", { textContent: curve.name }), createElement("b"));
    button.addEventListener("click", () => {
      if (!this.off.delete(curve.name)) this.off.add(curve.name);
      button.ariaPressed = String(!this.off.has(curve.name));
      this.changed();
    });
    return button;
  }

  export() { // the plot with its title and its legend, as a file
    const whole = this.image.cloneNode(true), curves = this.visible(), height = this.bottom + BELOW;
    whole.prepend(svg("rect", { x: 0, y: -24, width: "100%", height: "100%", fill: "#fff" }), svg("text", { x: 8, y: -8, "font-weight": "bold" }, this.title));
    curves.forEach((curve, i) => whole.append(svg("g", { transform: `translate(8 ${height + 16 * i})` }, this.swatch(curve), svg("text", { x: 36, y: 11 }, curve.name))));
    const full = height + 24 + 16 * curves.length + 8;
    for (const [key, value] of Object.entries({ viewBox: `0 -24 ${this.width} ${full}`, height: full, xmlns: "http://www.w3.org/2000/svg", color: "#1d2430" })) whole.setAttribute(key, value);
    const href = URL.createObjectURL(new Blob([whole.outerHTML], { type: "image/svg+xml" }));
    createElement("a", { href, download: `${this.place.closest("[id]").id}.svg` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  }

  show() {
    this.place.append(this.box);
    this.controls();
    this.draw();
    this.watch = new ResizeObserver(() => { if (this.canvas.clientWidth && this.canvas.clientWidth !== this.width) this.draw(); });
    this.watch.observe(this.place);
  }
}

// --- of a figure: from the picture to the plot and back
async function openPlot(place, query = new URLSearchParams(), focus = true) {
  closePlot(place, false);
  const { csv } = place.querySelector("img").dataset;
  const declarations = JSON.parse(await file(`plots of ${csv}`));
  const plot = new Plot(place, parseCsv(await file(csv)), declarations, query);
  if (!declarations.length || place.querySelector(".explorer")) return;
  place.classList.add("explored");
  place.closest("article").classList.add("exploring");
  plot.show();
  if (focus) {
    plot.changed();
    plot.canvas.focus({ preventScroll: true });
  }
}

function closePlot(place, focus = true) {
  place.querySelector(".explorer")?.remove();
  place.classList.remove("explored");
  place.closest("article").classList.remove("exploring");
  if (!focus) return;
  history.replaceState(history.state, "", `#${place.closest("[id]").id}`);
  place.closest("article").querySelector("[data-explore]").focus({ preventScroll: true });
}

addEventListener("click", ({ target }) => {
  const place = target.closest("[data-explore]")?.closest("article").querySelector(".shown");
  if (place) place.querySelector(".explorer") ? closePlot(place) : openPlot(place);
});

// --- of a claim: the numbers behind its verdict, as a table and, where there is a curve, as a plot
const SHOWN = 12;
let pointsOfClaims = null;
async function showPoints(place) {
  const { id, reading } = place.dataset;
  pointsOfClaims ??= file("points").then(parseCsv);
  const points = (await pointsOfClaims).filter((point) => point.id === id && point.reading === reading);
  if (!points.length) return place.remove();
  const { x_label: across, y_label: up, log } = points[0];
  points.sort((a, b) => b.beyond.localeCompare(a.beyond)); // True first
  const allowed = ({ at_least: least, at_most: most }) => (least && least === most ? `= ${formatNumber(+most)}` : [least && `≥ ${formatNumber(+least)}`, most && `≤ ${formatNumber(+most)}`].filter(Boolean).join(", "));
  const cell = (tag, textContent, more = {}) => createElement(tag, { textContent, ...more });
  const coordinates = (point) => [point.panel, point.series, point.x && (across ? `${across} = ${point.x}` : point.x)].filter(Boolean).join(", ");
  const body = points.slice(0, SHOWN).map((point) => createElement("tr", {}, cell("th", coordinates(point), { scope: "row" }),
    cell("td", formatNumber(number(point.measured)) + (point.beyond === "True" ? " ✗" : ""), { className: point.beyond === "True" ? "over" : "" }), cell("td", allowed(point))));
  const head = createElement("tr", {}, ...["at", `found${up ? `: ${up}` : ""}`, "allowed"].map((text) => cell("th", text, { scope: "col" })));
  const caption = `${points.length > SHOWN ? SHOWN : "All"} of ${points.length} numbers behind the verdict; ✗: not allowed by the statement`;
  const table = createElement("table", { className: "numbers" }, cell("caption", caption), createElement("thead", {}, head), createElement("tbody", {}, ...body));
  const region = createElement("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: `Numbers of ${id}, ${reading}` }, table);
  const curves = points.filter((point) => point.x !== "" && Number.isFinite(+point.x));
  place.dataset.title = `${id}, ${reading}`;
  if (new Set(curves.map((point) => point.x)).size > 2) {
    const limits = ["at_least", "at_most"].flatMap((limit) => curves.filter((point) => point[limit]).map((point) => ({ ...point, measured: point[limit], low: "", high: "", series: `${point.series} allowed, ${limit.replace("_", " ")}`.trim() })));
    const shown = createElement("div", { className: "shown" });
    shown.dataset.title = place.dataset.title;
    place.append(shown);
    new Plot(shown, [...curves, ...limits], [{ x: "x", y: "measured", low: "low", high: "high", curve: "series", panel: "panel", log, x_label: across, y_label: up, look: {} }], new URLSearchParams()).show();
  }
  place.append(region);
}
