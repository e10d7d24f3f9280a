import type { EventJson } from "@wharf/contract/messages";

/** Conditions for events, with the rules of the server. */
export interface EventConditions {
  readonly types?: readonly string[];
  readonly subject?: string;
  readonly actor?: string;
}

/** Whether an event is of a group or below it, and meets all conditions. */
export function matchesEvent(
  event: EventJson,
  within: string,
  { types = [], subject, actor }: EventConditions,
): boolean {
  const { group = "", type = "" } = event;
  return (
    (group === within || group.startsWith(`${within}/`)) &&
    (types.length === 0 || types.some((one) => matchesType(type, one))) &&
    (subject === undefined || event.subject === subject) &&
    (actor === undefined || event.actor === actor)
  );
}

/** Whether a type matches a pattern, in which `*` stands for any text and which may omit the common beginning. */
function matchesType(type: string, pattern: string): boolean {
  const literal = pattern.split("*").map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^(.*\\.)?${literal.join(".*")}$`).test(type);
}
