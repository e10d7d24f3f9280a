import {
  type AdvisoryEvent,
  AdvisoryEvent_FalsePositiveDetermination_Type as FalsePositive,
} from "@wharf/contract";
import { type IsOwnName, isKnownScope } from "./event-scope.ts";

/**
 * Whether an imported event has any information that the stored event of the same time and type lacks.
 *
 * An empty field is no information: formats have fewer fields than the store, so an event that was
 * published and is imported again must not erase the rest. For the same reason a manual detection, and a
 * false positive of the type that VEX maps several types to, add nothing to a more specific one.
 */
export function addsInformation(
  stored: AdvisoryEvent,
  imported: AdvisoryEvent,
  isOwnName: IsOwnName,
): boolean {
  const { reviewState, findings, issue, type } = imported;
  if (reviewState !== stored.reviewState) return true;
  if (!isKnownScope(stored, imported, isOwnName)) return true;
  if (findings.length > 0 || (issue !== undefined && issue !== stored.issue)) return true;
  if (type.case === "detection" && stored.type.case === "detection") {
    const [before, after] = [stored.type.value.type, type.value.type];
    if (after.case === "manual" || after.case === undefined) return false;
    return after.case !== before.case || !isSubset(after.value, before.value);
  }
  if (type.case === "falsePositiveDetermination" && stored.type.case === type.case) {
    const [before, after] = [stored.type.value, type.value];
    const isNotIncluded = after.type === FalsePositive.VULNERABLE_CODE_NOT_INCLUDED_IN_PACKAGE;
    // VEX has one justification for both.
    if (isNotIncluded && before.type === FalsePositive.VULNERABLE_CODE_VERSION_NOT_USED) {
      return !isSubset({ ...after, type: before.type }, before);
    }
  }
  if (type.case === undefined || stored.type.case === undefined) return true;
  return !isSubset(type.value, stored.type.value);
}

/** Whether every field of `some` that is set has the same value in `whole`. */
function isSubset(some: object, whole: object | undefined): boolean {
  const fields = (whole ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(some).every(([name, value]) => {
    if (name === "$unknown" || value === "" || value === 0) return true;
    if (!Array.isArray(value)) return fields[name] === value;
    // Patched versions: formats order them differently.
    const all = (fields[name] ?? []) as readonly unknown[];
    return value.every((one) => all.includes(one));
  });
}
