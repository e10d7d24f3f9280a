import type { JsonObject } from "@bufbuild/protobuf";
import { csafId, csafPath, csafTitle, tlpLabel } from "./csaf-file.ts";
import type { CsafEntry } from "./csaf-provider.ts";
import type { Publication } from "./publication.ts";
import { rfc3339 } from "./times.ts";

/** The hash files of a document, by the end of their names. */
export const CSAF_HASHES = ["sha256", "sha512"] as const;

/** The end of the name of a document's signature. */
export const CSAF_SIGNATURE = "asc";

export type CsafHash = (typeof CSAF_HASHES)[number];

const SCHEMA = "https://docs.oasis-open.org/csaf/csaf/v2.0/csaf_json_schema.json";

/**
 * The file name of the ROLIE feed (RFC 8322): CSAF has one for each label of the Traffic Light Protocol.
 *
 * @example rolieName(publication) // "csaf-feed-tlp-white.json"
 */
export function rolieName(publication: Pick<Publication, "isPublic">): string {
  return `csaf-feed-tlp-${tlpLabel(publication).toLowerCase()}.json`;
}

/**
 * The ROLIE feed of all documents, as chunks.
 *
 * @example for await (const chunk of rolieFeed(entries, lastChanged, publication)) response.write(chunk);
 */
export async function* rolieFeed(
  entries: AsyncIterable<CsafEntry>,
  lastChanged: number,
  publication: Publication,
): AsyncGenerator<string> {
  const { publisher, url } = publication;
  const name = rolieName(publication);
  const head = {
    id: name.replace(/\.json$/, ""),
    title: `CSAF documents of ${publisher} (TLP:${tlpLabel(publication)})`,
    link: [{ rel: "self", href: `${url}/csaf/${name}` }],
    category: [{ scheme: "urn:ietf:params:rolie:category:information-type", term: "csaf" }],
    updated: rfc3339(lastChanged),
  };
  yield `{"feed":${JSON.stringify(head).slice(0, -1)},"entry":[`;
  let separator = "";
  for await (const entry of entries) {
    yield `${separator}${JSON.stringify(rolieEntry(entry, publication))}`;
    separator = ",\n";
  }
  yield "]}}";
}

function rolieEntry(
  { key, times }: CsafEntry,
  { url, openpgpFingerprint }: Publication,
): JsonObject {
  const src = `${url}/csaf/${csafPath(key, times.first)}`;
  return {
    id: csafId(key),
    title: csafTitle(key),
    link: [
      { rel: "self", href: src },
      ...CSAF_HASHES.map((hash) => ({ rel: "hash", href: `${src}.${hash}` })),
      ...(openpgpFingerprint === undefined
        ? []
        : [{ rel: "signature", href: `${src}.${CSAF_SIGNATURE}` }]),
    ],
    published: rfc3339(Math.max(times.first, 0)),
    updated: rfc3339(Math.max(times.last, 0)),
    content: { type: "application/json", src },
    format: { schema: SCHEMA, version: "2.0" },
  };
}
