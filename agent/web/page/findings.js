// The list of findings, with the filters of `parityd findings`.
import { badge, breakable, count, dispositionBadge, h, link, plural, section, table } from "/dom.js";

const choices = {
  kind: ["behaviour", "missing_check", "numerical", "metadata", "mutation", "gradient", "crash", "hang"],
  stage: ["dynamo_eager", "aot_eager", "aot_eager_decomp_partition", "inductor"],
  disposition: ["ready", "umbrella", "known", "held"],
  trigger: ["ordinary", "edge", "config", "unknown"],
  status: ["new", "filed", "known", "fixed", "regressed", "wontfix", "false_positive"],
  device: ["cpu", "cuda"],
};
const texts = { operator: "max, aten.max.dim", dtype: "int8", torch: "2.13", since: "7d, 2026-03-02" };
const names = ["search", ...Object.keys(choices), ...Object.keys(texts), "limit"];
const mostAtOnce = 10000;

/** What is asked for, in one order and without what is not. */
const asked = (valueOf) => new URLSearchParams(names.map((name) => [name, (valueOf(name) ?? "").trim()]).filter(([, value]) => value !== ""));
const addressOf = (query) => (query.size > 0 ? `#/findings?${query}` : "#/findings");

function filters(query) {
  const chosen = (name) => query.get(name) ?? "";
  const choose = (name) => h("label", {}, name,
    h("select", { name }, h("option", { value: "" }, "any"),
      choices[name].map((each) => h("option", { value: each, selected: chosen(name) === each }, each))));
  const write = (name) => h("label", {}, name, h("input", { name, value: chosen(name), placeholder: texts[name], size: 10 }));
  let timer = 0;
  const clear = () => {
    for (const name of names) {
      if (form.elements[name]) form.elements[name].value = "";
    }
    ask();
  };
  const form = h("form", { class: "filters", role: "search", "aria-label": "Findings" },
    h("label", { class: "search" }, "Search", h("input", {
      type: "search", name: "search", id: "search", value: chosen("search"), placeholder: "title, signature or program (press /)",
    })),
    h("details", { open: matchMedia("(min-width: 40rem)").matches || [...query.keys()].some((name) => name !== "search") },
      h("summary", {}, "Filters"),
      h("div", { class: "filters" }, Object.keys(choices).map(choose), Object.keys(texts).map(write),
        h("button", { type: "button", onclick: clear }, "Clear filters"))));
  const ask = () => {
    clearTimeout(timer);
    if (!form.isConnected) return; // another screen is shown by now
    const wanted = asked((name) => form.elements[name]?.value);
    part.dataset.keep = `filters ${wanted}`; // this form says it already
    history.replaceState(null, "", addressOf(wanted));
    dispatchEvent(new HashChangeEvent("hashchange"));
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
  const soon = () => { clearTimeout(timer); timer = setTimeout(ask, 250); };
  form.addEventListener("input", soon);
  form.addEventListener("change", soon); // all that some tools send for a choice
  const part = h("section", { "data-keep": `filters ${asked((name) => (name === "limit" ? "" : chosen(name)))}` }, form);
  return part;
}

export const findings = {
  path: ({ query }) => `/api/findings?${asked((name) => query.get(name))}`,
  title: () => "Findings",
  render: (data, { query }) => {
    const { findings: rows, limit } = data;
    const more = asked((name) => (name === "limit" ? String(Math.min(5 * limit, mostAtOnce)) : query.get(name)));
    return [
      filters(query),
      section("",
        h("p", { class: "foot", role: "status" },
          rows.length === limit ? [`The first ${count(limit)}, most important first. `, limit < mostAtOnce ? link(addressOf(more), "Show more") : null]
            : plural(rows.length, "finding")),
        table("Findings, most important first", [
          ["finding", (row) => link(`#/finding/${row.id}`, row.id)],
          ["title", (row) => [link(`#/finding/${row.id}`, row.title, { tabindex: "-1" }),
            row.alarm ? h("span", { class: "badge mid", title: row.alarm }, "may have more than one cause") : null], "wide title"],
          ["disposition", (row) => dispositionBadge(row.disposition)],
          ["kind", (row) => row.kind],
          ["stage", (row) => breakable(row.stage), "wrap"],
          ["trigger", (row) => row.trigger],
          ["status", (row) => badge(row.status, row.status === "new" ? "mid" : "dim")],
          ["programs", (row) => count(row.occurrences), "number"],
          ["device", (row) => row.device],
          ["found (UTC)", (row) => row.created_at.slice(0, 16)],
        ], rows, query.size > 0 ? "No findings match." : "No findings yet.", "stacked")),
    ];
  },
};
