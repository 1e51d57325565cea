import { follow, get, log, patch } from "./api.js";
import { announce, atEnd, badge, duration, empty, h, plain, problems, show, table, valueView } from "./dom.js";
import { progress } from "./list.js";
import { soon } from "./refresh.js";

const JOBS = 50, SHOWN = 200_000;
const SETS = /^(stage|bootenv|context):/;
const SOURCES = { machines: "the machine", profiles: "profile", stages: "stage", params: "default" };

/** A machine, as it changes; returns what ends it. */
export function open(room, key, failed) {
  const places = Object.fromEntries(["facts", "tasks", "params", "jobs"].map((name) => [name, h("section")]));
  const said = h("div");
  const views = new Map();
  const list = h("div");
  let machine, chosen = "", busy = false;
  const path = `/api/v3/machines/${encodeURIComponent(key)}`;
  const refresh = soon(async () => {
    const [found, jobs, workflows] = await Promise.all([get(`/ui/api/machines/${encodeURIComponent(key)}`),
      get(`/api/v3/jobs?Machine=${encodeURIComponent(key)}&sort=StartTime&reverse=true&limit=${JOBS}`).catch(allowed),
      get("/api/v3/workflows").catch(allowed)]);
    if (machine && machine.State !== found.State) announce(`${found.Name}: ${found.State}`);
    machine = found;
    draw(jobs, workflows.filter((one) => one.Available).map((one) => one.Name));
  }, failed);

  function draw(jobs, workflows) {
    if (!places.facts.parentElement) show(room, Object.values(places));
    document.title = `${machine.Name} · Machines`;
    show(places.facts, h("h1", {}, machine.Name, " ", badge(machine.State)),
      machine.Description ? h("p", {}, machine.Description) : null,
      machine.Reason ? h("p", { class: "warning", id: "reason" }, machine.Reason) : null, said, start(workflows),
      h("dl", {}, [["Workflow", machine.Workflow], ["Stage", machine.Stage], ["Task", machine.Task], ["Progress", progress(machine)],
        ["Boots", machine.BootEnv], ["Address", machine.Address], ["Profiles", machine.Profiles.join(", ")],
        ["Locked", machine.Locked ? "yes" : ""], ["Errors", machine.Errors.join("\n")]].filter(([, value]) => value)
        .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])));
    show(places.tasks, h("h2", {}, "Tasks"), machine.Tasks.length ? h("ol", {}, machine.Tasks.map(task)) : empty("There are no tasks."));
    show(places.params, h("h2", {}, "Params"), params(machine.Params));
    if (!list.parentElement) show(places.jobs, h("h2", {}, "Jobs"), list);
    if (!jobs.length) show(list, empty("No job ran, or you may not see them."));
    jobs.forEach((job, place) => { // those that are there stay as they are, with their place in a log
      const element = jobView(job);
      if (list.children[place] !== element) list.insertBefore(element, list.children[place]);
    });
    while (list.children.length > Math.max(jobs.length, 1)) list.lastChild.remove();
  }

  function start(workflows) {
    const choice = h("select", { id: "workflow", "aria-label": "Workflow", onchange: () => { chosen = choice.value; } },
      workflows.map((name) => h("option", { selected: name === (chosen || machine.Workflow) }, name)));
    return h("div", { class: "decide" },
      workflows.length && may("Workflow") ? [choice, h("button", { class: "primary", id: "start", disabled: busy, onclick: act(() => begin(choice.value)) }, "Start the workflow")] : null,
      !machine.Runnable && machine.Tasks.length && may("Runnable") ? h("button", { id: "runnable", disabled: busy, onclick: act(() => change({ Runnable: true })) }, "Make it runnable") : null);
  }

  const may = (field) => machine.MayChange.includes(field);
  const change = (fields) => patch(path, Object.entries(fields).map(([name, value]) => ({ op: "replace", path: `/${name}`, value })));
  async function begin(workflow) {
    if (machine.Workflow === workflow) await change({ Workflow: "" }); // it is begun anew
    await change({ Workflow: workflow });
  }
  const act = (work) => async (event) => {
    busy = event.target.disabled = true;
    try {
      await work();
      show(said);
    } catch (error) {
      show(said, problems(error.errors ?? [{ text: error.message }]));
    }
    busy = event.target.disabled = false;
    refresh.call();
  };

  function task(name, place) {
    const state = SETS.test(name) || place > machine.CurrentTask ? "" : place < machine.CurrentTask ? "done" : machine.State;
    return h("li", { "aria-current": place === machine.CurrentTask ? "step" : null, class: SETS.test(name) ? "faint" : null },
      name, " ", badge(state));
  }

  function jobView(job) {
    if (!views.has(job.Uuid)) views.set(job.Uuid, new JobView(job.Uuid));
    return views.get(job.Uuid).draw(job);
  }

  const stop = follow([`machines.*.${key}`, "jobs.*.*", "profiles.*.*", "stages.*.*"],
    (event) => event.Type !== "jobs" || event.Object?.Machine === key, refresh.call);
  refresh.call();
  return () => {
    stop();
    refresh.stop();
    for (const view of views.values()) view.close();
  };
}

/** Nothing, where the user may not see more. */
function allowed(error) {
  if (error.status === 403) return [];
  throw error;
}

function params(found) {
  const rows = Object.entries(found).map(([name, [first, ...others]]) => [h("code", {}, name), value(first), source(first),
    others.map((one) => h("div", {}, source(one), ": ", value(one)))]);
  return rows.length ? table(["Param", "Value", "From", "Instead of"], rows) : empty("There are no params.");
}

const value = (one) => (one.Secure ? "(sensitive value)" : valueView(one.Value));
const source = ({ Kind, Name }) => [SOURCES[Kind], ["profiles", "stages"].includes(Kind) ? ` ${Name}` : ""];

class JobView {
  constructor(uuid) {
    this.uuid = uuid;
    this.next = 0;
    this.decoder = new TextDecoder();
    this.said = "";
    this.summary = h("summary");
    this.log = h("pre", { class: "log", tabindex: "0", role: "log" });
    this.element = h("details", { class: "run", ontoggle: () => this.follow() }, this.summary, this.log);
  }

  draw(job) {
    this.goesOn = ["created", "running"].includes(job.State);
    this.log.setAttribute("aria-label", `Log of ${job.Task}`);
    const [began, ended] = [job.StartTime, job.EndTime].map((time) => (time.startsWith("0001") ? null : Date.parse(time)));
    const took = began && (this.goesOn ? Date.now() : ended) - began;
    show(this.summary, job.Task, " ", badge(job.State), " ",
      h("span", { class: "faint" }, [job.Stage, job.ExitState,
        began && job.StartTime.replace("T", " ").slice(0, 19), took > 0 && duration(took / 1000)].filter(Boolean).join(" · ")));
    this.follow();
    return this.element;
  }

  /** Show the log as it grows, for as long as it is open. */
  async follow() {
    clearTimeout(this.timer);
    if (!this.element.open || this.busy || this.closed || this.complete) return;
    this.busy = true;
    const last = !this.goesOn;
    try {
      const found = await log(this.uuid, this.next ? `${this.next}-` : `-${SHOWN}`);
      if (found) this.add(found);
      else if (this.failed) this.tell(this.said);
      this.failed = false;
      this.complete = last;
    } catch (error) {
      this.failed = true;
      this.tell(error.message);
    }
    this.busy = false;
    if (!last) this.timer = setTimeout(() => this.follow(), 1000);
  }

  add({ bytes, next }) {
    this.next = next;
    this.said = (this.said + this.decoder.decode(bytes, { stream: true })).slice(-SHOWN);
    this.tell(this.said);
  }

  tell(text) {
    atEnd(this.log, () => { this.log.textContent = plain(text); });
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
  }
}
