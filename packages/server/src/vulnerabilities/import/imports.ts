import { create, type DescMethod } from "@bufbuild/protobuf";
import {
  type AdvisoryDocument,
  type AdvisoryDocumentResult,
  AdvisoryImportsService,
  ancestorsOf,
  Capability,
  type ImportAdvisoriesRequest,
  type ImportAdvisoriesResponse,
  ImportAdvisoriesResponseSchema,
} from "@wharf/contract";
import type { CreateDeps, Remember } from "../../engine/write/creates.ts";
import { Mutation, type MutationOptions, type WriteDeps } from "../../engine/write/mutation.ts";
import { notFound } from "../../lib/errors.ts";
import type { Call, Handler, Reply } from "../../rpc/call.ts";
import { messageToJson } from "../../rpc/json.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import { sourcesOf } from "../../store/tables/advisories/sources.ts";
import {
  vulnerabilitiesNamed,
  vulnerabilitiesOf,
} from "../../store/tables/advisories/vulnerabilities.ts";
import { advisories } from "../advisories.ts";
import { type NamingDeps, namingOf } from "../naming.ts";
import { settleSeverities } from "../severities/severity-changes.ts";
import { saveVulnerabilities } from "../severities/vulnerability-writer.ts";
import { AdvisoryWriter } from "../writer.ts";
import { batches, inOrder, validate } from "./batches.ts";
import { type ImportContext, ImportPlan, repeatedNames, type StoredState } from "./import-plan.ts";
import { saveSources } from "./save-sources.ts";
import { givenSource } from "./source-checks.ts";

export interface ImportDeps extends CreateDeps, NamingDeps {}

/** Imports documents; each is imported as a whole or rejected. */
export function importHandlers(deps: ImportDeps): [DescMethod, Handler][] {
  return [[AdvisoryImportsService.method.importAdvisories, importAdvisories(deps)]];
}

function importAdvisories(deps: ImportDeps): Handler {
  return async (call, message) => {
    const { parent: group, documents, validateOnly } = message as ImportAdvisoriesRequest;
    const { reader } = deps.store;
    if ((await deps.catalog.groups.table.find(reader, group, "data")) === undefined) {
      throw notFound(deps.catalog.groups.typeName, group);
    }
    const { uid: actor, grants } = call.caller;
    const approves = grants.holds([Capability.CAP_ADVISORIES_APPROVE], group);
    const context = { group, actor, approves, naming: namingOf(deps), now: call.time };
    if (validateOnly || call.isDryRun)
      return replyOf(await dryRunAll(reader, call, context, documents));
    // The access rule of the method covers all that an import does.
    return deps.creates.once(
      call,
      async (remember) =>
        replyOf(await importDocuments(deps, call, context, documents, { remember })),
      async () => {},
    );
  };
}

export interface ImportOptions {
  /** Remembers the response with the last batch: earlier ones can be imported again. */
  readonly remember?: Remember;
  /** The actor of the import, where it is not the caller. */
  readonly mutation?: MutationOptions;
}

/** Imports documents in batches. */
export async function importDocuments(
  deps: WriteDeps,
  call: Call,
  context: ImportContext,
  documents: readonly AdvisoryDocument[],
  { remember, mutation }: ImportOptions,
): Promise<AdvisoryDocumentResult[]> {
  let results: AdvisoryDocumentResult[] = [];
  const all = [...batches(documents)];
  for (const [at, batch] of all.entries()) {
    const [valid, rejected] = validate(batch, call.time);
    // An import that has begun runs to its end, which settles severities.
    results = await deps.store.writeFor(at === 0 ? call : {}, async (tx) => {
      const bulk = new Mutation(call, tx, deps, { ...mutation, events: "held", audit: "once" });
      const done = await importBatch(bulk, context, valid);
      const imported = [...results, ...inOrder(batch, rejected, done)];
      if (at === all.length - 1) await remember?.(tx, replyOf(imported));
      return imported;
    });
  }
  await settleSeverities(deps, context.group);
  return results;
}

/** The results of all documents without storing anything. */
async function dryRunAll(
  reader: Reader,
  call: Call,
  context: ImportContext,
  documents: readonly AdvisoryDocument[],
): Promise<AdvisoryDocumentResult[]> {
  const results: AdvisoryDocumentResult[] = [];
  const state: StoredState = {
    advisories: new Map(),
    vulnerabilities: new Map(),
    sources: new Map(),
    names: new Set(),
  };
  for (const batch of batches(documents)) {
    const [valid, rejected] = validate(batch, call.time);
    results.push(...inOrder(batch, rejected, await dryRun(reader, context, valid, state)));
  }
  return results;
}

/** The results of a batch without storing it; `state` has the results of the batches before. */
async function dryRun(
  reader: Reader,
  context: ImportContext,
  documents: readonly AdvisoryDocument[],
  { advisories, vulnerabilities, sources, names }: StoredState,
): Promise<AdvisoryDocumentResult[]> {
  const stored = await storedState(reader, context.group, documents);
  for (const [id, one] of stored.advisories) if (!advisories.has(id)) advisories.set(id, one);
  for (const [id, one] of stored.vulnerabilities) {
    if (!vulnerabilities.has(id)) vulnerabilities.set(id, one);
  }
  for (const [id, all] of stored.sources) if (!sources.has(id)) sources.set(id, all);
  for (const name of stored.names) names.add(name);
  const plan = new ImportPlan({ advisories, vulnerabilities, sources, names }, context);
  return documents.map((document) => plan.add(document));
}

async function importBatch(
  change: Mutation,
  context: ImportContext,
  documents: readonly AdvisoryDocument[],
): Promise<AdvisoryDocumentResult[]> {
  const { group } = context;
  const writer = await AdvisoryWriter.begin(change, group);
  const state = await storedState(change.tx, group, documents);
  const plan = new ImportPlan(state, context);
  const results = documents.map((document) => plan.add(document));
  // First, because changed severities only affect advisories that are stored already.
  await saveVulnerabilities(writer, [...plan.vulnerabilities.values()]);
  const all = [...plan.advisories.values()];
  const saved = await writer.insertAll(
    change,
    all.filter(({ uid }) => uid === ""),
  );
  for (const advisory of all) if (advisory.uid !== "") saved.push(await writer.update(advisory));
  for (const advisory of saved) {
    const planned = plan.sources.get(advisory.advisoryId);
    if (planned === undefined) continue;
    const stored = state.sources.get(advisory.advisoryId) ?? [];
    await saveSources(writer, advisory, stored, planned);
  }
  await auditAndEmit(change, group, results);
  return results;
}

/** The stored advisories and vulnerabilities that documents refer to. */
async function storedState(
  reader: Reader,
  group: string,
  documents: readonly AdvisoryDocument[],
): Promise<StoredState> {
  const ids = documents.flatMap((one) => one.advisories.map(({ advisoryId }) => advisoryId));
  const rows = await advisories.table.childrenOfNames(reader, group, ids);
  const found = rows.map((row) => advisories.fromRow(row));
  const named = documents.flatMap((one) => one.vulnerabilities.map(({ id }) => id));
  const vulnerabilities = await vulnerabilitiesOf(reader, group, named);
  const repeated = documents.flatMap((one) => one.vulnerabilities.flatMap(repeatedNames));
  const groups = [group, ...ancestorsOf(group)];
  const others = repeated.length === 0 ? [] : await vulnerabilitiesNamed(reader, groups, repeated);
  const sourced = new Set(
    documents.flatMap((one) => one.advisories.filter(givenSource).map((each) => each.advisoryId)),
  );
  const idsByUid = new Map(
    found
      .filter(({ advisoryId }) => sourced.has(advisoryId))
      .map(({ uid, advisoryId }) => [uid, advisoryId]),
  );
  const sources = await sourcesOf(reader, [...idsByUid.keys()]);
  return {
    advisories: new Map(found.map((advisory) => [advisory.advisoryId, advisory])),
    sources: Map.groupBy(sources, ({ advisory }) => idsByUid.get(advisory) as string),
    vulnerabilities: new Map(vulnerabilities.map((one) => [one.id, one])),
    names: new Set(others.map(({ name }) => name)),
  };
}

/** One audit row and one event for all documents of a transaction. */
async function auditAndEmit(
  change: Mutation,
  group: string,
  results: readonly AdvisoryDocumentResult[],
): Promise<void> {
  const changing = results.filter(
    (one) => one.created + one.changed + one.vulnerabilitiesChanged > 0,
  );
  if (changing.length === 0) return;
  const json = messageToJson(ImportAdvisoriesResponseSchema, responseOf(changing));
  const sum = (count: "created" | "changed" | "vulnerabilitiesChanged" | "pendingEvents") =>
    changing.reduce((total, one) => total + one[count], 0);
  await change.auditOnce(group, {
    documents: changing.length,
    created: sum("created"),
    changed: sum("changed"),
    vulnerabilities: sum("vulnerabilitiesChanged"),
    pendingEvents: sum("pendingEvents"),
  });
  change.emitInstead(change.call.method, group, {
    type: ImportAdvisoriesResponseSchema.typeName,
    json,
  });
}

function replyOf(results: readonly AdvisoryDocumentResult[]): Reply {
  return messageReply(ImportAdvisoriesResponseSchema, responseOf(results));
}

function responseOf(results: readonly AdvisoryDocumentResult[]): ImportAdvisoriesResponse {
  return create(ImportAdvisoriesResponseSchema, { results: [...results] });
}
