// The compiler's source as a model has read it: parts, files, functions.
import { parts } from "/charts.js";
import { badge, count, h, link, percent, plural, section, table } from "/dom.js";

const states = [
  { of: "fruitful", name: "led to a finding worth an issue", colour: 3 },
  { of: "read", name: "read as it is now", colour: 0 },
  { of: "changed", name: "changed, and not read since", colour: 1 },
  { of: "unread", name: "not read as it is now", colour: "-none" },
];
const added = (files, of) => files.reduce((sum, file) => sum + file[of], 0);
const fileAddress = (file) => `#/compiler?file=${encodeURIComponent(file)}`;

function area({ area: name, files }) {
  const rows = states.map((state) => ({ ...state, value: added(files, state.of) })).filter((row) => row.value > 0);
  return section("",
    parts(`${name}: ${plural(added(files, "functions"), "function")} in ${plural(files.length, "file")}`, rows,
      (row, sum) => `${count(row.value)}, ${percent(row.value / sum)}`),
    h("details", {}, h("summary", {}, "Files"), table(`Files of ${name}`, [
      ["file", (row) => link(fileAddress(row.file), row.file)],
      ["functions", (row) => count(row.functions), "number"],
      ...states.map((state) => [state.of, (row) => (row[state.of] > 0 ? count(row[state.of]) : ""), "number"]),
    ], files)));
}

const functions = (data) => section("", h("p", {}, link("#/compiler", "All of the compiler")), table(`Functions of ${data.file}`, [
  ["function", (row) => h("code", {}, row.name)],
  ["line", (row) => row.line, "number"],
  ["", (row) => [row.ready > 0 && badge("worth it", "good"), row.changed && badge("changed", "mid"), row.read_as_is || badge(row.readings > 0 ? "read as it was" : "not read", "dim")]],
  ["read", (row) => (row.readings > 0 ? `${count(row.readings)} times` : ""), "number"],
  ["differ", (row) => row.inconsistent || "", "number"],
  ["findings", (row) => row.ready || "", "number"],
], data.functions, "No such file was read from torch."));

export const compiler = {
  path: ({ query }) => (query.get("file") ? `/api/compiler?file=${encodeURIComponent(query.get("file"))}` : "/api/compiler"),
  title: ({ query }) => query.get("file") || "Compiler",
  render: (data) => (data.torch === ""
    ? [section("", h("p", { class: "empty" }, "No source of torch has been read: parityd reads it once a model is asked. See docs/reading.md."))]
    : data.file
      ? [functions(data)]
      : [section("", h("p", {}, `What a model was given of torch ${data.torch} to read${data.before ? `; changed: since ${data.before}` : ""}. Each function counts once.`)),
        ...data.areas.map(area)]),
};
