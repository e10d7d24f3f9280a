import { create, fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import {
  type Advisory,
  AdvisorySchema,
  type Vulnerability,
  VulnerabilitySchema,
} from "@wharf/contract/messages";
import { prefixed } from "../publish/osv-id.ts";
import { type DocumentNode, quoted } from "./document-node.ts";
import { readKeptRecord, sourceOf } from "./osv-advisories.ts";
import { affectedOf } from "./osv-affected.ts";
import { publishedRecord, recordOf } from "./osv-record.ts";
import type { Contents } from "./read.ts";

/**
 * The contents of a document of Wharf: the advisories in `database_specific.wharf`, which is one advisory that was
 * written there, or a list of those that were imported from a record. Earlier versions published an advisory of a
 * record alone, with `affected` among the members of the record.
 *
 * @example ownContents(top, top.field("database_specific").field("wharf"), vulnerability).advisories
 */
export function ownContents(
  top: DocumentNode,
  own: DocumentNode,
  { id, severities }: Vulnerability,
): Contents {
  const versions = new RecordVersions(top);
  const isList = Array.isArray(own.value);
  const advisories: Advisory[] = [];
  for (const node of isList ? own.items("advisories") : [own]) {
    const advisory = advisoryOf(node);
    // An advisory that its publisher deleted is not imported.
    if (advisory === undefined || advisory.deleteTime !== undefined) continue;
    const record = isList ? versions.restore(node, advisory) : versions.restoreOnly(advisory);
    const own = isList && record !== undefined ? (record.id as string) : advisory.advisoryId;
    if (![own, prefixed(own)].includes(id)) {
      const field = node.field(own === advisory.advisoryId ? "advisoryId" : "source");
      field.addProblem(`must be the document's id, ${quoted(id)}`);
    }
    advisories.push(advisory);
  }
  return {
    advisories,
    vulnerabilities: ratedBy(advisories, severities),
    records: versions.records,
  };
}

function advisoryOf(node: DocumentNode): Advisory | undefined {
  let advisory: Advisory;
  try {
    advisory = fromJson(AdvisorySchema, node.value as JsonValue, { ignoreUnknownFields: true });
  } catch (error) {
    node.addProblem(`is not an advisory: ${(error as Error).message}`);
    return undefined;
  }
  for (const name of ["artifactName", "artifactType"] as const) {
    if (advisory[name] === "") node.field(name).addProblem("is missing");
  }
  for (const [index, event] of node.field("events").items("events").entries()) {
    const { createTime, type } = advisory.events[index] as Advisory["events"][number];
    if (createTime === undefined) event.field("createTime").addProblem("is missing");
    if (type.case === undefined) event.addProblem("has no event type");
  }
  return advisory;
}

/** Severities that a document passes on, without a time: a record of the vulnerability takes precedence. */
function ratedBy(
  advisories: readonly Advisory[],
  severities: Vulnerability["severities"],
): Vulnerability[] {
  const found = new Map<string, Vulnerability>();
  for (const { aliases, severities: own } of advisories) {
    const [id, ...others] = aliases;
    const rated = severities.length > 0 ? severities : own;
    if (id === undefined || rated.length === 0 || found.has(id)) continue;
    found.set(id, create(VulnerabilitySchema, { id, aliases: others, severities: rated }));
  }
  return [...found.values()];
}

/** The versions of the record of a document: the published one, and others that single advisories have. */
class RecordVersions {
  /** The records without `affected`, by their times; the published one by undefined. */
  readonly #records = new Map<JsonValue | undefined, JsonObject>();
  readonly #entries: unknown;
  readonly #published: DocumentNode | undefined;
  /** Bytes of the entries that advisories have so far: many may name the same entry. */
  #bytes = 0;

  constructor(top: DocumentNode) {
    this.#entries = top.field("affected").value;
    this.#published = publishedRecord(top);
  }

  /** The records that advisories name. The published one is first: it is named without a time. */
  get records(): JsonObject[] {
    const isPublished = ([time]: readonly [unknown, JsonObject]) => time === undefined;
    const all = [...this.#records].sort((a, b) => Number(isPublished(b)) - Number(isPublished(a)));
    return all.map(([, record]) => record);
  }

  /** Gives the only advisory of a document the source that it was published with, if any. */
  restoreOnly(advisory: Advisory): JsonObject | undefined {
    delete advisory.source;
    return this.#published && this.#keep(this.#published, advisory, undefined);
  }

  /** Gives an advisory of a list the source that it was published with, and returns its record, if any. */
  restore(node: DocumentNode, advisory: Advisory): JsonObject | undefined {
    const { affected: _, ...version } = advisory.source?.osv ?? {};
    delete advisory.source;
    if (version.id === undefined) return undefined;
    const named = node.field("source").field("osv");
    const isPublished = Object.keys(version).length === 1;
    const published = this.#published?.value as JsonObject | undefined;
    const record = isPublished ? published : version;
    if (record === undefined) named.addProblem("is not in the document");
    const affected = this.#entriesOf(named.field("affected"));
    // Imports tell versions apart by their times.
    const isKnown = isPublished || ![undefined, published?.modified].includes(record?.modified);
    if (record === undefined || !isKnown) return record;
    const kept = named.withValue({ ...record, affected });
    return this.#keep(kept, advisory, isPublished ? undefined : record.modified);
  }

  #keep(record: DocumentNode, advisory: Advisory, version: JsonValue | undefined): JsonObject {
    const affected = record.field("affected");
    // The record itself is checked once: it may be large.
    if (this.#records.has(version)) affectedOf(affected);
    else readKeptRecord(record);
    const kept = this.#records.get(version) ?? recordOf(record);
    this.#records.set(version, kept);
    const entries = Array.isArray(affected.value) ? affected.value : [];
    advisory.source = sourceOf(record.field("id").optionalString(), entries, version);
    return kept;
  }

  /** Entries are positions in the document's list, or written out. */
  #entriesOf(list: DocumentNode): JsonValue[] {
    const max = list.limits.restoredBytes;
    if (this.#bytes > max) return [];
    const positions = new Set<unknown>();
    const entries = list.items("products").flatMap((item) => {
      if (typeof item.value !== "number") return [item.value as JsonValue];
      const entry = Array.isArray(this.#entries) ? this.#entries[item.value] : undefined;
      if (entry === undefined || positions.has(item.value)) {
        item.addProblem("must be the position of another entry of affected");
      }
      positions.add(item.value);
      return entry === undefined ? [] : [entry as JsonValue];
    });
    this.#bytes += JSON.stringify(entries).length;
    if (this.#bytes > max) list.addProblem(`exceeds ${max} bytes with those of other advisories`);
    return entries;
  }
}
