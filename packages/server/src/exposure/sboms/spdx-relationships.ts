import type { JsonObject } from "../../lib/json-values.ts";
import type { Edge } from "./sbom.ts";
import type { Texts } from "./texts.ts";

/** Relationships that are written from the other end. */
const REVERSED: ReadonlyMap<string, string> = new Map([
  ["CONTAINED_BY", "CONTAINS"],
  ["PACKAGE_OF", "CONTAINS"],
  ["GENERATES", "GENERATED_FROM"],
  ["DEPENDENCY_OF", "DEPENDS_ON"],
  ["BUILD_DEPENDENCY_OF", "DEPENDS_ON"],
  ["DEV_DEPENDENCY_OF", "DEPENDS_ON"],
  ["OPTIONAL_DEPENDENCY_OF", "DEPENDS_ON"],
  ["PROVIDED_DEPENDENCY_OF", "DEPENDS_ON"],
  ["RUNTIME_DEPENDENCY_OF", "DEPENDS_ON"],
  ["TEST_DEPENDENCY_OF", "DEPENDS_ON"],
  ["PREREQUISITE_FOR", "DEPENDS_ON"],
]);

const SAME: ReadonlyMap<string, string> = new Map([["HAS_PREREQUISITE", "DEPENDS_ON"]]);

/** Syft's comment on a package whose files another package installs. */
const OWNERSHIP = "ownership-by-file-overlap";

/** A relationship of a document, from the container or dependent; undefined if it says nothing about packages. */
export function normalized(entry: JsonObject, texts: Texts): Edge | undefined {
  const from = texts.url(entry.spdxElementId);
  const to = texts.url(entry.relatedSpdxElement);
  const type = texts.name(entry.relationshipType).replaceAll("-", "_").toUpperCase();
  if (from === "" || to === "" || to === "NONE" || to === "NOASSERTION") return undefined;
  if (type === "DESCRIBED_BY" && to === "SPDXRef-DOCUMENT") return [to, from, "DESCRIBES"];
  const reversed = REVERSED.get(type);
  if (reversed !== undefined) return [to, from, reversed];
  const { comment } = entry;
  const isOwner = type === "OTHER" && typeof comment === "string" && comment.startsWith(OWNERSHIP);
  return [from, to, isOwner ? "OWNS" : (SAME.get(type) ?? type)];
}
