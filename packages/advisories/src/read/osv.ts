import { type DocumentNode, quoted } from "./document-node.ts";
import { advisoriesOf, vulnerabilityOf } from "./osv-advisories.ts";
import { ownContents } from "./osv-own.ts";
import { recordOf } from "./osv-record.ts";
import type { Contents } from "./read.ts";

/**
 * Reads an OSV 1.x document: metadata of a vulnerability, and an advisory for each affected package, with the
 * part of the record that is about the package as its source.
 *
 * @example DocumentNode.read(parseTree(text), readOsv).vulnerabilities
 */
export function readOsv(top: DocumentNode): Contents {
  if (!top.requireObject()) return { advisories: [] };
  const version = top.field("schema_version");
  if (version.isPresent && !/^1\.\d+(\.\d+)?$/.test(version.optionalString())) {
    version.addProblem(
      `schema version ${quoted(version.optionalString())} is not supported; expected 1.x`,
    );
    return { advisories: [] };
  }
  const vulnerability = vulnerabilityOf(top);
  // Documents of Wharf include whole advisories, which are restored exactly.
  const own = top.field("database_specific").field("wharf");
  if (own.isPresent) return ownContents(top, own, vulnerability);
  const advisories = advisoriesOf(top, vulnerability);
  const record = recordOf(top);
  return {
    vulnerabilities: [vulnerability],
    advisories,
    records: advisories.length === 0 ? [] : [record],
  };
}
