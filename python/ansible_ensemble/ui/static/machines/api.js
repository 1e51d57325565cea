// The API of the server of machines; the token that logging in gives lives as long as the tab.

import { connected } from "./dom.js";

const KEPT = ["token", "user"];
const LIFE = 12 * 3600;

export class Refused extends Error {
  constructor(status, messages, model) {
    super(messages.join("; "));
    this.status = status;
    this.model = model;
    this.errors = messages.map((text) => ({ text }));
  }
}

export const user = () => sessionStorage.getItem("user");

export function logOut() {
  for (const name of KEPT) sessionStorage.removeItem(name);
}

export async function logIn(name, password) {
  const bytes = new TextEncoder().encode(`${name}:${password}`);
  const basic = `Basic ${btoa(String.fromCharCode(...bytes))}`;
  const response = await ask("GET", `/api/v3/users/${encodeURIComponent(name)}/token?ttl=${LIFE}`, { Authorization: basic });
  sessionStorage.setItem("token", (await response.json()).Token);
  sessionStorage.setItem("user", name);
}

async function ask(method, path, headers = {}, body = undefined) {
  let response;
  try {
    response = await fetch(path, { method, headers, body, cache: "no-store", credentials: "omit" });
  } catch {
    throw new Refused(0, ["the server does not answer"]);
  }
  if (!response.ok && response.status !== 416) {
    const { Messages, Model } = await response.json().catch(() => ({ Messages: [response.statusText] }));
    throw new Refused(response.status, Messages, Model);
  }
  return response;
}

const asked = async (method, path, headers, body) => {
  try {
    return await ask(method, path, { Authorization: `Bearer ${sessionStorage.getItem("token")}`, ...headers }, body);
  } catch (error) {
    if (error.status === 401 || error.model === "users") dispatchEvent(new Event("loggedout"));
    throw error;
  }
};

export const get = async (path) => (await asked("GET", path)).json();

export const patch = async (path, operations) =>
  (await asked("PATCH", path, { "Content-Type": "application/json-patch+json" }, JSON.stringify(operations))).json();

/** A part of a job's log, in bytes, and where the next one begins; null if there is nothing. A range is `OFFSET-` or `-LAST`. */
export async function log(job, range) {
  const response = await asked("GET", `/api/v3/jobs/${job}/log`, { Range: `bytes=${range}` });
  if (response.status === 416) return null;
  const [, last] = response.headers.get("Content-Range").match(/-(\d+)/);
  return { bytes: await response.arrayBuffer(), next: Number(last) + 1 };
}

/** Call `changed` after events that filters match, until what this returns is called; where one is refused, each 5 seconds. */
export function follow(filters, concerns, changed) {
  let socket, again, polling, stopped = false;
  function connect() {
    const address = new URL("/api/v3/ws", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.searchParams.set("token", sessionStorage.getItem("token"));
    socket = new WebSocket(address);
    socket.addEventListener("open", () => {
      if (stopped) {
        socket.close();
        return;
      }
      connected(true);
      for (const filter of filters) socket.send(`register ${filter}`);
      changed(); // nobody was told of what happened before
    });
    socket.addEventListener("message", ({ data }) => {
      const event = JSON.parse(data);
      if (event.Type !== "websocket") {
        if (concerns(event)) changed();
      } else if (event.Action === "refused") polling ??= setInterval(changed, 5000);
    });
    socket.addEventListener("close", () => {
      if (stopped) return;
      connected(false);
      changed(); // the token may have expired
      again = setTimeout(connect, 2000);
    });
  }
  connect();
  return () => {
    stopped = true;
    clearTimeout(again);
    clearInterval(polling);
    if (socket.readyState !== WebSocket.CONNECTING) socket.close(); // else the browser complains; it ends once it is open
  };
}
