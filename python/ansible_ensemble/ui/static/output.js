import { differing, h, lines, table, valueText } from "./dom.js";

/** What an operation printed, found and changed, by its entry in the journal; null if that is nothing. */
export function output({ result, diff, messages, drift }) {
  const parts = [
    ...(messages ?? []).map((text) => h("p", {}, text)),
    drift?.length ? table(["Value", "Recorded", "Live"], drift.map((one) => [one.name, ...differing(one.recorded, one.live)])) : null,
    ...["stdout", "stderr"].filter((name) => result?.[name]?.trim()).map((name) => lines(result[name])),
    ...(diff ?? []).map((one) => lines(typeof one === "string" ? one : [one.before_header, one.before, one.after_header, one.after, one.prepared].filter(Boolean).map(valueText).join("\n"))),
  ].filter(Boolean);
  return parts.length ? parts : null;
}
