// Changes of torch that a language model proposed for a finding: what became of each, its checks, its diff.
import { badge, copyButton, count, dollars, facts, h, link, plural, seconds, section, table, words } from "/dom.js";
import { python } from "/python.js";

const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** What each line of a unified diff is. A hunk says how many lines follow, so no line of a file is taken for a heading. */
function kinds(lines) {
  let left = 0; // of the hunk, on both sides together
  return lines.map((line) => {
    if (left > 0) {
      const kind = { "+": "added", "-": "removed", "\\": "place" }[line[0]] ?? "same";
      left -= { added: 1, removed: 1, place: 0, same: 2 }[kind];
      return kind;
    }
    const sizes = hunk.exec(line);
    if (sizes) left = Number(sizes[1] ?? 1) + Number(sizes[2] ?? 1);
    return sizes ? "place" : "file";
  });
}

/** A unified diff as <pre>. */
export function diff(text, label) {
  const lines = text.split(/(?<=\n)/);
  const spans = kinds(lines).map((kind, index) => h("span", { class: `diff-${kind}` }, lines[index]));
  return h("pre", { tabindex: "0", role: "region", "aria-label": label }, h("code", {}, spans));
}

const checks = (row) => table(`Checks of try ${row.number}`, [
  ["check", (check) => check.name],
  ["result", (check) => (check.result === "accepted" ? badge("passed", "good") : badge(words(check.result), "bad"))],
  ["run", (check) => count(check.ran), "number"],
  ["failed", (check) => count(check.failed), "number"],
  ["time", (check) => seconds(check.seconds), "number"],
  ["what it saw", (check) => [check.told, check.failing.length > 0 ? `: ${check.failing.join(", ")}` : ""], "wide"],
], row.checks, "", "stacked");

function change(row) {
  const accepted = row.result === "accepted";
  return [
    h("h3", {}, `Try ${row.number}, ${row.at} UTC`),
    facts([
      ["Result", badge(words(row.result), accepted ? "good" : "dim")],
      ["Reason", row.why],
      ["Model", row.model && `${row.model} (${row.provider}), ${count(row.prompt_tokens)} tokens in, ${count(row.completion_tokens)} out, ${dollars(row.dollars)}`],
      ["Change", row.diff && [`${plural(row.changed_lines, "line")} in `, h("code", {}, row.functions.join(", "))]],
      ["Checked", row.checks.length > 0 ? `with torch ${row.torch} on ${row.device}, ${seconds(row.seconds)}` : ""],
      ["Newest torch", row.newest],
      ["Vanish with it", row.also_gone.length > 0 ? row.also_gone.map((id) => [link(`#/finding/${id}`, `finding ${id}`), " "]) : ""],
    ]),
    row.checks.length > 0 ? checks(row) : null,
    row.diff ? h("details", { open: accepted }, h("summary", {}, "Diff"), copyButton("Copy diff", row.diff), diff(row.diff, `Diff of try ${row.number}`)) : null,
    row.test ? h("details", {}, h("summary", {}, "Regression test"), copyButton("Copy test", row.test), python(row.test, `Regression test of try ${row.number}`)) : null,
  ];
}

export const changes = ({ fixes }) => (fixes.length === 0 ? null : section("Changes of torch",
  h("p", { class: "foot" }, "Written by a language model, not reviewed."), fixes.map(change)));
