// The answer of a diagnosis, which arrives while the logs are read: node --test Tests/ConsoleScriptTests
import assert from "node:assert/strict";
import { test } from "node:test";
import { make, page } from "./page.mjs";

let number = 0;
/** The requests that the script has sent. */
const requests = [];

globalThis.XMLHttpRequest = class {
  constructor() {
    Object.assign(this, { headers: {}, upload: {}, responseText: "", status: 200 });
    requests.push(this);
  }
  open(method, address) { this.address = String(address); }
  setRequestHeader(name, value) { this.headers[name] = value; }
  getResponseHeader() { return "text/event-stream; charset=utf-8"; }
  send(body) { this.body = body; }
  abort() { this.onabort(); }
  /** More of the answer arrives. */
  receive(text) {
    this.responseText += text;
    this.onprogress({ target: this });
  }
};

/** A page whose element with the wanted ID has the markup as its text. */
globalThis.DOMParser = class {
  parseFromString(markup) { return { getElementById: (id) => make("div", { id }, markup), querySelector: () => null }; }
};

/** Makes the form as the console does, and sends a file. */
async function start() {
  page.textContent = "";
  const file = make("input", { type: "file" });
  file.files = [Object.assign(new Blob(["x"]), { name: "WFE1.log" })];
  const button = make("button", {}, "Diagnose");
  const form = make("form", { "data-send": "diagnosis", "data-live-answer": "" }, file, make("textarea"), button);
  Object.assign(form, { action: "https://console.example/console/logs/diagnosis", elements: {} });
  page.append(form, make("div", { id: "diagnosis" }, "nothing yet"));
  await import(`../../Sources/Feeding/ConsolePages/Assets/console.mjs?${++number}`);
  form.dispatch("submit", { preventDefault() {} });
  const [summary, bar, cancel] = form.children.slice(-3);
  const place = { button, summary, bar, cancel, request: requests.at(-1) };
  return Object.defineProperty(place, "answer", { get: () => document.getElementById("diagnosis") });
}

const event = (name, data) => `event: ${name}\ndata: ${data}\n\n`;
const progress = (percent, seconds) => event("progress", JSON.stringify({ percent, seconds }));
/** Lets the form continue after its answer. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("The newest findings so far are shown while logs are read, and the page takes their place", async () => {
  const place = await start();
  const { request } = place;
  assert.equal(request.address, "https://console.example/console/logs/diagnosis?name=WFE1.log");
  assert.deepEqual([request.headers.Accept, request.body.name], ["text/event-stream", "WFE1.log"]);
  request.upload.onprogress({ loaded: 1, total: 3 });
  assert.equal(place.summary.textContent, "33 % sent");
  request.upload.onload();
  assert.deepEqual([place.summary.textContent, place.button.disabled], ["The server is working.", true]);
  request.receive(progress(null, 0.6) + "event: soFar\ndata: fir");
  assert.deepEqual([place.summary.textContent, place.answer.textContent], ["… % read, 1 s", "nothing yet"]);
  request.receive("st\ndata: line\n\n");
  assert.equal(place.answer.textContent, "first\nline");
  const shown = place.answer;
  request.receive(progress(40, 2));
  assert.deepEqual([place.bar.value, place.summary.textContent], [40, "40 % read, 2 s"]);
  assert.equal(place.answer, shown, "the same findings are not shown twice");
  request.receive(event("soFar", "second") + progress(60, 3) + event("soFar", "third"));
  assert.equal(place.answer.textContent, "third");
  request.receive(event("page", "report"));
  assert.equal(place.answer.textContent, "third", "the page is shown when the answer is complete");
  request.onload();
  await settled();
  assert.equal(place.answer.textContent, "report");
  assert.equal(document.activeElement, place.answer);
  assert.deepEqual([place.summary.textContent, place.bar.hidden, place.button.disabled], ["", true, false]);
});

test("If the answer is cut or cancelled, the findings so far remain, with the reason", async () => {
  for (const [end, reason] of [
    [({ request }) => request.onload(), "The server can't be reached."],
    [({ request }) => request.onerror(), "The server can't be reached."],
    [({ cancel }) => cancel.dispatch("click"), "Cancelled: there is no answer."],
  ]) {
    const place = await start();
    place.request.receive(progress(10, 1) + event("soFar", "first"));
    end(place);
    await settled();
    assert.deepEqual([place.answer.textContent, place.summary.textContent], ["first", reason]);
    assert.deepEqual([place.bar.hidden, place.button.disabled], [true, false]);
  }
});
