// --- numbers, texts and axes of the interactive plots
const LEFT = 30, RIGHT = 16, TOP = 12, LINE = 13, LETTER = 6.1; // margins, height of a line, width of a letter: pixels
const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function formatNumber(value) {
  const size = Math.abs(value);
  if (!size || (size >= 1e-3 && size < 1e5)) return String(Number(value.toPrecision(4))).replace("-", "−");
  const [factor, power] = value.toExponential(2).split("e");
  const raised = power.replace("+", "").replace("-", "⁻").replace(/\d/g, (digit) => SUPERSCRIPTS[digit]);
  return (Number(factor) === 1 ? "" : `${Number(factor)}·`) + `10${raised}`;
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// A text in lines of at most `most` letters, broken between words.
function lines(text, most) {
  return text.split(" ").reduce((done, word) => {
    if (done.length && `${done.at(-1)} ${word}`.length <= most) done[done.length - 1] += ` ${word}`;
    else done.push(word);
    return done;
  }, []);
}

const textElement = (rows, attributes) => svg("text", { fill: "currentColor", ...attributes },
  ...rows.map((row, i) => svg("tspan", { x: attributes.x, dy: i ? LINE : 0 }, row)));

// Whether an axis has names as ticks, not numbers or powers of ten.
const isNumber = (text) => !Number.isNaN(Number(text.replace("−", "-"))) || /^[\d.,·]*10[⁻⁰-⁹¹²³]+$/.test(text);
const hasNames = (axis) => (axis.ticks ?? []).some(([, text]) => text && !isNumber(text));

// A function from values to pixels, with the property `ticks`: [value, text] each. Range and ticks
// are those of the picture, unless the reader has switched between linear and logarithmic.
function scale(axis, log, values, from, to) {
  const unchanged = log === (axis.scale === "log");
  const size = log ? Math.log10 : unchanged && axis.scale === "symlog" ? symlog : (v) => v;
  const usable = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
  const range = unchanged || !usable.length ? axis.range
    : [usable.reduce((a, b) => Math.min(a, b)), usable.reduce((a, b) => Math.max(a, b))];
  let [a, b] = range.map((v) => size(log && !(v > 0) ? 1e-12 : v));
  if (!unchanged || a === b) [a, b] = [a - (0.04 * (b - a) || 1), b + (0.04 * (b - a) || 1)];
  const pixel = (v) => from + ((size(v) - a) / (b - a)) * (to - from);
  const place = (v) => (log && !(v > 0) ? NaN : Math.min(Math.max(pixel(v), -1e4), 1e4));
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  const own = log && high - low > 1 ? powersOfTen(low, high) : steps(log ? 10 ** low : low, log ? 10 ** high : high);
  const ticks = unchanged && axis.ticks?.length ? axis.ticks : own.map((v) => [v, formatNumber(v)]);
  place.ticks = ticks.filter(([v]) => size(v) >= low - 1e-9 && size(v) <= high + 1e-9);
  return place;
}

// matplotlib's symlog as our figures use it: linear up to 5, then logarithmic.
function symlog(value) {
  const linear = 5;
  if (Math.abs(value) < linear) return (1.5 * value) / linear;
  return Math.sign(value) * (1.5 + Math.log10(Math.abs(value) / linear));
}

function powersOfTen(low, high) {
  const every = Math.ceil((high - low) / 7);
  const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, i) => Math.floor(low) + i);
  const factors = high - low < 2 ? [1, 2, 5] : [1];
  return powers.filter((power) => power % every === 0).flatMap((power) => factors.map((factor) => factor * 10 ** power));
}

function steps(low, high) {
  const raw = (high - low) / 6;
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((factor) => factor * base >= raw) * base;
  return Array.from({ length: 9 }, (_, i) => Number(((Math.ceil(low / step) + i) * step).toPrecision(12)));
}
