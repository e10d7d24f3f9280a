import type { SbomLimits } from "./limits.ts";
import { SbomRefused } from "./refusal.ts";

export const VEX_STATUSES = ["not_affected", "affected", "fixed", "under_investigation"] as const;

export type VexStatus = (typeof VEX_STATUSES)[number];

/** A statement that a vulnerability affects products, or does not. */
export interface VexStatement {
  /** The name, the aliases, and the last part of the id of the vulnerability. */
  readonly vulnerabilities: readonly string[];
  readonly products: readonly VexProduct[];
  readonly status: VexStatus;
  readonly justification?: string | undefined;
  readonly impact?: string | undefined;
  readonly action?: string | undefined;
  /** Milliseconds since 1970; undefined if neither statement nor document has a time. */
  readonly time?: number | undefined;
  readonly author?: string | undefined;
  readonly supplier?: string | undefined;
}

export interface VexComponent {
  /** Every name, package URLs included. */
  readonly identifiers: readonly string[];
  readonly purls: readonly string[];
  /** Hashes in hexadecimal digits, of any algorithm. */
  readonly hashes: readonly string[];
}

export interface VexProduct extends VexComponent {
  /** If there are any, the statement is about them in the product only. */
  readonly subcomponents: readonly VexComponent[];
}

/** The VEX statements of a document. */
export interface Vex {
  readonly statements: readonly VexStatement[];
  /** Statements without a status, a vulnerability or a product that can be read. They say nothing. */
  readonly unreadable: number;
}

/** The time of a text, in milliseconds since 1970. */
export function timeOf(text: unknown): number | undefined {
  const time = typeof text === "string" ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

export function tooManyStatements({ statements }: SbomLimits): SbomRefused {
  return new SbomRefused("too_many_statements", `has more than ${statements} VEX statements`);
}
