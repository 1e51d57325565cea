// The API, whose documents are those of the command's `--output json`.

import { connected } from "./dom.js";

export class Refused extends Error {
  constructor(status, errors) {
    super(errors.map((error) => error.text).join("\n"));
    this.status = status;
    this.errors = errors;
  }
}

/** A number of more digits than JavaScript keeps is its text, where the browser tells that. */
const exact = (_name, value, source) => (Number.isInteger(value) && !Number.isSafeInteger(value) && source?.source) || value;

async function request(method, path, parameters, body) {
  const query = new URLSearchParams(parameters);
  let response;
  try {
    response = await fetch(`/api/1/${path}?${query}`, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    connected(false);
    throw new Refused(0, [{ text: "the server does not answer: it was stopped, or this machine is not reached" }]);
  }
  connected(true);
  const text = await response.text();
  if (response.status === 401) dispatchEvent(new Event("loggedout"));
  if (!response.ok) {
    let errors;
    try {
      errors = JSON.parse(text).errors;
    } catch {
      errors = [{ text: text.trim() || response.statusText }];
    }
    throw new Refused(response.status, errors);
  }
  return text ? JSON.parse(text, exact) : null;
}

export const get = (path, parameters = {}) => request("GET", path, parameters);
export const post = (path, parameters = {}, body = {}) => request("POST", path, parameters, body);
export const remove = (path, parameters = {}) => request("DELETE", path, parameters);

/**
 * Follow what happens to an ensemble, from when this resolves on; it resolves to a function that stops.
 *
 * A page that nobody sees holds no connection, of which a browser has few for all of its tabs.
 */
export function follow(ensemble, { entries, changed }) {
  let source, begun = false;
  return new Promise((resolve) => {
    const connect = () => {
      source = new EventSource(`/api/1/events?${new URLSearchParams({ ensemble })}`);
      source.addEventListener("entries", (event) => entries(JSON.parse(event.data, exact)));
      source.addEventListener("changed", () => changed());
      source.addEventListener("ready", () => {
        connected(true);
        if (begun) changed(); // nobody was told of what happened meanwhile
        begun = true;
        resolve(stop);
      });
      source.addEventListener("error", () => {
        if (source.readyState !== EventSource.CLOSED) get("session").catch(() => {}); // whether there still is a server
        else if (begun) changed(); // refused: the page says why
        resolve(stop);
      });
    };
    const turn = () => (document.hidden ? source.close() : connect());
    const stop = () => {
      document.removeEventListener("visibilitychange", turn);
      source.close();
    };
    document.addEventListener("visibilitychange", turn);
    connect();
  });
}
