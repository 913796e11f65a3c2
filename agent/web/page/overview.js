// The overview: results, costs, and how worker time was used.
import { eventTable, levelBadge, workerTime } from "/activity.js";
import { bars, days, growth, parts } from "/charts.js";
import { badge, count, dollars, facts, h, link, percent, plural, section, table, words } from "/dom.js";

const share = (part, whole) => (whole > 0 ? percent(part / whole) : "");

function tiles(data) {
  const { counts, money } = data;
  const tile = (name, value, note, address) =>
    h("li", {}, h("span", { class: "tile-name" }, name),
      h("span", { class: "tile-value" }, address ? link(address, value) : value), h("small", {}, note));
  const busy = data.groups.reduce((sum, group) => sum + group.busy * group.seconds, 0);
  const all = data.groups.reduce((sum, group) => sum + group.seconds, 0);
  const cap = money.day.cap === null ? "no cap" : `of ${dollars(money.day.cap)}`;
  return h("section", { "aria-label": "At a glance" }, h("ul", { class: "tiles" },
    tile("Ready to file", count(data.findings.to_file), `of ${plural(counts.findings, "finding")}`, "#/findings?disposition=ready&status=new"),
    tile("Programs", count(counts.programs), `${data.programs_per_minute.toFixed(1)} per minute`),
    tile("Valid", share(counts.valid, counts.programs) || "0", `${count(counts.repaired)} after repair`),
    tile("Spent today", dollars(money.day.spent), cap),
    tile("Workers busy", all > 0 ? percent(busy / all) : "0", "of worker time", "#/workers")));
}

/** Faults that hold now or happened within a day, the most severe first. Nothing if there are none. */
function alarms({ condition, alarms: rows }) {
  if (rows.length === 0) return null;
  const word = condition === "degraded" ? "Action needed: part of the work is stopped" : "Warnings";
  return h("section", { class: `alarming ${condition === "degraded" ? "bad" : ""}`, "aria-label": "Alarms" }, h("h2", {}, word),
    h("ul", { class: "alarms" }, rows.map((row) => h("li", {}, levelBadge(row.level), " ", h("strong", {}, row.kind), row.subject ? ` (${row.subject})` : "",
      h("small", {}, ` ${plural(row.times, "time")}, first ${row.first}, last ${row.last} UTC`), h("p", {}, row.text)))),
    h("p", { class: "foot" }, "docs/troubleshooting.md explains each of these names and what to do."));
}

function health({ health: rates }) {
  return section("Health checks", bars("Health checks", rates.map((rate) => ({
    name: rate.name, value: rate.bad, of: Math.max(rate.all, 1), over: rate.alarm,
    shown: `${count(rate.bad)} of ${count(rate.all)}`, note: `limit ${Number((100 * rate.limit).toPrecision(3))} %`,
  }))));
}

function funnel({ counts, findings }) {
  const rows = [
    { name: "Prompts", value: counts.replies, note: counts.failed_replies ? `${count(counts.failed_replies)} failed` : "" },
    { name: "Programs", value: counts.programs, note: "" },
    { name: "Valid", value: counts.valid, note: share(counts.valid, counts.programs) && `${share(counts.valid, counts.programs)} of programs` },
    { name: "Suspects", value: counts.suspects, note: share(counts.suspects, counts.valid) && `${share(counts.suspects, counts.valid)} of valid` },
    { name: "Findings", value: counts.findings, note: `in ${plural(counts.occurrences, "program")}` },
    { name: "Ready", value: findings.disposition.ready ?? 0, note: share(findings.disposition.ready ?? 0, counts.findings) && `${share(findings.disposition.ready ?? 0, counts.findings)} of findings` },
    { name: "Filed", value: findings.status.filed ?? 0, note: "" },
  ];
  return section("From prompts to findings", bars("From prompts to findings", rows));
}

function verdicts({ counts }) {
  const names = ["consistent", "inconsistent", "excused", "unstable", "invalid"];
  return section("Verdicts", bars("Verdicts", names.map((name) =>
    ({ name, value: counts[name], note: share(counts[name], counts.programs) }))),
    facts([["Waiting", `${count(counts.queued)} queued, ${count(counts.repairing)} to be repaired, ${count(counts.pending)} waiting for confirmation, ${count(counts.confirming - counts.pending - counts.confirmed)} being confirmed, ${count(counts.confirmed)} being reduced`],
      ["Not counted", `${plural(counts.harness_failures, "harness failure")}, ${plural(counts.state_dependent, "difference")} that only warm workers showed`]]));
}

/** Confirmed programs that are not findings yet. Nothing if there are none. */
function confirmed({ confirmed: rows }) {
  if (rows.length === 0) return null;
  return section("Confirmed, being reduced", table("Confirmed, being reduced", [
    ["program", (row) => link(`#/program/${row.program}`, row.program)],
    ["kind", (row) => row.kind],
    ["difference", (row) => row.explanation, "wide"],
    ["next step", (row) => row.next_step, "wide"],
  ], rows, "", "stacked"));
}

function money(data) {
  const row = (name, window) => ({
    name, value: window.cap === null ? 0 : window.spent, of: Math.max(window.cap ?? 1, window.spent), over: window.cap !== null && window.spent >= window.cap,
    shown: dollars(window.spent), note: window.cap === null ? "no cap" : `of ${dollars(window.cap)}`,
  });
  const { counts } = data;
  return section("Spending", bars("Spending against caps",
    [row("Last hour", data.money.hour), row("Today (UTC)", data.money.day), row("Total", data.money.total)]),
    h("h3", {}, "By day (UTC)"),
    days("Dollars by day", data.money.days.map((day) => ({ day: day.day, value: day.spent })), dollars),
    facts([["Tokens", `${count(counts.prompt_tokens)} in, ${count(counts.completion_tokens)} out`],
      ["Per finding", counts.findings > 0 ? dollars(counts.dollars / counts.findings) : ""]]));
}

/** What the workers of each group are doing, and their devices. */
function devices(data) {
  const states = [["busy", (row) => row.busy, 0], ["fresh processes", (row) => row.fork_busy, 1], ["starting", (row) => row.starting, 5], ["ready", (row) => row.ready, 9]];
  const now = data.workers.map((row) => parts(
    `${row.name}: ${plural(row.busy + row.ready + row.starting, "worker")} on ${row.device}${row.problem ? `: ${row.problem}` : ""}`,
    states.map(([name, of, colour]) => ({ name, value: of(row), colour })), (part) => count(part.value)));
  return section("Devices", now, table("Devices", [
    ["device", (row) => row.device],
    ["name", (row) => row.name],
    ["torch", (row) => row.torch],
    ["sandbox", (row) => badge(row.sandbox.level || "unknown")],
  ], data.devices, "No worker has connected yet."));
}

function coverage(data) {
  return section("Compiler coverage",
    growth("Compiler features reached", data.coverage.growth.map((point) => ({ x: point.program, y: point.features })),
      (value) => `program ${count(value)}`),
    table("Coverage by kind of feature", [
      ["kind of feature", (row) => words(row.kind)],
      ["reached", (row) => count(row.reached), "number"],
      ["of listed features", (row) => (row.listed > 0 ? share(row.reached_of_listed, row.listed) : ""), "number"],
    ], data.coverage.kinds));
}

const clock = (at) => new Date(at).toISOString().slice(5, 16).replace("T", " ");

export const overview = {
  path: () => "/api/overview",
  title: () => "Overview",
  render: (data) => [
    alarms(data),
    tiles(data),
    confirmed(data),
    h("div", { class: "grid" }, funnel(data), verdicts(data), money(data), workerTime(data.groups),
      section("Findings over time", growth("Findings", data.findings_over_time.map((point) => ({ x: point.at, y: point.findings })), clock, true),
        facts([["In the last hour", count(data.findings_per_hour)]])),
      coverage(data), devices(data), health(data)),
    section("Latest events", eventTable(data.events), h("p", { class: "foot" }, link("#/events", "All events"))),
    h("p", { class: "foot" }, `parityd ${data.version}, started ${data.started_at} UTC`,
      data.requests_waiting ? `; ${plural(data.requests_waiting, "request")} waiting for the daemon` : ""),
  ],
};
