import type { AuditFilterJson, AuditOutcomeJson } from "@wharf/contract/messages";
import type { ListSearch } from "../../app/location.ts";
import { auditTexts } from "../../texts/audit.ts";
import type { Filter } from "../../ui/filters.tsx";
import { shellWord } from "../../ui/shell-word.ts";
import { isoTime } from "../../ui/times.ts";

/** All filters of the API, under their names in the URL. */
export const FILTERS: readonly Filter[] = [
  { name: "method", label: auditTexts.method, hint: auditTexts.methodHint },
  { name: "outcome", label: auditTexts.outcome, options: auditTexts.outcomes },
  { name: "since", label: auditTexts.since, type: "datetime-local" },
  { name: "until", label: auditTexts.until, type: "datetime-local" },
  { name: "actor", label: auditTexts.actor, hint: auditTexts.actorHint, isExtra: true },
  { name: "resource", label: auditTexts.resource, hint: auditTexts.resourceHint, isExtra: true },
  { name: "address", label: auditTexts.address, isExtra: true },
  { name: "via", label: auditTexts.via, options: auditTexts.vias, isExtra: true },
  { name: "session", label: auditTexts.session, isExtra: true },
  { name: "request", label: auditTexts.request, isExtra: true },
];

const OUTCOMES: ReadonlyMap<string, AuditOutcomeJson> = new Map([
  ["succeeded", "AUDIT_OUTCOME_SUCCEEDED"],
  ["denied", "AUDIT_OUTCOME_DENIED"],
  ["failed", "AUDIT_OUTCOME_FAILED"],
]);

/** The filter of a URL, for a group. */
export function filterOf(group: string, search: ListSearch): AuditFilterJson {
  const text = (name: string) => String(search[name] ?? "");
  const fields: AuditFilterJson = {
    resource: text("resource") || group,
    method: text("method"),
    actor: text("actor"),
    sourceAddress: text("address"),
    via: text("via"),
    session: text("session"),
    requestId: text("request"),
  };
  const outcome = OUTCOMES.get(text("outcome"));
  const [since, until] = [isoTime(text("since")), isoTime(text("until"))];
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "")),
    ...(outcome !== undefined && { outcome }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

const OPTIONS: readonly (readonly [field: keyof AuditFilterJson, option: string])[] = [
  ["resource", "--resource"],
  ["actor", "--actor"],
  ["method", "--method"],
  ["since", "--since"],
  ["until", "--until"],
  ["sourceAddress", "--address"],
  ["requestId", "--request-id"],
  ["session", "--session"],
  ["via", "--via"],
];

/** The options of the command line for a filter. */
export function optionsOf(filter: AuditFilterJson): string {
  const outcome = filter.outcome?.replace("AUDIT_OUTCOME_", "").toLowerCase();
  return [
    ...OPTIONS.flatMap(([field, option]) =>
      filter[field] === undefined ? [] : [`${option} ${shellWord(String(filter[field]))}`],
    ),
    ...(outcome === undefined ? [] : [`--outcome ${outcome}`]),
  ].join(" ");
}
