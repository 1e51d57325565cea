import { logIn, logOut, user } from "./api.js";
import { h, problems, show } from "./dom.js";
import * as login from "./login.js";
import * as list from "./list.js";
import * as machine from "./machine.js";

const content = document.getElementById("content");
let leave = () => {};

function header() {
  show(document.getElementById("header"), h("div", { class: "top" }, h("a", { class: "home", href: "#/" }, "Machines"),
    user() ? h("span", { class: "session" }, user(), " ", h("button", { onclick: () => { logOut(); render(); } }, "Log out")) : null));
}

/** `#/`, or `#/machine/UUID`. */
async function render() {
  leave();
  leave = () => {};
  header();
  document.title = "Machines";
  if (!user()) {
    login.render(content, async (name, password) => {
      await logIn(name, password);
      render();
    });
    return;
  }
  const [page, key] = location.hash.slice(2).split("/");
  const room = h("div", {}, h("p", { class: "loading", role: "status" }, "Loading…"));
  show(content, room);
  leave = page === "machine" && key ? machine.open(room, key, failed) : list.open(room, failed);
}

function failed(error) {
  if (!error.errors) console.error(error);
  leave();
  leave = () => {};
  show(content, problems(error.errors ?? [{ text: `this is a bug of the page: ${error.message}` }]),
    h("p", {}, h("button", { onclick: () => render() }, "Try again")));
}

addEventListener("hashchange", () => {
  render();
  content.focus({ preventScroll: true });
});
addEventListener("loggedout", () => {
  logOut();
  render();
});
render();
