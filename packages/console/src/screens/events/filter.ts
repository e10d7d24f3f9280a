import type { EventFilterJson } from "@wharf/contract/messages";

/** A filter that the builder can show. */
export interface BuiltFilter {
  /** Names of types, or of resources: `iam.group.created.v1`, `iam.group.*`. All if empty. */
  readonly types: readonly string[];
  readonly actor: string;
  readonly subject: string;
  /** Whether everything below the subject is meant, too. */
  readonly isBelow: boolean;
}

export const NO_FILTER: BuiltFilter = { types: [], actor: "", subject: "", isBelow: false };

/** The filters of a subscription. Types begin with what the installation has them begin with. */
export function toFilters({ types, actor, subject, isBelow }: BuiltFilter): EventFilterJson[] {
  const exact: EventFilterJson = { exact: { subject } };
  return [
    ...(types.length > 0 ? [{ any: types.map((type) => ({ glob: { type: `*.${type}` } })) }] : []),
    ...(actor !== "" ? [{ exact: { actor } }] : []),
    ...(subject === ""
      ? []
      : [isBelow ? { any: [exact, { prefix: { subject: `${subject}/` } }] } : exact]),
  ];
}

/** Filters as values of the builder; undefined if it cannot show all of them. */
export function fromFilters(filters: readonly EventFilterJson[]): BuiltFilter | undefined {
  let built = NO_FILTER;
  for (const filter of filters) {
    const part = partOf(filter);
    // Two conditions on the same attribute are more than the builder has.
    if (part === undefined || Object.keys(part).some((key) => isSet(built, key))) return undefined;
    built = { ...built, ...part };
  }
  return built;
}

function isSet(built: BuiltFilter, key: string): boolean {
  const value = built[key as keyof BuiltFilter];
  return Array.isArray(value) ? value.length > 0 : value !== "" && value !== false;
}

function partOf(filter: EventFilterJson): Partial<BuiltFilter> | undefined {
  const { exact, any, ...others } = clean(filter);
  if (Object.keys(others).length > 0) return typesOf([filter]);
  if (exact !== undefined && any === undefined) return exactPart(exact);
  if (any === undefined || exact !== undefined) return undefined;
  return typesOf(any) ?? belowOf(any);
}

function exactPart(exact: Readonly<Record<string, string>>): Partial<BuiltFilter> | undefined {
  const [[name, value] = ["", ""], ...more] = Object.entries(exact);
  if (more.length > 0) return undefined;
  if (name === "actor") return { actor: value };
  return name === "subject" ? { subject: value } : undefined;
}

/** Patterns of types; the command line writes each twice, with and without `*.` before it. */
function typesOf(any: readonly EventFilterJson[]): Partial<BuiltFilter> | undefined {
  const types = any.map((one) => {
    const { glob, ...others } = clean(one);
    const entries = Object.entries(glob ?? {});
    const isType = Object.keys(others).length === 0 && entries.length === 1;
    return isType && entries[0]?.[0] === "type" ? entries[0][1].replace(/^\*\./, "") : undefined;
  });
  if (types.length === 0 || types.includes(undefined)) return undefined;
  return { types: [...new Set(types as string[])] };
}

function belowOf(any: readonly EventFilterJson[]): Partial<BuiltFilter> | undefined {
  const [one = {}, other = {}, ...more] = any.map(clean);
  const subject = one.exact?.subject;
  const isPair =
    more.length === 0 &&
    subject !== undefined &&
    JSON.stringify(one) === JSON.stringify({ exact: { subject } }) &&
    JSON.stringify(other) === JSON.stringify({ prefix: { subject: `${subject}/` } });
  return isPair ? { subject, isBelow: true } : undefined;
}

/** A filter without the fields that are empty: the API returns all of them. */
function clean(filter: EventFilterJson): EventFilterJson {
  return Object.fromEntries(
    Object.entries(filter).filter(
      ([, value]) => value !== undefined && value !== null && Object.keys(value).length > 0,
    ),
  );
}

/** Filters as they are written, without empty fields. */
export function filtersText(filters: readonly EventFilterJson[]): string {
  return JSON.stringify(filters.map(deepClean), null, 2);
}

function deepClean(filter: EventFilterJson): EventFilterJson {
  const { all, any, not, ...others } = clean(filter);
  return {
    ...others,
    ...(all && { all: all.map(deepClean) }),
    ...(any && { any: any.map(deepClean) }),
    ...(not && { not: deepClean(not) }),
  };
}
