import type { IdentityJson } from "@wharf/contract/messages";

/** Entered values, by the name of the field. Empty texts count as missing. */
export type Values = Readonly<Record<string, string | undefined>>;

export type Relationship = Pick<IdentityJson, "claimMatch" | "staticKeys" | "awsIdentity">;

/** A subject that a token could have, and a description of its owner. */
export interface Sample {
  readonly subject: string;
  readonly of: string;
}

/** An identity, as it is created. */
export interface Trust {
  /** The default name; empty where none can be derived. */
  readonly name: string;
  readonly description: string;
  readonly relationship: Relationship;
  /** Subjects that users may expect to match, or not to. */
  readonly samples: readonly Sample[];
  /** Risks that the patterns do not show. */
  readonly warnings: readonly string[];
}

/** A field of a form, and an option of the command. */
export interface Field {
  /** The expected value, in words. */
  readonly expected: string;
  /** Replaces a missing or invalid value in a preview. */
  readonly example: string;
  /** Applies without a value; no default: the field stays empty. */
  readonly default?: string;
  readonly choices?: readonly string[];
  readonly isRequired?: boolean | ((values: Values) => boolean);
  /** Whether the field has a meaning beside these values. */
  readonly applies?: (values: Values) => boolean;
  readonly problem?: (text: string, values: Values) => string | undefined;
  /** The option of the command, if not the name of the field in kebab case; empty: none. */
  readonly option?: string | ((values: Values) => string);
}

export interface Platform {
  readonly fields: Readonly<Record<string, Field>>;
  /** The first words after `wharf iam identities create`. */
  readonly command: (values: Values) => readonly string[];
  /** The identity for valid values. */
  readonly trust: (values: Values) => Trust;
}

/** A value in a message, shortened. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/** A field whose value must match a regular expression. */
export function field(expected: string, example: string, pattern: RegExp): Field {
  const problem = (text: string) =>
    pattern.test(text) ? undefined : `must be ${expected}, not ${quoted(text)}`;
  return { expected, example, problem };
}

/** One of several values; the first is the default. */
export function choice(...choices: readonly [string, ...string[]]): Field {
  const expected = `one of ${choices.join(", ")}`;
  const problem = (text: string) =>
    choices.includes(text) ? undefined : `must be ${expected}, not ${quoted(text)}`;
  return { expected, example: choices[0], default: choices[0], choices, problem };
}

/** Messages for missing and invalid values, by the name of the field. */
export function problemsOf({ fields }: Platform, values: Values): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, one] of Object.entries(fields)) {
    const text = values[name];
    if (one.applies?.(values) === false) continue;
    const problem = text
      ? one.problem?.(text, values)
      : isRequired(one, values)
        ? `is required: ${one.expected}`
        : undefined;
    if (problem !== undefined) found[name] = problem;
  }
  return found;
}

export function isRequired({ isRequired: rule = false }: Field, values: Values): boolean {
  return typeof rule === "function" ? rule(values) : rule;
}

/** The identity that trusts exactly what was entered. Throws for values with problems. */
export function trustOf(platform: Platform, values: Values): Trust {
  const [problem] = Object.entries(problemsOf(platform, values));
  if (problem !== undefined) throw new TypeError(problem.join(" "));
  return platform.trust(completed(platform, values));
}

/** The identity for a preview, with examples instead of missing and invalid values. */
export function previewOf(platform: Platform, values: Values): Trust {
  return platform.trust(completed(platform, values));
}

/** Valid values, defaults, and examples where a value is required; other fields are left out. */
export function completed(platform: Platform, values: Values): Values {
  const problems = problemsOf(platform, values);
  const filled = Object.entries(platform.fields).flatMap(([name, one]) => {
    if (one.applies?.(values) === false) return [];
    const fallback = one.default ?? (isRequired(one, values) ? one.example : undefined);
    const text = name in problems ? fallback : values[name] || fallback;
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(filled);
}

/** The option of the command for a field, without hyphens; empty if it has none. */
export function optionOf({ fields }: Platform, name: string, values: Values): string {
  const kebab = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const option = fields[name]?.option ?? kebab;
  return typeof option === "function" ? option(values) : option;
}
