import type { JsonObject } from "@bufbuild/protobuf";
import { csafKeyPath, csafPath, tlpLabel } from "./csaf-file.ts";
import { rolieName } from "./csaf-rolie.ts";
import type { PackageKey } from "./names.ts";
import type { Publication } from "./publication.ts";
import { rfc3339, type Times } from "./times.ts";

/** The package and the times of a document in the feed. */
export interface CsafEntry {
  readonly key: PackageKey;
  readonly times: Times;
}

/**
 * The provider metadata of CSAF: the publisher and the location of the documents. The role is the one that needs no
 * security.txt, well-known URL or DNS name (CSAF 2.0, 7.1.8 to 7.1.10): those belong to a domain, which may have many
 * feeds. Every higher role requires one of them, also if documents are signed.
 *
 * @example csafProvider(lastChanged, publication)
 */
export function csafProvider(lastChanged: number, publication: Publication): JsonObject {
  const { url, publisher, namespace, openpgpFingerprint: fingerprint } = publication;
  return {
    canonical_url: `${url}/csaf/provider-metadata.json`,
    distributions: [
      { directory_url: `${url}/csaf/` },
      {
        rolie: {
          feeds: [
            {
              summary: `All CSAF documents of ${publisher}`,
              tlp_label: tlpLabel(publication),
              url: `${url}/csaf/${rolieName(publication)}`,
            },
          ],
        },
      },
    ],
    last_updated: rfc3339(lastChanged),
    list_on_CSAF_aggregators: false,
    metadata_version: "2.0",
    mirror_on_CSAF_aggregators: false,
    ...(fingerprint === undefined
      ? {}
      : { public_openpgp_keys: [{ fingerprint, url: `${url}/csaf/${csafKeyPath(fingerprint)}` }] }),
    publisher: { category: "vendor", name: publisher, namespace },
    role: "csaf_publisher",
  };
}

/**
 * A document's line of index.txt.
 *
 * @example csafIndexLine(entry) // "2026/apk-openssl.json\n"
 */
export function csafIndexLine({ key, times }: CsafEntry): string {
  return `${csafPath(key, times.first)}\n`;
}

/**
 * The file changes.csv: documents by last change, latest first.
 *
 * @example csafChanges(entries) // '"2026/apk-openssl.json","2026-02-01T00:00:00.000Z"\n'
 */
export function csafChanges(entries: readonly CsafEntry[]): string {
  return entries
    .toSorted((a, b) => b.times.last - a.times.last)
    .map(({ key, times }) => `"${csafPath(key, times.first)}","${rfc3339(times.last)}"\n`)
    .join("");
}
