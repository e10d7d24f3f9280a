import type { Transaction } from "../store/db/commit/transaction.ts";
import type { Reader } from "../store/db/connection.ts";
import {
  addMembers,
  removeAllMembers,
  removeMembers,
  unknownUsers,
} from "../store/tables/scim/members.ts";
import { type Attribute, attributeNamed } from "./protocol/attributes.ts";
import { badRequest } from "./protocol/errors.ts";
import { parseValueFilter } from "./protocol/filter.ts";
import type { Operation } from "./protocol/patch.ts";
import { GROUP } from "./protocol/schemas.ts";
import { type Json, keyOf, objectOf } from "./protocol/values.ts";

const MEMBERS = attributeNamed(GROUP.schema.attributes, "members") as Attribute;

/** A change of the members of a group. */
export type MemberStep =
  | { readonly add: readonly string[] }
  | { readonly remove: readonly string[] }
  | { readonly replaceBy: readonly string[] };

/** Whether an operation changes the members. */
export function isAboutMembers({ path }: Operation): boolean {
  return path.attribute.name === MEMBERS.name;
}

/** The members in a complete group resource. */
export function readMembers(body: Json): string[] {
  const key = keyOf(body, MEMBERS.name);
  return key === undefined ? [] : idsOf(body[key]);
}

/** The change of members that a PATCH operation requests. */
export function memberStep({ op, path, filter, value }: Operation): MemberStep {
  if (path.subAttribute !== undefined)
    throw badRequest("mutability", "sub-attributes of members cannot be changed");
  if (filter !== undefined) {
    const { among } = parseValueFilter(MEMBERS.subAttributes ?? [], filter);
    if (op !== "remove" || among === undefined)
      throw badRequest("invalidPath", 'members are removed by members[value eq "…"]');
    return { remove: among };
  }
  if (op === "add") return { add: idsOf(value) };
  if (op === "replace") return { replaceBy: idsOf(value) };
  return value === undefined || value === null ? { replaceBy: [] } : { remove: idsOf(value) };
}

/** A member is an object with a value; some providers send only the value. */
function idsOf(input: unknown): string[] {
  const all = input === undefined || input === null ? [] : [input].flat();
  const ids = all.map((one) => {
    const value = typeof one === "string" ? one : objectOf(one, "a member").value;
    if (typeof value !== "string" || value === "")
      throw badRequest("invalidValue", "a member must have a value");
    // PostgreSQL cannot store NUL in text.
    if (value.includes("\0"))
      throw badRequest("invalidValue", "the value of a member must not contain NUL");
    return value;
  });
  return [...new Set(ids)];
}

/** Applies changes; returns whether any had an effect. */
export async function changeMembers(
  tx: Transaction,
  provider: string,
  group: string,
  steps: readonly MemberStep[],
): Promise<boolean> {
  let changes = 0;
  for (const step of steps) {
    if ("remove" in step) changes += await removeMembers(tx, provider, group, step.remove);
    else if ("add" in step) {
      await requireUsers(tx, provider, step.add);
      changes += await addMembers(tx, provider, group, step.add);
    } else {
      await requireUsers(tx, provider, step.replaceBy);
      changes += await removeAllMembers(tx, provider, group);
      changes += await addMembers(tx, provider, group, step.replaceBy);
    }
  }
  return changes > 0;
}

async function requireUsers(reader: Reader, provider: string, users: readonly string[]) {
  const [unknown] = await unknownUsers(reader, provider, users);
  if (unknown === undefined) return;
  throw badRequest("invalidValue", `unknown user ${JSON.stringify(unknown.slice(0, 100))}`);
}
