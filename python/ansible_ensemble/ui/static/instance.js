import { get } from "./api.js";
import { badge, duration, empty, h, show, table, valueView } from "./dom.js";
import { time } from "./jobs.js";
import { output } from "./output.js";

// So many of the newest jobs are looked through.
const SHOWN = 10;

export async function open(context) {
  const { ensemble, name, content, address } = context;
  const history = h("div", {}, h("p", { class: "loading" }, "Loading…"));
  const printed = new Map(); // what operations printed stays open while the page changes
  let status, graph, drift, checked;
  async function load() {
    const parameters = { ensemble };
    [status, graph, drift] = await Promise.all(["status", "graph", "drift"].map((path) => get(path, parameters)));
    const record = drift && await get(`jobs/${drift.job}`, parameters).catch(() => null); // it may be of a clone
    checked = record?.tasks.find((task) => task.target === `::${name}`);
  }
  await load();
  return {
    async refresh() { await load(); this.draw(); },
    draw() {
      const recorded = status.instances.find((one) => one.name === name);
      const change = graph.resource_changes.find((one) => one.name === name);
      const live = drift?.instances.find((one) => one.instance === name);
      if (!recorded && !change) {
        show(content, h("h1", {}, name), empty("There is no such instance any more."));
        return;
      }
      const needs = graph.instances.find((one) => one.name === name)?.needs ?? [];
      const needed = graph.instances.filter((one) => one.needs.includes(name)).map((one) => one.name);
      const links = (names) => (names.length ? names.map((one, place) => [place ? ", " : "", h("a", { href: address("instance", ensemble, one) }, one)]) : "nothing");
      show(content, h("h1", {}, name), h("p", { class: "summary" }, badge(recorded?.status ?? "not deployed"), " ",
        recorded?.state ?? "", h("span", { class: "faint" }, ` ${recorded?.type ?? change?.type ?? ""}`)),
      h("dl", {}, h("dt", {}, "Deploy"), h("dd", {}, Object.hasOwn(graph.words.fates, name) ? graph.words.fates[name] : "leaves it as it is"),
        h("dt", {}, "Needs"), h("dd", {}, links([...new Set(needs)])), h("dt", {}, "Is needed by"), h("dd", {}, links(needed)),
        h("dt", {}, "Last check"), h("dd", {}, checked ? [badge(live ? "drifted" : checked.ready_state?.local), ` ${time(drift.time)} `,
          h("a", { href: address("job", ensemble, drift.job) }, drift.job),
          live ? ": not as it was recorded" : checked.ready_state?.local === "ok" ? ": as it was recorded" : ""] : "none of it"),
        recorded?.created ? [h("dt", {}, "Created by"), h("dd", {}, String(recorded.created))] : null),
      h("h2", {}, "Values"), values(recorded, change, live, checked), h("h2", {}, "History"), history);
      changes(context, printed).then((rows) => show(history, rows.length ? table(["Job", "Operation", "Result", "Reason", "Took", "Output"], rows) : empty("No job changed it yet.")),
        (error) => show(history, h("p", {}, error.message)));
    },
  };
}

/** Declared, recorded and live side by side; live is what the last check reports, which records it. */
function values(recorded, change, live, checked) {
  const planned = new Map((change?.change.values ?? []).map((one) => [one.name, one]));
  const seen = checked?.changes?.[checked.target] ?? {};
  const differs = new Map((live?.changes ?? []).map((one) => [one.name, one]));
  const known = { ...(recorded?.properties ?? {}), ...(recorded?.attributes ?? {}) };
  const names = [...new Set([known, seen].flatMap(Object.keys).concat(...planned.keys(), ...differs.keys()))].sort();
  if (!names.length) return empty("No operation has read a value of it.");
  const found = (name) => {
    const drifted = differs.get(name);
    if (!drifted) return Object.hasOwn(seen, name) ? valueView(seen[name]) : "";
    return [valueView(drifted.live), h("div", { class: "faint" }, badge("drifted"), " from ", valueView(drifted.recorded))];
  };
  return [table(["Value", "Declared", "Recorded", "Live, by the last check"], names.map((name) => {
    const then = planned.get(name);
    const declared = !then ? (Object.hasOwn(recorded?.properties ?? {}, name) ? valueView(known[name]) : "")
      : then.sensitive ? "(sensitive value)" : then.unknown ? h("i", {}, "known afterwards") : valueView(then.after);
    return [h("code", {}, name), declared, Object.hasOwn(known, name) ? valueView(known[name]) : "", found(name)];
  })), checked ? h("p", { class: "faint" }, "A value that its check does not report is not known live.") : null];
}

/** What its jobs did to it, newest first; what operations printed and changed is read where somebody asks for it. */
async function changes({ ensemble, name, address }, printed) {
  const { jobs } = await get("history", { ensemble });
  const records = await Promise.all(jobs.slice(0, SHOWN).map((job) => get(`jobs/${job.change_id}`, { ensemble })));
  return records.flatMap(({ job, tasks }) => tasks.filter((task) => task.target === `::${name}`).map((task) => [
    h("a", { href: address("job", ensemble, job.change_id) }, job.change_id), task.implementation?.operation ?? "",
    badge(task.ready_state?.local), task.reason ?? "", duration(task.seconds), outputs(task.change_id, job.change_id)]));

  function outputs(task, job) {
    if (!printed.has(task)) printed.set(task, outputOf(ensemble, job, task));
    return printed.get(task);
  }
}

function outputOf(ensemble, job, task) {
  const room = h("div");
  const read = async () => {
    show(room, "Loading…");
    try {
      const { entries } = await get(`jobs/${job}/entries`, { ensemble });
      const entry = entries.find((one) => one.event === "finished" && one.task === task);
      show(room, (entry && output(entry)) ?? h("p", { class: "faint" }, "It printed and changed nothing that was kept."));
    } catch (error) {
      show(room, h("p", { class: "faint" }, error.message));
    }
  };
  return h("details", { ontoggle: (event) => event.target.open && read() }, h("summary", {}, "Show"), room);
}
