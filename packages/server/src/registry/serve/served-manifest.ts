import type { Reader } from "../../store/db/connection.ts";
import { readManifestContent } from "../../store/tables/registry/manifests.ts";
import { newestEntry } from "../../store/tables/registry/tags.ts";
import { isDigest } from "../images/manifest.ts";

/** A manifest as it is sent. */
export interface ServedManifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly content: Uint8Array;
  /** The repo that has it; empty if none has. */
  readonly repo: string;
  /** When the tag was last confirmed to have the digest. */
  readonly seen: number;
  /** Headers beside those of every manifest. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A manifest that a repo has, by tag or digest. */
export async function findServed(
  reader: Reader,
  repo: string,
  reference: string,
): Promise<ServedManifest | undefined> {
  const { digest, seen } = isDigest(reference)
    ? { digest: reference, seen: 0 }
    : ((await newestEntry(reader, repo, reference)) ?? { digest: "", seen: 0 });
  const found = digest === "" ? undefined : await readManifestContent(reader, repo, digest);
  return found && { ...found, digest, repo, seen };
}
