// Enhancements of pages that the server has rendered. Without this script, pages can be read and forms work.
//
//   <form data-live="ID">          As the user types, the form's page is fetched, and its element ID takes the place of
//                                  this page's. Forms that post are not sent before their button is pressed. Text in a
//                                  field with data-whole is of no use before it is complete: it waits for the enter key.
//   <section id=… data-refresh=5>  The element is fetched again every so many seconds, while the page is visible.
//   <table data-stream="/v1/…">    Events of that address become rows, newest first; see `stream` below.
//   <form data-upload="NAME">      A file that is chosen or dropped fills the text field NAME, after a preview.
//   <form data-send="ID">          The form is sent, and element ID of the answer takes the place of this page's. Files
//                                  that are chosen or dropped are sent as they are, several as one archive. With
//                                  data-live-answer, the answer is a stream of events, whose last one has the element.
//   <code data-copy id=…>          A button copies the text.
//   <div data-scripted hidden>     The element is shown if there is a script.
//
// Text of documents and logs gets into the page as text only (textContent), never as markup.

const texts = {
  en: { pause: "Pause", resume: "Resume", filter: "Filter", seen: "{} received, {} not shown",
    kind: "Kind", all: "all", error: "errors", warning: "warnings", held: "New rows wait while one has the focus.",
    cut: "The connection was cut; trying again.", ended: "The session has ended: load the page again to sign in.",
    done: "Everything has been received.", failed: "The page can't be refreshed: {}", file: "{}: {} bytes, {} lines", large: "{} has more than {} bytes",
    drop: "or drop a file here", sending: "{} % sent", waiting: "The server is working.", reading: "{} % read, {} s", cancel: "Cancel",
    cancelled: "Cancelled: there is no answer.", unreachable: "The server can't be reached.",
    files: "To be sent: {}", dropLogs: "or drop logs here", copy: "Copy", copied: "Copied" },
  de: { pause: "Anhalten", resume: "Fortsetzen", filter: "Filter", seen: "{} empfangen, {} nicht gezeigt",
    kind: "Art", all: "alle", error: "Fehler", warning: "Warnungen",
    held: "Neue Zeilen warten, solange eine den Fokus hat.",
    cut: "Die Verbindung ist unterbrochen; neuer Versuch folgt.",
    ended: "Die Sitzung ist zu Ende: Zum Anmelden die Seite neu laden.",
    done: "Alles ist empfangen.", failed: "Die Seite kann nicht aufgefrischt werden: {}", file: "{}: {} Bytes, {} Zeilen",
    large: "{} hat mehr als {} Bytes", drop: "oder eine Datei hierher ziehen",
    sending: "{} % gesendet", waiting: "Der Server arbeitet.", reading: "{} % gelesen, {} s", cancel: "Abbrechen",
    cancelled: "Abgebrochen: Es gibt keine Antwort.", unreachable: "Der Server ist nicht erreichbar.",
    files: "Zu senden: {}", dropLogs: "oder Logs hierher ziehen", copy: "Kopieren", copied: "Kopiert" },
};

export function text(key, ...values) {
  const table = texts[document.documentElement.lang] ?? texts.en;
  return table[key].replace(/\{\}/g, () => String(values.shift() ?? ""));
}

/** Makes an element with attributes and children; strings are text. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Shows characters that are invisible, or change how others are shown, as symbols, like the server. */
function visible(string) {
  // Joiners and selectors of emoji stay.
  return string.replace(/(?![\u200D\uFE0E\uFE0F])[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800]/gu, (character) => {
    const code = character.codePointAt();
    if (character === "\n" || character === "\t") return character;
    return code < 0x20 ? String.fromCodePoint(0x2400 + code)
      : `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
  });
}

/** Calls the API with the session's token; throws the problem that it reports. */
export async function call(method, path, body, headers = {}) {
  const response = await fetch(path, {
    method, body, headers: { "X-CSRF-Token": document.body.dataset.csrf ?? "", ...headers },
  });
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Error(problem.message ?? `status ${response.status}`);
}

// MARK: Fetching and swapping

/** Fetches a page, and returns its element with an ID. */
async function fetchElement(address, id, signal) {
  const response = await fetch(address, { signal, headers: { Accept: "text/html" } });
  return elementOf(await response.text(), response.status, id);
}

function elementOf(markup, status, id) {
  const page = new DOMParser().parseFromString(markup, "text/html");
  const found = page.getElementById(id);
  if (found) return found;
  if (status === 401) throw new Error(text("ended"));
  throw new Error(page.querySelector(".refusal")?.textContent.trim() || `status ${status}`);
}

/** Puts an element in the place of one with the same ID; the focus and what is being typed stay. */
function swap(old, made) {
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const place = focused?.id;
  const address = focused?.getAttribute("href");
  old.replaceWith(document.adoptNode(made));
  if (focused) {
    const again = (place && document.getElementById(place))
      || (address && [...made.querySelectorAll("a[href]")].find((link) => link.getAttribute("href") === address));
    again?.focus({ preventScroll: true });
  }
  enhance(made);
}

/** Shows a message next to an element, in place of the last one. */
function report(place, message) {
  let line = place.nextElementSibling;
  if (!line?.matches("[data-report]")) {
    if (!message) return;
    line = element("p", { "data-report": "", role: "status", class: "refusal" });
    place.after(line);
  }
  line.textContent = message;
  line.hidden = !message;
}

/** A form whose results appear while the user types: 200 ms after the last key, and only the newest. */
function live(form) {
  let timer, current;
  let number = 0;
  const update = async () => {
    clearTimeout(timer);
    current?.abort();
    current = new AbortController();
    const own = ++number;
    const address = new URL(form.action);
    address.search = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== "")).toString();
    const target = () => document.getElementById(form.dataset.live);
    target()?.setAttribute("aria-busy", "true");
    try {
      const made = await fetchElement(address, form.dataset.live, current.signal);
      if (own !== number) return;
      swap(target(), made);
      history.replaceState(null, "", address);
      report(form, "");
    } catch (error) {
      if (own !== number || error.name === "AbortError") return;
      target()?.removeAttribute("aria-busy");
      report(form, text("failed", error.message));
    }
  };
  form.addEventListener("input", (event) => {
    if ("whole" in event.target.dataset) return;
    clearTimeout(timer);
    // From now on, an answer to an earlier question is old.
    number++;
    current?.abort();
    timer = setTimeout(update, 200);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    update();
  });
}

/** The time of the last click or key: for two seconds after it, no row may move under the pointer. */
let acted = performance.now();
for (const name of ["pointerdown", "keydown", "submit"]) {
  addEventListener(name, () => { acted = performance.now(); }, { capture: true, passive: true });
}

/** An element that is fetched again from time to time, unless the user works in it. */
function refresh(place) {
  const { id } = place;
  const seconds = Math.max(1, Number(place.dataset.refresh) || 5);
  const timer = setInterval(async () => {
    const present = document.getElementById(id);
    if (present !== place) return clearInterval(timer);
    const isBusy = () => document.hidden || performance.now() - acted < 2000
      || place.querySelector("input:focus, textarea:focus, select:focus");
    if (isBusy()) return;
    try {
      const made = await fetchElement(location.href, id, AbortSignal.timeout(30000));
      if (document.getElementById(id) !== place || isBusy()) return;
      clearInterval(timer);
      report(place, "");
      swap(place, made);
    } catch (error) {
      report(place, text("failed", error.message));
    }
  }, seconds * 1000);
}

// MARK: Streams

/**
 * A table whose rows are the events of a stream, newest first.
 *
 *   data-stream="/v1/…"              the address
 *   data-events="outcome issue"      the names of the events; without it, those without a name
 *   data-columns="id outcome.code"   the members of an event's data, a column each
 *   data-kinds="error warning"       the values of the member 'kind' by which a choice filters
 *   data-link="/console/…/{id}"      a link of the first column, with members of the data; {?name} is an item of the
 *                                    query if there is such a member
 *   data-rows="300"                  the rows that are kept, at most 300
 *
 * An event with the name `progress` is no row: its members fill the elements of the same section that name them, such as
 * <dd data-progress="outcomes.removed">, and `hasEnded` ends the stream.
 *
 * Events beyond these are counted, not kept: a stream of any length takes the memory of a screen.
 */
function stream(table) {
  const body = table.tBodies[0] ?? table.createTBody();
  const most = Math.min(300, Number(table.dataset.rows) || 300);
  const columns = (table.dataset.columns ?? "").split(" ").filter(Boolean);
  const names = (table.dataset.events ?? "message").split(" ").filter(Boolean);
  const filter = element("input", { type: "search", "aria-label": text("filter"), placeholder: text("filter") });
  const kinds = (table.dataset.kinds ?? "").split(" ").filter(Boolean);
  const kind = element("select", { "aria-label": text("kind") }, element("option", { value: "" }, text("all")),
    ...kinds.map((name) => element("option", { value: name }, text(name))));
  const pause = element("button", { type: "button", "aria-pressed": "false" }, text("pause"));
  // Only news about the connection is read aloud: a count that is would never end.
  const count = element("span", { class: "detail" });
  const state = element("span", { role: "status", "aria-live": "polite", class: "warn" });
  const bar = element("div", { class: "bar" }, filter, ...(kinds.length ? [kind] : []), pause, count, state);
  // Not into the part that scrolls sideways.
  (table.closest(".wide") ?? table).before(bar);

  let waiting = [];
  let received = 0, shown = 0, frame = 0, drawn = 0, rest = 250, wait = 1000, last = "", source, notice = "", isOver = false, hasEnded = false;
  const isPaused = () => pause.getAttribute("aria-pressed") === "true";

  function receive(event) {
    received++;
    if (event.lastEventId) last = event.lastEventId;
    wait = 1000;
    notice = "";
    // Read only if that decides something: most of a fast stream is never shown.
    const value = isFiltered() ? parsed(event.data) : null;
    if (!value || matches(cells(value, event.data), value.kind)) {
      waiting.push(event.data);
      if (waiting.length > 2 * most) waiting = waiting.slice(-most);
    }
    schedule();
  }

  const isFiltered = () => filter.value !== "" || kind.value !== "";

  /** Whether the columns contain the text that is sought, and the kind is the chosen one. */
  function matches(columns, name) {
    if (kind.value && name !== kind.value) return false;
    const word = filter.value.toLowerCase();
    return !word || columns.some((column) => column.toLowerCase().includes(word));
  }

  function schedule() { if (!frame) frame = requestAnimationFrame(draw); }

  function draw(time) {
    frame = 0;
    // Another part of the page has taken the table's place.
    if (!table.isConnected) return close();
    // Four times a second is as fast as anyone can read; on a slow machine, less often, so that there is time for more.
    if (time - drawn < rest) return schedule();
    drawn = time;
    const begin = performance.now();
    // A row must not vanish under the keyboard.
    const isHeld = body.contains(document.activeElement);
    if (!isPaused() && !isHeld && waiting.length) {
      const added = waiting.slice(-most).reverse().map(row);
      waiting = [];
      shown += added.length;
      body.prepend(...added);
      while (body.rows.length > most) body.deleteRow(-1);
    }
    count.textContent = text("seen", received, received - shown);
    // To read a height, the browser lays the rows out, which takes the longest.
    void table.offsetHeight;
    rest = Math.max(250, 4 * (performance.now() - begin));
    const news = notice || (isHeld && waiting.length && !isPaused() ? text("held") : "");
    if (state.textContent !== news) state.textContent = news;
  }

  function parsed(data) {
    try { return JSON.parse(data) ?? {}; } catch { return {}; }
  }

  function cells(value, data) { return columns.length ? columns.map((path) => member(value, path)) : [data]; }

  function row(data) {
    const value = parsed(data);
    const made = element("tr", { "data-kind": member(value, "kind") }, ...cells(value, data).map((cell, index) => {
      const isLinked = index === 0 && table.dataset.link && cell !== "";
      const inside = element("bdi", {}, isLinked ? element("a", { href: link(value) }, visible(cell)) : visible(cell));
      return index === 0 ? element("th", { scope: "row" }, inside) : element("td", {}, inside);
    }));
    // The filter may have changed since the event came.
    made.hidden = !matches(cells(value, data), value.kind);
    return made;
  }

  function member(value, path) {
    const found = path.split(".").reduce((inner, key) => inner?.[key], value);
    return found === undefined || found === null ? "" : typeof found === "string" ? found : JSON.stringify(found);
  }

  function link(value) {
    return table.dataset.link.replace(/\{(\??)([^}]*)\}/g, (_, isQuery, path) => {
      const found = encodeURIComponent(member(value, path).toWellFormed?.() ?? member(value, path));
      return !isQuery ? found : found && `?${path}=${found}`;
    });
  }

  function close() {
    isOver = true;
    source.close();
  }

  function progress(event) {
    const value = JSON.parse(event.data);
    hasEnded = value.hasEnded === true;
    notice = hasEnded ? text("done") : "";
    for (const place of (table.closest("section") ?? document).querySelectorAll("[data-progress]")) {
      place.textContent = member(value, place.dataset.progress);
    }
    if (hasEnded) close();
    schedule();
  }

  function open() {
    const address = new URL(table.dataset.stream, location.href);
    // A browser repeats the last ID by itself only while it reconnects by itself.
    if (last) address.searchParams.set("after", last);
    isOver = false;
    source = new EventSource(address);
    for (const name of names) source.addEventListener(name, receive);
    source.addEventListener("progress", progress);
    source.onerror = () => {
      notice = text("cut");
      schedule();
      if (source.readyState !== EventSource.CLOSED) return;
      // The server refused: the session may have ended, or it is busy.
      setTimeout(async () => {
        if (isOver || !table.isConnected) return;
        const me = await fetch("/v1/me").catch(() => null);
        if (me?.status === 401) {
          notice = text("ended");
          return schedule();
        }
        wait = Math.min(2 * wait, 30000);
        open();
      }, wait);
    };
  }

  pause.addEventListener("click", () => {
    const paused = !isPaused();
    pause.setAttribute("aria-pressed", String(paused));
    pause.textContent = text(paused ? "resume" : "pause");
    schedule();
  });
  const refilter = () => {
    for (const line of body.rows) {
      line.hidden = !matches([...line.cells].map((cell) => cell.textContent), line.dataset.kind);
    }
  };
  filter.addEventListener("input", refilter);
  kind.addEventListener("input", refilter);
  body.addEventListener("focusout", schedule);
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => { if (event.persisted && table.isConnected && !hasEnded) open(); });
  open();
}

// MARK: Uploads

/** A form whose text field is filled from a file; its first lines are shown before the form is sent. */
function upload(form) {
  const field = form.elements[form.dataset.upload];
  const file = form.querySelector("input[type=file]");
  const most = Number(form.dataset.bytes) || 8 << 20;
  const summary = element("p", { role: "status", class: "detail" }, text("drop"));
  const preview = element("pre", { hidden: "" });
  (file ?? field).after(summary, preview);

  async function take(chosen) {
    if (!chosen) return;
    if (chosen.size > most) {
      summary.textContent = text("large", chosen.name, most);
      return;
    }
    const contents = await chosen.text();
    field.value = contents;
    const lines = contents.split("\n");
    if (lines.at(-1) === "") lines.pop();
    summary.textContent = text("file", chosen.name, chosen.size, lines.length);
    preview.textContent = lines.slice(0, 10).map((line) => line.slice(0, 200)).join("\n");
    preview.hidden = false;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // The file itself is not sent: its text is in the field.
  file?.removeAttribute("name");
  file?.addEventListener("change", () => take(file.files[0]));
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  });
}

// MARK: Forms that are answered on their own page

/** Packs files into an archive (tar) without reading them; the oldest comes first, as logs are read in that order. */
export function archive(files) {
  const encoder = new TextEncoder();
  const names = new Set();
  const parts = [...files].sort((one, other) => one.lastModified - other.lastModified).flatMap((file, index) => {
    // The name may be that of the server that wrote the log; a folder distinguishes two of one name.
    const plain = file.name.replace(/[^A-Za-z0-9._-]/g, "_").slice(-80);
    const name = names.has(plain) ? `${index}/${plain}` : plain;
    names.add(plain);
    const header = new Uint8Array(512);
    const put = (offset, value) => header.set(encoder.encode(value), offset);
    put(0, name);
    // Numbers are octal, with an end; the sum of all bytes counts its own place as spaces.
    const octal = (number, length) => `${number.toString(8).padStart(length - 1, "0")}\u{0}`;
    put(100, octal(0o600, 8) + octal(0, 8) + octal(0, 8) + octal(file.size, 12) + octal(0, 12));
    put(148, "        0");
    put(257, "ustar\u{0}00");
    put(148, octal(header.reduce((sum, byte) => sum + byte), 7));
    return [header, file, new Uint8Array((512 - file.size % 512) % 512)];
  });
  return new Blob([...parts, new Uint8Array(1024)]);
}

const isStream = (answer) => answer.getResponseHeader("Content-Type")?.startsWith("text/event-stream") ?? false;

/** The complete events of an answer that may still come. */
function eventsOf(answer) {
  if (!isStream(answer)) return [];
  return answer.responseText.split("\n\n").slice(0, -1).map((block) => {
    const lines = block.split("\n");
    const values = (key) => lines.filter((line) => line.startsWith(key)).map((line) => line.slice(key.length));
    return { name: values("event: ")[0], data: values("data: ").join("\n") };
  });
}

/** A form whose answer takes the place of an element; what is sent is nowhere but in the request. */
function send(form) {
  const file = form.querySelector("input[type=file]");
  const field = form.querySelector("textarea");
  const button = form.querySelector("button");
  const summary = element("p", { role: "status", class: "detail" }, file ? text("dropLogs") : "");
  const bar = element("progress", { hidden: "", max: "100", "aria-label": button.textContent });
  const cancel = element("button", { type: "button", hidden: "" }, text("cancel"));
  form.append(summary, bar, cancel);
  let current;
  let shown;

  /** Puts a page's answer in the place of the answer before. */
  function place(page, status) {
    const made = elementOf(page, status, form.dataset.send);
    swap(document.getElementById(form.dataset.send), made);
    return made;
  }

  function choose() {
    const chosen = [...file.files];
    // Of a file and a text, the file is sent; this shows it.
    field.disabled = chosen.length > 0;
    summary.textContent = chosen.length ? text("files", chosen.map((one) => one.name).join(", ")) : text("dropLogs");
  }

  function show(isBusy, message) {
    summary.textContent = message;
    bar.hidden = cancel.hidden = !isBusy;
    button.disabled = isBusy;
  }

  /** Posts a body; fetch would not show how much of it has been sent. */
  function post(address, body, type) {
    shown = 0;
    return new Promise((resolve, reject) => {
      current = new XMLHttpRequest();
      current.open("POST", address);
      current.setRequestHeader("X-CSRF-Token", document.body.dataset.csrf ?? "");
      current.setRequestHeader("Content-Type", type);
      if ("liveAnswer" in form.dataset) {
        current.setRequestHeader("Accept", "text/event-stream");
        current.onprogress = ({ target }) => {
          const events = eventsOf(target);
          const last = events.findLast(({ name }) => name === "progress");
          if (!last) return;
          const found = events.filter(({ name }) => name === "soFar");
          if (found.length > shown) place(found[(shown = found.length) - 1].data, 200);
          const { percent, seconds } = JSON.parse(last.data);
          if (percent !== null) bar.value = percent;
          summary.textContent = text("reading", percent ?? "…", Math.round(seconds));
        };
      }
      current.upload.onprogress = ({ loaded, total }) => {
        bar.value = Math.floor(100 * loaded / Math.max(total, 1));
        summary.textContent = text("sending", bar.value);
      };
      current.upload.onload = () => {
        bar.removeAttribute("value");
        summary.textContent = text("waiting");
      };
      current.onload = () => resolve(current);
      current.onerror = () => reject(new Error(text("unreachable")));
      current.onabort = () => reject(new Error(text("cancelled")));
      current.send(body);
    });
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    // The logs of a farm are on the server.
    const files = form.elements.logs?.value ? [] : [...(file?.files ?? [])];
    const address = new URL(form.action);
    if (files.length && form.elements.correlation) {
      address.searchParams.set("correlation", form.elements.correlation.value);
    }
    const isPlain = files.length === 1 && /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/.test(files[0].name);
    if (isPlain) address.searchParams.set("name", files[0].name);
    const body = files.length > 1 ? archive(files) : files[0] ?? new URLSearchParams(new FormData(form));
    const type = files.length ? "application/octet-stream" : "application/x-www-form-urlencoded";
    show(true, text("waiting"));
    try {
      const answer = await post(address, body, type);
      const page = isStream(answer) ? eventsOf(answer).find(({ name }) => name === "page")?.data : answer.responseText;
      // A stream that ends before its page was cut.
      if (page === undefined) throw new Error(text("unreachable"));
      const made = place(page, answer.status);
      made.focus({ preventScroll: true });
      made.scrollIntoView({ block: "nearest" });
      show(false, "");
    } catch (error) {
      show(false, error.message);
    }
  });
  cancel.addEventListener("click", () => current?.abort());
  if (!file) return;
  file.addEventListener("change", choose);
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (!event.dataTransfer.files.length) return;
    file.files = event.dataTransfer.files;
    choose();
  });
}

/** A text with a button that copies it; where the browser refuses that, the text is selected. */
function copy(place) {
  const button = element("button", { type: "button" }, text("copy"));
  place.after(" ", button);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(place.textContent);
      button.textContent = text("copied");
    } catch {
      getSelection().selectAllChildren(place);
    }
  });
}

// MARK: Start

const enhancements = [["form[data-live]", live], ["[data-refresh][id]", refresh], ["[data-stream]", stream],
  ["form[data-upload]", upload], ["form[data-send]", send], ["[data-copy]", copy],
  ["[data-scripted]", (place) => { place.hidden = false; }]];
const enhanced = new WeakSet();

function enhance(root) {
  for (const [selector, start] of enhancements) {
    const found = [...root.querySelectorAll(selector)];
    if (root.matches?.(selector)) found.push(root);
    for (const place of found) {
      if (enhanced.has(place)) continue;
      enhanced.add(place);
      start(place);
    }
  }
}

enhance(document);
