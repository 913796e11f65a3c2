// The overview: how much came of what, what it cost, where the time went.
import { eventTable, workerTime } from "/activity.js";
import { bars, growth } from "/charts.js";
import { badge, count, dollars, facts, h, link, percent, section, table } from "/dom.js";

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
    tile("Ready to file", count(data.findings.disposition.ready ?? 0), `of ${count(counts.findings)} findings`, "#/findings?disposition=ready"),
    tile("Programs", count(counts.programs), `${data.programs_per_minute.toFixed(1)} a minute`),
    tile("Valid", share(counts.valid, counts.programs) || "0", `${count(counts.repaired)} after repair`),
    tile("Spent today", dollars(money.day.spent), cap),
    tile("Workers busy", all > 0 ? percent(busy / all) : "0", "of their time", "#/workers")));
}

function funnel({ counts, findings }) {
  const rows = [
    { name: "Prompts", value: counts.replies, note: counts.failed_replies ? `${count(counts.failed_replies)} failed` : "" },
    { name: "Programs", value: counts.programs, note: "" },
    { name: "Valid", value: counts.valid, note: share(counts.valid, counts.programs) },
    { name: "Suspects", value: counts.suspects, note: share(counts.suspects, counts.valid) },
    { name: "Findings", value: counts.findings, note: `seen ${count(counts.occurrences)} times` },
    { name: "Ready", value: findings.disposition.ready ?? 0, note: share(findings.disposition.ready ?? 0, counts.findings) },
  ];
  return section("From prompts to findings", bars("From prompts to findings", rows));
}

function verdicts({ counts }) {
  const names = ["consistent", "inconsistent", "excused", "unstable", "invalid"];
  return section("Verdicts", bars("Verdicts", names.map((name) =>
    ({ name, value: counts[name], note: share(counts[name], counts.programs) }))),
    facts([["Waiting", `${count(counts.queued)} queued, ${count(counts.repairing)} for a repair, ${count(counts.gating)} being confirmed`],
      ["Apart", `${count(counts.harness_failures)} failures of the harness, ${count(counts.state_dependent)} differences only warm workers saw`]]));
}

function money(data) {
  const row = (name, window) => ({
    name, value: window.cap === null ? 0 : window.spent, of: Math.max(window.cap ?? 1, window.spent), over: window.cap !== null && window.spent >= window.cap,
    shown: dollars(window.spent), note: window.cap === null ? "no cap" : `of ${dollars(window.cap)}`,
  });
  const { counts } = data;
  return section("Money", bars("Money spent against caps",
    [row("Last hour", data.money.hour), row("Today (UTC)", data.money.day), row("Ever", data.money.total)]),
    facts([["Tokens", `${count(counts.prompt_tokens)} in, ${count(counts.completion_tokens)} out`],
      ["A finding", counts.findings > 0 ? dollars(counts.dollars / counts.findings) : ""]]));
}

function devices(data) {
  return section("Devices", table("Devices", [
    ["device", (row) => row.device],
    ["name", (row) => row.name],
    ["torch", (row) => row.torch],
    ["sandbox", (row) => badge(row.sandbox.level || "not known")],
  ], data.devices, "No worker has said hello yet."));
}

function coverage(data) {
  return section("Coverage of the compiler",
    growth("Features of the compiler reached", data.coverage.growth.map((point) => ({ x: point.program, y: point.features })),
      (value) => `program ${count(value)}`),
    table("Coverage by kind", [
      ["kind", (row) => row.kind],
      ["reached", (row) => count(row.reached), "number"],
      ["of those listed", (row) => (row.listed > 0 ? share(row.reached_of_listed, row.listed) : ""), "number"],
    ], data.coverage.kinds));
}

const clock = (at) => new Date(at).toISOString().slice(5, 16).replace("T", " ");

export const overview = {
  path: () => "/api/overview",
  title: () => "Overview",
  render: (data) => [
    tiles(data),
    h("div", { class: "grid" }, funnel(data), verdicts(data), money(data), workerTime(data.groups),
      section("Findings over time", growth("Findings", data.findings_over_time.map((point) => ({ x: point.at, y: point.findings })), clock, true),
        facts([["Last hour", count(data.findings_per_hour)]])),
      coverage(data), devices(data)),
    section("Latest events", eventTable(data.events), link("#/events", "All events")),
    h("p", { class: "foot" }, `parityd ${data.version}, started ${data.started_at} UTC`,
      data.requests_waiting ? `; requests that wait for the daemon: ${data.requests_waiting}` : ""),
  ],
};
