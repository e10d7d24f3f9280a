import { textOf, toJson } from "../columns.ts";

/** A template function. A piped value is the last argument, as in Go. */
interface TemplateFunction {
  readonly arguments: readonly [min: number, max: number];
  readonly summary: string;
  call(...values: readonly unknown[]): unknown;
}

export const FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  json: {
    arguments: [1, 1],
    summary: "{{json .}}: the value as JSON",
    call: (value) => toJson(value ?? null),
  },
  join: {
    arguments: [2, 2],
    summary: '{{join ", " .capabilities}}: a list joined to one string',
    call: (between, list) => (isList(list) ? list.map(textOf).join(textOf(between)) : textOf(list)),
  },
  upper: {
    arguments: [1, 1],
    summary: "{{upper .name}}: in upper case",
    call: (value) => textOf(value).toUpperCase(),
  },
  lower: {
    arguments: [1, 1],
    summary: "{{lower .name}}: in lower case",
    call: (value) => textOf(value).toLowerCase(),
  },
  default: {
    arguments: [2, 2],
    summary: '{{.description | default "none"}}: a default for an empty value',
    call: (fallback, value) => (isTrue(value) ? value : fallback),
  },
  len: {
    arguments: [1, 1],
    summary: "{{len .capabilities}}: the number of entries or characters",
    call: lengthOf,
  },
  eq: {
    arguments: [2, Number.POSITIVE_INFINITY],
    summary: '{{if eq .status "READY"}}: whether the first equals one of the others',
    call: (value, ...others) => others.some((other) => textOf(other) === textOf(value)),
  },
  ne: {
    arguments: [2, 2],
    summary: '{{if ne .name "acme"}}: whether two differ',
    call: (a, b) => textOf(a) !== textOf(b),
  },
  not: {
    arguments: [1, 1],
    summary: "{{if not .verified}}: whether the value is empty",
    call: (value) => !isTrue(value),
  },
  and: {
    arguments: [1, Number.POSITIVE_INFINITY],
    summary: "{{if and .a .b}}: the first that is empty, or the last",
    call: (...values) => values.find((value) => !isTrue(value)) ?? values.at(-1),
  },
  or: {
    arguments: [1, Number.POSITIVE_INFINITY],
    summary: "{{or .email .name}}: the first that is not empty, or the last",
    call: (...values) => values.find(isTrue) ?? values.at(-1),
  },
};

/** As in Go: unset values, false, zero, and empty strings, lists and objects are not true. */
export function isTrue(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return lengthOf(value) > 0;
  return Boolean(value);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function lengthOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (isList(value)) return value.length;
  return typeof value === "object" ? Object.keys(value).length : [...textOf(value)].length;
}
