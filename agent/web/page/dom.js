// Builds elements. What programs and models wrote only ever becomes text nodes; there is no innerHTML on this page, and
// its content security policy would refuse one.

// Controls, invisible characters and those that turn the direction of what follows.
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** The text as it is, but nothing in it is hidden: "\u202e" is shown as ⟨U+202E⟩. */
export function visible(text) {
  return String(text ?? "")
    .replaceAll("\r\n", "\n")
    .replace(hidden, (each) => `⟨U+${each.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** Where links may lead: screens of this page, and issues of pytorch/pytorch. */
function allowed(address) {
  return address.startsWith("#") || /^https:\/\/github\.com\/pytorch\/pytorch\/issues\/\d+$/.test(address);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "href" && !allowed(String(value))) element.setAttribute("title", visible(value));
    else element.setAttribute(name, value === true ? "" : visible(value));
  }
  for (const child of children.flat(3)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : visible(child));
  }
  return element;
}

export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** A part of a screen: replaced when it changed, so what a person types or selects elsewhere stays. */
export const section = (title, ...children) =>
  h("section", {}, title ? h("h2", {}, title) : null, ...children);

/**
 * Columns: [heading, cell(row), "number" | "wide" | ""]. The first column heads its row. A table that may be wider than
 * the screen scrolls by itself, by keyboard too. On a narrow screen, one of class "stacked" shows its wide cells below
 * the others and names its numbers.
 */
export function table(caption, columns, rows, empty = "No data yet.", kind = null) {
  if (rows.length === 0) return h("p", { class: "empty" }, empty);
  const head = h("tr", {}, columns.map(([name, , kind]) => h("th", { scope: "col", class: kind }, name)));
  const cell = ([name, of, kind], row, index) =>
    h(index === 0 ? "th" : "td", { class: kind, scope: index === 0 ? "row" : null, "data-name": kind === "number" ? name : null }, of(row));
  const body = rows.map((row) => h("tr", {}, columns.map((column, index) => cell(column, row, index))));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: kind }, h("caption", { class: "heard" }, caption), h("thead", {}, head), h("tbody", {}, body)));
}

/** A name that may be broken after each "_". */
export const breakable = (name) => String(name ?? "").split(/(?<=_)/).map((part) => [part, h("wbr")]);

/** Pairs of a term and its value; pairs without a value are left out. */
export const facts = (pairs) =>
  h("dl", {}, pairs.filter(([, value]) => value !== "" && value !== null && value !== undefined)
    .map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))));

export const link = (address, text, attributes = {}) => h("a", { href: address, ...attributes }, text);

export const badge = (text, kind = "") => h("span", { class: `badge ${kind}` }, text);

/** Copies the text as it is stored, what is hidden in it included. */
export function copyButton(name, text) {
  const button = h("button", { type: "button", onclick: copy }, name);
  const said = h("span", { class: "said", role: "status" });
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      said.textContent = "copied";
    } catch {
      said.textContent = "the browser does not allow copying: select the text below";
    }
  }
  return h("span", { class: "copy" }, button, " ", said);
}

const integer = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
export const count = (value) => integer.format(value);
/** Cents where there are some; fractions of a cent to two digits. */
export const dollars = (value) => (value === 0 || value >= 1 ? `$${value.toFixed(2)}` : value >= 0.01 ? `$${value.toFixed(4)}` : `$${Number(value.toPrecision(2)).toFixed(9).replace(/0+$/, "")}`);
/** "final_confirmation 1" as "final confirmation 1". */
export const words = (name) => String(name ?? "").replaceAll("_", " ");
/** "1 program", "2 programs" */
export const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
export const percent = (value) => `${(100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`;
export const seconds = (value) =>
  value >= 3600 ? `${(value / 3600).toFixed(1)} h` : value >= 60 ? `${(value / 60).toFixed(1)} min` : `${value.toFixed(1)} s`;
/** Three digits, with an exponent where the value is small. */
export const small = (value) => {
  if (value === null) return "not finite";
  const short = Number(value.toPrecision(3));
  return short !== 0 && Math.abs(short) < 1e-3 ? short.toExponential() : short.toString();
};

export const dispositionBadge = (text) => badge(text, text === "ready" ? "good" : /^(held|known)/.test(text) ? "dim" : "mid");
