import { create } from "@bufbuild/protobuf";
import {
  type ExportAuditEntriesRequest,
  type ExportAuditEntriesResponse,
  ExportAuditEntriesResponseSchema,
  rootOf,
} from "@wharf/contract";
import type { AuditedDeps } from "../../engine/audit/aggregator.ts";
import { readCursor } from "../../engine/list/list.ts";
import type { ListDeps } from "../../engine/list/lists.ts";
import { invalidArgument } from "../../lib/errors.ts";
import type { Call } from "../../rpc/call.ts";
import { nextCheckpointRoot, readCheckpoints } from "../../store/tables/audit/checkpoints.ts";
import { checkpointedId } from "../../store/tables/audit/heads.ts";
import { readAuditBetween } from "../../store/tables/audit/search.ts";
import type { Checkpoints } from "../checkpoints.ts";
import { queryOf, visibleScopes } from "../filter.ts";
import { filterKey } from "../filter-key.ts";
import { auditRead } from "../reads.ts";
import { type ExportFormat, formatOf } from "./formats.ts";

/** Entries of one response; fewer, or none, of a part of the log where few match. */
const ENTRIES = 500;

/** Checkpoints of one response. */
const CHECKPOINTS = 500;

export interface ExportDeps extends ListDeps, AuditedDeps {
  readonly checkpoints: Checkpoints;
}

/** Position of an export: the checkpoints of a root after a number, then entries after an id. */
interface Progress {
  readonly phase: "checkpoints" | "entries";
  readonly root: string;
  readonly after: number;
  /** Only entries that were there when the export began. */
  readonly below: number;
}

/** The next part of an export. It begins with the checkpoints, so that entries can be verified as they are read. */
export async function exportPart(
  deps: ExportDeps,
  call: Call,
  request: ExportAuditEntriesRequest,
): Promise<ExportAuditEntriesResponse> {
  const { audit, lists } = deps;
  const format = formatOf(request.format);
  if (format === undefined) {
    throw invalidArgument({ field: "format", description: "format must be a known format" });
  }
  const query = JSON.stringify(["audit export", request.format, filterKey(request.filter)]);
  const cursor = readCursor(lists, query, request.pageToken, call.time);
  const [below = 0, phase = "entries"] = (cursor?.position.secondary ?? []) as [number, string];
  const progress: Progress | undefined = cursor && {
    phase: phase as Progress["phase"],
    root: String(cursor.position.key),
    after: cursor.position.id,
    below,
  };
  if (progress === undefined) await auditRead(audit, call, request.filter);
  const { content, next } = await part(deps, call, request, format, progress);
  const nextPageToken = next ? lists.pageTokens.seal(query, cursorOf(next), call.time) : "";
  return create(ExportAuditEntriesResponseSchema, { content, nextPageToken });
}

function cursorOf({ phase, root, after, below }: Progress) {
  return { position: { key: root, id: after, secondary: [below, phase] }, skipped: 0 };
}

interface Part {
  readonly content: string;
  readonly next: Progress | undefined;
}

function part(
  deps: ExportDeps,
  call: Call,
  request: ExportAuditEntriesRequest,
  format: ExportFormat,
  progress: Progress | undefined,
): Promise<Part> {
  if (progress === undefined) return begin(deps, call, request, format);
  return progress.phase === "checkpoints"
    ? checkpointPart(deps, call, request, progress)
    : entryPart(deps, call, request, format, progress);
}

async function begin(
  { store, checkpoints }: ExportDeps,
  { caller, time }: Call,
  { filter }: ExportAuditEntriesRequest,
  format: ExportFormat,
): Promise<Part> {
  await checkpoints.cover();
  // Whatever is exported is covered, so that an entry that is not was inserted.
  const below = (await checkpointedId(store.reader)) + 1;
  const entries: Progress = { phase: "entries", root: "", after: 0, below };
  if (!format.hasProof) return { content: format.header, next: entries };
  const keys = (await checkpoints.publicKeys()).map((jwk) => JSON.parse(jwk));
  const { resource = "", ...others } = filter ?? {};
  const scopes = visibleScopes(caller.grants, resource);
  const isFiltered = Object.entries(others).some(([name, value]) => {
    return !name.startsWith("$") && value !== undefined && value !== "" && value !== 0;
  });
  const header = {
    kind: "header",
    format: "wharf-audit-1",
    time: new Date(time).toISOString(),
    // The roots of which it has all entries, so that a missing one can be noticed.
    roots: isFiltered ? [] : (scopes?.filter((scope) => rootOf(scope) === scope) ?? ["*"]),
    keys,
  };
  const content = `${JSON.stringify(header)}\n`;
  return { content, next: { phase: "checkpoints", root: "", after: 0, below } };
}

/** The checkpoints of the roots that the caller sees anything of, root by root. */
async function checkpointPart(
  { store }: ExportDeps,
  { caller }: Call,
  { filter }: ExportAuditEntriesRequest,
  { root, after, below }: Progress,
): Promise<Part> {
  const { reader } = store;
  const scopes = visibleScopes(caller.grants, filter?.resource ?? "");
  const roots = scopes && [...new Set(scopes.map(rootOf))].sort();
  const nextRoot = (one: string) => {
    return roots ? roots.find((other) => other > one) : nextCheckpointRoot(reader, one);
  };
  const found = await readCheckpoints(reader, root, after, CHECKPOINTS);
  const isVisible = roots === undefined || roots.includes(root);
  const lines = isVisible ? found.map(({ signed }) => ({ kind: "checkpoint", signed })) : [];
  const content = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const last = found.at(-1);
  if (isVisible && last !== undefined && found.length === CHECKPOINTS) {
    return { content, next: { phase: "checkpoints", root, after: last.number, below } };
  }
  const next = await nextRoot(root);
  return next === undefined
    ? { content, next: { phase: "entries", root: "", after: 0, below } }
    : { content, next: { phase: "checkpoints", root: next, after: 0, below } };
}

async function entryPart(
  { lists, store }: ExportDeps,
  call: Call,
  { filter }: ExportAuditEntriesRequest,
  format: ExportFormat,
  { after, below }: Progress,
): Promise<Part> {
  const query = queryOf(call.caller.grants, filter);
  const range = { after, below, limit: ENTRIES };
  const { entries, reached } = await readAuditBetween(store.readerFor(call), query, range);
  const task = lists.task(call, call);
  let content = "";
  for (const entry of entries) {
    content += format.line(entry);
    await task.pause();
  }
  if (reached + 1 >= below) return { content, next: undefined };
  return { content, next: { phase: "entries", root: "", after: reached, below } };
}
