import { invalidArgument } from "../../lib/errors.ts";
import type { VersionOrder } from "../orders/order.ts";

/** A bound of a range of versions. */
interface Bound {
  readonly operator: "<" | "<=" | ">" | ">=" | "=" | "!=";
  readonly version: string;
}

const BOUND = /^(<=|>=|!=|<|>|==|=)?\s*([^\s<>=!]+)$/;

/** Bounds, all of which a version must be within: `>=1.2.0,<1.4.7`. A version without an operator is that version. */
export type VersionRange = readonly Bound[];

export function readRange(text: string): VersionRange {
  return text.split(",").map((one) => {
    const [, operator = "=", version = ""] = BOUND.exec(one.trim()) ?? [];
    if (version === "") {
      const description = "versionRange must be bounds such as >=1.2.0,<1.4.7";
      throw invalidArgument({ field: "versionRange", description });
    }
    return { operator: (operator === "==" ? "=" : operator) as Bound["operator"], version };
  });
}

/** Whether a version is in a range; undefined if they cannot be compared. */
export function isInRange(
  version: string,
  range: VersionRange,
  order: VersionOrder | undefined,
): boolean | undefined {
  let isWithin = true;
  for (const { operator, version: bound } of range) {
    const compared = version === bound ? 0 : order?.compare(version, bound);
    if (compared === undefined) return undefined;
    isWithin &&= satisfies(compared, operator);
  }
  return isWithin;
}

function satisfies(compared: number, operator: Bound["operator"]): boolean {
  switch (operator) {
    case "<":
      return compared < 0;
    case "<=":
      return compared <= 0;
    case ">":
      return compared > 0;
    case ">=":
      return compared >= 0;
    case "=":
      return compared === 0;
    case "!=":
      return compared !== 0;
  }
}
