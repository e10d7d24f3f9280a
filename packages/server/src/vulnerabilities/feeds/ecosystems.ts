import type { JsonValue } from "@bufbuild/protobuf";
import { affectedPackages, type Naming } from "@wharf/advisories/publish";
import type { Advisory } from "@wharf/contract";

/** The ecosystems of the packages of an advisory in its OSV document, without releases. */
export function ecosystemsOf(advisory: Advisory, naming: Naming): Set<string> {
  const { osv, inEffect } = advisory.source ?? {};
  const entries = inEffect === true ? osv?.affected : affectedPackages(advisory, naming);
  return new Set(Array.isArray(entries) ? entries.flatMap(ecosystemOf) : []);
}

/** Whether a document has packages of an ecosystem; all are included without one. */
export function isOfEcosystem(
  advisories: readonly Advisory[],
  naming: Naming,
  ecosystem: string | undefined,
): boolean {
  return (
    ecosystem === undefined || advisories.some((one) => ecosystemsOf(one, naming).has(ecosystem))
  );
}

function ecosystemOf(entry: JsonValue): string[] {
  const { package: named } = (entry ?? {}) as { package?: { ecosystem?: unknown } | null };
  const [name = ""] = typeof named?.ecosystem === "string" ? named.ecosystem.split(":") : [];
  // A name with a slash is no folder.
  return name === "" || name.includes("/") ? [] : [name];
}
