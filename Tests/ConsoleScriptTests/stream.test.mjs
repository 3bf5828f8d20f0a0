// The table of a stream: node --test Tests/ConsoleScriptTests
import assert from "node:assert/strict";
import { test } from "node:test";
import { elapse, make, page, pass, send, server, sources } from "./page.mjs";

let number = 0;

/** The bytes in use; to compare them, node needs --expose-gc. */
const heap = () => (global.gc?.(), process.memoryUsage().heapUsed);

/** Makes a page with a table as the console does, and starts the script on it. */
async function start(attributes = {}) {
  page.textContent = "";
  document.activeElement = page;
  server.status = 200;
  const table = make("table", {
    "data-stream": "/v1/sessions/s/outcomes?after=7", "data-events": "issue", "data-kinds": "error warning",
    "data-columns": "documentID kind code description operationID",
    "data-link": "/console/collections/C/documents/{documentID}{?routing}", "data-rows": "300", ...attributes,
  }, make("tbody"));
  page.append(make("section", {}, make("dd", { "data-progress": "errors" }),
    make("div", { class: "wide" }, table)));
  // The script begins with what is in the document when it is loaded.
  await import(`../../Sources/Feeding/ConsolePages/Assets/console.mjs?${++number}`);
  const bar = page.querySelector(".bar");
  const [filter, kind, pause, count, state] = bar.children;
  return { table, filter, kind, pause, count, state, body: table.tBodies[0], source: sources.at(-1) };
}

function issue(place, number, values = {}) {
  const data = { kind: "error", documentID: `d${number}`, code: "invalid", description: `m${number}`,
    operationID: number, routing: null, ...values };
  place.source.send("issue", data, String(number));
}

const shown = (place) => place.body.rows.filter((row) => !row.hidden).map((row) => row.cells[0].textContent);

test("Events become rows, newest first, and progress fills its places", async () => {
  const place = await start();
  assert.equal(place.source.address, "https://console.example/v1/sessions/s/outcomes?after=7");
  issue(place, 8);
  issue(place, 9, { routing: "a/b" });
  place.source.send("progress", { errors: 12, hasEnded: false });
  pass(500);
  assert.deepEqual(shown(place), ["d9", "d8"]);
  assert.deepEqual(place.body.rows[1].cells.map((cell) => cell.textContent), ["d8", "error", "invalid", "m8", "8"]);
  const links = place.body.querySelectorAll("a").map((link) => link.getAttribute("href"));
  assert.deepEqual(links, ["d9?routing=a%2Fb", "d8"].map((end) => `/console/collections/C/documents/${end}`));
  assert.equal(page.querySelector("[data-progress]").textContent, "12");
  assert.equal(place.count.textContent, "2 received, 0 not shown");
});

test("A million events in a minute take the memory of a screen", async () => {
  const place = await start();
  let most = 0, before;
  const begin = performance.now();
  for (let event = 1; event <= 1_000_000; event++) {
    issue(place, event, { description: "x".repeat(100) });
    // A frame for each 16 ms of a minute.
    if (event % 267 === 0) {
      pass(16);
      most = Math.max(most, place.body.rows.length);
    }
    if (event === 100_000) before = heap();
  }
  const seconds = (performance.now() - begin) / 1000;
  pass(500);
  assert.equal(most, 300);
  assert.equal(shown(place)[0], "d1000000");
  assert.match(place.count.textContent, /^1000000 received, \d+ not shown$/);
  if (global.gc) assert.ok(heap() - before < 8 << 20, `${heap() - before} bytes more`);
  assert.ok(seconds < 60, `${seconds} seconds`);
});

test("What comes while the rows are paused is counted, and the last of it is shown afterwards", async () => {
  const place = await start();
  issue(place, 1);
  pass(500);
  place.pause.dispatch("click");
  for (let event = 2; event <= 10_000; event++) issue(place, event);
  pass(500);
  assert.deepEqual(shown(place), ["d1"]);
  assert.equal(place.pause.getAttribute("aria-pressed"), "true");
  assert.equal(place.count.textContent, "10000 received, 9999 not shown");
  place.pause.dispatch("click");
  pass(500);
  assert.equal(place.body.rows.length, 300);
  assert.equal(shown(place)[0], "d10000");
});

test("A hidden page keeps no more than a screen, and neither does one that is paused", async () => {
  for (const isHidden of [true, false]) {
    const place = await start();
    if (!isHidden) place.pause.dispatch("click");
    let before;
    for (let event = 1; event <= 500_000; event++) {
      issue(place, event, { description: "x".repeat(100) });
      // A hidden page is not drawn.
      if (!isHidden && event % 267 === 0) pass(16);
      if (event === 100_000) before = heap();
    }
    if (global.gc) assert.ok(heap() - before < 8 << 20, `${heap() - before} bytes more`);
    if (!isHidden) place.pause.dispatch("click");
    pass(500);
    assert.equal(place.body.rows.length, 300);
    assert.deepEqual(shown(place).slice(-1), ["d499701"]);
  }
});

test("The filters are about what the columns show, not about the names of members", async () => {
  const place = await start();
  issue(place, 1);
  issue(place, 2, { kind: "warning", description: "Late" });
  pass(500);
  place.filter.value = "description";
  place.filter.dispatch("input");
  assert.deepEqual(shown(place), []);
  place.filter.value = "late";
  place.filter.dispatch("input");
  assert.deepEqual(shown(place), ["d2"]);
  issue(place, 3, { description: "too late" });
  issue(place, 4);
  pass(500);
  assert.deepEqual(shown(place), ["d3", "d2"]);
  place.kind.value = "warning";
  place.kind.dispatch("input");
  assert.deepEqual(shown(place), ["d2"]);
  issue(place, 5, { description: "late" });
  pass(500);
  assert.deepEqual(shown(place), ["d2"]);
  assert.equal(place.count.textContent, "5 received, 2 not shown");
  // A filter that changes before the rows are drawn decides about them too.
  issue(place, 6, { kind: "warning", description: "late" });
  place.filter.value = "nothing";
  place.filter.dispatch("input");
  pass(500);
  assert.deepEqual(shown(place), []);
});

test("After a cut, the stream continues after the last event; a browser that connects by itself is left alone", async () => {
  const place = await start();
  const opened = sources.length;
  issue(place, 41);
  place.source.cut(false);
  pass(500);
  assert.equal(place.state.textContent, "The connection was cut; trying again.");
  issue(place, 42);
  pass(500);
  assert.equal(place.state.textContent, "");
  assert.equal(sources.length, opened);
  place.source.cut(true);
  await elapse();
  assert.equal(sources.length, opened + 1);
  assert.equal(sources.at(-1).address, "https://console.example/v1/sessions/s/outcomes?after=42");
});

test("A session that has ended is not asked again, nor one whose user is signed out", async () => {
  const place = await start();
  const opened = sources.length;
  issue(place, 1);
  place.source.send("progress", { errors: 1, hasEnded: true });
  pass(500);
  assert.equal(place.source.readyState, 2);
  assert.equal(place.state.textContent, "Everything has been received.");
  send("pageshow", { persisted: true });
  assert.equal(sources.length, opened);
  const other = await start();
  server.status = 401;
  other.source.cut(true);
  await elapse();
  pass(500);
  assert.equal(sources.length, opened + 1);
  assert.match(other.state.textContent, /^The session has ended/);
});

test("A table that another has replaced stops its stream", async () => {
  const place = await start();
  place.table.remove();
  issue(place, 1);
  pass(500);
  assert.equal(place.source.readyState, 2);
});

test("A row with the focus stays, and others wait for it", async () => {
  const place = await start();
  issue(place, 1);
  pass(500);
  document.activeElement = place.body.querySelector("a");
  for (let event = 2; event <= 1000; event++) issue(place, event);
  pass(500);
  assert.deepEqual(shown(place), ["d1"]);
  assert.equal(place.state.textContent, "New rows wait while one has the focus.");
  document.activeElement = page;
  place.body.dispatch("focusout");
  pass(500);
  assert.equal(shown(place)[0], "d1000");
  assert.equal(place.state.textContent, "");
});

test("Hostile text stays text, and links stay in the console", async () => {
  const hostile = ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "javascript:alert(1)", "../../v1/me?x",
    "//evil.example", "$&$1{documentID}", "\u202Egnp.exe", "\uD800", "__proto__", "\u0000"];
  const place = await start();
  for (const text of hostile) {
    issue(place, 1, { documentID: text, kind: text, code: text, description: text, routing: text });
  }
  // No object, an object that is no event, and one that would be another's prototype.
  place.source.dispatch("issue", { data: "<b>", lastEventId: "2" });
  place.source.dispatch("issue", { data: "null", lastEventId: "3" });
  place.source.dispatch("issue", { data: `{"__proto__":{"kind":"x"},"documentID":{"a":["<b>"]}}`, lastEventId: "4" });
  pass(500);
  assert.equal(place.body.rows.length, hostile.length + 3);
  const names = new Set(place.body.all.map((made) => made.localName));
  assert.deepEqual([...names].sort(), ["a", "bdi", "td", "th", "tr"]);
  for (const link of place.body.querySelectorAll("a")) {
    assert.match(link.getAttribute("href"), /^\/console\/collections\/C\/documents\/[^/<>"?:]*(\?routing=[^/<>"?:]*)?$/);
  }
  assert.ok(!place.body.textContent.includes("\u202E") && place.body.textContent.includes("‹U+202E›gnp.exe"));
  assert.ok(place.body.textContent.includes("<script>alert(1)</script>"));
  assert.equal({}.kind, undefined);
});
