// Small SVG charts in the page's colours. Each has a text equivalent in it or beside it.
import { count, h, percent, svg, visible } from "/dom.js";

/** Horizontal bars, the longest over the full width: [{name, value, note, shown}]. */
export function bars(label, rows, empty = "No data yet.") {
  if (rows.length === 0) return h("p", { class: "empty" }, empty);
  const most = Math.max(1e-12, ...rows.map((row) => row.value));
  return h("ul", { class: "bars", "aria-label": label }, rows.map((row) =>
    h("li", {},
      h("span", { class: "bar-name" }, row.name),
      svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "track", width: 100, height: 8 }),
        svg("rect", { class: row.over ? "bad" : "bar", width: (100 * row.value) / (row.of ?? most), height: 8 })),
      h("span", { class: "bar-value" }, row.shown ?? count(row.value), row.note ? h("small", {}, " ", row.note) : null))));
}

/** One bar divided into parts, with a legend: [{name, value, colour}]. */
export function parts(label, rows, shown) {
  const sum = rows.reduce((total, row) => total + row.value, 0);
  let at = 0;
  const rects = rows.map((row) => {
    const width = sum > 0 ? (100 * row.value) / sum : 0;
    const rect = svg("rect", { class: `part${row.colour}`, x: at, width, height: 10 },
      svg("title", {}, `${row.name}: ${percent(sum > 0 ? row.value / sum : 0)}`));
    at += width;
    return rect;
  });
  return h("figure", { class: "parts" },
    h("figcaption", {}, label),
    svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, rects),
    h("ul", { class: "legend" }, rows.map((row) => h("li", {},
      svg("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("rect", { class: `part${row.colour}`, width: 10, height: 10, rx: 2 })),
      `${row.name} `, h("small", {}, shown(row, sum))))));
}

/** A round number not below `value`: 1, 2 or 5 times a power of ten, at least `least`. */
function roundUp(value, least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, least)));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= value * (1 - 1e-9));
}

// Size of a chart with two axes, in its own units; text is nine high.
const [width, height, bottom] = [320, 120, 18];

/** Grid lines at zero, the middle and the top, with their labels; and the position of a value. */
function scale(top, shown) {
  const texts = [0, top / 2, top].map(shown);
  const left = 8 + 5.2 * Math.max(...texts.map((text) => text.length));
  const y = (value) => height - bottom - ((height - bottom - 8) * value) / top;
  const lines = [0, top / 2, top].map((value, index) => [
    svg("line", { class: "rule", x1: left, x2: width - 4, y1: y(value), y2: y(value) }),
    svg("text", { x: left - 4, y: y(value) + 3, "text-anchor": "end" }, texts[index]),
  ]);
  return { left, y, lines };
}

const ends = (left, first, last) => [
  svg("text", { x: left, y: height - 4 }, first), svg("text", { x: width - 4, y: height - 4, "text-anchor": "end" }, last)];

const drawing = (said, ...children) =>
  svg("svg", { class: "drawing", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": visible(said) }, ...children);

const whole = (value) => (Number.isInteger(value) ? count(value) : "");

/** A line chart: points [{x, y}] with x ascending. `steps` where the value jumps. */
export function growth(label, points, name, steps = false) {
  if (points.length === 0 || points.every((point) => point.y === 0)) return h("p", { class: "empty" }, "No data yet.");
  const [first, last] = [points[0], points[points.length - 1]];
  const { left, y, lines } = scale(roundUp(Math.max(...points.map((point) => point.y)), 1), whole);
  const x = (value) => left + ((width - left - 4) * (value - first.x)) / Math.max(1, last.x - first.x);
  let path = "";
  points.forEach((point, index) => {
    if (index === 0) path = `M${x(point.x)} ${y(point.y)}`;
    else path += steps ? `H${x(point.x)}V${y(point.y)}` : `L${x(point.x)} ${y(point.y)}`;
  });
  const said = `${label}: ${count(first.y)} at ${name(first.x)}, ${count(last.y)} at ${name(last.x)}`;
  return drawing(said, lines,
    svg("path", { class: "area", d: `${path}L${x(last.x)} ${y(0)}L${x(first.x)} ${y(0)}Z` }),
    svg("path", { class: "line", d: path }),
    svg("circle", { class: "dot", cx: x(last.x), cy: y(last.y), r: 2.5 }),
    ends(left, name(first.x), name(last.x)));
}

/** One column per day: [{day: "2026-03-04", value}], oldest first. `shown` formats a value. */
export function days(label, rows, shown) {
  const most = Math.max(...rows.map((row) => row.value));
  if (rows.length === 0 || most <= 0) return h("p", { class: "empty" }, "No data yet.");
  const { left, y, lines } = scale(roundUp(most, 1e-6), shown);
  const step = (width - left - 4) / rows.length;
  const columns = rows.map((row, index) =>
    svg("rect", { class: "bar", x: left + step * index + step * 0.15, width: step * 0.7, y: y(row.value), height: y(0) - y(row.value), rx: 1 },
      svg("title", {}, `${row.day}: ${shown(row.value)}`)));
  const said = `${label}: ${rows.filter((row) => row.value > 0).map((row) => `${row.day} ${shown(row.value)}`).join(", ")}`;
  return drawing(said, lines, columns, ends(left, rows[0].day.slice(5), rows[rows.length - 1].day.slice(5)));
}
