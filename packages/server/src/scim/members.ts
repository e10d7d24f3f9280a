import type { Reader } from "../store/db/connection.ts";
import type { Transaction } from "../store/db/group-commit.ts";
import {
  addMembers,
  removeAllMembers,
  removeMembers,
  unknownUsers,
} from "../store/tables/scim-members.ts";
import { type Attribute, attributeNamed } from "./protocol/attributes.ts";
import { badRequest } from "./protocol/errors.ts";
import { parseValueFilter } from "./protocol/filter.ts";
import type { Operation } from "./protocol/patch.ts";
import { GROUP } from "./protocol/schemas.ts";
import { type Json, keyOf, objectOf } from "./protocol/values.ts";

const MEMBERS = attributeNamed(GROUP.schema.attributes, "members") as Attribute;

/** A step on the way from one set of members to another. */
export type MemberStep =
  | { readonly add: readonly string[] }
  | { readonly remove: readonly string[] }
  | { readonly replaceBy: readonly string[] };

/** Whether a step of a patch is about who is in the group. */
export function isAboutMembers({ path }: Operation): boolean {
  return path.attribute.name === MEMBERS.name;
}

/** The members of a group that was sent whole. */
export function readMembers(body: Json): string[] {
  const key = keyOf(body, MEMBERS.name);
  return key === undefined ? [] : idsOf(body[key]);
}

/** What a step of a patch means for the members. */
export function memberStep({ op, path, filter, value }: Operation): MemberStep {
  if (path.part !== undefined) throw badRequest("mutability", "parts of members cannot be changed");
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

/** A member is an object with a value; some providers send the value alone. */
function idsOf(given: unknown): string[] {
  const all = given === undefined || given === null ? [] : [given].flat();
  const ids = all.map((one) => {
    const value = typeof one === "string" ? one : objectOf(one, "a member").value;
    if (typeof value !== "string" || value === "")
      throw badRequest("invalidValue", "a member must have a value");
    // PostgreSQL has no texts with it.
    if (value.includes("\0"))
      throw badRequest("invalidValue", "the value of a member must not hold the character NUL");
    return value;
  });
  return [...new Set(ids)];
}

/** Carries steps out; returns whether any of them changed anything. */
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
      await mustExist(tx, provider, step.add);
      changes += await addMembers(tx, provider, group, step.add);
    } else {
      await mustExist(tx, provider, step.replaceBy);
      changes += await removeAllMembers(tx, provider, group);
      changes += await addMembers(tx, provider, group, step.replaceBy);
    }
  }
  return changes > 0;
}

async function mustExist(reader: Reader, provider: string, users: readonly string[]) {
  const [unknown] = await unknownUsers(reader, provider, users);
  if (unknown === undefined) return;
  throw badRequest("invalidValue", `there is no user ${JSON.stringify(unknown.slice(0, 100))}`);
}
