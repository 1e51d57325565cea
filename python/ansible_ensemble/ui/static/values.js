import { get, post } from "./api.js";
import { empty, h, problems, show, table, valueView } from "./dom.js";

export async function open(context) {
  const view = {
    async refresh() {
      await load();
      if (!dirty(context.content)) draw();
    },
    draw,
  };
  let declared, outputs, given;
  async function load() {
    const parameters = { ensemble: context.ensemble };
    [declared, outputs, given] = await Promise.all([get("inputs", parameters), get("outputs", parameters),
      get("status", parameters).then((status) => status.inputs)]);
  }
  function draw() {
    const rows = Object.entries(outputs).map(([name, value]) => [h("code", {}, name), valueView(value)]);
    show(context.content, h("h1", {}, "Inputs and outputs"), h("h2", {}, "Outputs"),
      rows.length ? table(["Output", "Value"], rows) : empty("There are no outputs."),
      h("h2", {}, "Inputs"), declared.inputs.length ? form(context, declared.inputs, given) : empty("There are no inputs."));
  }
  await load();
  return view;
}

const dirty = (content) => Boolean(content.querySelector("form[data-dirty]"));

/** A form of the inputs, by their types, that makes a plan. */
function form(context, inputs, given) {
  const recorded = new Map(Object.entries(given));
  const said = h("div");
  const fields = inputs.map((input) => ({ input, field: fieldOf(input, recorded.get(input.name)) }));
  const submit = async (event) => {
    event.preventDefault();
    const button = event.submitter;
    button.disabled = true;
    show(said, h("p", { role: "status" }, "Making the plan…"));
    try {
      const values = Object.fromEntries(fields.filter(({ field }) => field.dataset.changed).map(
        ({ input, field }) => [input.name, read(input, field)]));
      const made = await post("plans", { ensemble: context.ensemble }, { workflow: "deploy", inputs: values });
      context.go(context.address("plan", context.ensemble, made.id));
    } catch (error) {
      show(said, problems(error.errors ?? [{ text: error.message }]));
    } finally {
      button.disabled = false;
    }
  };
  const element = h("form", { onsubmit: submit, oninput: (event) => {
    event.target.dataset.changed = "yes";
    element.dataset.dirty = "yes";
  } }, fields.map(({ input, field }) => h("div", { class: "field" },
    h("label", { for: field.id }, input.name, input.required ? h("span", { class: "needed" }, " required") : null),
    field,
    h("div", { class: "faint" }, typeText(input), input.description ? ` — ${input.description}` : "",
      recorded.has(input.name) ? ` (${recorded.get(input.name).origin})` : ""))),
  said, !context.project.may.includes("plan") ? null : h("button", { class: "primary" }, "Make a plan"));
  return element;
}

function typeText({ type, entry, constraints }) {
  const limits = constraints.map((clause) => Object.entries(clause).map(([name, limit]) => `${name} ${JSON.stringify(limit)}`));
  return [entry ? `${type} of ${entry.type}` : type, ...limits.flat()].join(", ");
}

function fieldOf(input, recorded) {
  const id = `input-${input.name}`;
  const value = recorded && !recorded.sensitive ? recorded.value : input.default;
  const choices = input.constraints.find((clause) => "valid_values" in clause)?.valid_values;
  if (choices || input.type === "boolean") {
    return h("select", { id }, h("option", { value: "" }, ""), (choices ?? [true, false]).map((choice) =>
      h("option", { value: JSON.stringify(choice), selected: JSON.stringify(choice) === JSON.stringify(value) }, String(choice))));
  }
  if (isNumber(input)) return h("input", { id, type: "number", step: input.type === "integer" ? 1 : "any", value: value ?? "" });
  if (isWhole(input)) return h("textarea", { id, rows: 4, spellcheck: "false" }, value === undefined ? "" : JSON.stringify(value, null, 1));
  if (input.secret) { // of one line, as a password, it would lose the ends of the lines of a key
    const placeholder = recorded?.sensitive ? "as it was given" : "";
    return h("textarea", { id, class: "secret", rows: 1, autocomplete: "off", spellcheck: "false", placeholder });
  }
  if (value?.includes?.("\n")) return h("textarea", { id, rows: 4 }, value);
  return h("input", { id, type: "text", autocomplete: "off", value: value ?? "" });
}

const isNumber = ({ type }) => type === "integer" || type === "float";
const isWhole = ({ type, entry }) => entry !== null || ["list", "map", "range", "json"].includes(type);

function number({ name, type }, text) {
  const given = Number(text);
  if (type === "integer" && !Number.isSafeInteger(given)) throw new Error(`${name}: the page takes no number of so many digits, but ansible-ensemble plan does`);
  return given;
}

function read(input, field) {
  if (field.tagName === "SELECT") return field.value === "" ? null : JSON.parse(field.value);
  if (isNumber(input)) return field.value === "" ? null : number(input, field.value);
  if (!isWhole(input)) return field.value;
  if (!field.value.trim()) return null;
  try {
    return JSON.parse(field.value);
  } catch (error) {
    throw new Error(`${input.name} is no JSON: ${error.message}`);
  }
}
