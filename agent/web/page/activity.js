// What the daemon does: strategies, workers, replies, programs, events.
import { bars, days, parts } from "/charts.js";
import { badge, copyButton, count, dollars, facts, h, link, percent, plural, seconds, section, table, words } from "/dom.js";
import { plain, python } from "/python.js";

function arms(rows) {
  const title = "Strategy selection";
  return section(title, table(title, [
    ["arm", (row) => row.arm],
    ["pulls", (row) => count(row.pulls), "number"],
    ["points", (row) => row.points.toFixed(1), "number"],
    ["dollars", (row) => row.dollars.toFixed(5), "number"],
    ["points per dollar", (row) => count(row.points_a_dollar), "number"],
    ["chance of being next", (row) => percent(row.next_choice), "number"],
  ], rows, "No strategy has been chosen yet."));
}

export const strategies = {
  path: () => "/api/strategies",
  title: () => "Strategies",
  render: (data) => [
    h("p", { class: "lead" }, "A strategy earns points for the results of its programs: most for a new signature, least for a valid program. Older pulls count less with each new one."),
    arms(data.arms),
    section("Cost and yield of replies", table("Cost and yield of replies", [
      ["strategy", (row) => row.strategy || "none"],
      ["provider", (row) => row.provider],
      ["replies", (row) => count(row.replies), "number"],
      ["failed", (row) => count(row.failed), "number"],
      ["valid", (row) => count(row.valid), "number"],
      ["findings", (row) => count(row.findings), "number"],
      ["dollars", (row) => dollars(row.dollars), "number"],
      ["dollars per finding", (row) => (row.dollars_per_finding === null ? "" : dollars(row.dollars_per_finding)), "number"],
    ], data.costs, "No model has been asked yet.")),
    section("Repairs", table("Repairs by error class", [
      ["error class", (row) => row.class],
      ["round", (row) => row.round, "number"],
      ["requested", (row) => count(row.asked), "number"],
      ["programs", (row) => count(row.programs), "number"],
      ["valid", (row) => count(row.valid), "number"],
      ["same error again", (row) => count(row.same_error), "number"],
      ["declined", (row) => count(row.declined), "number"],
    ], data.repairs, "No repair has been requested yet.")),
    section("Content of replies", bars("Content of replies", data.reply_classes.map((row) =>
      ({ name: `${words(row.purpose)}: ${words(row.class || "not parsed yet")}`, value: row.replies })), "No model has been asked yet.")),
  ],
};

// In this order, each with the same colour in every group; idle is grey.
const occupations = ["compile", "confirmation", "eager", "compare", "reset", "import", "prime", "canary", "screen", "idle"];

export function workerTime(groups) {
  const of = (group) => occupations.filter((name) => name in group.occupations)
    .map((name) => ({ name, value: group.occupations[name].seconds, colour: occupations.indexOf(name) }));
  return section("Worker time by use", groups.length === 0 ? h("p", { class: "empty" }, "No worker has run yet.") :
    groups.map((group) => parts(`${group.name}: ${seconds(group.seconds)}, ${percent(group.busy)} busy`, of(group),
      (row, sum) => percent(row.value / sum))));
}

const stateOf = (group) =>
  group.problem ? badge(group.problem, "bad") : group.busy + group.fork_busy > 0 ? badge("busy", "good")
    : group.starting > 0 ? badge("starting", "mid") : badge("idle", "dim");

export const workers = {
  path: () => "/api/workers",
  title: () => "Workers",
  render: (data) => [
    section("Current state", table("Current state of each worker group", [
      ["group", (row) => row.name],
      ["state", stateOf],
      ["device", (row) => row.device],
      ["torch", (row) => row.torch],
      ["busy", (row) => count(row.busy), "number"],
      ["ready", (row) => count(row.ready), "number"],
      ["starting", (row) => count(row.starting), "number"],
      ["fresh processes", (row) => count(row.fork_busy), "number"],
      ["queued", (row) => count(row.queued), "number"],
      ["started", (row) => count(row.started), "number"],
      ["retired", (row) => count(row.retired), "number"],
      ["killed", (row) => count(row.killed), "number"],
    ], data.state, "No daemon has run here yet."),
      data.state.length > 0 && h("p", { class: "foot" }, "The daemon updates this every ten seconds.")),
    h("div", { class: "grid" }, workerTime(data.groups),
      section("Busy worker time by day (UTC)", days("Busy worker time by day",
        data.days.map((day) => ({ day: day.day, value: day.busy_seconds / 3600 })), (hours) => `${Number(hours.toPrecision(2))} h`))),
    section("Latest runs", table("Latest runs", [
      ["program", (row) => link(`#/program/${row.program}`, row.program)],
      ["purpose", (row) => words(row.round > 0 ? `${row.purpose} ${row.round}` : row.purpose)],
      ["verdict", (row) => row.verdict],
      ["device", (row) => row.device],
      ["torch", (row) => row.torch],
      ["worker time", (row) => seconds(row.worker_seconds), "number"],
      ["time (UTC)", (row) => row.at],
    ], data.runs, "No program has run yet.")),
    section("Harness failures", table("Failures of the harness itself", [
      ["time (UTC)", (row) => row.at],
      ["program", (row) => (row.program === null ? "" : link(`#/program/${row.program}`, row.program))],
      ["message", (row) => row.text, "wide"],
    ], data.harness_failures, "There have been none.")),
  ],
};

/** Links to the newest rows and to those before the last row shown: `#/events?before=12`. */
const pager = (screen, rows) =>
  h("p", { class: "foot" }, rows.length > 0 ? link(`#/${screen}?before=${rows[rows.length - 1].id}`, "Older") : null,
    " ", link(`#/${screen}`, "Newest"));
const before = (path, { query }) => (query.get("before") ? `${path}?before=${Number(query.get("before"))}` : path);

export const replies = {
  path: (place) => before("/api/replies", place),
  title: () => "Replies",
  render: (rows) => [
    section("", table("Replies", [
      ["reply", (row) => link(`#/reply/${row.id}`, row.id)],
      ["state", (row) => badge(row.state, row.state === "answered" ? "good" : row.state === "in flight" ? "mid" : "bad")],
      ["purpose", (row) => words(row.purpose)],
      ["strategy", (row) => row.strategy],
      ["content", (row) => words(row.class)],
      ["tokens in + out", (row) => `${count(row.prompt_tokens)} + ${count(row.completion_tokens)}`, "number"],
      ["dollars", (row) => dollars(row.dollars), "number"],
      ["latency", (row) => seconds(row.latency_seconds), "number"],
      ["provider", (row) => row.provider],
      ["time (UTC)", (row) => row.at],
    ], rows, "No model has been asked yet."), pager("replies", rows)),
  ],
};

const withoutHypotheses = (round) => {
  if (round.class === "nothing_left") return "The model reported that nothing is left to try.";
  return { answered: "The answer contains no hypothesis.", "in flight": "No answer yet." }[round.state] ?? "No answer.";
};

/** Rounds in which a model reads source, states hypotheses and receives their outcomes. */
const conversation = (data) => section("Conversation",
  h("p", {}, `Subject: ${data.conversation[0].chapter} of torch ${data.conversation[0].torch}.`),
  data.conversation.map((round) => h("div", {},
    h("h3", {}, round.round === 0 ? "Source chapter" : `Round ${round.round}: outcomes`, " ",
      round.reply === data.id ? badge("this reply", "good") : link(`#/reply/${round.reply}`, `reply ${round.reply}`),
      ` ${round.at} UTC, ${dollars(round.dollars)}${round.state === "answered" ? "" : `, ${round.state}`}`),
    table(`Hypotheses of reply ${round.reply}`, [
      ["program", (row) => (row.program === null ? "" : link(`#/program/${row.program}`, row.program))],
      ["outcome", (row) => row.outcome],
      ["hypothesis", (row) => row.text, "wide"],
    ], round.hypotheses, withoutHypotheses(round)))));

export const reply = {
  path: ({ id }) => `/api/replies/${id}`,
  title: ({ id }) => `Reply ${id}`,
  render: (data) => [
    section("", facts([
      ["Model", `${data.provider}, ${data.model}`], ["Strategy", data.strategy], ["Purpose", words(data.purpose)],
      ["Repairs program", data.program === null ? "" : link(`#/program/${data.program}`, data.program)],
      ["State", data.state], ["Content", words(data.class)], ["Finish reason", data.finish], ["Error", data.error],
      ["Tokens", `${count(data.prompt_tokens)} in, ${count(data.completion_tokens)} out`],
      ["Cost", dollars(data.dollars)], ["Latency", `${seconds(data.latency_seconds)}, ${plural(data.attempts, "attempt")}`], ["Time", `${data.at} UTC`],
    ])),
    data.conversation.length > 0 && conversation(data),
    section("Reply", copyButton("Copy reply", data.text), plain(data.text, "Reply")),
    section("Prompt", copyButton("Copy prompt", data.prompt), plain(data.prompt, "Prompt")),
  ],
};

export const program = {
  path: ({ id }) => `/api/programs/${id}`,
  title: ({ id }) => `Program ${id}`,
  render: (data) => [
    section("", facts([
      ["Origin", data.origin], ["Strategy", data.strategy], ["State", data.state], ["Next step", data.next_step], ["Reason", data.why],
      ["Verdict", data.verdict], ["Rule", data.rule], ["Explanation", data.explanation],
      ["Reply", data.reply === null ? "" : link(`#/reply/${data.reply}`, data.reply)],
      ["Derived from", data.parent === null ? "" : link(`#/program/${data.parent}`, `program ${data.parent}`)], ["Added", `${data.created_at} UTC`],
    ])),
    section("Source", copyButton("Copy program", data.text), python(data.text, "Program")),
  ],
};

export const levelBadge = (level) => badge(level, level === "info" ? "dim" : level === "warning" ? "mid" : "bad");

export const eventTable = (rows) => table("Events", [
  ["time (UTC)", (row) => row.at],
  ["level", (row) => levelBadge(row.level)],
  ["event", (row) => row.what],
  ["message", (row) => row.text, "wide"],
], rows, "No events yet.", "stacked");

export const events = {
  path: (place) => before("/api/events", place),
  title: () => "Events",
  render: (rows) => [section("", eventTable(rows), pager("events", rows))],
};
