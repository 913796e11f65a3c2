// All about one finding: difference, certainty, extent, program, draft and triage.
import { get, post } from "/api.js";
import { changes } from "/changes.js";
import { badge, copyButton, count, dispositionBadge, facts, h, link, plural, seconds, section, small, table, words } from "/dom.js";
import { plain, python } from "/python.js";

const triggerWords = {
  ordinary: "ordinary: occurs with ordinary inputs and default settings",
  config: "config: occurs with ordinary inputs, but only with the program's own settings",
  edge: "edge: does not occur with ordinary inputs",
  unknown: "unknown: not tried with ordinary inputs",
};

function decide() {
  const status = document.querySelector("form.triage select");
  status.scrollIntoView({ block: "center" });
  status.focus({ preventScroll: true });
}

function summary(data) {
  return h("section", { "aria-label": "Summary" },
    h("p", { class: "badges" }, dispositionBadge(data.disposition), badge(data.status, "mid"), badge(data.kind), badge(data.stage), h("button", { type: "button", class: "decide", onclick: decide }, "Go to triage")),
    facts([
      ["Difference", data.explanation],
      ["Hypothesis", data.hypothesis && [
        `${data.hypothesis} (stated by a language model before the program ran; attribution: ${data.hypothesis_agreement}; `, link(`#/reply/${data.hypothesis_reply}`, "conversation"), ")"]],
      ["Confirmed", `in ${data.hits} of ${data.rounds} rounds of two fresh processes`],
      ["Stage", `first stage that differs: ${data.stage}`],
      ["Trigger", triggerWords[data.trigger] ?? data.trigger],
      ["Extent", data.extent],
      ["Wrong side", data.side],
      ["Severity", data.severity_words],
      ["Alarm", data.alarm],
      ["Merged into", data.merged_into === null ? "" : link(`#/finding/${data.merged_into}`, `finding ${data.merged_into}`)],
      ["Reduced", data.statements > 0 ? data.statements_before === data.statements ? `${plural(data.statements, "statement")}, as before` : `from ${data.statements_before} to ${plural(data.statements, "statement")}` : ""],
      ["Found", `in ${plural(data.occurrences, "program")}, first at ${data.created_at} UTC with torch ${data.torch} on ${data.device}`],
      ["Operators", data.operators.join(", ")],
      ["Dtypes", data.dtypes.join(", ")],
      ["Signature", h("code", {}, data.signature)],
      ["Sandbox", data.sandbox.level],
      ["Next step", data.next_step],
      ["Reason", data.why],
    ]));
}

/** The rows of the last round of fresh processes; of the reduced program, if it was confirmed. */
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
    ["max. difference", (row) => small(row.max_absolute), "number"],
    ["max. relative", (row) => small(row.max_relative), "number"],
    ["differing elements", (row) => (row.elements > 0 ? `${count(row.unequal)} of ${count(row.elements)}` : ""), "number"],
    ["difference", (row) => row.detail, "wide"],
  ], rows, empty, "stacked");

const shownNumbers = 12; // rows before the others are unfolded

function numbers(data) {
  const shown = decisive(data.numbers).slice(0, shownNumbers);
  const all = data.numbers.length;
  return section("Differing values",
    numberTable("Leaves that differ", shown, "No values differ: the runs end differently. See Evidence."),
    shown.length === all ? null : h("details", {}, h("summary", {}, `All rounds (${plural(all, "row")})`),
      numberTable("Leaves that differ, all rounds", data.numbers)));
}

const answerBadge = (answer) => {
  const text = typeof answer === "string" ? answer : answer === true ? "vanishes" : answer === false ? "remains" : "undecided";
  return badge(words(text), /vanish|gone/.test(text) ? "good" : "dim");
};

function ablation(data) {
  const { attribution } = data;
  if (attribution === null) return section("Attribution", h("p", { class: "empty" }, "Not attributed yet."));
  return section("Attribution",
    facts([["Vanishes with", attribution.words || "nothing that was tried"], ["Reason", attribution.why],
      ["Caveat", attribution.caveat], ["Runs", attribution.runs]]),
    attribution.workaround ? [h("h3", {}, "Workaround"), copyButton("Copy workaround", attribution.workaround), python(attribution.workaround, "Workaround")] : null,
    h("h3", {}, "Ablations"), table("Ablations", [["change", (row) => row.words, "wide"], ["difference", (row) => answerBadge(row.answer)]], attribution.ablations ?? [], "No ablation was run."));
}

function extent({ extent_tried: tried }) {
  if (tried === null) return null;
  return section("Extent", h("p", {}, tried.sentence || "Unknown: no variant gave a clear answer."), table("Variants that were tried", [
    ["aspect", (row) => row.aspect],
    ["value", (row) => (row.unit ? `${row.value} ${row.unit}` : row.value)],
    ["differs", (row) => badge(row.shows === true ? "yes" : row.shows === false ? "no" : "undecided", row.shows === true ? "bad" : "dim")],
  ], tried.tried ?? []));
}

function evidence(data) {
  return section("Evidence", table("Runs of the first program", [
    ["round", (row) => words(row.round)],
    ["verdict", (row) => badge(row.verdict, row.verdict === "inconsistent" ? "bad" : "dim")],
    ["rule", (row) => row.rule],
    ["eager", (row) => row.eager, "wide"],
    ["compiled", (row) => `${row.compiled_mode}: ${row.compiled}`, "wide"],
    ["worker time", (row) => seconds(row.worker_seconds), "number"],
    ["time (UTC)", (row) => row.at],
  ], data.rounds_shown, "No round has run yet.", "stacked"));
}

function occurrences(data) {
  const shown = data.programs.length;
  return section("Occurrences", table("Programs that show this finding", [
    ["program", (row) => link(`#/program/${row.program}`, row.program)],
    ["origin", (row) => row.origin],
    ["strategy", (row) => row.strategy],
    ["attributed to", (row) => row.blamed_pass],
    ["why it belongs here", (row) => (row.recorded_for === data.id ? row.why : `merged with finding ${row.recorded_for}: ${row.why}`), "wide"],
    ["time (UTC)", (row) => row.at],
  ], data.programs), shown < data.occurrences ? h("p", { class: "foot" }, `The first ${count(shown)} of ${plural(data.occurrences, "program")}.`) : null);
}

function elsewhere(data) {
  const { versions, known } = data;
  return [
    known.length === 0 ? null : section("Possible known issues", table("Possible known issues", [
      ["issue", (row) => link(row.url, row.issue)], ["state", (row) => row.state], ["confidence", (row) => row.confidence],
      ["reason", (row) => row.reason, "wide"],
    ], known)),
    versions.rechecks.length === 0 ? null : section("Other torch versions and devices", h("p", {}, versions.range), table("Rechecks", [
      ["torch", (row) => row.torch], ["device", (row) => row.device], ["result", (row) => row.result],
      ["rounds", (row) => `${row.hits} of ${row.rounds}`, "number"], ["reason", (row) => row.reason, "wide"], ["time (UTC)", (row) => row.at],
    ], versions.rechecks)),
  ];
}

const script = ({ script_runs: runs }) => (runs.length === 0 ? null : section("Runs of the repro script", runs.map((run) => [
  h("p", {}, badge(run.shown ? "reproduced" : "not reproduced", run.shown ? "good" : "bad"), ` with torch ${run.torch} on ${run.device}, ${run.at} UTC: ${run.words}`),
  h("details", {}, h("summary", {}, "Output"), plain(run.text, `Output of the script with torch ${run.torch}`)),
])));

function draft(data) {
  return section("Draft", data.draft === "" ? h("p", { class: "empty" }, "Not written yet.") : [
    h("p", { class: "foot" }, "parityd never posts anything. Check the draft, then file it yourself."),
    facts([["Title", data.draft_title]]),
    copyButton("Copy title", data.draft_title), " ", copyButton("Copy draft", data.draft), " ",
    data.repro ? copyButton("Copy script", data.repro) : null,
    plain(data.draft, "Draft")]);
}

const statuses = ["new", "filed", "known", "fixed", "regressed", "wontfix", "false_positive"];

/** The result of the request, once the daemon has processed it. */
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
    field("note", "Note", "optional"),
    h("label", {}, "What you checked yourself", h("textarea", { name: "checked", rows: 2, placeholder: "appears in the draft; required for the status filed" })),
    h("button", {}, "Save"), said);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    said.textContent = "Saving …";
    try {
      const entries = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
      const { request } = await post("/api/triage", { finding: data.id, ...entries });
      const told = await result(request);
      said.textContent = told === null ? "Queued: the daemon has not processed it yet." : told === "taken" ? "Saved." : told;
      dispatchEvent(new Event("parityd-refresh"));
    } catch (error) {
      said.textContent = `Refused: ${error.message}`;
    }
  });
  return h("section", { "data-keep": `triage ${data.id}` }, h("h2", {}, "Triage"), form);
}

const decisions = (data) => (data.decisions.length === 0 ? null : section("Decisions", table("Decisions", [
  ["status", (row) => badge(row.status)], ["issue", (row) => (row.issue ? link(row.issue, row.issue) : "")], ["note", (row) => row.note, "wide"],
  ["checked", (row) => row.checked, "wide"], ["decided by", (row) => row.who], ["time (UTC)", (row) => row.at],
], data.decisions)));

export const finding = {
  path: ({ id }) => `/api/findings/${id}`,
  title: ({ id }, data) => (data ? `Finding ${id}: ${data.title}` : `Finding ${id}`),
  render: (data) => [
    summary(data),
    section("Reduced program", copyButton("Copy program", data.reduced), python(data.reduced, "Reduced program")),
    numbers(data), ablation(data), extent(data), evidence(data), ...elsewhere(data), script(data), changes(data), draft(data), triage(data), decisions(data), occurrences(data),
  ],
};
