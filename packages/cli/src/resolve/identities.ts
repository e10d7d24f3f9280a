import { isUid } from "@wharf/contract";
import type { Context } from "../context.ts";
import { notFound, usageError } from "../errors.ts";
import { IDENTITY } from "./kinds.ts";
import { resolve } from "./resolve.ts";

/** Who is meant, as far as it is known. */
export interface Who {
  readonly uid: string;
  readonly name: string;
}

/**
 * The identity that someone means: by uid, name or e-mail address. People live in no group, so their
 * address is looked for among those who are bound where the caller can see it.
 */
export async function resolveWho(context: Context, text: string): Promise<Who> {
  if (isUid(text)) return { uid: text, name: text };
  if (!text.includes("@")) return resolve(context, IDENTITY, text);
  const found = new Map<string, string>();
  const { roleBindings } = await context.client();
  for await (const { identity } of roleBindings.listAll({}, { signal: context.signal })) {
    if (identity?.email.toLowerCase() === text.toLowerCase())
      found.set(identity.uid, identity.name);
  }
  const [first, second] = found;
  if (first === undefined) {
    throw notFound(
      `nobody with the address ${text} is bound to a role that you can see`,
      "`wharf iam role-bindings list` shows who is",
    );
  }
  if (second === undefined) return { uid: first[0], name: first[1] };
  throw usageError(
    `${found.size} people have the address ${text}`,
    ["give the uid of one:", ...found.keys()].join("\n    "),
  );
}
