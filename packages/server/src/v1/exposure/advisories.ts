import {
  create,
  type DescMessage,
  type DescMethod,
  fromBinary,
  type JsonObject,
  type Message,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type Advisory,
  type DocumentAdvisory,
  DocumentAdvisorySchema,
  type ListDocumentsRequest,
  ListDocumentsResponseSchema,
  type ListResolvedVulnsReportsRequest,
  ListResolvedVulnsReportsResponseSchema,
  type ListVulnerabilityMetadataRequest,
  ListVulnerabilityMetadataResponseSchema,
  parentOf,
  Reference_Type,
  SecurityAdvisoryService,
  Severity_Type,
} from "@wharf/contract";
import { advisoryV1 } from "@wharf/contract/v1";
import { pageSizeOf, readCursor, readSkip } from "../../engine/list/list.ts";
import type { FindingDetail } from "../../exposure/assessment/finding.ts";
import { queryText } from "../../exposure/findings/page.ts";
import { reposOf } from "../../exposure/findings/scope.ts";
import { VisibleDocuments } from "../../exposure/osv/documents.ts";
import { invalidArgument, tooLong } from "../../lib/errors.ts";
import { objectsIn, textsIn } from "../../lib/json-values.ts";
import type { Call, Handler } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import { indexable } from "../../store/resources/indexable.ts";
import { visibleAdvisories } from "../../store/tables/advisories/visible-advisories.ts";
import { namesOf } from "../../store/tables/exposure/images/image-names.ts";
import { advisoryScopes, type FeedAccess } from "../../vulnerabilities/feeds/access.ts";
import type { NamingDeps } from "../../vulnerabilities/naming.ts";
import { publishedEvents } from "./advisory-events.ts";
import { tagDays } from "./tag-days.ts";
import { DAY_MS, findTags, readDays } from "./tag-references.ts";

export type AdvisoryDeps = FeedAccess & NamingDeps;

/** Advisories of one answer, which has no pages. */
const MAX_ADVISORIES = 10_000;

const VERSION_2 = SecurityAdvisoryService.method;
const VERSION_1 = advisoryV1.SecurityAdvisory.method;

type Answer<I> = (deps: AdvisoryDeps, request: I, call: Call) => Promise<Message>;

/** Published advisories. The messages of both versions have the same fields, apart from their names. */
export function advisoryMethods(deps: AdvisoryDeps): (readonly [DescMethod, Handler])[] {
  const bind = <I>(two: DescMethod, one: DescMethod, answer: Answer<I>) => {
    const handle = async (call: Call, request: unknown) => answer(deps, request as I, call);
    const old: Handler = async (call, message) => {
      const request = recode(one.input, two.input, message);
      return messageReply(one.output, recode(two.output, one.output, await handle(call, request)));
    };
    const current: Handler = async (call, message) =>
      messageReply(two.output, await handle(call, message));
    return [
      [two, current],
      [one, old],
    ] as const;
  };
  return [
    ...bind(VERSION_2.listDocuments, VERSION_1.listDocuments, listDocuments),
    ...bind(VERSION_2.listVulnerabilityMetadata, VERSION_1.listVulnerabilityMetadata, listMetadata),
    ...bind(VERSION_2.listResolvedVulnsReports, VERSION_1.listResolvedVulnsReports, listResolved),
  ];
}

/** The same message of another version: the numbers and types of its fields are the same. */
function recode<To extends DescMessage>(
  from: DescMessage,
  to: To,
  message: Message,
): MessageShape<To> {
  return fromBinary(to, toBinary(from, message), { readUnknownFields: false });
}

async function listDocuments(deps: AdvisoryDeps, { id, cves }: ListDocumentsRequest, call: Call) {
  if (id === "" && cves.length === 0) {
    throw invalidArgument({ field: "id", description: "one of id and cves is required" });
  }
  const { store, catalog } = deps;
  const { reader } = store;
  const [present = 0] = catalog.advisories.definition.index?.partitions?.all ?? [];
  const rows = await visibleAdvisories(reader, {
    names: [...new Set(id === "" ? cves : [id])].map(indexable),
    scopes: await advisoryScopes(deps, call.authorization),
    partitions: [present],
    limit: MAX_ADVISORIES + 1,
    kinds: id === "" ? ["alias", "id"] : ["artifact"],
  });
  if (rows.length > MAX_ADVISORIES) throw tooLong("the advisories", MAX_ADVISORIES);
  const all = rows.map((row) => catalog.advisories.fromRow(row));
  const named = all.filter(
    ({ aliases, advisoryId }) =>
      cves.length === 0 || [advisoryId, ...aliases].some((name) => cves.includes(name)),
  );
  const groups = await namesOf(reader, "groups", [
    ...new Set(named.map(({ uid }) => parentOf(uid))),
  ]);
  const byPackage = Map.groupBy(named, ({ artifactName }) => artifactName);
  return create(ListDocumentsResponseSchema, {
    documents: [...byPackage]
      .map(([name, same]) => ({
        id: name,
        advisories: same.flatMap((one) => documentAdvisory(one, groups)),
      }))
      .filter(({ advisories }) => advisories.length > 0)
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  });
}

/** An advisory without an approved event is not published. */
function documentAdvisory(
  { uid, advisoryId, aliases, events }: Advisory,
  groups: ReadonlyMap<string, string>,
): DocumentAdvisory[] {
  const published = publishedEvents(events);
  if (published.length === 0) return [];
  const packageNamespace = groups.get(parentOf(uid)) ?? "";
  const init = { id: advisoryId, aliases, events: published, packageNamespace };
  return [create(DocumentAdvisorySchema, init)];
}

async function listMetadata(
  deps: AdvisoryDeps,
  request: ListVulnerabilityMetadataRequest,
  call: Call,
) {
  const names = [...new Set([request.id, ...request.ids])].filter(Boolean);
  if (names.length === 0) {
    throw invalidArgument({ field: "id", description: "one of id and ids is required" });
  }
  const sorted = names.sort();
  if (isDescending(request.orderBy)) sorted.reverse();
  const documents = new VisibleDocuments(deps, await advisoryScopes(deps, call.authorization));
  const all = await documents.about(sorted);
  const found = sorted.flatMap((name) => metadataOf(name, all));
  const limit = pageSizeOf(request.pageSize);
  const query = queryText("ListVulnerabilityMetadata", request);
  const cursor = readCursor(deps.lists, query, request.pageToken, call.time);
  const skip = readSkip(request.skip);
  const start = (cursor?.position.id ?? 0) + skip;
  const skipped = (cursor?.skipped ?? 0) + skip;
  const next = { position: { key: "", id: start + limit }, skipped };
  const hasMore = start + limit < found.length;
  return create(ListVulnerabilityMetadataResponseSchema, {
    vulnerabilityMetadata: found.slice(start, start + limit),
    nextPageToken: hasMore ? deps.lists.pageTokens.seal(query, next, call.time) : "",
    ...{ totalCount: BigInt(found.length), skipped },
  });
}

function isDescending(orderBy: string): boolean {
  if (!/^(?:id(?: (?:asc|desc))?)?$/.test(orderBy)) {
    const description = "orderBy must be id, with asc or desc";
    throw invalidArgument({ field: "orderBy", description });
  }
  return orderBy.endsWith("desc");
}

/** From the document with the name as its id, or else from the first one that has it as an alias. */
function metadataOf(name: string, documents: readonly JsonObject[]) {
  const named = documents.filter(({ aliases }) => textsIn(aliases).includes(name));
  const [document] = [...documents.filter(({ id }) => id === name), ...named];
  if (document === undefined) return [];
  const { summary, details, references, severity } = document;
  return [
    {
      ...{ id: name, summary: textOf(summary), details: textOf(details) },
      references: objectsIn(references).map(({ type, url }) => ({
        type: Reference_Type[textOf(type) as "WEB"] ?? Reference_Type.UNSPECIFIED,
        url: textOf(url),
      })),
      severities: objectsIn(severity).map(({ type, score }) => ({
        type: Severity_Type[textOf(type) as "CVSS_V3"] ?? Severity_Type.UNSPECIFIED,
        score: textOf(score),
      })),
    },
  ];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const RANGE = { from: "startTime", to: "endTime" };

/** Vulnerabilities that the images of tags had at the end of a day, and not at the end of the next. */
async function listResolved(
  { store, catalog }: AdvisoryDeps,
  request: ListResolvedVulnsReportsRequest,
  call: Call,
) {
  const { imageRefs, startTime, endTime } = request;
  if (imageRefs.some(({ repo }) => repo === "")) {
    throw invalidArgument({ field: "imageRefs", description: "imageRefs must name repos" });
  }
  if (startTime === undefined || endTime === undefined) {
    const field = startTime === undefined ? "startTime" : "endTime";
    throw invalidArgument({ field, description: `${field} is required` });
  }
  const days = readDays(startTime, endTime, RANGE, call.time);
  const before = (days[0] as number) - DAY_MS;
  const reader = store.readerFor(call);
  const costly = reader.costly ?? reader;
  const references = imageRefs.flatMap(({ repo, tags }) =>
    (tags.length === 0 ? ["latest"] : tags).map((tag) => ({ repo, tag })),
  );
  const tags = await findTags(reader, reposOf(catalog, call, undefined), references);
  // Over REST, a query cannot name images: the answer is about none, and has no days.
  const resolved = new Map<number, Map<string, string>>(
    (imageRefs.length === 0 ? [] : days).map((day) => [day, new Map()]),
  );
  for (const tag of tags) {
    const states = await tagDays(costly, tag, [before, ...days], call.time, {
      acceptedIsOpen: true,
    });
    for (const [at, { day, open }] of states.entries()) {
      const last = states[at - 1];
      if (last?.day !== day - DAY_MS) continue;
      for (const [name, { detail }] of last.open) {
        if (!open.has(name)) resolved.get(day)?.set(name, detail);
      }
    }
  }
  return create(ListResolvedVulnsReportsResponseSchema, {
    resolvedVulnsReports: [...resolved].map(([day, found]) => ({
      date: timestampFromMs(day),
      resolvedVulns: [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(resolvedVuln),
    })),
  });
}

function resolvedVuln([name, json]: readonly [string, string]) {
  const { names = [], score = "" } = JSON.parse(json) as Partial<FindingDetail>;
  const [, version = ""] = /^CVSS:([34])\./.exec(score) ?? [];
  const type = { 3: Severity_Type.CVSS_V3, 4: Severity_Type.CVSS_V4 }[version as "3"];
  return {
    id: name,
    aliases: names.filter((one) => one !== name),
    cvssSeverities: [type === undefined ? {} : { type, score }],
  };
}
