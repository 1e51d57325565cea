import { get, follow, post, remove } from "./api.js";
import { announce, h, problems, show } from "./dom.js";
import * as topology from "./topology.js";
import * as instance from "./instance.js";
import * as plan from "./plan.js";
import * as jobs from "./jobs.js";
import * as job from "./job.js";
import * as drift from "./drift.js";
import * as values from "./values.js";
import * as login from "./login.js";
import * as projectPage from "./project.js";

// Page -> its title in the tabs of an ensemble, none where another page leads to it, and its module.
const PAGES = {
  topology: ["Topology", topology],
  plan: ["Plan", plan],
  jobs: ["Jobs", jobs],
  drift: ["Drift", drift],
  values: ["Inputs and outputs", values],
  instance: [null, instance],
  job: [null, job],
};
const UNDER = { instance: "topology", job: "jobs" };

let project;
let leave = () => {};
let turn = 0;

/** `#/PAGE/ENSEMBLE/NAME`, each part encoded. */
export function address(page, ensemble, name) {
  return `#/${[page, ensemble, name].filter((part) => part !== undefined).map(encodeURIComponent).join("/")}`;
}

function parts() {
  try {
    return location.hash.slice(2).split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return [];
  }
}

function header(page, ensemble) {
  const tabs = Object.entries(PAGES).filter(([, [title]]) => title && ensemble);
  const current = UNDER[page] ?? page;
  show(document.getElementById("header"),
    h("div", { class: "top" },
      h("a", { class: "home", href: "#/" }, project.name),
      ensemble ? h("span", { class: "crumb" }, ensemble) : null,
      project.may.length === 1 ? h("span", { class: "badge" }, "read only") : null,
      project.user ? h("span", { class: "session" }, project.user, " ",
        project.session ? h("button", { onclick: log_out }, "Log out") : null) : null),
    ensemble ? h("nav", { "aria-label": "Pages of the ensemble" }, tabs.map(([name, [title]]) =>
      h("a", { href: address(name, ensemble), "aria-current": name === current ? "page" : null }, title))) : null);
}

async function log_out() {
  await remove("session").catch(() => {});
  project = undefined;
  render();
}

async function render() {
  const mine = ++turn;
  leave();
  leave = () => {};
  const content = document.getElementById("content");
  try {
    const session = project ?? await get("session");
    if (!session.may.length) {
      show(document.getElementById("header"));
      login.render(content, async (name, password) => {
        await post("session", {}, { name, password });
        await render();
      });
      return;
    }
    project ??= { ...session, ...await get("project") };
    const [page, ensemble, name] = parts();
    const chosen = PAGES[page]?.[1];
    header(chosen ? page : "", chosen ? ensemble : undefined);
    document.title = [name, ensemble, project.name].filter(Boolean).join(" · ");
    if (!chosen || ensemble === undefined) {
      const stop = await projectPage.render(content, { project, address });
      if (mine === turn) leave = stop;
      else stop();
      return;
    }
    const room = h("div", {}, h("p", { class: "loading", role: "status" }, "Loading…"));
    show(content, room); // a page that was left draws into a room that is no longer there
    const context = { project, ensemble, name, address, content: room, go: (to) => { location.hash = to; } };
    const early = [];
    let view, due;
    const stop = await follow(ensemble, {
      entries: (news) => (view ? view.entries?.(news) : early.push(news)),
      changed: () => {
        clearTimeout(due);
        due = setTimeout(() => view && redraw(view, room, content, () => mine === turn), 300);
      },
    });
    if (mine !== turn) {
      stop();
      return;
    }
    leave = () => {
      clearTimeout(due);
      stop();
      view?.close?.();
    };
    const opened = await chosen.open(context);
    if (mine !== turn) {
      opened.close?.();
      return;
    }
    view = opened;
    await view.draw();
    for (const news of early) view.entries?.(news);
  } catch (error) {
    if (mine === turn) failed(content, error);
  }
}

async function redraw(view, room, content, current) {
  try {
    await view.refresh();
    if (!current()) return;
    if (!room.isConnected) show(content, room); // an error stood there
    announce("The page shows what is new.");
  } catch (error) {
    if (current() && error.status !== 0) failed(content, error); // a server that does not answer is waited for
  }
}

function failed(content, error) {
  if (!error.errors) console.error(error);
  show(content, problems(error.errors ?? [{ text: `this is a bug of the page: ${error.message}` }]),
    h("p", {}, h("button", { onclick: () => render() }, "Try again")));
}

addEventListener("loggedout", () => {
  if (!project) return; // it is said already
  project = undefined;
  render();
});
addEventListener("hashchange", async () => {
  await render();
  document.getElementById("content").focus({ preventScroll: true });
});
render();
