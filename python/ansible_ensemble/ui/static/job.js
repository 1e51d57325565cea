import { get, post } from "./api.js";
import { atEnd, badge, duration, empty, h, lines, plain, problems, show, table } from "./dom.js";
import { output } from "./output.js";

const ROW = 24;
const CHARACTER = 7.3;
const LABEL = 40;
/** How many of the operations that wait are shown. */
const SHOWN = 100;

export async function open(context) {
  const view = new Job(context);
  await view.load();
  view.sized.observe(context.content);
  return view;
}

/** A job by its journal: what ran when and where, live while it runs. */
class Job {
  constructor(context) {
    this.context = context;
    this.operations = new Map();
    this.seq = -1;
    this.header = this.end = null;
    this.waiting = new Map();
    this.planned = [];
    this.said = h("div");
    this.sized = new ResizeObserver(() => { if (context.content.clientWidth !== this.width) this.draw(); });
    this.log = h("pre", { class: "log", tabindex: "0", role: "log", "aria-label": "What happened, line by line" });
  }

  async load() {
    const { ensemble, name } = this.context;
    const found = await get(`jobs/${encodeURIComponent(name)}/entries`, { ensemble });
    this.operations.clear();
    this.waiting.clear();
    this.seq = -1;
    this.header = this.end = null;
    this.log.replaceChildren();
    this.running = found.running;
    this.recorded = found.recorded;
    this.damage = found.damage;
    this.planned = found.planned;
    found.entries.forEach((entry) => this.take(entry));
  }

  async refresh() {
    await this.load();
    this.draw();
  }

  entries({ job, entries }) {
    if (job !== this.context.name) return;
    if (entries[0].seq > this.seq + 1 && this.seq >= 0) {
      this.refresh().catch(() => {}); // some were missed
      return;
    }
    entries.forEach((entry) => this.take(entry));
    this.due ??= requestAnimationFrame(() => {
      this.due = undefined;
      this.draw();
    });
  }

  take(entry) {
    if (entry.seq <= this.seq) return;
    this.seq = entry.seq;
    const { event, key } = entry;
    this.tell(entry);
    if (event === "job-started") this.header = entry;
    else if (event === "job-finished") { this.end = entry; this.running = false; }
    else if (event === "started") {
      this.operations.set(key, { ...entry, from: entry.time });
      this.waiting.delete(key);
    } else if (event === "finished") {
      const known = this.operations.get(key) ?? entry;
      this.operations.set(key, { ...known, ...entry, from: known.from ?? entry.time - (entry.seconds ?? 0), until: entry.time });
    } else if (event === "progressed") {
      const known = this.operations.get(key);
      if (known) known.progress = entry.text;
    } else if (event === "waiting") this.waiting.set(key, entry.for ?? []);
    else if (["skipped", "blocked", "cancelled"].includes(event)) this.operations.set(key, { ...entry, ...named(key), outcome: event });
  }

  tell(entry) {
    this.time = entry.time ?? this.time; // progress has none of its own
    const line = words(entry);
    if (!line) return;
    atEnd(this.log, () => this.log.append(plain(`${new Date(this.time * 1000).toISOString().slice(11, 19)}  ${line}\n`)));
  }

  async goBack(event) {
    const { name, ensemble, address } = this.context;
    event.target.disabled = true;
    try {
      const made = await post("plans", { ensemble }, { workflow: "deploy", rollback: name });
      this.context.go(address("plan", ensemble, made.id));
    } catch (error) {
      show(this.said, problems(error.errors ?? [{ text: error.message }]));
      event.target.disabled = false;
    }
  }

  draw() {
    if (this.closed) return;
    const { name, content, ensemble, address, project } = this.context;
    this.width = content.clientWidth;
    const all = [...this.operations.values()].filter((one) => one.implementation !== "" || one.outcome);
    const ended = all.filter((one) => one.until !== undefined);
    const failed = ended.filter((one) => one.ok === false);
    const seconds = this.end?.seconds ?? (Date.now() / 1000 - (this.header?.time ?? Date.now() / 1000));
    const open = new Set([...content.querySelectorAll("details[open][id]")].map((one) => one.id));
    const at = content.querySelector(".timeline")?.parentElement.scrollTop ?? 0;
    const read = this.log.isConnected && this.log.scrollTop + this.log.clientHeight < this.log.scrollHeight - ROW ? this.log.scrollTop : Infinity;
    const begun = all.length - ended.length;
    show(content, h("h1", {}, `Job ${name}`), this.damaged(),
      h("p", { class: "summary" }, this.header?.workflow ?? "", " ", badge(this.running ? "running" : failed.length ? "failed" : this.end ? "ok" : "interrupted"),
        ` ${ended.length} of ${this.header?.total ?? "?"} operations${this.running && begun ? `, ${begun} running` : ""}, ${duration(seconds)}`),
      this.running || this.recorded ? null : h("p", { class: "warning" }, "This job was killed: the next job records what it did, or ansible-ensemble recover."),
      this.header?.approvedBy ? h("p", {}, `Approved by ${this.header.approvedBy}`) : null,
      this.said,
      !this.running && this.end && this.header?.workflow === "deploy" && project.may.includes("plan")
        ? h("p", {}, h("button", { onclick: (event) => this.goBack(event) }, "Plan to go back to this job")) : null,
      this.running ? h("p", { class: "faint" }, "It is cancelled where it was begun: at its terminal, in AWX, or on the page of ",
        h("a", { href: address("jobs", ensemble) }, "jobs"), ".") : null,
      this.running ? this.atWork(all) : null,
      failed.length ? [h("h2", {}, "Failed"), failed.map((one) => this.failure(one))] : null,
      all.length ? [h("h2", {}, "Timeline"), this.timeline(all)] : empty("No operation has begun."),
      this.running ? this.wait() : null,
      all.length ? [h("h2", {}, "Log"), this.log] : null,
      all.length ? [h("h2", {}, "Operations"), ended.map((one) => this.details(one, open))] : null);
    const timeline = content.querySelector(".timeline")?.parentElement;
    if (timeline) timeline.scrollTop = at;
    this.log.scrollTop = Math.min(read, this.log.scrollHeight);
    clearTimeout(this.timer);
    if (this.running) this.timer = setTimeout(() => this.draw(), 1000);
  }

  damaged() {
    if (!this.damage.length) return null;
    const rest = this.recorded ? `; ansible-ensemble show ${this.context.name} has its record` : "";
    return problems([{ text: `the journal is damaged (${this.damage.join(", ")}), and this page shows what can be read of it${rest}` }]);
  }

  atWork(all) {
    const begun = all.filter((one) => one.from !== undefined && one.until === undefined);
    const rows = begun.map((one) => [`${one.instance} ${short(one)}`, one.host ?? "", duration(Date.now() / 1000 - one.from), one.progress ?? ""]);
    return rows.length ? [h("h2", {}, "Running"), table(["Operation", "Host", "For", "Progress"], rows)] : null;
  }

  /** What is still to begin, in the plan's order where that is known, and what each waits for. */
  wait() {
    const over = (key) => this.operations.get(key)?.until !== undefined || this.operations.get(key)?.outcome;
    const planned = new Map(this.planned.map((one) => [one.key, one.waits_for.filter((key) => !over(key))]));
    const waiting = [...new Map([...planned, ...this.waiting])].filter(([key]) => !this.operations.has(key));
    if (!waiting.length) return null;
    return [h("h2", {}, "Waiting"), table(["Operation", "For"], waiting.slice(0, SHOWN).map(([key, what]) => [key, what.join(", ")])),
      waiting.length > SHOWN ? h("p", { class: "faint" }, `${waiting.length - SHOWN} more wait.`) : null];
  }

  timeline(all) {
    const timed = all.filter((one) => one.from !== undefined).sort((a, b) => a.from - b.from);
    if (!timed.length) return null;
    const begin = Math.min(...timed.map((one) => one.from));
    const now = this.running ? Date.now() / 1000 : Math.max(...timed.map((one) => one.until ?? one.from));
    const span = Math.max(0.001, now - begin);
    const critical = path(timed);
    const most = Math.min(LABEL, Math.floor((this.width * 0.45) / CHARACTER));
    const labels = timed.map((one) => clip(`${one.instance} ${short(one)}`, most));
    const left = Math.max(...labels.map((label) => label.length)) * CHARACTER + 16;
    const across = Math.max(100, this.width - left - 40);
    const bars = timed.map((one, row) => {
      const x = ((one.from - begin) / span) * across;
      const width = Math.max(2, (((one.until ?? now) - one.from) / span) * across);
      const title = `${one.instance} ${short(one)} on ${one.host ?? "?"}: ${duration((one.until ?? now) - one.from)}${one.progress ? `, ${one.progress}` : ""}`;
      return h("g", { class: `bar ${one.until === undefined ? "running" : one.ok ? (one.changed ? "changed" : "same") : "failed"} ${critical.has(one.key) ? "critical" : ""}` },
        h("title", {}, title), h("rect", { x: left + x, y: row * ROW + 5, width, height: ROW - 10, rx: 3 }),
        h("text", { x: left - 10, y: row * ROW + 16, "text-anchor": "end" }, labels[row]));
    });
    return h("div", { class: "frame", tabindex: "0", role: "region", "aria-label": "Timeline" }, h("svg", {
      class: "timeline", width: left + across + 8, height: timed.length * ROW + 8, role: "img",
      "aria-label": `${timed.length} operations in ${duration(span)}; those outlined decide how long the job takes`,
    }, bars));
  }

  failure(one) {
    return h("div", { class: "problem" }, h("strong", {}, `${one.instance}: ${short(one)} `), one.host ? `on ${one.host}` : "",
      lines(one.error ?? ""), output(one));
  }

  details(one, open) {
    const id = `of-${one.task}`;
    return h("details", { class: "change", id, open: open.has(id) }, h("summary", { id: `summary-${id}` }, h("b", {}, one.instance), ` ${short(one)} `,
      badge(one.ok ? (one.changed ? "changed" : "ok") : "failed"), h("span", { class: "faint" },
        ` ${one.host ?? ""} ${duration(one.seconds ?? 0)} ${one.reason ?? ""}`)), output(one) ?? h("p", { class: "faint" }, "It printed nothing."));
  }

  close() {
    this.closed = true;
    this.sized.disconnect();
    clearTimeout(this.timer);
    if (this.due) cancelAnimationFrame(this.due);
  }
}

/** The operations that decide how long the job takes: back from the last, each the one that ended last before. */
function path(timed) {
  const keys = new Set();
  let last = timed.reduce((a, b) => ((b.until ?? Infinity) > (a.until ?? Infinity) ? b : a));
  while (last) {
    keys.add(last.key);
    const { from } = last;
    last = timed.filter((one) => one.until !== undefined && one.until <= from + 0.001 && !keys.has(one.key))
      .reduce((a, b) => (!a || b.until > a.until ? b : a), null);
  }
  return keys;
}

/** An entry as a line; nothing for one that is of no interest. */
function words(entry) {
  const { event, instance, error, text } = entry;
  const what = `${instance}: ${short(entry)}`;
  if (event === "started") return entry.implementation ? `${what} ...${entry.host ? ` on ${entry.host}` : ""}` : "";
  if (event === "finished") {
    const how = entry.ok ? (entry.changed ? "changed" : "ok") : `failed: ${error ?? ""}`;
    return entry.implementation ? `${what} ${how} (${duration(entry.seconds ?? 0)})` : "";
  }
  if (event === "progressed") return `${entry.key}: ${text}`;
  return "";
}

const short = (one) => (one.operation ?? "").split(".").pop();
const clip = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const named = (key) => ({ instance: key.split(":").slice(0, -1).join(":"), operation: key.split(":").pop() });
