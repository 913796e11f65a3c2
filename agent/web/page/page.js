// Which screen is shown, and that it stays up to date: asked for anew every few seconds while somebody looks.
import { events, program, replies, reply, strategies, workers } from "/activity.js";
import { get } from "/api.js";
import { compiler } from "/compiler.js";
import { h, visible } from "/dom.js";
import { finding } from "/finding.js";
import { findings } from "/findings.js";
import { overview } from "/overview.js";

const screens = { "": overview, findings, finding, strategies, compiler, workers, replies, reply, program, events };
const everyMilliseconds = 3000;
const main = document.getElementById("main");
const live = document.getElementById("live");
let [shown, drawn, turn, entering] = ["", null, 0, false]; // entering: drawn for the first time, and not the first screen

/** "#/finding/12?x=y" */
function place() {
  const [path, query] = location.hash.slice(1).split("?", 2);
  const [, name = "", id = ""] = path.split("/");
  return { screen: Object.hasOwn(screens, name) ? screens[name] : null, name, id: encodeURIComponent(id), query: new URLSearchParams(query) };
}

/** What a person has unfolded, scrolled to and stands on, in a part that is replaced. */
function carryOver(before, after) {
  const scrolls = [before.querySelectorAll(".scroll, pre"), after.querySelectorAll(".scroll, pre")];
  scrolls[1].forEach((each, index) => { each.scrollLeft = scrolls[0][index]?.scrollLeft ?? 0; });
  const unfolded = [...before.querySelectorAll("details")];
  after.querySelectorAll("details").forEach((each, index) => { each.open = unfolded[index]?.open ?? each.open; });
  const address = before.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  if (address !== null) [...after.querySelectorAll("a")].find((each) => each.getAttribute("href") === address)?.focus({ preventScroll: true });
}

/** Removes elements from `old` on up to `end`. */
function removeUpTo(old, end) {
  while (old !== null && old !== end) {
    const next = old.nextElementSibling;
    old.remove();
    old = next;
  }
}

/** Replaces what changed; a part marked data-keep stays, untouched, wherever others come and go before it. */
function draw(parts) {
  const kept = new Map([...main.children].filter((each) => each.dataset.keep).map((each) => [each.dataset.keep, each]));
  const wanted = new Set(parts.map((part) => kept.get(part.dataset.keep)));
  let old = main.firstElementChild;
  for (const part of parts) {
    const same = kept.get(part.dataset.keep);
    if (same) {
      removeUpTo(old, same);
      old = same.nextElementSibling;
    } else if (old === null || wanted.has(old)) {
      main.insertBefore(part, old);
    } else {
      const next = old.nextElementSibling;
      if (!part.isEqualNode(old)) {
        old.replaceWith(part);
        carryOver(old, part);
      }
      old = next;
    }
  }
  removeUpTo(old, null);
}

function drawProblem(error) {
  const lost = error.status === undefined;
  live.textContent = lost ? "disconnected" : "live";
  live.className = lost ? "bad" : "";
  if (!lost || main.children.length < 2) {
    draw([h("h1", { tabindex: "-1" }, "Cannot show this page"), h("p", { role: "alert" }, lost ? "The daemon does not respond. It may have stopped." : error.message)]);
  }
  drawn = null;
}

function drawScreen(where, data) {
  const title = where.screen.title(where, data);
  document.title = `${visible(title)} – parityd`;
  draw([h("h1", { tabindex: "-1" }, title), ...where.screen.render(data, where).filter(Boolean)]);
  for (const each of document.querySelectorAll("nav a")) {
    const current = each.getAttribute("href") === `#/${where.name}` || (where.name === "finding" && each.getAttribute("href") === "#/findings") ||
      (where.name === "reply" && each.getAttribute("href") === "#/replies");
    if (current) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
}

/** Whoever reads by ear or keyboard begins at the heading. */
function enter() {
  entering = false;
  scrollTo(0, 0);
  main.querySelector("h1")?.focus({ preventScroll: true });
  dispatchEvent(new Event("parityd-shown"));
}

/** Asks for the screen's document and draws what changed. A later call makes this one's answer void. */
async function refresh() {
  const mine = ++turn;
  const [where, address] = [place(), location.hash];
  try {
    if (where.screen === null) throw Object.assign(new Error("This page does not exist."), { status: 404 });
    const path = where.screen.path(where);
    const data = await get(path);
    if (mine !== turn) return;
    live.textContent = "live";
    live.className = "good";
    if (data !== drawn || path !== shown) drawScreen(where, data);
    [drawn, shown] = [data, path];
  } catch (error) {
    if (mine !== turn) return;
    drawProblem(error);
  }
  if (entering) enter();
  main.setAttribute("aria-busy", "false");
  main.dataset.shown = address;
}

let last = null;
async function go() {
  const { name, id } = place();
  const now = `${name}/${id}`;
  main.setAttribute("aria-busy", "true");
  if (now !== last) main.replaceChildren(h("p", { class: "empty" }, "Loading …"));
  entering ||= last !== null && now !== last;
  last = now;
  await refresh();
}

async function keepAlive() {
  if (document.visibilityState === "visible") await refresh();
  setTimeout(keepAlive, everyMilliseconds);
}

/** "/" goes to the search, arrows go from row to row. */
function onKey(event) {
  const typing = event.target.closest("input, textarea, select") !== null;
  if (event.key === "Escape" && typing) event.target.blur();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    if (place().name === "findings") document.getElementById("search")?.focus();
    else {
      location.hash = "#/findings";
      addEventListener("parityd-shown", () => document.getElementById("search")?.focus(), { once: true });
    }
  }
  const row = event.target.closest("tbody tr");
  const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
  if (row === null || step === undefined) return;
  event.preventDefault();
  row[step]?.querySelector("a")?.focus();
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener("hashchange", go);
addEventListener("parityd-refresh", refresh);
addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") refresh(); });
go().then(() => setTimeout(keepAlive, everyMilliseconds));
