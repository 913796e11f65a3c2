// Colours Python without understanding it: comments, strings, numbers, keywords, names that are defined. The pieces put
// together again are the text.
import { h } from "/dom.js";

const keywords = new Set(
  ("False None True and as assert async await break class continue def del elif else except finally for from global if " +
   "import in is lambda nonlocal not or pass raise return try while with yield").split(" "));

const token = new RegExp(
  [
    "(?<comment>#[^\\n]*)",
    "(?<string>(?:[rRbBfFuU]{1,2})?(?:\"\"\"[\\s\\S]*?(?:\"\"\"|$)|'''[\\s\\S]*?(?:'''|$)|\"(?:\\\\.|[^\"\\\\\\n])*\"?|'(?:\\\\.|[^'\\\\\\n])*'?))",
    "(?<number>\\b(?:0[xXbBoO][\\da-fA-F_]+|\\d[\\d_]*(?:\\.\\d*)?(?:[eE][+-]?\\d+)?)j?\\b)",
    "(?<name>[\\p{L}_][\\p{L}\\p{N}_]*)",
  ].join("|"), "gu");

function kindOf(groups, before) {
  if (groups.comment !== undefined) return "comment";
  if (groups.string !== undefined) return "string";
  if (groups.number !== undefined) return "number";
  if (keywords.has(groups.name)) return "keyword";
  return before === "def" || before === "class" ? "defined" : "";
}

/** A program as <pre>. */
export function python(text, label) {
  const code = h("code");
  let [at, before] = [0, ""];
  for (const match of text.matchAll(token)) {
    const kind = kindOf(match.groups, before);
    before = match.groups.name ?? "";
    if (kind === "") continue;
    code.append(h("span", {}, text.slice(at, match.index)), h("span", { class: `py-${kind}` }, match[0]));
    at = match.index + match[0].length;
  }
  code.append(h("span", {}, text.slice(at)));
  return h("pre", { tabindex: "0", role: "region", "aria-label": label }, code);
}

/** Any other text that keeps its lines. */
export const plain = (text, label) => h("pre", { tabindex: "0", role: "region", "aria-label": label }, h("code", {}, text));
