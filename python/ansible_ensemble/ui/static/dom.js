// Elements are made from data, never from text of HTML: a value cannot become markup.

// A text of so many characters is never scrolled.
const SHORT = 600;
// Who is so many pixels from the end of a log is at its end.
const LINE = 24;
const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "path", "rect", "text", "title", "marker", "defs", "line"]);

/** An element; `attributes` may hold listeners (`onclick`), and children are elements, texts or nothing. */
export function h(tag, attributes = {}, ...children) {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false).map(shown));
  return element;
}

/** A text without codes for terminals and what turns its direction around: it looks like what it is. */
export function plain(text) {
  return text.replaceAll(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])/g, "")
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, "");
}

const shown = (child) => (typeof child === "string" ? plain(child) : child);

/** Put new content into an element; the keyboard and the cursor stay where they are, or in what took the place of it. */
export function show(element, ...children) {
  const held = document.activeElement;
  const isHere = held !== element && element.contains(held);
  const nth = isHere && alike(element, held).indexOf(held);
  const cursor = isHere && held.selectionStart;
  element.replaceChildren(...children.flat(Infinity).filter(Boolean).map(shown));
  if (!isHere || document.activeElement === held) return;
  const next = element.contains(held) ? held : alike(element, held)[nth] ?? document.getElementById("content");
  next.focus({ preventScroll: true });
  if (typeof cursor === "number" && next.selectionStart !== undefined) next.setSelectionRange(cursor, cursor);
}

/** What of an element is named as another element is, by its id or by what is read there. */
const alike = (element, other) => [...element.querySelectorAll(other.localName)].filter((one) => name(one) === name(other));
const name = (one) => one.id || one.getAttribute("href") || one.getAttribute("aria-label") || one.textContent;

/** Change a log, which goes on to show its end unless somebody has scrolled up in it. */
export function atEnd(log, change) {
  const follows = log.scrollTop + log.clientHeight >= log.scrollHeight - LINE;
  change();
  if (follows) log.scrollTop = log.scrollHeight;
}

export function table(heads, rows, attributes = {}) {
  return h("div", { class: "scroll" }, h("table", attributes,
    h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", {}, rows.map((cells) => row(heads, cells)))));
}

export function row(heads, cells) {
  return h("tr", {}, cells.map((cell, place) => h("td", { "data-head": heads[place] }, cell)));
}

/** A status or outcome with its colour; the word stands there as well, and how many have it where that is given. */
export function badge(word, count) {
  return word ? h("span", { class: `badge is-${String(word).replaceAll(/[^a-z]+/g, "-")}` }, [word, count].filter((one) => one !== undefined).join(" ")) : "";
}

/** A value as people read it: texts as they are, others as JSON. */
export function valueText(value) {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

export function valueView(value) {
  const text = valueText(value);
  return text.includes("\n") || text.length > 90 ? lines(text) : h("code", {}, text);
}

/** Two values that differ; where they read alike, each with its type. */
export function differing(...values) {
  const alike = valueText(values[0]) === valueText(values[1]);
  return values.map((value) => (alike ? [valueView(value), h("span", { class: "faint" }, ` ${typeName(value)}`)] : valueView(value)));
}

function typeName(value) {
  if (value === undefined || value === null) return value === null ? "null" : "not there";
  return Array.isArray(value) ? "list" : { string: "text", object: "map" }[typeof value] ?? typeof value;
}

/** A text of lines; one that may need scrolling is reached by the keyboard. */
export function lines(text) {
  return h("pre", { tabindex: text.length > SHORT ? "0" : null }, text);
}

/** Seconds as people say them. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export function announce(text) {
  document.getElementById("announcements").textContent = text;
}

/** Say above the page whether the server answers. */
export function connected(is) {
  const place = document.getElementById("connection");
  const text = is ? "" : "The server does not answer. This page goes on by itself once it does.";
  if (place.textContent !== text) place.textContent = text;
}

export function problems(errors) {
  return h("div", { class: "problem", role: "alert" }, errors.map((error) => h("div", {},
    h("strong", {}, "Error: "), error.text ?? error.message)));
}

export function empty(text, ...more) {
  return h("div", { class: "empty" }, h("p", {}, text), more);
}
