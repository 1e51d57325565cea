import { get } from "./api.js";
import { badge, empty, h, show, table } from "./dom.js";
import { time } from "./jobs.js";

export async function render(content, { project, address }) {
  if (!project.ensembles.length) {
    show(content, h("h1", {}, "Ensembles"), empty("This project has no ensemble yet.",
      h("p", {}, h("code", {}, "ansible-ensemble init"), " makes one, as does the first deploy of a service template.")));
    return;
  }
  const cells = project.ensembles.map((one) => ({ one, last: h("span"), status: h("span"), count: h("span") }));
  show(content, h("h1", {}, "Ensembles"), h("p", { class: "faint" }, project.folder),
    table(["Ensemble", "Environment", "Status", "Instances", "Last job"], cells.map(({ one, last, status, count }) => [
      h("a", { href: address("topology", one.path) }, one.name || one.path), one.environment, status, count, last])));
  await Promise.all(cells.map(async ({ one, last, status, count }) => {
    const parameters = { ensemble: one.path };
    try {
      const found = await get("status", parameters);
      show(status, badge(found.status ?? "not deployed"));
      show(count, String(found.instances.length));
    } catch (error) {
      show(status, badge("invalid"), h("div", { class: "faint" }, error.message));
    }
    try {
      const [newest] = (await get("history", parameters)).jobs;
      if (newest) {
        show(last, h("a", { href: address("job", one.path, newest.change_id) },
          `${newest.workflow} ${newest.change_id}`), " ", badge(newest.outcome ?? ""), " ",
        h("span", { class: "faint" }, time(newest.end_time ?? newest.start_time)));
      }
    } catch { /* said by the status already */ }
  }));
}
