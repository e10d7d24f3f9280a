import {
  type AdvisoryEvent,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
} from "@wharf/contract";

/** What VEX calls by one name, which is read as the code not being included. */
const READ_AS_NOT_INCLUDED: ReadonlySet<FalsePositive> = new Set([
  FalsePositive.VULNERABILITY_RECORD_ANALYSIS_CONTESTED,
  FalsePositive.VULNERABLE_CODE_VERSION_NOT_USED,
]);

/**
 * Whether an event that comes in says anything that the stored one of the same time and type does not.
 * Formats have fewer words than we do: what went out in one and comes back must not wipe out the rest.
 *
 * @example saysMore(stored, given)
 */
export function saysMore(known: AdvisoryEvent, given: AdvisoryEvent): boolean {
  const { reviewState, findings, issue, type } = given;
  if (reviewState !== known.reviewState) return true;
  if (findings.length > 0 || (issue !== undefined && issue !== known.issue)) return true;
  if (type.case === "detection" && known.type.case === "detection") {
    const [had, has] = [known.type.value.type, type.value.type];
    if (has.case === "manual" || has.case === undefined) return false;
    return has.case !== had.case || !isWithin(has.value, had.value);
  }
  if (type.case === "falsePositiveDetermination" && known.type.case === type.case) {
    const [had, has] = [known.type.value, type.value];
    const isVex = has.type === FalsePositive.VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE;
    if (isVex && READ_AS_NOT_INCLUDED.has(had.type)) {
      return !isWithin({ ...has, type: had.type }, had);
    }
  }
  if (type.case === undefined || known.type.case === undefined) return true;
  return !isWithin(type.value, known.type.value);
}

/** Whether all that is filled in is there too. */
function isWithin(some: object, whole: object | undefined): boolean {
  const known = (whole ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(some).every(([name, value]) => {
    if (name === "$unknown" || value === "" || value === 0) return true;
    if (!Array.isArray(value)) return known[name] === value;
    // Versions that are patched: some formats have them in an order of their own.
    const all = (known[name] ?? []) as readonly unknown[];
    return value.every((one) => all.includes(one));
  });
}
