import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Advisory } from "@wharf/contract/messages";
import { assessedPackages } from "./assessed-packages.ts";
import type { Assessment } from "./assessment.ts";
import type { Naming } from "./publication.ts";

/**
 * The entries of `affected` that follow from the events of an advisory.
 *
 * @example affectedPackages(advisory, naming)[0]?.ranges
 */
export function affectedPackages(advisory: Advisory, naming: Naming): JsonObject[] {
  const { artifactArchitecture, componentName, componentType, componentLocation } = advisory;
  const about = nonEmpty({
    architecture: artifactArchitecture,
    component_name: componentName,
    component_type: componentType,
    component_location: componentLocation,
  });
  return assessedPackages(advisory, naming).flatMap(({ ecosystem, name, purl, assessment }) =>
    // OSV has no entry for packages without ecosystem, such as images.
    ecosystem === undefined
      ? []
      : [
          {
            package: { ecosystem, name, purl },
            ranges: ranges(assessment),
            ecosystem_specific: {
              ...statusFields(assessment),
              ...(assessment.kind === "patched"
                ? { patched_versions: [...assessment.fixedIn] }
                : {}),
              ...about,
            },
          },
        ],
  );
}

/**
 * Each patched version ends a range of its own. Ranges are a union, so a version between two patched ones counts
 * as affected, as it should. So does the lower patched version, which OSV cannot express: readers find it in
 * patched_versions, and VEX feeds have a statement for each.
 */
function ranges({ status, fixedIn }: Assessment): JsonObject[] {
  const ends = status === "not_affected" ? ["0"] : fixedIn;
  if (ends.length === 0) return [{ type: "ECOSYSTEM", events: [{ introduced: "0" }] }];
  return ends.map((fixed) => ({ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed }] }));
}

/** The status of an assessment, with its justification. */
export function statusFields({ status, justification }: Assessment): Record<string, string> {
  return { status, ...(justification === undefined ? {} : { justification }) };
}

function nonEmpty(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}

/** Entries of one document, each once: those that name no package apply to every package of a record. */
export class AffectedEntries {
  readonly list: JsonValue[] = [];
  readonly #positions = new Map<string, number>();

  /** Adds an entry, and returns its position. */
  add(entry: JsonValue): number {
    const text = JSON.stringify(entry);
    const position = this.#positions.get(text) ?? this.list.push(entry) - 1;
    this.#positions.set(text, position);
    return position;
  }
}
