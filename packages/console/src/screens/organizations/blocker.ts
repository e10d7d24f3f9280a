import { WharfError } from "@wharf/client/json";

/** The plural of the children that a rejected deletion names, such as "role bindings". */
export function blockerOf(error: Error): string | undefined {
  if (!(error instanceof WharfError)) return undefined;
  const violation = error.preconditionViolations.find(({ type }) => type === "RESOURCE_NOT_EMPTY");
  return /with child ([a-z ]+?)(?: that|$)/.exec(violation?.description ?? "")?.[1];
}
