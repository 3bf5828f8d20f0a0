"use strict";
// Finds the parts of pages in which all words occur; without this script, the page lists all of them.
(() => {
  const field = document.getElementById("words");
  const state = document.getElementById("state");
  const results = document.getElementById("results");
  const all = document.getElementById("all");
  const most = 30;
  let index;

  async function load() {
    index ??= fetch("search.json").then(async (response) => {
      if (!response.ok) throw new Error(response.status);
      const entries = await response.json();
      for (const entry of entries) {
        entry.lower = [entry.title, entry.page, entry.text].map((part) => part.toLowerCase());
      }
      return entries;
    });
    return index;
  }

  const letter = /[\p{L}\p{N}]/u;

  // The place of a word's beginning in a text, or -1.
  function place(word, text) {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      if (at === 0 || !letter.test(word[0]) || !letter.test(text[at - 1])) return at;
    }
    return -1;
  }

  // A title counts most; a whole word counts more than the beginning of one.
  function rank(entry, words) {
    let sum = 0;
    for (const word of words) {
      const places = entry.lower.map((text) => place(word, text));
      const best = places.findIndex((at) => at >= 0);
      if (best < 0) return 0;
      const next = entry.lower[best][places[best] + word.length] ?? " ";
      sum += [12, 5, 1][best] + (letter.test(next) ? 0 : 1);
    }
    return sum;
  }

  function marked(text, words) {
    const parent = document.createElement("p");
    const lower = text.toLowerCase();
    const hits = words.map((word) => place(word, lower)).filter((at) => at >= 0);
    const first = hits.length ? Math.max(0, Math.min(...hits) - 60) : 0;
    const begin = first === 0 ? 0 : text.indexOf(" ", first) + 1;
    let rest = text.slice(begin, begin + 220);
    if (begin > 0) parent.append("… ");
    while (rest) {
      const found = words.map((word) => [place(word, rest.toLowerCase()), word]).filter(([at]) => at >= 0).sort((a, b) => a[0] - b[0])[0];
      if (!found) break;
      const mark = document.createElement("mark");
      mark.textContent = rest.slice(found[0], found[0] + found[1].length);
      parent.append(rest.slice(0, found[0]), mark);
      rest = rest.slice(found[0] + found[1].length);
    }
    parent.append(rest, begin + 220 < text.length ? " …" : "");
    return parent;
  }

  function item(entry, words) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = entry.id;
    link.textContent = entry.title;
    item.append(link);
    if (entry.page !== entry.title) {
      const page = document.createElement("span");
      page.textContent = ` ${entry.page}`;
      item.append(page);
    }
    item.append(marked(entry.text, words));
    return item;
  }

  async function search() {
    const asked = field.value;
    const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
    history.replaceState(null, "", words.length ? `#q=${encodeURIComponent(asked)}` : location.pathname);
    if (!words.length) {
      all.hidden = false;
      results.replaceChildren();
      state.textContent = "";
      return;
    }
    try {
      const entries = await load();
      if (field.value !== asked) return;
      const found = entries.map((entry) => [rank(entry, words), entry]).filter(([score]) => score > 0);
      found.sort((a, b) => b[0] - a[0]);
      results.replaceChildren(...found.slice(0, most).map(([, entry]) => item(entry, words)));
      const more = found.length > most ? `; these are the first ${most}` : "";
      state.textContent = found.length
        ? `Found in ${found.length} ${found.length === 1 ? "place" : "places"}${more}.`
        : "Not found. All words must occur below the same heading.";
      state.dataset.count = found.length;
      all.hidden = found.length > 0;
    } catch {
      all.hidden = false;
      state.textContent = "The index cannot be loaded; the list below has all pages. A page that was opened as a file must not read others.";
    }
  }

  document.getElementById("search").hidden = false;
  field.addEventListener("input", search);
  const asked = /^#q=(.*)$/.exec(location.hash);
  if (asked) {
    field.value = decodeURIComponent(asked[1]);
    search();
  }
  field.focus();
})();
