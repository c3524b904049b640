// --- interactive plots of what a figure shows: JSON in the text of its PNG (plots/drawn.py)
const SHAPES = { // SVG paths of matplotlib's markers
  o: "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0", s: "M-3-3h6v6h-6z", "^": "M0-4L3.5 3h-7z", v: "M0 4L3.5-3h-7z", "<": "M-4 0L3-3.5v7z",
  ">": "M4 0L-3-3.5v7z", D: "M0-4L4 0L0 4L-4 0z", P: "M-1-4h2v3h3v2h-3v3h-2v-3h-3v-2h3z", X: "M-3.5-3.5L3.5 3.5M-3.5 3.5L3.5-3.5",
  "*": "M0-5L1.5-1.5L5-1.5L2 1L3 4.5L0 2.5L-3 4.5L-2 1L-5-1.5L-1.5-1.5z", "|": "M0-6v12", _: "M-7 0h14", p: "M0-4L4-1L2.5 3.5h-5L-4-1z",
};

// The JSON in the compressed text chunk `drawn` of a PNG.
async function dataOfPicture(png) {
  const content = decodeBase64(picture(png));
  const view = new DataView(content.buffer);
  for (let start = 8; start < content.length; start += 12 + view.getUint32(start)) {
    const chunk = content.subarray(start + 4, start + 8 + view.getUint32(start));
    if (!String.fromCharCode(...chunk.subarray(0, 11)).startsWith("zTXtdrawn\0\0")) continue;
    const stream = new Blob([chunk.subarray(11)]).stream();
    return new Response(stream.pipeThrough(new DecompressionStream("deflate"))).json();
  }
  throw new Error(`${png} does not say what it shows`);
}

class Plot {
  // In the element `place`; `query` is the part of the address that says what to show.
  constructor(place, panels, query) {
    Object.assign(this, { place, panels, position: null, off: new Set(query.getAll("off")) });
    this.title = place.dataset.title;
    this.choose(Math.min(Number(query.get("panel")) || 0, panels.length - 1));
    if (query.has("log")) for (const axis of ["x", "y"]) this.log[axis] = query.get("log").includes(axis);
    this.box = createElement("div", { className: "explorer" });
    this.bar = createElement("div", { className: "controls" });
    this.canvas = createElement("div", { className: "canvas", tabIndex: 0, role: "group", ariaLabel: `${this.title}: arrow keys read the values` });
    this.readout = createElement("output", { className: "readout", ariaLive: "polite" });
    this.legend = createElement("div", { className: "legend", role: "group", ariaLabel: "Curves, to be switched on and off" });
    this.box.append(this.bar, this.canvas, this.readout, this.legend);
    this.listen();
  }

  choose(number) {
    this.number = number;
    this.panel = this.panels[number];
    this.log = { x: this.panel.x.scale === "log", y: this.panel.y.scale === "log" };
    this.names = [...new Set(this.panel.curves.map((curve) => curve.name).filter(Boolean))];
    // the coordinate at which values are read: 0 for x; 1 for y, if the rows of a plot have names
    this.coordinate = hasNames(this.panel.y) && !hasNames(this.panel.x) ? 1 : 0;
    this.position = null;
  }

  // The view as an address: ?panel=1&off=ucb1&log=y
  address() {
    const query = new URLSearchParams({ panel: this.number, log: `${this.log.x ? "x" : ""}${this.log.y ? "y" : ""}` });
    for (const name of this.off) query.append("off", name);
    return `#${this.place.closest("[id]").id}?${query}`;
  }

  changed() {
    history.replaceState(history.state, "", this.address());
    this.controls();
    this.draw();
  }

  controls() {
    const focused = [...this.bar.children].findIndex((child) => child.contains(document.activeElement));
    const button = (textContent, onclick, more = {}) => createElement("button", { type: "button", textContent, onclick, ...more });
    const items = [];
    if (this.panels.length > 1) {
      const titles = this.panels.map((panel, i) => panel.title || `${panel.y.label}, ${i + 1}`);
      const options = titles.map((textContent, value) => createElement("option", { value, textContent }));
      const onchange = ({ target }) => { this.choose(Number(target.value)); this.changed(); };
      const field = createElement("select", { name: "panel", onchange }, ...options);
      field.value = this.number;
      items.push(createElement("label", {}, "panel ", field));
    }
    for (const axis of ["x", "y"]) if (!hasNames(this.panel[axis])) {
      const toggle = () => { this.log[axis] = !this.log[axis]; this.changed(); };
      items.push(button(`log ${axis}`, toggle, { ariaPressed: String(this.log[axis]) }));
    }
    items.push(button("save SVG", () => this.export()), button("back to the picture", () => closePlot(this.place)));
    this.bar.replaceChildren(...items);
    (this.bar.children[focused]?.querySelector("select") ?? this.bar.children[focused])?.focus();
  }

  visibleCurves() { return this.panel.curves.filter((curve) => !this.off.has(curve.name)); }

  draw() {
    const { x, y } = this.panel;
    const points = this.panel.curves.filter((curve) => !curve.reference).flatMap((curve) => curve.points);
    this.layout();
    const { width, left, bottom, high } = this.size;
    this.sx = scale(x, this.log.x, points.map((point) => point[0]), left, width - RIGHT);
    this.sy = scale(y, this.log.y, points.flatMap((point) => point.slice(1)), bottom, TOP);
    this.image = svg("svg", { viewBox: `0 0 ${width} ${this.size.height}`, width, height: this.size.height, "aria-hidden": "true", "font-family": "system-ui, sans-serif", "font-size": 11 });
    const clip = `clip-${this.place.closest("[id]").id}`;
    this.image.append(svg("clipPath", { id: clip }, svg("rect", { x: left, y: TOP - 4, width: width - RIGHT - left + 4, height: high + 8 })));
    this.ticks();
    this.labels();
    const body = svg("g", { "clip-path": `url(#${clip})` });
    for (const area of this.panel.areas) body.append(svg("polygon", { fill: area.colour, "fill-opacity": area.alpha, points: this.path(area.points) }));
    for (const curve of this.visibleCurves()) body.append(...this.curve(curve));
    this.cross = svg("line", { stroke: "#76818f", "stroke-dasharray": "2 2", visibility: "hidden" });
    this.image.append(body, this.cross);
    this.canvas.replaceChildren(this.image);
    this.showValues();
  }

  // Sizes in pixels, and the space of the ticks in letters: `across` for one below the plot, `beside`
  // for one at its left. Names below that do not fit are turned.
  layout() {
    const { x, y } = this.panel;
    const width = Math.max(280, this.canvas.clientWidth || 600);
    const tickLines = (axis, most) => (axis.ticks ?? []).map(([, text]) => lines(text, most));
    const beside = Math.floor(width / 3 / LETTER);
    const letters = hasNames(y) ? Math.min(beside, Math.max(...tickLines(y, beside).flat().map((line) => line.length))) : 8;
    const left = LEFT + letters * LETTER;
    const step = (width - left - RIGHT) / Math.max(1, (x.ticks ?? []).length);
    const across = Math.floor(step / LETTER);
    const below = tickLines(x, across);
    const turned = hasNames(x) && below.flat().some((line) => line.length * LETTER > step);
    const longest = Math.max(...(x.ticks ?? []).map(([, text]) => text.length));
    const most = hasNames(x) ? Math.max(...below.map((line) => line.length)) : 1;
    const margin = turned ? Math.min(150, 20 + 4.2 * longest) : 18 + LINE * most;
    const label = lines(x.label, Math.floor((width - left) / LETTER));
    const high = Math.max(300, hasNames(y) ? 22 * y.ticks.length : 0);
    const bottom = TOP + high;
    const height = bottom + margin + LINE * label.length;
    this.size = { canvasWidth: this.canvas.clientWidth, width, height, left, bottom, high, margin, across, beside, turned, label };
  }

  labels() {
    const { width, left, bottom, high, margin, label } = this.size;
    this.image.append(textElement(label, { x: (left + width - RIGHT) / 2, y: bottom + margin + 6, "text-anchor": "middle" }));
    const side = lines(this.panel.y.label, Math.floor(high / LETTER));
    this.image.append(textElement(side, { x: -(TOP + high / 2), y: 10, "text-anchor": "middle", transform: "rotate(-90)" }));
  }

  ticks() {
    const { width, left, bottom, across, beside, turned } = this.size;
    const grid = { stroke: "#8888", "stroke-width": 0.5 };
    for (const [value, text] of this.sx.ticks) {
      const x = this.sx(value);
      this.image.append(svg("line", { ...grid, x1: x, x2: x, y1: TOP, y2: bottom }));
      if (turned) this.image.append(textElement([text], { x, y: bottom + 14, "text-anchor": "end", transform: `rotate(-30 ${x} ${bottom + 14})` }));
      else this.image.append(textElement(hasNames(this.panel.x) ? lines(text, across) : [text], { x, y: bottom + 15, "text-anchor": "middle" }));
    }
    for (const [value, text] of this.sy.ticks) {
      const y = this.sy(value);
      this.image.append(svg("line", { ...grid, x1: left, x2: width - RIGHT, y1: y, y2: y }));
      this.image.append(textElement(lines(text, beside), { x: left - 6, y: y + 4, "text-anchor": "end" }));
    }
  }

  path(points) {
    const pixels = points.map(([x, y]) => [this.sx(x), this.sy(y)]).filter((pair) => pair.every(Number.isFinite));
    return pixels.map((pair) => pair.map((v) => v.toFixed(1)).join(" ")).join(" ");
  }

  // A curve's points are [x, y], or [x, y, low, high] with an interval.
  curve({ points, colour, alpha, dash, width, marker, hollow, size, reference }) {
    const { left, bottom, width: right } = this.size;
    const ink = { stroke: colour, "stroke-width": width * 1.3, "stroke-opacity": alpha, fill: "none", "stroke-dasharray": dash ?? "" };
    const [x, y] = points[0];
    if (reference === "x") return [svg("line", { ...ink, x1: this.sx(x), x2: this.sx(x), y1: TOP, y2: bottom })];
    if (reference === "y") return [svg("line", { ...ink, x1: left, x2: right - RIGHT, y1: this.sy(y), y2: this.sy(y) })];
    if (reference) return points.flatMap((start, i) => (i % 2 ? [] : [svg("polyline", { ...ink, points: this.path([start, points[i + 1]]) })]));
    const parts = this.intervals(points, dash, ink);
    if (dash !== null) parts.push(svg("polyline", { ...ink, points: this.path(points) }));
    const open = hollow || "X|_".includes(marker);
    if (marker && (dash === null || points.length < 30)) for (const point of points) {
      const pixel = [this.sx(point[0]), this.sy(point[1])];
      if (pixel.every(Number.isFinite)) parts.push(svg("path", { d: SHAPES[marker] ?? SHAPES.o, transform: `translate(${pixel}) scale(${Math.max(0.8, size / 5)})`, fill: open ? "none" : colour, stroke: colour, "stroke-width": open ? 1.2 : 0, "fill-opacity": alpha }));
    }
    return parts;
  }

  // A band around a line, bars at single points.
  intervals(points, dash, ink) {
    const withInterval = points.filter((point) => point.length > 2);
    if (dash === null || withInterval.length < 2) {
      return withInterval.map(([x, , low, high]) => svg("polyline", { ...ink, "stroke-dasharray": "", points: this.path([[x, low], [x, high]]) }));
    }
    const upper = withInterval.map(([x, , , high]) => [x, high]);
    const lower = withInterval.map(([x, , low]) => [x, low]);
    return [svg("polygon", { fill: ink.stroke, "fill-opacity": 0.2, points: this.path([...upper, ...lower.reverse()]) })];
  }

  // --- reading values: the pointer or the arrow keys choose a position, the legend shows the values
  listen() {
    this.canvas.addEventListener("pointermove", (event) => {
      const box = this.canvas.getBoundingClientRect();
      const [pointer, place] = this.coordinate ? [event.clientY - box.top, this.sy] : [event.clientX - box.left, this.sx];
      const distance = (position) => Math.abs(place(position) - pointer);
      this.read(this.positions().sort((a, b) => distance(a) - distance(b))[0] ?? null);
    });
    this.canvas.addEventListener("pointerleave", () => this.read(null));
    this.canvas.addEventListener("keydown", (event) => {
      const vertical = this.coordinate ? 1 : 0;
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: vertical, ArrowUp: -vertical }[event.key];
      if (!step) return;
      event.preventDefault();
      const positions = this.positions();
      const next = this.position === null ? 0 : positions.indexOf(this.position) + step;
      this.read(positions[Math.min(Math.max(next, 0), positions.length - 1)] ?? null);
    });
    this.box.addEventListener("keydown", (event) => { if (event.key === "Escape") closePlot(this.place); });
  }

  // All positions of visible points, in order.
  positions() {
    const curves = this.visibleCurves().filter((curve) => !curve.reference);
    const values = curves.flatMap((curve) => curve.points.map((point) => point[this.coordinate]));
    return [...new Set(values)].sort((a, b) => a - b);
  }

  read(position) {
    this.position = position;
    this.showValues();
  }

  showValues() {
    const reading = this.position !== null;
    const axis = this.coordinate ? this.panel.y : this.panel.x;
    const [place, ends] = this.coordinate ? [this.sy, ["y1", "y2"]] : [this.sx, ["x1", "x2"]];
    const { left, bottom, width } = this.size;
    this.cross.setAttribute("visibility", reading ? "visible" : "hidden");
    for (const [name, value] of Object.entries({ x1: left, x2: width - RIGHT, y1: TOP, y2: bottom })) this.cross.setAttribute(name, value);
    if (reading) for (const end of ends) this.cross.setAttribute(end, place(this.position));
    const tick = axis.ticks?.find(([value]) => value === this.position)?.[1];
    const name = tick ?? (reading ? formatNumber(this.position) : "");
    this.readout.textContent = reading ? [axis.label, name].filter(Boolean).join(": ") : "Point at the plot, or use the arrow keys, to read values.";
    if ([...this.legend.children].map((child) => child.value).join() !== this.names.join()) this.legend.replaceChildren(...this.names.map((each) => this.legendEntry(each)));
    for (const button of this.legend.children) {
      const curves = this.panel.curves.filter((curve) => curve.name === button.value && !curve.reference);
      const visible = reading && !this.off.has(button.value);
      const points = visible ? curves.flatMap((curve) => curve.points).filter((point) => point[this.coordinate] === this.position) : [];
      button.lastElementChild.textContent = [...new Set(points.map((point) => this.valueText(point)))].slice(0, 4).join("; ");
    }
  }

  valueText([x, y, low, high]) {
    if (this.coordinate) return formatNumber(x);
    return formatNumber(y) + (low < high ? ` [${formatNumber(low)}, ${formatNumber(high)}]` : "");
  }

  swatch(name) {
    const { colour, dash, marker, hollow } = this.panel.curves.find((curve) => curve.name === name);
    const parts = dash === null ? [] : [svg("path", { d: "M1 7H29", stroke: colour, "stroke-width": 1.8, "stroke-dasharray": dash })];
    if (marker) parts.push(svg("path", { d: SHAPES[marker] ?? SHAPES.o, transform: "translate(15 7)", fill: hollow || "X|_".includes(marker) ? "none" : colour, stroke: colour }));
    return svg("g", {}, ...parts);
  }

  legendEntry(name) {
    const mark = svg("svg", { width: 30, height: 14, "aria-hidden": "true" }, this.swatch(name));
    const attributes = { type: "button", ariaPressed: String(!this.off.has(name)), value: name };
    const button = createElement("button", attributes, mark, createElement("span", { textContent: name }), createElement("b"));
    button.addEventListener("click", () => {
      if (!this.off.delete(name)) this.off.add(name);
      button.ariaPressed = String(!this.off.has(name));
      this.changed();
    });
    return button;
  }

  // Saves the plot with its title and its legend as a file.
  export() {
    const names = this.names.filter((name) => !this.off.has(name));
    const { width, height } = this.size;
    const whole = this.image.cloneNode(true);
    whole.querySelector("[visibility]")?.remove();
    const title = lines([this.title, this.panel.title].filter(Boolean).join(": "), Math.floor(width / 6.6));
    const above = 16 * title.length + 8;
    whole.prepend(svg("rect", { x: 0, y: -above, width: "100%", height: "100%", fill: "#fff" }), textElement(title, { x: 8, y: 12 - above, "font-weight": "bold" }));
    names.forEach((name, i) => {
      const transform = `translate(8 ${height + 8 + 16 * i})`;
      whole.append(svg("g", { transform }, this.swatch(name), textElement([name], { x: 36, y: 11 })));
    });
    const full = height + above + 16 * names.length + 16;
    for (const [key, value] of Object.entries({ viewBox: `0 ${-above} ${width} ${full}`, height: full, xmlns: "http://www.w3.org/2000/svg", color: "#1d2430" })) whole.setAttribute(key, value);
    const href = URL.createObjectURL(new Blob([whole.outerHTML], { type: "image/svg+xml" }));
    createElement("a", { href, download: `${this.place.closest("[id]").id}.svg` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  }
}

// --- from the picture to the plot and back
async function openPlot(place, query = new URLSearchParams(), focus = true) {
  closePlot(place, false);
  const image = place.querySelector("img");
  const { panels } = await dataOfPicture(image.dataset.name ?? image.dataset.copy);
  if (place.querySelector(".explorer")) return;
  const { reading } = place.dataset; // of a claim: the panels of this reading, if there are some
  const ofReading = panels.filter((panel) => reading && panel.title.startsWith(reading));
  const plot = new Plot(place, ofReading.length ? ofReading : panels, query);
  place.append(plot.box);
  place.classList.add("explored");
  place.closest("article")?.classList.add("exploring");
  plot.controls();
  plot.draw();
  if (focus) {
    plot.changed();
    plot.canvas.focus({ preventScroll: true });
  }
  plot.watch = new ResizeObserver(() => { if (plot.canvas.clientWidth !== plot.size.canvasWidth) plot.draw(); });
  plot.watch.observe(place);
}

function closePlot(place, focus = true) {
  place.querySelector(".explorer")?.remove();
  place.classList.remove("explored");
  place.closest("article")?.classList.remove("exploring");
  if (!focus) return;
  history.replaceState(history.state, "", `#${place.closest("[id]").id}`);
  (place.closest("article") ?? place).querySelector("[data-explore]")?.focus({ preventScroll: true });
}

addEventListener("click", ({ target }) => {
  const button = target.closest("[data-explore]");
  if (!button) return;
  const place = button.closest(".shown") ?? button.closest("article").querySelector(".shown");
  if (place.querySelector(".explorer")) closePlot(place);
  else openPlot(place);
});
