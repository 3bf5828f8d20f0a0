// A page for tests of the console's script: as much of a document, an event source and a clock as the script uses.
// Markup is never read: an element that a test does not make, only the script can have made.

class Element {
  constructor(name) {
    Object.assign(this, { localName: name, attributes: {}, children: [], parent: null, listeners: {}, value: "" });
  }

  setAttribute(name, value) { this.attributes[name] = String(value); }
  getAttribute(name) { return this.attributes[name] ?? null; }
  get id() { return this.attributes.id ?? ""; }
  get hidden() { return "hidden" in this.attributes; }
  set hidden(isHidden) { if (isHidden) this.attributes.hidden = ""; else delete this.attributes.hidden; }
  get dataset() {
    const name = (key) => `data-${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return new Proxy(this.attributes, {
      has: (attributes, key) => name(key) in attributes,
      get: (attributes, key) => attributes[name(key)],
      set: (attributes, key, value) => (attributes[name(key)] = String(value), true),
    });
  }

  #adopt(nodes) {
    return nodes.map((node) => {
      const made = node instanceof Element ? node : { text: String(node) };
      if (made instanceof Element) made.remove();
      made.parent = this;
      return made;
    });
  }
  append(...nodes) { this.children.push(...this.#adopt(nodes)); }
  prepend(...nodes) { this.children.unshift(...this.#adopt(nodes)); }
  before(...nodes) {
    const made = this.parent.#adopt(nodes);
    this.parent.children.splice(this.parent.children.indexOf(this), 0, ...made);
  }
  replaceWith(node) {
    this.before(node);
    this.remove();
  }
  remove() {
    if (this.parent) this.parent.children.splice(this.parent.children.indexOf(this), 1);
    this.parent = null;
  }

  get textContent() { return this.children.map((child) => child.text ?? child.textContent).join(""); }
  set textContent(text) {
    for (const child of this.children) child.parent = null;
    this.children = [];
    this.append(text);
  }
  get all() { return this.children.filter((child) => child instanceof Element).flatMap((child) => [child, ...child.all]); }
  contains(other) { return other === this || (other?.parent ? this.contains(other.parent) : false); }
  get isConnected() { return this === document.documentElement || (this.parent?.isConnected ?? false); }

  get tBodies() { return this.all.filter((child) => child.localName === "tbody"); }
  // Of a table's body, and of a row.
  get rows() { return this.children; }
  get cells() { return this.children; }
  deleteRow(index) { this.children.at(index).remove(); }

  /** Selectors of the script: names, classes, attributes, and all of these together. */
  matches(selector) {
    return selector.split(",").some((part) => [...part.trim().matchAll(/\[([^\]=]+)(?:=([^\]]+))?\]|\.([\w-]+)|([\w-]+)/g)]
      .every(([, attribute, value, style, name]) => attribute
        ? attribute in this.attributes && (value === undefined || this.attributes[attribute] === value)
        : style ? (this.attributes.class ?? "").split(" ").includes(style) : this.localName === name));
  }
  querySelectorAll(selector) { return this.all.filter((child) => child.matches(selector)); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
  removeAttribute(name) { delete this.attributes[name]; }
  focus() { document.activeElement = this; }
  scrollIntoView() {}
  closest(selector) { return this.matches(selector) ? this : this.parent?.closest(selector) ?? null; }

  addEventListener(name, listener) { (this.listeners[name] ??= []).push(listener); }
  dispatch(name, event = {}) { for (const listener of this.listeners[name] ?? []) listener(event); }
}

/** The event sources that the script has opened, the last one at the end. */
export const sources = [];

class TestEventSource extends Element {
  static CLOSED = 2;
  constructor(address) {
    super("source");
    this.address = String(address);
    this.readyState = 1;
    sources.push(this);
  }
  close() { this.readyState = 2; }
  send(name, data, lastEventId = "") { this.dispatch(name, { data: JSON.stringify(data), lastEventId }); }
  /** The connection is cut; the browser connects again by itself, or not. */
  cut(isFinal) {
    if (isFinal) this.readyState = 2;
    this.onerror();
  }
}

let frames = [], now = 0, timers = [];

/** Draws as a browser does: until no frame is wanted, at most for so many milliseconds. */
export function pass(milliseconds) {
  for (const end = now + milliseconds; now < end; now += 16) {
    const wanted = frames;
    frames = [];
    for (const frame of wanted) frame(now);
  }
}

/** Runs what waits for a time, and what that begins. */
export async function elapse() {
  const due = timers;
  timers = [];
  for (const timer of due) await timer();
  await new Promise((resolve) => setImmediate(resolve));
}

const root = new Element("html");
root.lang = "en";
export const page = new Element("body");
root.append(page);
const windowListeners = new Element("window");
/** Sends an event to the window. */
export const send = (name, event) => windowListeners.dispatch(name, event);
/** The status with which the server answers about the session. */
export const server = { status: 200 };

Object.assign(globalThis, {
  document: {
    documentElement: root, body: page, activeElement: page,
    createElement: (name) => new Element(name),
    adoptNode: (node) => node,
    querySelectorAll: (selector) => root.querySelectorAll(selector),
    getElementById: (id) => root.all.find((child) => child.id === id) ?? null,
  },
  location: { href: "https://console.example/console/jobs/s" },
  EventSource: TestEventSource,
  requestAnimationFrame: (frame) => frames.push(frame),
  addEventListener: (name, listener) => windowListeners.addEventListener(name, listener),
  fetch: async () => ({ status: server.status }),
  setTimeout: (timer) => timers.push(timer),
});

/** Makes an element, with attributes and children. */
export function make(name, attributes = {}, ...children) {
  const made = new Element(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
