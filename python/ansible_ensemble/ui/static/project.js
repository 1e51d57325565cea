import { get } from "./api.js";
import { badge, empty, h, problems, show, table } from "./dom.js";
import { time } from "./jobs.js";

const HEADS = ["Ensemble", "Environment", "Status", "Instances", "Drift", "Last job", "Now"];
const PAUSE = 3000;

/** The ensembles, kept up to date; resolves to a function that ends this. */
export async function render(content, { project, address }) {
  if (!project.ensembles.length) {
    show(content, h("h1", {}, "Ensembles"), empty("This project has no ensemble yet.",
      h("p", {}, h("code", {}, "ansible-ensemble init"), " makes one, as does the first deploy of a service template.")));
    return () => {};
  }
  const said = h("div");
  const rows = new Map(project.ensembles.map((one) => [one.path, new Row(one, address)]));
  show(content, h("h1", {}, "Ensembles"), h("p", { class: "faint" }, project.folder), said,
    table(HEADS, [...rows.values()].map((row) => row.cells())));
  let timer, ended = false;
  const later = () => { if (!ended) timer = setTimeout(update, PAUSE); };
  async function update() {
    try {
      if (!document.hidden) for (const one of (await get("project")).ensembles) rows.get(one.path)?.update(one);
      show(said);
    } catch (error) {
      if (error.status !== 0) show(said, problems(error.errors ?? [{ text: error.message }]));
    }
    later();
  }
  later();
  await Promise.all([...rows.values()].map((row) => row.load()));
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

class Row {
  constructor(one, address) {
    this.one = one;
    this.address = address;
    [this.status, this.count, this.drift, this.last, this.now] = Array.from({ length: 5 }, () => h("span"));
    this.tell();
  }

  cells() {
    const { path, name, environment } = this.one;
    return [h("a", { href: this.address("topology", path) }, name || path), environment || h("span", { class: "faint" }, "none"),
      this.status, this.count, this.drift, this.last, this.now];
  }

  update(one) {
    const known = JSON.stringify(this.one);
    this.one = one;
    if (JSON.stringify(one) === known && !this.failed) return;
    this.tell();
    this.load();
  }

  /** Who works on it, and by which job. */
  tell() {
    const { path, lock, running } = this.one;
    const jobs = running.map((job) => [" ", h("a", { href: this.address("job", path, job) }, job)]);
    if (lock && !lock.left) {
      show(this.now, badge("running"), ` ${lock.operation}`, jobs, h("div", { class: "faint" }, `${lock.who}, since ${time(lock.since)}`));
    } else show(this.now, jobs.length ? [badge("interrupted"), jobs, h("div", { class: "faint" }, "recorded by the next job, or by recover")]
      : h("span", { class: "faint" }, "nothing runs"));
  }

  async load() {
    const parameters = { ensemble: this.one.path };
    try {
      const found = await get("status", parameters);
      this.failed = false;
      show(this.status, badge(found.status ?? "not deployed"));
      show(this.count, String(found.instances.length));
    } catch (error) {
      this.failed = true;
      if (error.status !== 0) show(this.status, badge("invalid"), h("div", { class: "faint" }, error.message));
      return;
    }
    try {
      const [history, drift] = await Promise.all([get("history", parameters), get("drift", parameters)]);
      const [newest] = history.jobs;
      if (newest) {
        show(this.last, h("a", { href: this.address("job", this.one.path, newest.change_id) }, `${newest.workflow} ${newest.change_id}`),
          " ", badge(newest.outcome ?? ""), h("div", { class: "faint" }, time(newest.end_time ?? newest.start_time)));
      }
      const drifted = drift?.instances.length;
      show(this.drift, drift === null ? h("span", { class: "faint" }, "not checked")
        : h("a", { href: this.address("drift", this.one.path) }, drifted ? `${drifted} drifted` : "none"));
    } catch (error) {
      this.failed = true;
      if (error.status !== 0) show(this.last, h("span", { class: "faint" }, error.message));
    }
  }
}
