import { platformTexts as words } from "../../../texts/platforms.ts";
import { type Relationship, type Sample, shellWord } from "../trust.ts";

/** What was entered, by the name of the field. */
export type Values = Readonly<Record<string, string | undefined>>;

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
  /** What can be chosen, by value; the first is the default. */
  readonly options?: Readonly<Record<string, string>>;
  readonly isLong?: boolean;
  readonly type?: "text" | "date";
  /** Whether the field applies to what was entered. */
  readonly when?: (values: Values) => boolean;
}

/** An identity as it would be created. */
export interface Draft {
  readonly name: string;
  readonly description: string;
  readonly relationship: Relationship;
  /** Subjects that people may expect to match, or not to. */
  readonly samples: readonly Sample[];
  /** What a token can be used for beyond what its author may intend, that the pattern does not show. */
  readonly warnings: readonly string[];
  /** The command after `wharf iam identities create`, without name, parent and role. */
  readonly command: readonly string[];
}

export interface Platform {
  readonly label: string;
  readonly lead: string;
  readonly fields: readonly Field[];
  draft(values: Values): Draft;
}

/** An option of the command, if it has a value. */
export const option = (name: string, value: string | undefined): string[] =>
  value ? [`--${name}`, shellWord(value)] : [];

export const KEYS: Field = {
  name: "keys",
  label: words.keys,
  hint: words.keysHint,
  isLong: true,
};

/** Tokens of a subject, verified with the given keys or with those that the issuer publishes. */
export function subjectOf(
  issuer: string,
  subject: string,
  { keys, expiration, audience }: Values,
  pattern = "",
): Relationship {
  if (keys) {
    const expires = expiration ? { expirationTime: `${expiration}T00:00:00Z` } : {};
    const audiences = audience ? { audiences: [audience] } : {};
    return { staticKeys: { issuer, subject, issuerKeys: keys, ...audiences, ...expires } };
  }
  const match = pattern === "" ? { subject } : { subjectPattern: pattern };
  return { claimMatch: { issuer, ...match, ...(audience && { audience }) } };
}
