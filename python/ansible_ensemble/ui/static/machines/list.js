import { follow, get } from "./api.js";
import { badge, empty, h, row, show } from "./dom.js";
import { soon } from "./refresh.js";

// Milliseconds between two looks at all machines, however much happens.
const PAUSE = 3000;
const HEADS = ["Machine", "Workflow", "Stage", "Task", "Progress", "State", "Why"];
const GROUPS = { Workflow: "workflow", Stage: "stage", State: "state", Task: "task" };

export const address = (uuid) => `#/machine/${uuid}`;
export const progress = (one) => (one.TaskCount ? `${one.TaskNumber} of ${one.TaskCount}` : "");

/** All machines by what they are in, as they change; returns what ends it. */
export function open(room, failed) {
  let machines = [];
  const rows = h("div");
  const find = h("input", { id: "find", type: "search", placeholder: "Find a machine", "aria-label": "Find a machine", oninput: draw });
  const group = h("select", { id: "group", onchange: draw }, Object.entries(GROUPS).map(([field, word]) => h("option", { value: field }, word)));
  const refresh = soon(async () => {
    machines = await get("/ui/api/machines");
    draw();
  }, failed, PAUSE);
  function draw() {
    if (!rows.parentElement) show(room, h("h1", {}, "Machines"), h("div", { class: "tools" }, find, h("label", { for: "group" }, "by"), group), rows);
    const word = find.value.toLowerCase();
    const found = machines.filter((one) => [one.Name, one.Address].some((text) => text.toLowerCase().includes(word)));
    const grouped = [...Map.groupBy(found, (one) => one[group.value])].sort(([one], [other]) => !one - !other || one.localeCompare(other));
    show(rows, machines.length ? null : empty("There are no machines."),
      machines.length && !found.length ? empty("No machine has this name or address.") : null,
      found.length ? h("div", { class: "scroll" }, h("table", { class: "words" }, h("thead", {}, h("tr", {}, HEADS.map((head) => h("th", { scope: "col" }, head)))),
        grouped.map(([name, members]) => body(name, members)))) : null);
  }
  function body(name, members) {
    const counts = [...Map.groupBy(members, (one) => one.State)].map(([state, ones]) => [" ", badge(state, ones.length)]);
    return h("tbody", {}, h("tr", {}, h("th", { class: "group", scope: "rowgroup", colspan: HEADS.length }, name || `no ${GROUPS[group.value]}`, counts)),
      members.map((one) => row(HEADS, [h("a", { id: `machine-${one.Uuid}`, href: address(one.Uuid) }, one.Name), one.Workflow, one.Stage, one.Task, progress(one),
        badge(one.State), h("span", { class: "faint" }, one.Reason)])));
  }
  const stop = follow(["machines.*.*", "jobs.*.*"], () => true, refresh.call);
  refresh.call();
  return () => {
    stop();
    refresh.stop();
  };
}
