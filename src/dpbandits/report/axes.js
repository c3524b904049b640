// --- numbers, texts and axes of the interactive plots
const LEFT = 30, RIGHT = 16, TOP = 12, LINE = 13, LETTER = 6.1; // pixels; of a letter its width
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function short(value) {
  const size = Math.abs(value);
  if (!size || (size >= 1e-3 && size < 1e5)) return String(Number(value.toPrecision(4))).replace("-", "−");
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

// A text in lines of at most `most` letters, broken between words.
function lines(text, most) {
  return text.split(" ").reduce((done, word) => {
    if (done.length && `${done.at(-1)} ${word}`.length <= most) done[done.length - 1] += ` ${word}`;
    else done.push(word);
    return done;
  }, []);
}

const written = (rows, attributes) => svg("text", { fill: "currentColor", ...attributes },
  ...rows.map((row, i) => svg("tspan", { x: attributes.x, dy: i ? LINE : 0 }, row)));

const named = (axis) => (axis.ticks ?? []).some(([, text]) => text && Number.isNaN(Number(text.replace("−", "-"))) && !/^[\d.,·]*10[⁻⁰-⁹¹²³]+$/.test(text));

// From values to pixels: the picture's own range and ticks, unless a reader has changed the scale.
function scale(axis, log, values, from, to) {
  const own = log === (axis.scale === "log");
  const knee = own && axis.scale === "symlog" ? 5 : 0;
  const size = log ? Math.log10 : knee ? (v) => (Math.abs(v) < knee ? (1.5 * v) / knee : Math.sign(v) * (1.5 + Math.log10(Math.abs(v) / knee))) : (v) => v;
  const use = values.filter((v) => Number.isFinite(v) && (!log || v > 0));
  const ends = own || !use.length ? axis.range : [use.reduce((a, b) => Math.min(a, b)), use.reduce((a, b) => Math.max(a, b))];
  let [a, b] = ends.map((v) => size(log && !(v > 0) ? 1e-12 : v));
  if (!own || a === b) [a, b] = [a - (0.04 * (b - a) || 1), b + (0.04 * (b - a) || 1)];
  const place = (v) => (log && !(v > 0) ? NaN : Math.min(Math.max(from + ((size(v) - a) / (b - a)) * (to - from), -1e4), 1e4));
  const [low, high] = [Math.min(a, b), Math.max(a, b)];
  const free = log && high - low > 1 ? decadesOf(low, high) : steps(log ? 10 ** low : low, log ? 10 ** high : high);
  place.ticks = (own && axis.ticks?.length ? axis.ticks : free.map((v) => [v, short(v)])).filter(([v]) => size(v) >= low - 1e-9 && size(v) <= high + 1e-9);
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
