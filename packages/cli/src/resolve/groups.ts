import type { Group } from "@wharf/client";
import { isUid } from "@wharf/contract";
import type { Context } from "../context.ts";
import { notFound, usageError } from "../errors.ts";

/** Which groups a command means: organizations have nothing above them. */
export type GroupKind = "organization" | "folder" | "group";

/** More that have the same name are not read through. */
const CANDIDATES = 10;

/** The group that someone means: by uid, by name, or by the names on the way to it. */
export async function resolveGroup(
  context: Context,
  text: string,
  kind: GroupKind = "group",
): Promise<Group> {
  const { groups } = await context.client();
  const { signal } = context;
  if (isUid(text)) return ofKind(await groups.get({ uid: text }, { signal }), kind);
  const [first, ...below] = text.split("/") as [string, ...string[]];
  const inRoot = kind === "organization" || below.length > 0;
  const found = await named(context, first, inRoot ? { inRoot: true } : {});
  const wanted = below.length > 0 ? found : found.filter((group) => isKind(group, kind));
  let group = only(context, first, wanted, inRoot ? "organization" : kind);
  for (const name of below) {
    const { uid } = await group;
    group = only(context, name, await named(context, name, { childrenOf: uid }), "folder");
  }
  return ofKind(await group, kind);
}

/**
 * The same for whoever may only work in a group: a uid is not looked up, which takes a right of its own.
 */
export async function resolvePlace(
  context: Context,
  text: string,
): Promise<Pick<Group, "uid" | "name">> {
  return isUid(text) ? { uid: text, name: text } : resolveGroup(context, text);
}

async function named(
  { client, signal }: Context,
  name: string,
  uidp: { inRoot?: true; childrenOf?: string },
): Promise<Group[]> {
  const { groups } = await client();
  return (await groups.list({ name, uidp, pageSize: CANDIDATES }, { signal })).groups;
}

async function only(
  context: Context,
  name: string,
  found: readonly Group[],
  kind: GroupKind,
): Promise<Group> {
  const [first, second] = found;
  if (first === undefined) {
    const list = kind === "organization" ? "organizations" : "folders";
    throw notFound(
      `no ${kind} is named "${name}"`,
      `\`wharf iam ${list} list\` shows what there is`,
    );
  }
  if (second === undefined) return first;
  const lines = await Promise.all(found.map((group) => candidate(context, group)));
  throw usageError(
    `${found.length}${found.length === CANDIDATES ? " or more" : ""} groups are named "${name}"`,
    ["give the uid of one:", ...lines].join("\n    "),
  );
}

/** The uid, and the names on the way to it. */
async function candidate({ client, signal }: Context, { uid, name }: Group): Promise<string> {
  const { groups } = await client();
  const { groups: above } = await groups.list({ uidp: { ancestorsOf: uid } }, { signal });
  const names = above
    .filter((group) => uid.startsWith(`${group.uid}/`))
    .sort((a, b) => a.uid.length - b.uid.length)
    .map((group) => group.name);
  return `${uid}  ${[...names, name].join("/")}`;
}

function isKind({ uid }: Group, kind: GroupKind): boolean {
  return kind === "group" || uid.includes("/") === (kind === "folder");
}

function ofKind(group: Group, kind: GroupKind): Group {
  if (isKind(group, kind)) return group;
  const [is, command] =
    kind === "folder" ? ["an organization", "organizations"] : ["a folder", "folders"];
  throw usageError(`${group.name} is ${is}`, `use \`wharf iam ${command}\``);
}
