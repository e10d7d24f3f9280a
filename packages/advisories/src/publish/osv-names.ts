import type { JsonObject } from "@bufbuild/protobuf";
import type { Advisory } from "@wharf/contract/messages";
import { osvId } from "./osv-id.ts";
import { packageKind } from "./package-kinds.ts";

/** Types of distribution packages. */
export const DISTRIBUTED: ReadonlySet<string> = new Set(["apk", "deb", "rpm"]);

/**
 * The other names of the vulnerability of a document's advisories. The same vulnerability is an alias. A package of a
 * distribution is built from other software, whose vulnerabilities are upstream of it. The record that an advisory was
 * imported from says which is which for its names.
 *
 * @example osvNames([advisory]) // { upstream: ["CVE-2026-0001"] }
 */
export function osvNames(advisories: readonly Advisory[]): JsonObject {
  const all = advisories.map((advisory) => ({ id: osvId(advisory), ...namesOf(advisory) }));
  const ids = new Set(all.map(({ id }) => id));
  const aliases = new Set(all.flatMap((one) => one.aliases)).difference(ids);
  const upstream = new Set(all.flatMap((one) => one.upstream)).difference(ids).difference(aliases);
  return {
    ...(aliases.size === 0 ? {} : { aliases: [...aliases] }),
    ...(upstream.size === 0 ? {} : { upstream: [...upstream] }),
  };
}

function namesOf(advisory: Advisory): { aliases: readonly string[]; upstream: readonly string[] } {
  const record = advisory.source?.osv ?? {};
  const above = new Set(textsOf(record.upstream));
  const same = new Set([
    ...(typeof record.id === "string" ? [record.id] : []),
    ...textsOf(record.aliases),
  ]);
  const isDistributed = DISTRIBUTED.has(packageTypeOf(advisory));
  const isUpstream = (name: string) => above.has(name) || (isDistributed && !same.has(name));
  // Published as related.
  const others = new Set(textsOf(record.related)).difference(same).difference(above);
  const names = advisory.aliases.filter((name) => name !== "" && !others.has(name));
  return {
    aliases: names.filter((name) => !isUpstream(name)),
    upstream: names.filter(isUpstream),
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
