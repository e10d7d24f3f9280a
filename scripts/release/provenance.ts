/** Statements of in-toto about what a build made: from which commit, by which builder. */
import { buildInfo } from "../build-info.ts";

const PROVENANCE = "https://slsa.dev/provenance/v1";

export interface Subject {
  readonly name: string;
  readonly digest: { readonly sha256: string };
}

export interface Statement {
  readonly _type: "https://in-toto.io/Statement/v1";
  readonly subject: readonly Subject[];
  readonly predicateType: string;
  readonly predicate: object;
}

export interface Build {
  /** The command that made the subjects. */
  readonly command: string;
  readonly subjects: readonly Subject[];
  /** Package URLs of materials that the commit does not determine. */
  readonly packages?: readonly string[];
}

export function statement(
  predicateType: string,
  subject: readonly Subject[],
  predicate: object = {},
): Statement {
  return { _type: "https://in-toto.io/Statement/v1", subject, predicateType, predicate };
}

/**
 * SLSA provenance. The environment says what a build cannot know of itself: WHARF_BUILDER_ID, the URI of the system that
 * runs it, WHARF_BUILD_ID, its name of this run, and WHARF_SOURCE_URL, the address of the repository.
 */
export function provenance(
  { command, subjects, packages = [] }: Build,
  environment: NodeJS.ProcessEnv = process.env,
): Statement {
  const { WHARF_BUILDER_ID, WHARF_BUILD_ID, WHARF_SOURCE_URL, SOURCE_DATE_EPOCH } = environment;
  const { commit } = buildInfo(environment);
  const gitCommit = commit.replace(/-dirty$/, "");
  const source = {
    name: "source",
    ...(WHARF_SOURCE_URL && { uri: `git+${WHARF_SOURCE_URL}` }),
    digest: { gitCommit },
    ...(commit !== gitCommit && { annotations: { changed: true } }),
  };
  return statement(PROVENANCE, subjects, {
    buildDefinition: {
      buildType: "urn:wharf:build:1",
      externalParameters: { command, ...(SOURCE_DATE_EPOCH && { SOURCE_DATE_EPOCH }) },
      resolvedDependencies: [source, ...packages.map((uri) => ({ uri }))],
    },
    runDetails: {
      builder: { id: WHARF_BUILDER_ID || "urn:wharf:builder:unnamed" },
      ...(WHARF_BUILD_ID && { metadata: { invocationId: WHARF_BUILD_ID } }),
    },
  });
}
