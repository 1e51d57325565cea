import { get, post, remove } from "./api.js";
import { badge, differing, duration, empty, h, problems, show, table } from "./dom.js";

const SHOWN = 200;
const LABELS = { check: "Check for drift", discover: "Discover" };

export async function open(context) {
  const { ensemble, content, project, address, name } = context;
  const said = h("div");
  const cancelled = new Set();
  let jobs, runs, timer, closed = false, chosen = null;
  async function load() {
    [jobs, runs] = await Promise.all([get("history", { ensemble }).then((found) => found.jobs), get("runs", { ensemble })]);
  }
  async function look(event, workflow) {
    event.target.disabled = true;
    try {
      await post("runs", { ensemble }, { workflow });
      await view.refresh();
    } catch (error) {
      show(said, problems(error.errors ?? [{ text: error.message }]));
    } finally {
      event.target.disabled = false;
    }
  }
  const cancel = (run) => async (event) => {
    event.preventDefault(); // it stands in a summary, which it does not open
    try {
      await remove(`runs/${run.id}`);
      cancelled.add(run.id);
      await view.refresh();
    } catch (error) {
      show(said, problems(error.errors ?? [{ text: error.message }]));
    }
  };
  const runView = (run) => h("details", { class: "run", open: run.running || run.id === name || run.exit_code !== 0 },
    h("summary", { id: `run-${run.id}` }, `${run.workflow}, begun here `, badge(run.running ? "running" : run.exit_code === 0 ? "ok" : "failed"), " ",
      run.running && project.may.includes("cancel") ? h("button", { id: `cancel-${run.id}`, onclick: cancel(run) }, cancelled.has(run.id) ? "Kill what runs" : "Cancel") : null),
    h("pre", { class: "log", id: `log-${run.id}`, tabindex: "0", role: "log", "aria-label": `Output of ${run.workflow}` }, run.lines.join("\n")));
  const compare = async (first, then) => {
    try {
      const [one, two] = await Promise.all([first, then].map((job) => get(`jobs/${encodeURIComponent(job)}`, { ensemble })));
      show(said, difference(one, two));
      said.scrollIntoView({ block: "nearest" });
    } catch (error) {
      show(said, problems(error.errors ?? [{ text: error.message }]));
    }
  };
  const pick = (job) => (event) => {
    if (!event.target.checked) { chosen = chosen === job ? null : chosen; return; }
    if (chosen && chosen !== job) {
      compare(...[chosen, job].sort());
      for (const box of content.querySelectorAll("input:checked")) box.checked = false;
      chosen = null;
    } else chosen = job;
  };
  const view = {
    async refresh() {
      await load();
      this.draw();
    },
    draw() {
      clearTimeout(timer);
      if (closed) return;
      const rows = jobs.slice(0, SHOWN).map((job) => [
        h("label", { class: "check" }, h("input", { id: `compare-${job.change_id}`, type: "checkbox", checked: chosen === job.change_id, onchange: pick(job.change_id), "aria-label": `Compare ${job.change_id}` })),
        h("a", { id: `job-${job.change_id}`, href: address("job", ensemble, job.change_id) }, job.change_id), time(job.start_time), job.workflow,
        badge(job.outcome), badge(job.status), duration(job.seconds), job.summary ?? ""]);
      show(content, h("h1", {}, "Jobs"), said,
        !project.may.includes("look") ? null : h("div", { class: "decide" }, project.looking.map((workflow) =>
          h("button", { id: `look-${workflow}`, onclick: (event) => look(event, workflow) }, LABELS[workflow] ?? workflow))),
        [...runs].reverse().slice(0, 5).map(runView),
        h("h2", {}, "History"), rows.length
          ? [h("p", { class: "faint" }, "Tick two jobs to compare what they recorded."),
            table(["Compare", "Job", "Started (UTC)", "Workflow", "Result", "Status", "Took", "Ran"], rows)]
          : empty("There are no jobs yet.", h("p", {}, h("a", { href: address("plan", ensemble) }, "Make a plan"), " to begin.")),
        jobs.length > SHOWN ? h("p", { class: "faint" }, `${jobs.length - SHOWN} older jobs are shown by ansible-ensemble history.`) : null);
      for (const log of content.querySelectorAll(".log")) log.scrollTop = log.scrollHeight;
      if (runs.some((run) => run.running)) timer = setTimeout(() => this.refresh().catch(() => {}), 1000);
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
  await load();
  return view;
}

export const time = (text) => (text ?? "").replace(/^(\d+-\d+-\d+)[-T](\d+)[-:](\d+)[-:](\d+).*$/, "$1 $2:$3:$4");

function difference(one, two) {
  const by = (record) => new Map(record.tasks.map((task) => [operation(task), task]));
  const [before, after] = [by(one), by(two)];
  const rows = names(before, after).map((name) => [name, state(before.get(name)), state(after.get(name))]);
  const heads = [one.job.change_id, two.job.change_id];
  return h("section", { class: "panel" }, h("h2", {}, `Values that differ between ${heads[0]} and ${heads[1]}`),
    different(values(one, two), values(two, one), heads), h("h2", {}, "Operations"),
    rows.length ? table(["Operation", ...heads], rows) : empty("Neither ran an operation."));
}

const operation = (task) => `${plainName(task.target)} ${task.implementation?.operation ?? ""}`;
const plainName = (target) => target.replace(/^::/, "");

const names = (before, after) => [...new Set([...before.keys(), ...after.keys()])];

/** Values by name, of the operations that both ran, as the record of a job has them: secrets are masked in it. */
function values({ job, tasks }, other) {
  const found = new Map();
  const add = (what, given) => Object.entries(given ?? {}).forEach(([name, value]) => found.set(`${what} ${name}`, value));
  add("input", job.given_inputs);
  add("output", job.outputs);
  const ran = new Set(other.tasks.map(operation));
  for (const task of tasks.filter((one) => ran.has(operation(one)))) {
    add(operation(task), task.inputs);
    Object.entries(task.changes ?? {}).forEach(([target, attributes]) => add(plainName(target), attributes));
  }
  return found;
}

function different(before, after, heads) {
  const found = names(before, after).filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)));
  return found.length ? table(["Value", ...heads], found.map((name) => [h("code", {}, name), ...differing(before.get(name), after.get(name))]))
    : empty("All values that both recorded are the same.");
}

function state(task) {
  if (!task) return h("span", { class: "faint" }, "did not run");
  return h("span", {}, badge(task.ready_state?.local ?? ""), ` ${[task.changed && "changed", task.reason, duration(task.seconds)].filter(Boolean).join(", ")}`);
}
