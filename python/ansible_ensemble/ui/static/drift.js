import { get, post } from "./api.js";
import { differing, empty, h, problems, show, table } from "./dom.js";
import { time } from "./jobs.js";

export async function open(context) {
  const { ensemble, content, project, address } = context;
  let found;
  const load = async () => { found = await get("drift", { ensemble }); };
  const said = h("div");
  const check = async (event) => {
    event.target.disabled = true;
    try {
      await post("runs", { ensemble }, { workflow: "check" });
      context.go(address("jobs", ensemble));
    } catch (error) {
      show(said, problems(error.errors ?? [{ text: error.message }]));
      event.target.disabled = false;
    }
  };
  await load();
  return {
    async refresh() { await load(); this.draw(); },
    draw() {
      show(content, h("h1", {}, "Drift"), said, !project.may.includes("look") ? null : h("p", {}, h("button", { onclick: check }, "Check for drift")),
        found === null ? empty("Nobody has checked yet.") : [
          h("p", {}, `Found by ${found.workflow} `, h("a", { href: address("job", ensemble, found.job) }, found.job), `, ${time(found.time)}`),
          found.instances.length ? found.instances.map((one) => one_(one, context)) : empty("What lives was as it is recorded."),
        ]);
    },
  };
}

function one_(one, { address, ensemble }) {
  return h("section", { class: "panel" }, h("h2", {}, h("a", { href: address("instance", ensemble, one.instance) }, one.instance)),
    one.changes?.length ? table(["Value", "Recorded", "Live"], one.changes.map((change) =>
      [change.name, ...differing(change.recorded, change.live)])) : null,
    (one.messages ?? []).map((text) => h("p", {}, text)));
}
