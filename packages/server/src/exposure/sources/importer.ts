import { setImmediate } from "node:timers/promises";
import { DocumentError, type Format } from "@wharf/advisories/import";
import { readDocument } from "@wharf/advisories/read";
import {
  type AdvisoryDocument,
  AdvisoryImportsService,
  parentOf,
  type VulnerabilitySource,
} from "@wharf/contract";
import { OPERATOR } from "../../auth/caller.ts";
import type { Call } from "../../rpc/call.ts";
import { type ImportDeps, importDocuments } from "../../vulnerabilities/import/imports.ts";
import { namingOf } from "../../vulnerabilities/naming.ts";
import type { SourceTally } from "./result.ts";

/** About the number of advisories of a transaction. */
const MAX_ADVISORIES = 250;

/**
 * Imports records as approved advisories of the group of a source, in batches. The audit log and events name the source.
 * Records that cannot be imported are counted.
 */
export class RecordImporter {
  readonly #deps: ImportDeps;
  readonly #source: VulnerabilitySource;
  readonly #tally: SourceTally;
  #batch: AdvisoryDocument[] = [];
  #size = 0;

  constructor(deps: ImportDeps, source: VulnerabilitySource, tally: SourceTally) {
    this.#deps = deps;
    this.#source = source;
    this.#tally = tally;
  }

  /** Adds a record. Returns whether the batch is full. */
  add(name: string, bytes: Uint8Array, format: Format, time?: number): boolean {
    try {
      const document = readDocument(bytes, { name, format, time });
      this.#batch.push(document);
      this.#size += 1 + document.advisories.length;
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      this.reject(name, error);
    }
    return this.#size >= MAX_ADVISORIES;
  }

  reject(name: string, { problems }: DocumentError): void {
    const [first] = problems;
    const at = first === undefined || first.path === "" ? "" : `${first.path}: `;
    this.#tally.reject(name, `${at}${first?.reason ?? "cannot be read"}`);
  }

  /** Imports the batch. */
  async flush(): Promise<void> {
    const documents = this.#batch;
    [this.#batch, this.#size] = [[], 0];
    if (documents.length === 0) return;
    const { uid, name } = this.#source;
    const group = parentOf(uid);
    const call = callOf();
    const context = {
      group,
      actor: uid,
      approves: true,
      naming: namingOf(this.#deps),
      now: call.time,
    };
    const mutation = { actor: uid, actorName: `source ${name}`, enforcesQuotas: false };
    const results = await importDocuments(this.#deps, call, context, documents, { mutation });
    for (const { name: record, refusals, created, changed } of results) {
      const [first] = refusals;
      if (first !== undefined) this.#tally.reject(record, `${first.field}: ${first.description}`);
      else {
        this.#tally.records++;
        if (created + changed > 0) this.#tally.changed++;
      }
    }
    // Other requests run between two batches: the embedded database writes synchronously.
    await setImmediate();
  }
}

const NEVER_ABORTED = new AbortController().signal;

/** The import that no client has called. */
function callOf(): Call {
  return {
    method: AdvisoryImportsService.method.importAdvisories,
    caller: OPERATOR,
    time: Date.now(),
    requestId: "",
    authorization: undefined,
    format: "json",
    remoteAddress: "",
    userAgent: "",
    via: "system",
    signal: NEVER_ABORTED,
  };
}
