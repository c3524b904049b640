// --- interactive plots: what a figure shows stands in the text of its PNG (plots/drawn.py)
const SHAPES = {
  o: "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0", s: "M-3-3h6v6h-6z", "^": "M0-4L3.5 3h-7z", v: "M0 4L3.5-3h-7z", "<": "M-4 0L3-3.5v7z",
  ">": "M4 0L-3-3.5v7z", D: "M0-4L4 0L0 4L-4 0z", P: "M-1-4h2v3h3v2h-3v3h-2v-3h-3v-2h3z", X: "M-3.5-3.5L3.5 3.5M-3.5 3.5L3.5-3.5",
  "*": "M0-5L1.5-1.5L5-1.5L2 1L3 4.5L0 2.5L-3 4.5L-2 1L-5-1.5L-1.5-1.5z", "|": "M0-6v12", _: "M-7 0h14", p: "M0-4L4-1L2.5 3.5h-5L-4-1z",
};

async function drawnIn(png) {
  const all = decoded(picture(png));
  const view = new DataView(all.buffer);
  for (let at = 8; at < all.length; at += 12 + view.getUint32(at)) {
    const chunk = all.subarray(at + 4, at + 8 + view.getUint32(at));
    if (!String.fromCharCode(...chunk.subarray(0, 11)).startsWith("zTXtdrawn\0\0")) continue;
    return new Response(new Blob([chunk.subarray(11)]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  }
  throw new Error(`${png} does not say what it shows`);
}

class Plot {
  constructor(place, panels, wanted) {
    Object.assign(this, { place, panels, at: null, off: new Set(wanted.getAll("off")) });
    this.title = place.dataset.title;
    this.choose(Math.min(Number(wanted.get("panel")) || 0, panels.length - 1));
    if (wanted.has("log")) for (const axis of ["x", "y"]) this.log[axis] = wanted.get("log").includes(axis);
    this.box = made("div", { className: "explorer" });
    this.bar = made("div", { className: "controls" });
    this.canvas = made("div", { className: "canvas", tabIndex: 0, role: "group", ariaLabel: `${this.title}: arrow keys read the values` });
    this.readout = made("output", { className: "readout", ariaLive: "polite" });
    this.legend = made("div", { className: "legend", role: "group", ariaLabel: "Curves, to be switched on and off" });
    this.box.append(this.bar, this.canvas, this.readout, this.legend);
    this.listen();
  }

  choose(number) {
    this.number = number;
    this.panel = this.panels[number];
    this.log = { x: this.panel.x.scale === "log", y: this.panel.y.scale === "log" };
    this.names = [...new Set(this.panel.curves.map((curve) => curve.name).filter(Boolean))];
    this.along = named(this.panel.y) && !named(this.panel.x) ? 1 : 0; // values are read at one x, or in one row
    this.at = null;
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
    const had = [...this.bar.children].findIndex((child) => child.contains(document.activeElement));
    const button = (textContent, onclick, more = {}) => made("button", { type: "button", textContent, onclick, ...more });
    const items = [];
    if (this.panels.length > 1) {
      const titles = this.panels.map((panel, i) => made("option", { value: i, textContent: panel.title || `${panel.y.label}, ${i + 1}` }));
      const field = made("select", { name: "panel", onchange: () => { this.choose(Number(field.value)); this.changed(); } }, ...titles);
      field.value = this.number;
      items.push(made("label", {}, "panel ", field));
    }
    for (const axis of ["x", "y"]) if (!named(this.panel[axis])) {
      items.push(button(`log ${axis}`, () => { this.log[axis] = !this.log[axis]; this.changed(); }, { ariaPressed: String(this.log[axis]) }));
    }
    items.push(button("save SVG", () => this.export()), button("back to the picture", () => closePlot(this.place)));
    this.bar.replaceChildren(...items);
    (this.bar.children[had]?.querySelector("select") ?? this.bar.children[had])?.focus();
  }

  seen() { return this.panel.curves.filter((curve) => !this.off.has(curve.name)); }

  draw() {
    const width = Math.max(280, this.canvas.clientWidth || 600);
    const { x, y } = this.panel;
    const points = this.panel.curves.filter((curve) => !curve.reference).flatMap((curve) => curve.points);
    const rows = (axis, most) => (axis.ticks ?? []).map(([, text]) => lines(text, most));
    const most = Math.floor(width / 3 / LETTER);
    const letters = named(y) ? Math.min(most, Math.max(...rows(y, most).flat().map((row) => row.length))) : 8;
    const left = LEFT + letters * LETTER;
    const step = (width - left - RIGHT) / Math.max(1, (x.ticks ?? []).length);
    const fits = rows(x, Math.floor(step / LETTER)).flat().every((row) => row.length * LETTER <= step);
    const below = named(x) && !fits ? Math.min(150, 20 + 4.2 * Math.max(...x.ticks.map(([, text]) => text.length))) : 18 + LINE * (named(x) ? Math.max(...rows(x, Math.floor(step / LETTER)).map((row) => row.length)) : 1);
    const under = lines(x.label, Math.floor((width - left) / LETTER));
    const high = Math.max(300, named(y) ? 22 * y.ticks.length : 0);
    const bottom = TOP + high;
    this.size = { room: this.canvas.clientWidth, width, height: bottom + below + LINE * under.length, left, bottom };
    this.sx = scale(x, this.log.x, points.map((point) => point[0]), left, width - RIGHT);
    this.sy = scale(y, this.log.y, points.flatMap((point) => point.slice(1)), bottom, TOP);
    this.image = svg("svg", { viewBox: `0 0 ${width} ${this.size.height}`, width, height: this.size.height, "aria-hidden": "true", "font-family": "system-ui, sans-serif", "font-size": 11 });
    const clip = `clip-${this.place.closest("[id]").id}`;
    this.image.append(svg("clipPath", { id: clip }, svg("rect", { x: left, y: TOP - 4, width: width - RIGHT - left + 4, height: high + 8 })));
    this.ticks(fits, Math.floor(step / LETTER), most);
    this.image.append(written(under, { x: (left + width - RIGHT) / 2, y: bottom + below + 6, "text-anchor": "middle" }));
    const side = lines(y.label, Math.floor(high / LETTER));
    this.image.append(written(side, { x: -(TOP + high / 2), y: 10, "text-anchor": "middle", transform: "rotate(-90)" }));
    const body = svg("g", { "clip-path": `url(#${clip})` });
    for (const area of this.panel.areas) body.append(svg("polygon", { fill: area.colour, "fill-opacity": area.alpha, points: this.path(area.points) }));
    for (const curve of this.seen()) body.append(...this.curve(curve));
    this.cross = svg("line", { stroke: "#76818f", "stroke-dasharray": "2 2", visibility: "hidden" });
    this.image.append(body, this.cross);
    this.canvas.replaceChildren(this.image);
    this.tell();
  }

  ticks(fits, across, most) {
    const { width, left, bottom } = this.size;
    const grid = { stroke: "#8888", "stroke-width": 0.5 };
    for (const [value, text] of this.sx.ticks) {
      const at = this.sx(value);
      const turned = named(this.panel.x) && !fits;
      this.image.append(svg("line", { ...grid, x1: at, x2: at, y1: TOP, y2: bottom }),
        turned ? written([text], { x: at, y: bottom + 14, "text-anchor": "end", transform: `rotate(-30 ${at} ${bottom + 14})` })
          : written(named(this.panel.x) ? lines(text, across) : [text], { x: at, y: bottom + 15, "text-anchor": "middle" }));
    }
    for (const [value, text] of this.sy.ticks) {
      const at = this.sy(value);
      this.image.append(svg("line", { ...grid, x1: left, x2: width - RIGHT, y1: at, y2: at }),
        written(lines(text, most), { x: left - 6, y: at + 4, "text-anchor": "end" }));
    }
  }

  path(points) {
    return points.map(([x, y]) => [this.sx(x), this.sy(y)]).filter((place) => place.every(Number.isFinite)).map((place) => place.map((v) => v.toFixed(1)).join(" ")).join(" ");
  }

  curve({ points, colour, alpha, dash, width, marker, hollow, size, reference }) {
    const { left, bottom, width: right } = this.size;
    const ink = { stroke: colour, "stroke-width": width * 1.3, "stroke-opacity": alpha, fill: "none", "stroke-dasharray": dash ?? "" };
    const [x, y] = points[0];
    if (reference === "x") return [svg("line", { ...ink, x1: this.sx(x), x2: this.sx(x), y1: TOP, y2: bottom })];
    if (reference === "y") return [svg("line", { ...ink, x1: left, x2: right - RIGHT, y1: this.sy(y), y2: this.sy(y) })];
    if (reference) return points.flatMap((start, i) => (i % 2 ? [] : [svg("polyline", { ...ink, points: this.path([start, points[i + 1]]) })]));
    const parts = [];
    const banded = points.filter((point) => point.length > 2);
    if (dash !== null && banded.length > 1) parts.push(svg("polygon", { fill: colour, "fill-opacity": 0.2, points: this.path([...banded.map((p) => [p[0], p[3]]), ...banded.map((p) => [p[0], p[2]]).reverse()]) }));
    else for (const [at, , low, high] of banded) parts.push(svg("polyline", { ...ink, "stroke-dasharray": "", points: this.path([[at, low], [at, high]]) }));
    if (dash !== null) parts.push(svg("polyline", { ...ink, points: this.path(points) }));
    const open = hollow || "X|_".includes(marker);
    if (marker && (dash === null || points.length < 30)) for (const point of points) {
      const at = [this.sx(point[0]), this.sy(point[1])];
      if (at.every(Number.isFinite)) parts.push(svg("path", { d: SHAPES[marker] ?? SHAPES.o, transform: `translate(${at}) scale(${Math.max(0.8, size / 5)})`, fill: open ? "none" : colour, stroke: colour, "stroke-width": open ? 1.2 : 0, "fill-opacity": alpha }));
    }
    return parts;
  }

  // --- reading values: the pointer or the arrow keys choose a place, the legend tells the values there
  listen() {
    this.canvas.addEventListener("pointermove", (event) => {
      const box = this.canvas.getBoundingClientRect();
      const [mine, place] = this.along ? [event.clientY - box.top, this.sy] : [event.clientX - box.left, this.sx];
      this.read(this.places().sort((a, b) => Math.abs(place(a) - mine) - Math.abs(place(b) - mine))[0] ?? null);
    });
    this.canvas.addEventListener("pointerleave", () => this.read(null));
    this.canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.along ? 1 : 0, ArrowUp: this.along ? -1 : 0 }[event.key];
      if (!step) return;
      event.preventDefault();
      const places = this.places();
      const next = this.at === null ? 0 : places.indexOf(this.at) + step;
      this.read(places[Math.min(Math.max(next, 0), places.length - 1)] ?? null);
    });
    this.box.addEventListener("keydown", (event) => { if (event.key === "Escape") closePlot(this.place); });
  }

  places() {
    const found = this.seen().filter((curve) => !curve.reference).flatMap((curve) => curve.points.map((point) => point[this.along]));
    return [...new Set(found)].sort((a, b) => a - b);
  }

  read(at) {
    this.at = at;
    this.tell();
  }

  tell() {
    const seen = this.at !== null;
    const axis = this.along ? this.panel.y : this.panel.x;
    const [place, ends] = this.along ? [this.sy, ["y1", "y2"]] : [this.sx, ["x1", "x2"]];
    const { left, bottom, width } = this.size;
    this.cross.setAttribute("visibility", seen ? "visible" : "hidden");
    for (const [name, value] of Object.entries({ x1: left, x2: width - RIGHT, y1: TOP, y2: bottom })) this.cross.setAttribute(name, value);
    if (seen) for (const end of ends) this.cross.setAttribute(end, place(this.at));
    const name = axis.ticks?.find(([value]) => value === this.at)?.[1] ?? (seen ? short(this.at) : "");
    this.readout.textContent = seen ? [axis.label, name].filter(Boolean).join(": ") : "Point at the plot, or use the arrow keys, to read values.";
    if ([...this.legend.children].map((child) => child.value).join() !== this.names.join()) this.legend.replaceChildren(...this.names.map((each) => this.entry(each)));
    for (const button of this.legend.children) {
      const own = this.panel.curves.filter((curve) => curve.name === button.value && !curve.reference).flatMap((curve) => curve.points);
      const here = seen && !this.off.has(button.value) ? own.filter((point) => point[this.along] === this.at) : [];
      button.lastElementChild.textContent = [...new Set(here.map((point) => this.said(point)))].slice(0, 4).join("; ");
    }
  }

  said([x, y, low, high]) { return this.along ? short(x) : short(y) + (low < high ? ` [${short(low)}, ${short(high)}]` : ""); }

  swatch(name) {
    const { colour, dash, marker, hollow } = this.panel.curves.find((curve) => curve.name === name);
    const parts = dash === null ? [] : [svg("path", { d: "M1 7H29", stroke: colour, "stroke-width": 1.8, "stroke-dasharray": dash })];
    if (marker) parts.push(svg("path", { d: SHAPES[marker] ?? SHAPES.o, transform: "translate(15 7)", fill: hollow || "X|_".includes(marker) ? "none" : colour, stroke: colour }));
    return svg("g", {}, ...parts);
  }

  entry(name) {
    const mark = svg("svg", { width: 30, height: 14, "aria-hidden": "true" }, this.swatch(name));
    const button = made("button", { type: "button", ariaPressed: String(!this.off.has(name)), value: name }, mark, made("span", { textContent: name }), made("b"));
    button.addEventListener("click", () => {
      if (!this.off.delete(name)) this.off.add(name);
      button.ariaPressed = String(!this.off.has(name));
      this.changed();
    });
    return button;
  }

  // The plot with its title and its legend as a file of its own.
  export() {
    const names = this.names.filter((name) => !this.off.has(name));
    const { width, height } = this.size;
    const whole = this.image.cloneNode(true);
    whole.querySelector("[visibility]")?.remove();
    const title = lines([this.title, this.panel.title].filter(Boolean).join(": "), Math.floor(width / 6.6));
    const above = 16 * title.length + 8;
    whole.prepend(svg("rect", { x: 0, y: -above, width: "100%", height: "100%", fill: "#fff" }), written(title, { x: 8, y: 12 - above, "font-weight": "bold" }));
    names.forEach((name, i) => {
      const row = svg("g", { transform: `translate(8 ${height + 8 + 16 * i})` }, this.swatch(name), written([name], { x: 36, y: 11 }));
      whole.append(row);
    });
    const full = height + above + 16 * names.length + 16;
    for (const [key, value] of Object.entries({ viewBox: `0 ${-above} ${width} ${full}`, height: full, xmlns: "http://www.w3.org/2000/svg", color: "#1d2430" })) whole.setAttribute(key, value);
    const href = URL.createObjectURL(new Blob([whole.outerHTML], { type: "image/svg+xml" }));
    made("a", { href, download: `${this.place.closest("[id]").id}.svg` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
    return whole.outerHTML;
  }
}

// --- from the picture to the plot and back
async function openPlot(place, wanted = new URLSearchParams(), focus = true) {
  closePlot(place, false);
  const image = place.querySelector("img");
  const { panels } = await drawnIn(image.dataset.name ?? image.dataset.copy);
  if (place.querySelector(".explorer")) return;
  const { reading } = place.dataset; // of a claim with several: its own panels
  const own = panels.filter((panel) => reading && panel.title.startsWith(reading));
  const plot = new Plot(place, own.length ? own : panels, wanted);
  place.append(plot.box);
  place.classList.add("explored");
  place.closest("article")?.classList.add("exploring");
  plot.controls();
  plot.draw();
  if (focus) plot.changed();
  if (focus) plot.canvas.focus({ preventScroll: true });
  plot.watch = new ResizeObserver(() => { if (plot.canvas.clientWidth !== plot.size.room) plot.draw(); });
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
