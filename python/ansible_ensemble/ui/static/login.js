import { h, problems, show } from "./dom.js";

/** A form to log in by; `enter` takes a name and a password. */
export function render(content, enter) {
  const said = h("div");
  const field = (name, type, autocomplete) => h("div", { class: "field" }, h("label", { for: name }, name),
    h("input", { id: name, type, autocomplete, required: true }));
  const log_in = async (event) => {
    event.preventDefault();
    const [name, password] = ["name", "password"].map((id) => document.getElementById(id).value);
    event.submitter.disabled = true;
    try {
      await enter(name, password);
    } catch (error) {
      show(said, problems(error.errors ?? [{ text: error.message }]));
      event.submitter.disabled = false;
    }
  };
  show(content, h("h1", {}, "Log in"), said, h("form", { onsubmit: log_in },
    field("name", "text", "username"), field("password", "password", "current-password"),
    h("button", { class: "primary" }, "Log in")));
  document.getElementById("name").focus();
}
