// The API, whose documents are those of the command's `--output json`.

export class Refused extends Error {
  constructor(status, errors) {
    super(errors.map((error) => error.text).join("\n"));
    this.status = status;
    this.errors = errors;
  }
}

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
    throw new Refused(0, [{ text: "the server does not answer: it was stopped, or this machine is not reached" }]);
  }
  const text = await response.text();
  if (!response.ok) {
    let errors;
    try {
      errors = JSON.parse(text).errors;
    } catch {
      errors = [{ text: text.trim() || response.statusText }];
    }
    throw new Refused(response.status, errors);
  }
  return text ? JSON.parse(text) : null;
}

export const get = (path, parameters = {}) => request("GET", path, parameters);
export const post = (path, parameters = {}, body = {}) => request("POST", path, parameters, body);
export const remove = (path, parameters = {}) => request("DELETE", path, parameters);

/** Follow what happens to an ensemble, from when this resolves on; it resolves to a function that stops. */
export function follow(ensemble, { entries, changed }) {
  const source = new EventSource(`/api/1/events?${new URLSearchParams({ ensemble })}`);
  source.addEventListener("entries", (event) => entries(JSON.parse(event.data)));
  source.addEventListener("changed", () => changed());
  return new Promise((resolve) => {
    let begun = false;
    source.addEventListener("ready", () => {
      if (begun) changed(); // the connection was lost meanwhile
      begun = true;
      resolve(() => source.close());
    });
    source.addEventListener("error", () => resolve(() => source.close()));
  });
}
