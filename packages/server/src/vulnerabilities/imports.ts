import { create, type DescMethod } from "@bufbuild/protobuf";
import {
  type Advisory,
  type AdvisoryDocument,
  type AdvisoryDocumentResult,
  AdvisoryImportsService,
  type ImportAdvisoriesRequest,
  type ImportAdvisoriesResponse,
  ImportAdvisoriesResponseSchema,
} from "@wharf/contract";
import { BulkChange } from "../engine/change.ts";
import type { Engine } from "../engine/engine.ts";
import { notFound } from "../errors.ts";
import type { Call, Handler } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import { messageReply } from "../rpc/reply.ts";
import type { Reader } from "../store/connection.ts";
import type { Transaction } from "../store/group-commit.ts";
import { advisories } from "./advisories.ts";
import { AdvisoryWriter } from "./advisory-writer.ts";
import { type ImportPlan, planImport } from "./import-plan.ts";

/**
 * Documents share a transaction until it has about this many advisories: enough that looking them up
 * and committing cost little for each, few enough that others do not wait long for their turn.
 */
const TOGETHER = 250;

/**
 * Takes in documents. Each is taken whole or not at all.
 *
 * @example const extra = new Map([...importHandlers(engine)]);
 */
export function importHandlers(engine: Engine): [DescMethod, Handler][] {
  return [[AdvisoryImportsService.method.importAdvisories, importAdvisories(engine)]];
}

function importAdvisories(engine: Engine): Handler {
  return async (call, message) => {
    const { parent, documents, validateOnly } = message as ImportAdvisoriesRequest;
    const { reader } = engine.store;
    if ((await engine.groups.table.find(reader, parent, "data")) === undefined) {
      throw notFound(engine.groups.typeName, parent);
    }
    const results: AdvisoryDocumentResult[] = [];
    for (const some of portions(documents)) {
      const done = validateOnly
        ? await foresee(reader, call, parent, some)
        : await engine.store.write((tx) => take(engine, call, tx, parent, some));
      results.push(...done);
    }
    return messageReply(ImportAdvisoriesResponseSchema, answerOf(results));
  };
}

/** What would happen. */
async function foresee(
  reader: Reader,
  call: Call,
  parent: string,
  documents: readonly AdvisoryDocument[],
): Promise<readonly AdvisoryDocumentResult[]> {
  const stored = await storedOf(reader, parent, documents);
  return planImport(documents, stored, call.caller.uid, call.time).results;
}

async function take(
  engine: Engine,
  call: Call,
  tx: Transaction,
  parent: string,
  documents: readonly AdvisoryDocument[],
): Promise<readonly AdvisoryDocumentResult[]> {
  const change = new BulkChange(call, tx, engine);
  const writer = await AdvisoryWriter.begin(change, parent);
  const stored = await storedOf(tx, parent, documents);
  const plan = planImport(documents, stored, call.caller.uid, call.time);
  for (const advisory of plan.added) await writer.insert(advisory);
  for (const advisory of plan.changed) await writer.update(advisory);
  await note(change, parent, plan);
  return plan.results;
}

/** The advisories that documents are about, as far as there are any. */
async function storedOf(
  reader: Reader,
  parent: string,
  documents: readonly AdvisoryDocument[],
): Promise<Map<string, Advisory>> {
  const ids = documents.flatMap((document) => document.advisories.map((one) => one.advisoryId));
  const rows = await advisories.table.childrenOfNames(reader, parent, [...new Set(ids)]);
  const found = rows.map((row) => advisories.fromRow(row));
  return new Map(found.map((advisory) => [advisory.advisoryId, advisory]));
}

/** One event and one line of the audit for all that is written together. */
async function note(change: BulkChange, parent: string, { results }: ImportPlan): Promise<void> {
  const changing = results.filter(
    (one) => one.created + one.changed + one.vulnerabilitiesChanged > 0,
  );
  if (changing.length === 0) return;
  const json = messageToJson(ImportAdvisoriesResponseSchema, answerOf(changing));
  const sum = (count: "created" | "changed" | "vulnerabilitiesChanged") =>
    changing.reduce((total, one) => total + one[count], 0);
  await change.noteForAll(parent, {
    documents: changing.length,
    created: sum("created"),
    changed: sum("changed"),
    vulnerabilities: sum("vulnerabilitiesChanged"),
  });
  await change.emitForAll(parent, { type: ImportAdvisoriesResponseSchema.typeName, json });
}

function answerOf(results: readonly AdvisoryDocumentResult[]): ImportAdvisoriesResponse {
  return create(ImportAdvisoriesResponseSchema, { results: [...results] });
}

/** The documents in portions that are written together; none is divided. */
function* portions(documents: readonly AdvisoryDocument[]): Generator<AdvisoryDocument[]> {
  let portion: AdvisoryDocument[] = [];
  let size = 0;
  for (const document of documents) {
    portion.push(document);
    size += 1 + document.advisories.length + document.vulnerabilities.length;
    if (size < TOGETHER) continue;
    yield portion;
    [portion, size] = [[], 0];
  }
  if (portion.length > 0) yield portion;
}
