import { get, post, remove } from "./api.js";
import { differing, empty, h, problems, show, table, valueView } from "./dom.js";
import { output } from "./output.js";

const OPTIONS = {
  prune: "delete instances that are no longer in the topology",
  force: "run operations regardless of status; when undeploying, also delete what others require",
};

/** A plan of so many changes is shown whole. */
const SHORT = 5;
const LOOKS = { deploy: "primary", undeploy: "danger" };

export async function open(context) {
  const { ensemble, name, content, project, address } = context;
  const said = h("div");
  let shown, waiting = [];
  async function load() {
    if (!name) waiting = await get("plans", { ensemble });
    shown = name ? await get(`plans/${encodeURIComponent(name)}`, { ensemble }) : await get("graph", { ensemble }).then((found) => ({ plan: found, words: found.words }));
  }
  const act = async (event, work) => {
    event.target.disabled = true;
    try {
      await work();
    } catch (error) {
      show(said, problems(error.errors ?? [{ text: error.message }]));
      event.target.disabled = false;
    }
  };
  const make = (event, workflow) => act(event, async () => {
    const options = Object.fromEntries([...form.querySelectorAll("input:checked")].map((box) => [box.name, true]));
    const made = await post("plans", { ensemble }, { workflow, options });
    context.go(address("plan", ensemble, made.id));
  });
  function decide() {
    if (name && shown.words.empty) return h("p", {}, h("a", { href: address("plan", ensemble) }, "Make another plan"));
    if (name) {
      return h("div", { class: "decide" },
        project.may.includes("approve") ? h("button", { class: "primary", onclick: (event) => act(event, async () => {
          const run = await post(`plans/${encodeURIComponent(name)}/approval`, { ensemble });
          context.go(address("jobs", ensemble, run.id));
        }) }, `Approve and ${shown.plan.workflow}`) : null,
        project.may.includes("reject") ? h("button", { onclick: (event) => act(event, async () => {
          await remove(`plans/${encodeURIComponent(name)}`, { ensemble });
          context.go(address("plan", ensemble));
        }) }, "Reject") : null);
    }
    return project.may.includes("plan") ? form : null;
  }
  const form = h("fieldset", {}, h("legend", {}, "A plan to approve"), Object.entries(OPTIONS).map(([option, text]) =>
      h("label", { class: "check" }, h("input", { id: `option-${option}`, type: "checkbox", name: option }), ` --${option}: ${text}`)),
    h("div", { class: "decide" }, project.workflows.map((workflow) =>
      h("button", { id: `plan-${workflow}`, class: LOOKS[workflow], onclick: (event) => make(event, workflow) }, `Plan ${workflow}`))));
  await load();
  return {
    async refresh() {
      if (!name) { await load(); this.draw(); }
    },
    draw() {
      const { plan, words } = shown;
      show(content, h("h1", {}, name ? `Plan of ${plan.workflow}` : "What deploy would do"),
        h("p", { class: "summary" }, words.summary), plan.warnings.map((text) => h("p", { class: "warning" }, text)),
        project.trusted ? null : h("p", { class: "warning" }, "The project is not trusted, so that no job runs: ansible-ensemble trust ", project.folder),
        said, waitingFor(waiting, (id) => address("plan", ensemble, id)), decide(), inputs(plan),
        plan.moved.map((one) => h("p", {}, `${one.previous_address} has moved to ${one.address}`)), changes(plan, words), outputs(plan), left(plan));
    },
  };
}

function waitingFor(plans, address) {
  if (!plans.length) return null;
  return h("section", { class: "panel" }, h("h2", {}, "Plans that wait for approval"), h("ul", {}, plans.map((one) =>
    h("li", {}, h("a", { href: address(one.id) }, one.workflow), ` ${one.summary}`))));
}

function inputs(plan) {
  if (!plan.inputs.length) return null;
  const value = (one) => {
    const changes = "before" in one;
    if (one.sensitive) return `(sensitive value)${changes ? " changes" : ""}`;
    return changes ? h("div", {}, valueView(one.before), " → ", valueView(one.value)) : valueView(one.value);
  };
  return [h("h2", {}, "Inputs"), table(["Input", "Value", "From"], plan.inputs.map((one) =>
    [h("code", {}, one.name), value(one), one.origin]))];
}

function changes(plan, words) {
  const operations = new Map(plan.operations.map((operation) => [operation.key, operation]));
  const isShort = plan.resource_changes.length <= SHORT;
  const opened = plan.resource_changes.map((change) => h("details", { class: "change", open: isShort || change.change.values.length > 0 },
    h("summary", {}, h("b", { class: `symbol-${SYMBOLS[change.symbol] ?? "none"}` }, `${change.symbol} ${change.name}`),
      ` ${words.fates[change.name]} `, h("span", { class: "faint" }, change.type)),
    change.change.values.length ? table(["Value", "Kind", "Now", "Then"], change.change.values.map(valueRow)) : null,
    found(change.found),
    runs(change.operations.map((key) => operations.get(key)).filter((operation) => operation?.implementation), words),
    change.leaves ? h("p", { class: "faint" }, `undeploy leaves: ${change.leaves}`) : null));
  return opened.length ? [h("h2", {}, "Changes"), opened] : null;
}

const SYMBOLS = { "+": "add", "~": "change", "-": "destroy", "-/+": "destroy", "+/-": "destroy", "<=": "read", "!": "read" };

function valueRow(value) {
  if (value.sensitive) return [value.name, value.kind, "(sensitive value)", "(sensitive value)"];
  if (value.unknown) return [value.name, value.kind, valueView(value.before), h("i", {}, "known afterwards")];
  return [value.name, value.kind, ...differing(value.before, value.after)];
}

/** What the last check of an instance to repair found. */
function found(check) {
  if (!check) return null;
  const drift = check.drift.filter((one) => one.name !== "status");
  return [h("p", {}, `${check.operation} ${check.verb}: ${check.error}`), output({ drift, diff: check.diff })];
}

function runs(operations, words) {
  if (!operations.length) return null;
  return table(["Operation", "Runs", "Where"], operations.map((one) => [one.operation, h("code", {}, one.implementation), words.places[one.key]]));
}

function outputs(plan) {
  const values = Object.values(plan.output_changes).flatMap((change) => change.values);
  return values.length ? [h("h2", {}, "Outputs"), table(["Output", "Kind", "Now", "Then"], values.map(valueRow))] : null;
}

function left(plan) {
  return [
    plan.excluded.length ? [h("h2", {}, "Left alone"), table(["Instance", "Why"], plan.excluded.map((one) => [one.instance, one.reason]))] : null,
    Object.keys(plan.not_compared).length ? [h("h2", {}, "Not compared"),
      table(["What", "Read by"], Object.entries(plan.not_compared).map(([what, names]) => [what, names.join(", ")]))] : null,
    !plan.resource_changes.length && !plan.excluded.length ? empty("Nothing would be done.") : null,
  ];
}
