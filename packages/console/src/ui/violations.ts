import type { FieldViolation } from "@wharf/client/json";

/** Problems of a form, by the name of the control at which each is shown. */
export type Problems = Readonly<Record<string, string>>;

/**
 * Distributes the field violations of a rejected request to the controls of a form. A control has the name of the
 * field: `claimMatch.issuer` and `aliases[3]` are shown at `issuer` and `aliases`, and the innermost name wins.
 *
 * @example assignViolations([{ field: "oidc.issuer", description: "…" }], ["issuer"]).problems.issuer
 */
export function assignViolations(
  violations: readonly FieldViolation[],
  controls: readonly string[],
): { readonly problems: Problems; readonly unassigned: readonly FieldViolation[] } {
  const problems = new Map<string, string>();
  const unassigned: FieldViolation[] = [];
  for (const violation of violations) {
    const control = segmentsOf(violation.field).findLast((name) => controls.includes(name));
    if (control === undefined) unassigned.push(violation);
    else if (!problems.has(control)) problems.set(control, violation.description);
  }
  return { problems: Object.fromEntries(problems), unassigned };
}

function segmentsOf(field: string): string[] {
  return field.split(".").map((segment) => segment.replace(/\[.*$/, ""));
}

const PATTERN = /\bmust match "/;

/** The problem as a message for a person; a regular expression is replaced by a sentence. */
export function messageOf(problem: string, ifPattern: string): string {
  return PATTERN.test(problem) ? ifPattern : problem;
}
