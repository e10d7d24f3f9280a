import type { JsonObject } from "@bufbuild/protobuf";
import type { Advisory } from "@wharf/contract/messages";
import { packageKind } from "./package-kinds.ts";

/** Types of distribution packages. */
export const DISTRIBUTED: ReadonlySet<string> = new Set(["apk", "deb", "rpm"]);

/**
 * The other names of an advisory's vulnerability. The same vulnerability is an alias. A package of a distribution is
 * built from other software, whose vulnerabilities are upstream of it. The record that the advisory was imported
 * from says which is which for its names.
 *
 * @example osvNames(advisory) // { upstream: ["CVE-2026-0001"] }
 */
export function osvNames(advisory: Advisory): JsonObject {
  const record = advisory.source?.osv ?? {};
  const upstream = new Set(textsOf(record.upstream));
  const same = new Set([
    ...(typeof record.id === "string" ? [record.id] : []),
    ...textsOf(record.aliases),
  ]);
  const isDistributed = DISTRIBUTED.has(packageTypeOf(advisory));
  const isUpstream = (name: string) => upstream.has(name) || (isDistributed && !same.has(name));
  // Published as related.
  const others = new Set(textsOf(record.related)).difference(same).difference(upstream);
  const names = [...new Set(advisory.aliases)].filter((name) => name !== "" && !others.has(name));
  const { aliases = [], upstream: above = [] } = Object.groupBy(names, (name) =>
    isUpstream(name) ? "upstream" : "aliases",
  );
  return {
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(above.length === 0 ? {} : { upstream: above }),
  };
}

function packageTypeOf({ artifactType }: Advisory): string {
  const type = artifactType.toLowerCase();
  return packageKind(type)?.purl ?? type;
}

/** @example textsOf(["CVE-2026-0001", 7]) // ["CVE-2026-0001"] */
export function textsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}
