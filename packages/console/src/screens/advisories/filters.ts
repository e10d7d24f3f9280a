import type { ListAdvisoriesRequestJson } from "@wharf/contract/messages";
import type { ListSearch } from "../../app/location.ts";
import { advisoryTexts, REVIEW_STATES, STATUSES } from "../../texts/advisories.ts";
import type { Filter } from "../../ui/filters.tsx";
import { shellQuoted } from "../../ui/shell-word.ts";

const { filters: labels } = advisoryTexts;

/** Statuses and event types by the name of the API. */
export const EVENT_TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(STATUSES).map(([type, text]) => [filterName(type), text]),
);

/** @example filterName("pendingUpstreamFix") // "EVENT_TYPE_FILTER_PENDING_UPSTREAM_FIX" */
export function filterName(type: string): string {
  const snake = type.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  return `EVENT_TYPE_FILTER_${snake}`;
}

const { [filterName("componentLocationChanged")]: _, ...LATEST_TYPES } = EVENT_TYPES;
const { REVIEW_STATE_UNSPECIFIED: __, ...STATES } = REVIEW_STATES;

/** The field of the API that has the values of a filter, for those with several. */
const LISTS = {
  alias: "aliases",
  artifact: "artifactNames",
  artifactType: "artifactTypes",
  architecture: "artifactArchitectures",
  component: "componentNames",
  componentType: "componentTypes",
  location: "componentLocations",
  id: "advisoryIds",
  legacyId: "legacyAdvisoryIds",
  review: "eventReviewStates",
  event: "eventTypes",
  author: "eventAuthors",
  notAuthor: "excludeEventAuthors",
  reviewer: "eventReviewers",
} as const satisfies Readonly<Record<string, keyof ListAdvisoriesRequestJson>>;

/** Fields with one value. */
const SINGLE = {
  query: "query",
  latest: "latestEventType",
  origin: "origin",
} as const satisfies Readonly<Record<string, keyof ListAdvisoriesRequestJson>>;

const text = (name: keyof typeof LISTS, isExtra = true): Filter => ({
  name,
  label: labels[name],
  hint: labels.several,
  isExtra,
});

/** Every filter of the API. */
export const FILTERS: readonly Filter[] = [
  { name: "query", label: labels.query, hint: labels.queryHint },
  { name: "latest", label: labels.latest, options: LATEST_TYPES },
  { name: "review", label: labels.review, options: STATES },
  text("alias"),
  text("artifact"),
  text("artifactType"),
  text("architecture"),
  text("component"),
  text("componentType"),
  text("location"),
  text("id"),
  text("legacyId"),
  { name: "origin", label: labels.origin, isExtra: true },
  { name: "event", label: labels.event, options: EVENT_TYPES, isExtra: true },
  text("author"),
  text("notAuthor"),
  text("reviewer"),
  { name: "since", label: labels.since, type: "date", isExtra: true },
  {
    name: "deleted",
    label: labels.deleted,
    options: labels.deletedOptions,
    all: labels.deletedDefault,
    isExtra: true,
  },
];

/** The values of a text that has several with commas. */
export function valuesIn(text: unknown): string[] {
  return String(text ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
}

/** The fields of the request that follow from the URL. */
export function filtersOf(search: ListSearch): Partial<ListAdvisoriesRequestJson> {
  const lists = Object.entries(LISTS).flatMap(([name, field]) => {
    const values = valuesIn(search[name]);
    return values.length === 0 ? [] : [[field, values]];
  });
  const singles = Object.entries(SINGLE).flatMap(([name, field]) =>
    search[name] === undefined ? [] : [[field, String(search[name])]],
  );
  const since = Date.parse(String(search.since ?? ""));
  return {
    ...Object.fromEntries([...lists, ...singles]),
    ...(!Number.isNaN(since) && { updatedSince: new Date(since).toISOString() }),
    ...(search.deleted === "true" && { showDeleted: true }),
  };
}

/** Options of `wharf advisories list` by the name of the filter in the URL. */
const OPTIONS: Readonly<Record<string, string>> = {
  artifactType: "artifact-type",
  componentType: "component-type",
  legacyId: "legacy-id",
  notAuthor: "not-author",
};

/** The command that lists the same; filters whose values have other names there are left out. */
export function commandOf(group: string, search: ListSearch): string {
  const options = FILTERS.filter(({ options: choices }) => choices === undefined).flatMap(
    ({ name }) => {
      const value = search[name];
      if (value === undefined) return [];
      const option = name === "since" ? "updated-since" : (OPTIONS[name] ?? name);
      return String(value)
        .split(",")
        .map((one) => `--${option} ${shellQuoted(one.trim())}`);
    },
  );
  return ["wharf advisories list --parent", group, "--recursive", ...options].join(" ");
}
