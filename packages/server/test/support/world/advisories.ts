/** Advisories written past the API. */
import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { type Advisory, AdvisoryImportsService, AdvisorySchema } from "@wharf/contract";
import { AdvisoryWriter } from "../../../src/vulnerabilities/writer.ts";
import type { DirectStore } from "../server/direct-store.ts";

const SUBJECT = {
  artifactName: "openssl",
  artifactType: "apk",
  artifactArchitecture: "x86_64",
  componentName: "libcrypto3",
  componentType: "apk",
  componentLocation: "/lib/libcrypto.so.3",
} as const;

/** The common fields of most advisories of the tests. */
export const PLAIN = { author: "writer@example.com", ...SUBJECT } as const;

/** The subject of advisories that callers of version 1 create. */
export const ABOUT = { ...SUBJECT, aliases: ["CVE-2026-0001", "GHSA-2222-3333-4444"] };

/**
 * Writes advisories of a group in one transaction, from the JSON of their messages.
 *
 * @example const [one] = await written(insider, group, { advisoryId: "CGA-2222-2222-2222" });
 */
export function written(
  direct: DirectStore,
  group: string,
  ...given: readonly JsonObject[]
): Promise<Advisory[]> {
  return writing(direct, group, async (writer) => {
    const made: Advisory[] = [];
    for (const one of given) made.push(await writer.insert(advisoryOf(one)));
    return made;
  });
}

/** An advisory with the usual fields and these overrides. */
export function advisoryOf(given: JsonObject): Advisory {
  return fromJson(AdvisorySchema, { ...PLAIN, ...given });
}

/** Does something with the writer of a group, in one transaction. */
export function writing<T>(
  direct: DirectStore,
  group: string,
  work: (writer: AdvisoryWriter) => Promise<T>,
): Promise<T> {
  const { importAdvisories } = AdvisoryImportsService.method;
  return direct.change(
    async (change) => work(await AdvisoryWriter.begin(change, group)),
    importAdvisories,
  );
}
