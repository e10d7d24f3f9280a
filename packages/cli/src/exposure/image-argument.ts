import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import { REPO } from "../resolve/kinds.ts";
import { resolve } from "../resolve/resolve.ts";
import { findTag } from "../tags/run.ts";

/** An image that an argument names. */
export interface NamedImage {
  readonly repoUid: string;
  readonly digest: string;
}

/** An image as it is written: the repo, and a tag or a digest. */
export interface WrittenImage {
  readonly repo: string;
  /** A tag or a digest. */
  readonly name: string;
}

/** Splits REPO:TAG or REPO@DIGEST. */
export function splitImage(text: string): WrittenImage {
  const at = text.lastIndexOf("@");
  const end = at > 0 ? at : text.lastIndexOf(":");
  if (end > 0) return { repo: text.slice(0, end), name: text.slice(end + 1) };
  throw usageError(`"${text}" is no image`, "write REPO:TAG or REPO@DIGEST");
}

export function isDigest(text: string): boolean {
  return /^sha(?:256:[0-9a-f]{64}|512:[0-9a-f]{128})$/.test(text);
}

/** The image that a text names; that of a tag is looked up. */
export async function resolveImage(context: Context, text: string): Promise<NamedImage> {
  const { repo, name } = splitImage(text);
  const { uid } = await resolve(context, REPO, repo);
  if (isDigest(name)) return { repoUid: uid, digest: name };
  const { digest } = await findTag(context, name, uid);
  return { repoUid: uid, digest };
}
