// What a model has read of the compiler's source: areas, files, functions.
import { parts } from "/charts.js";
import { badge, count, h, link, percent, plural, section, table } from "/dom.js";

const states = [
  { of: "fruitful", name: "led to a finding worth filing", colour: 3 },
  { of: "read", name: "read in its current version", colour: 0 },
  { of: "changed", name: "changed since it was read", colour: 1 },
  { of: "unread", name: "not read", colour: "-none" },
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

const functions = (data) => section("", h("p", {}, link("#/compiler", "All files of the compiler")), table(`Functions of ${data.file}`, [
  ["function", (row) => h("code", {}, row.name)],
  ["line", (row) => row.line, "number"],
  ["state", (row) => [row.ready > 0 && badge("led to a finding", "good"), row.changed && badge("changed", "mid"), row.read_as_is || badge(row.readings > 0 ? "read in an older version" : "not read", "dim")]],
  ["times read", (row) => (row.readings > 0 ? count(row.readings) : ""), "number"],
  ["inconsistent", (row) => row.inconsistent || "", "number"],
  ["findings", (row) => row.ready || "", "number"],
], data.functions, "There is no such file in the source of torch that was read."));

export const compiler = {
  path: ({ query }) => (query.get("file") ? `/api/compiler?file=${encodeURIComponent(query.get("file"))}` : "/api/compiler"),
  title: ({ query }) => query.get("file") || "Compiler",
  render: (data) => (data.torch === ""
    ? [section("", h("p", { class: "empty" }, "The source of torch has not been read yet. parityd reads it when it first asks a model. See docs/reading.md."))]
    : data.file
      ? [functions(data)]
      : [section("", h("p", {}, `Which functions of torch ${data.torch} a model has read. Each function is counted once.${data.before ? ` Changes are relative to torch ${data.before}.` : ""}`)),
        ...data.areas.map(area)]),
};
