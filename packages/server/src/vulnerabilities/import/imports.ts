import { create, type DescMethod } from "@bufbuild/protobuf";
import {
  type AdvisoryDocument,
  type AdvisoryDocumentResult,
  AdvisoryDocumentResultSchema,
  AdvisoryImportsService,
  ancestorsOf,
  Capability,
  type ImportAdvisoriesRequest,
  type ImportAdvisoriesResponse,
  ImportAdvisoriesResponseSchema,
} from "@wharf/contract";
import type { Engine } from "../../engine/engine.ts";
import { Mutation } from "../../engine/mutation.ts";
import { notFound } from "../../lib/errors.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageToJson } from "../../rpc/json.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import type { Transaction } from "../../store/db/group-commit.ts";
import { vulnerabilitiesNamed, vulnerabilitiesOf } from "../../store/tables/vulnerabilities.ts";
import { advisories } from "../advisories.ts";
import { type NamingDeps, namingOf } from "../naming.ts";
import { settleSeverities } from "../severities/severity-changes.ts";
import { saveVulnerabilities } from "../severities/vulnerability-writer.ts";
import { AdvisoryWriter } from "../writer.ts";
import { documentProblems } from "./import-checks.ts";
import { hearsayNames, ImportPlan, type Known, type Occasion } from "./import-plan.ts";

/**
 * Documents share a transaction until it has about this many advisories: enough that looking them up
 * and committing cost little for each, few enough that others do not wait long for their turn.
 */
const TOGETHER = 250;

/**
 * Takes in documents. Each is taken whole or not at all.
 *
 * @example const extra = new Map([...importHandlers(engine, deps)]);
 */
export function importHandlers(engine: Engine, deps: NamingDeps): [DescMethod, Handler][] {
  return [[AdvisoryImportsService.method.importAdvisories, importAdvisories(engine, deps)]];
}

function importAdvisories(engine: Engine, deps: NamingDeps): Handler {
  const bulk = (call: Call, tx: Transaction) =>
    new Mutation(call, tx, engine, { events: "held", audit: "once" });
  return async (call, message) => {
    const { parent: group, documents, validateOnly } = message as ImportAdvisoriesRequest;
    const { reader } = engine.store;
    if ((await engine.catalog.groups.table.find(reader, group, "data")) === undefined) {
      throw notFound(engine.catalog.groups.typeName, group);
    }
    const { uid: actor, grants } = call.caller;
    const approves = grants.holds([Capability.CAP_ADVISORIES_APPROVE], group);
    const occasion = { group, actor, approves, naming: namingOf(deps) };
    const results: AdvisoryDocumentResult[] = [];
    const foreseen: Known = {
      advisories: new Map(),
      vulnerabilities: new Map(),
      names: new Set(),
    };
    for (const some of portions(documents)) {
      const [good, refused] = sorted(some, call.time);
      const done = validateOnly
        ? await foresee(reader, occasion, good, foreseen)
        : await engine.store.write((tx) => take(bulk(call, tx), occasion, good));
      results.push(
        ...some.map((one) => refused.get(one) ?? (done.shift() as AdvisoryDocumentResult)),
      );
    }
    if (!validateOnly) await settleSeverities(engine, group);
    return messageReply(ImportAdvisoriesResponseSchema, answerOf(results));
  };
}

/** Documents that can be taken, and the results of those that cannot. */
function sorted(
  documents: readonly AdvisoryDocument[],
  now: number,
): [AdvisoryDocument[], Map<AdvisoryDocument, AdvisoryDocumentResult>] {
  const refused = new Map<AdvisoryDocument, AdvisoryDocumentResult>();
  for (const document of documents) {
    const refusals = documentProblems(document, now);
    if (refusals.length === 0) continue;
    const { name } = document;
    refused.set(document, create(AdvisoryDocumentResultSchema, { name, refusals }));
  }
  return [documents.filter((document) => !refused.has(document)), refused];
}

/** What would happen, after all that would have happened before. */
async function foresee(
  reader: Reader,
  occasion: Occasion,
  documents: readonly AdvisoryDocument[],
  { advisories, vulnerabilities, names }: Known,
): Promise<AdvisoryDocumentResult[]> {
  const stored = await knownOf(reader, occasion.group, documents);
  for (const [id, one] of stored.advisories) if (!advisories.has(id)) advisories.set(id, one);
  for (const [id, one] of stored.vulnerabilities) {
    if (!vulnerabilities.has(id)) vulnerabilities.set(id, one);
  }
  for (const name of stored.names) names.add(name);
  const plan = new ImportPlan({ advisories, vulnerabilities, names }, occasion);
  return documents.map((document) => plan.add(document));
}

async function take(
  change: Mutation,
  occasion: Occasion,
  documents: readonly AdvisoryDocument[],
): Promise<AdvisoryDocumentResult[]> {
  const { group } = occasion;
  const writer = await AdvisoryWriter.begin(change, group);
  const plan = new ImportPlan(await knownOf(change.tx, group, documents), occasion);
  const results = documents.map((document) => plan.add(document));
  // First: what they change is looked for among the advisories that are there already.
  await saveVulnerabilities(writer, [...plan.vulnerabilities.values()]);
  const all = [...plan.advisories.values()];
  await writer.insertAll(
    change,
    all.filter(({ uid }) => uid === ""),
  );
  for (const advisory of all) if (advisory.uid !== "") await writer.update(advisory);
  await note(change, group, results);
  return results;
}

/** What there is of what documents are about. */
async function knownOf(
  reader: Reader,
  group: string,
  documents: readonly AdvisoryDocument[],
): Promise<Known> {
  const ids = documents.flatMap((one) => one.advisories.map(({ advisoryId }) => advisoryId));
  const rows = await advisories.table.childrenOfNames(reader, group, ids);
  const found = rows.map((row) => advisories.fromRow(row));
  const named = documents.flatMap((one) => one.vulnerabilities.map(({ id }) => id));
  const vulnerabilities = await vulnerabilitiesOf(reader, group, named);
  const heard = documents.flatMap((one) => one.vulnerabilities.flatMap(hearsayNames));
  const places = [group, ...ancestorsOf(group)];
  const others = heard.length === 0 ? [] : await vulnerabilitiesNamed(reader, places, heard);
  return {
    advisories: new Map(found.map((advisory) => [advisory.advisoryId, advisory])),
    vulnerabilities: new Map(vulnerabilities.map((one) => [one.id, one])),
    names: new Set(others.map(({ name }) => name)),
  };
}

/** One event and one line of the audit for all that is written together. */
async function note(
  change: Mutation,
  group: string,
  results: readonly AdvisoryDocumentResult[],
): Promise<void> {
  const changing = results.filter(
    (one) => one.created + one.changed + one.vulnerabilitiesChanged > 0,
  );
  if (changing.length === 0) return;
  const json = messageToJson(ImportAdvisoriesResponseSchema, answerOf(changing));
  const sum = (count: "created" | "changed" | "vulnerabilitiesChanged" | "pendingEvents") =>
    changing.reduce((total, one) => total + one[count], 0);
  await change.auditOnce(group, {
    documents: changing.length,
    created: sum("created"),
    changed: sum("changed"),
    vulnerabilities: sum("vulnerabilitiesChanged"),
    pendingEvents: sum("pendingEvents"),
  });
  await change.emitInstead(change.call.method, group, {
    type: ImportAdvisoriesResponseSchema.typeName,
    json,
  });
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
