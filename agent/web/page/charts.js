// Small charts as SVG, in the page's own colours. Each has a text beside or in it that says the same.
import { count, h, percent, svg, visible } from "/dom.js";

/** Bars one below the other, the widest the full width: [{name, value, note, shown}]. */
export function bars(label, rows) {
  const most = Math.max(1e-12, ...rows.map((row) => row.value));
  return h("ul", { class: "bars", "aria-label": label }, rows.map((row) =>
    h("li", {},
      h("span", { class: "bar-name" }, row.name),
      svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "track", width: 100, height: 8 }),
        svg("rect", { class: row.over ? "bad" : "bar", width: (100 * row.value) / (row.of ?? most), height: 8 })),
      h("span", { class: "bar-value" }, row.shown ?? count(row.value), row.note ? h("small", {}, " ", row.note) : null))));
}

/** One bar of parts, and what they are: [{name, value, colour}]. */
export function parts(label, rows, shown) {
  const sum = rows.reduce((total, row) => total + row.value, 0);
  let at = 0;
  const rects = rows.map((row) => {
    const width = sum > 0 ? (100 * row.value) / sum : 0;
    const rect = svg("rect", { class: `part${row.colour}`, x: at, width, height: 10 },
      svg("title", {}, `${row.name}: ${percent(row.value / sum)}`));
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

/** A round number not below `value`: 1, 2 or 5 times a power of ten. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= value);
}

/** A line that grows: points [{x, y}] with x ascending. `steps` where the value jumps. */
export function growth(label, points, name, steps = false) {
  if (points.length === 0) return h("p", { class: "empty" }, "Nothing yet.");
  const [width, height, left, bottom] = [320, 120, 34, 18];
  const [first, last] = [points[0], points[points.length - 1]];
  const top = roundUp(Math.max(...points.map((point) => point.y)));
  const x = (value) => left + ((width - left - 4) * (value - first.x)) / Math.max(1, last.x - first.x);
  const y = (value) => height - bottom - ((height - bottom - 8) * value) / top;
  let path = "";
  points.forEach((point, index) => {
    if (index === 0) path = `M${x(point.x)} ${y(point.y)}`;
    else path += steps ? `H${x(point.x)}V${y(point.y)}` : `L${x(point.x)} ${y(point.y)}`;
  });
  const area = `${path}L${x(last.x)} ${y(0)}L${x(first.x)} ${y(0)}Z`;
  const grid = [0, top / 2, top].map((value) => [
    svg("line", { class: "grid", x1: left, x2: width - 4, y1: y(value), y2: y(value) }),
    svg("text", { x: left - 5, y: y(value) + 3, "text-anchor": "end" }, Number.isInteger(value) ? count(value) : ""),
  ]);
  const said = `${label}: ${count(last.y)} at ${name(last.x)}`;
  return svg("svg", { class: "growth", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": visible(said) },
    grid,
    svg("path", { class: "area", d: area }),
    svg("path", { class: "line", d: path }),
    svg("circle", { class: "dot", cx: x(last.x), cy: y(last.y), r: 2.5 }),
    svg("text", { x: left, y: height - 4 }, name(first.x)),
    svg("text", { x: width - 4, y: height - 4, "text-anchor": "end" }, name(last.x)));
}
