// A finding whole: what, how sure, how far, its program, its draft, and what a person decides about it.
import { get, post } from "/api.js";
import { badge, copyButton, count, dispositionBadge, facts, h, link, plural, seconds, section, small, table } from "/dom.js";
import { plain, python } from "/python.js";

const triggerWords = {
  ordinary: "ordinary: shown with ordinary inputs and default settings",
  config: "config: shown with ordinary inputs, but only under the program's own settings",
  edge: "edge: not shown with ordinary inputs",
  unknown: "unknown: not tried with ordinary inputs",
};

function decide() {
  const status = document.querySelector("form.triage select");
  status.scrollIntoView({ block: "center" });
  status.focus({ preventScroll: true });
}

function summary(data) {
  return h("section", { "aria-label": "Summary" },
    h("p", { class: "badges" }, dispositionBadge(data.disposition), badge(data.status, "mid"), badge(data.kind), badge(data.stage), h("button", { type: "button", class: "decide", onclick: decide }, "Decide")),
    facts([
      ["What", data.explanation],
      ["Hypothesis", data.hypothesis && [
        `${data.hypothesis} (of a language model, before it ran; attribution: ${data.hypothesis_agreement}; `, link(`#/reply/${data.hypothesis_reply}`, "the conversation"), ")"]],
      ["Confirmed", `${data.hits} of ${data.rounds} rounds of two fresh processes`],
      ["Stage", `first seen at ${data.stage}`],
      ["Trigger", triggerWords[data.trigger] ?? data.trigger],
      ["Extent", data.extent],
      ["Wrong side", data.side],
      ["Severity", data.severity || ""],
      ["Alarm", data.alarm],
      ["Merged into", data.merged_into === null ? "" : link(`#/finding/${data.merged_into}`, `finding ${data.merged_into}`)],
      ["Reduced", data.statements > 0 ? `from ${data.statements_before} to ${plural(data.statements, "statement")}` : ""],
      ["Seen", `${plural(data.occurrences, "program")}, first ${data.created_at} UTC, torch ${data.torch} on ${data.device}`],
      ["Operators", data.operators.join(", ")],
      ["Dtypes", data.dtypes.join(", ")],
      ["Signature", h("code", {}, data.signature)],
      ["Sandbox", data.sandbox.level],
      ["Next step", data.next_step],
      ["Why", data.why],
    ]));
}

const words = (name) => name.replaceAll("_", " ");

/** The rows of the last round that compared fresh processes, of the reduced program where it was tried. */
function decisive(rows) {
  const of = (name) => rows.filter((row) => row.round.startsWith(name));
  const last = [of("final_confirmation"), of("confirmation"), rows].find((each) => each.length > 0)?.at(-1)?.round;
  return rows.filter((row) => row.round === last);
}

const numberTable = (caption, rows, empty) => table(caption, [
    ["leaf", (row) => h("code", {}, row.leaf)],
    ["round", (row) => words(row.round)],
    ["expected", (row) => row.expected],
    ["got", (row) => row.actual],
    ["largest difference", (row) => small(row.max_absolute), "number"],
    ["relative", (row) => small(row.max_relative), "number"],
    ["elements", (row) => (row.elements > 0 ? `${count(row.unequal)} of ${count(row.elements)}` : ""), "number"],
    ["what", (row) => row.detail, "wide"],
  ], rows, empty);

function numbers(data) {
  const shown = decisive(data.numbers);
  const all = data.numbers.length;
  return section("Numbers",
    numberTable("Leaves that differ", shown, "No numbers: it is shown by how the modes end."),
    shown.length === all ? null : h("details", {}, h("summary", {}, `All ${count(all)} rows of all rounds`),
      numberTable("Leaves that differ, of all rounds", data.numbers)));
}

const answerBadge = (answer) => {
  const text = typeof answer === "string" ? answer : answer === true ? "vanishes" : answer === false ? "stays" : "cannot tell";
  return badge(text.replaceAll("_", " "), /vanish|gone/.test(text) ? "good" : "dim");
};

function ablation(data) {
  const { attribution } = data;
  if (attribution === null) return section("What makes it vanish", h("p", { class: "empty" }, "Not asked yet."));
  return section("What makes it vanish",
    facts([["Vanishes with", attribution.words || "nothing that was tried"], ["Why", attribution.why],
      ["Caveat", attribution.caveat], ["Runs", attribution.runs]]),
    attribution.workaround ? [h("h3", {}, "Workaround"), copyButton("Copy the workaround", attribution.workaround), python(attribution.workaround, "Workaround")] : null,
    table("Ablation", [["with", (row) => row.words, "wide"], ["it", (row) => answerBadge(row.answer)]], attribution.ablations ?? [], "Nothing was tried."));
}

function extent({ extent_tried: tried }) {
  if (tried === null) return null;
  return section("Extent", h("p", {}, tried.sentence || "Nothing could be told."), table("Variants that were tried", [
    ["aspect", (row) => row.aspect],
    ["value", (row) => (row.unit ? `${row.value} ${row.unit}` : row.value)],
    ["shows it", (row) => badge(row.shows === true ? "yes" : row.shows === false ? "no" : "cannot tell", row.shows === true ? "bad" : "dim")],
  ], tried.tried ?? []));
}

function evidence(data) {
  return section("Evidence", table("Rounds of its first program", [
    ["round", (row) => words(row.round)],
    ["verdict", (row) => badge(row.verdict, row.verdict === "inconsistent" ? "bad" : "dim")],
    ["rule", (row) => row.rule],
    ["eager", (row) => row.eager, "wide"],
    ["compiled", (row) => `${row.compiled_mode}: ${row.compiled}`, "wide"],
    ["worker time", (row) => seconds(row.worker_seconds), "number"],
    ["at (UTC)", (row) => row.at],
  ], data.rounds_shown));
}

function occurrences(data) {
  const shown = data.programs.length;
  return section("Programs that show it", table("Programs that show it", [
    ["program", (row) => link(`#/program/${row.program}`, row.program)],
    ["origin", (row) => row.origin],
    ["strategy", (row) => row.strategy],
    ["blamed", (row) => row.blamed_pass],
    ["why it is the same", (row) => (row.recorded_for === data.id ? row.why : `of finding ${row.recorded_for}, merged: ${row.why}`), "wide"],
    ["seen (UTC)", (row) => row.at],
  ], data.programs), shown < data.occurrences ? h("p", { class: "foot" }, `The first ${shown} of ${count(data.occurrences)}.`) : null);
}

function elsewhere(data) {
  const { versions, known } = data;
  return [
    known.length === 0 ? null : section("Possibly known", table("Issues it may be", [
      ["issue", (row) => link(row.url, row.issue)], ["state", (row) => row.state], ["confidence", (row) => row.confidence],
      ["why", (row) => row.reason, "wide"],
    ], known)),
    versions.rechecks.length === 0 ? null : section("On other torches and devices", h("p", {}, versions.range), table("Rechecks", [
      ["torch", (row) => row.torch], ["device", (row) => row.device], ["result", (row) => row.result],
      ["shown", (row) => `${row.hits} of ${row.rounds}`, "number"], ["why", (row) => row.reason, "wide"], ["at (UTC)", (row) => row.at],
    ], versions.rechecks)),
  ];
}

const script = ({ script_runs: runs }) => (runs.length === 0 ? null : section("Its script, run by itself", runs.map((run) => [
  h("p", {}, badge(run.shown ? "shown" : "not ready", run.shown ? "good" : "bad"), ` torch ${run.torch} on ${run.device}, ${run.at} UTC: ${run.words}`),
  h("details", {}, h("summary", {}, "What it printed"), plain(run.text, `Script on torch ${run.torch}`)),
])));

function draft(data) {
  return section("Draft", data.draft === "" ? h("p", { class: "empty" }, "Not written yet.") : [
    h("p", { class: "foot" }, "Nothing is ever posted: check it, then file it yourself."),
    facts([["Title", data.draft_title]]),
    copyButton("Copy the title", data.draft_title), " ", copyButton("Copy the draft", data.draft), " ",
    data.repro ? copyButton("Copy the script", data.repro) : null,
    plain(data.draft, "Draft")]);
}

const statuses = ["new", "filed", "known", "fixed", "regressed", "wontfix", "false_positive"];

/** What the daemon made of the request, once it has taken it. */
async function result(request, patience = 60) {
  const told = await get(`/api/requests/${request}`);
  if (told.result !== null || patience === 0) return told.result;
  await new Promise((resolve) => setTimeout(resolve, 500));
  return result(request, patience - 1);
}

function triage(data) {
  const field = (name, label, hint) => h("label", {}, label, h("input", { name, placeholder: hint, autocomplete: "off" }));
  const said = h("p", { role: "status", id: "triage-said" });
  const form = h("form", { class: "triage", "aria-label": "Triage" },
    h("label", {}, "Status", h("select", { name: "status" }, statuses.map((each) => h("option", { value: each }, each)))),
    field("issue", "Issue", "https://github.com/pytorch/pytorch/issues/NUMBER"),
    field("note", "Note", "anything worth keeping"),
    h("label", {}, "What you checked yourself", h("textarea", { name: "checked", rows: 2, placeholder: "goes into the draft; filed needs it" })),
    h("button", {}, "Decide"), said);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    said.textContent = "asking the daemon";
    try {
      const entries = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
      const { request } = await post("/api/triage", { finding: data.id, ...entries });
      const told = await result(request);
      said.textContent = told === null ? "The daemon has not taken it yet; it is kept." : told === "taken" ? "Kept." : told;
      dispatchEvent(new Event("parityd-refresh"));
    } catch (error) {
      said.textContent = `Refused: ${error.message}`;
    }
  });
  return h("section", { "data-keep": `triage ${data.id}` }, h("h2", {}, "Triage"), form);
}

const decisions = (data) => (data.decisions.length === 0 ? null : section("Decisions", table("Decisions", [
  ["status", (row) => badge(row.status)], ["issue", (row) => (row.issue ? link(row.issue, row.issue) : "")], ["note", (row) => row.note, "wide"],
  ["checked", (row) => row.checked, "wide"], ["who", (row) => row.who], ["at (UTC)", (row) => row.at],
], data.decisions)));

export const finding = {
  path: ({ id }) => `/api/findings/${id}`,
  title: ({ id }, data) => (data ? `Finding ${id}: ${data.title}` : `Finding ${id}`),
  render: (data) => [
    summary(data),
    section("Program, reduced", copyButton("Copy the program", data.reduced), python(data.reduced, "Program, reduced")),
    numbers(data), ablation(data), extent(data), evidence(data), ...elsewhere(data), script(data), draft(data), triage(data), decisions(data), occurrences(data),
  ],
};
