import { isArtifactType } from "@wharf/advisories";
import type { Advisory } from "@wharf/contract";
import type { FieldViolation } from "../lib/errors.ts";

/** The fields of an advisory that say what it is about. */
type Subject = Pick<Advisory, "artifactType" | "aliases">;

/**
 * Violations of the rules for the subject of an advisory that the contract cannot express: aliases are not blank, and
 * the artifact has a defined type. A stored type stays valid: imports have types of all sources.
 */
export function subjectProblems(
  { artifactType, aliases }: Subject,
  path: string,
  stored?: Subject,
): FieldViolation[] {
  const found = blankAliases(aliases, path);
  if (
    artifactType !== "" &&
    artifactType !== stored?.artifactType &&
    !isArtifactType(artifactType)
  ) {
    const description = `${JSON.stringify(artifactType)} is not a type of artifacts: expected apk, image, library, or the type of a package URL, such as npm`;
    found.push({ field: `${path}artifactType`, description });
  }
  return found;
}

/** A blank alias names no vulnerability. */
export function blankAliases(aliases: readonly string[], path: string): FieldViolation[] {
  return aliases.flatMap((alias, at) =>
    alias.trim() === ""
      ? [{ field: `${path}aliases[${at}]`, description: "an alias must not be blank" }]
      : [],
  );
}
