import { hash } from "node:crypto";
import {
  CSAF_SIGNATURE,
  type CsafHash,
  csafDocument,
  csafKeyPath,
  csafPath,
  csafProvider,
  laterEntry,
  type OsvEntry,
  openVexDocument,
  osvDocument,
  osvEntry,
  osvFile,
  type Publication,
  packageOf,
  rfc3339,
  rolieFeed,
  rolieName,
  secdbFile,
  timesOf,
  vexIndexEntries,
  vexManifest,
  vexPath,
} from "@wharf/advisories/publish";
import type { Advisory } from "@wharf/contract";
import type { HttpResponse } from "../../wire/endpoint.ts";
import { type ArchivedFile, archiveOf } from "./archive.ts";
import {
  csafChangesOf,
  csafEntries,
  csafEntry,
  csafFiles,
  csafIndex,
  isPublished,
} from "./csaf.ts";
import { ecosystemsOf, isOfEcosystem } from "./ecosystems.ts";
import type { FeedFile } from "./path.ts";
import type { FeedReader } from "./reader.ts";
import type { FeedSigner } from "./signer.ts";
import { tarGzipOf } from "./tar.ts";

/** The response body of a file. */
export interface FeedContent {
  readonly type: string;
  readonly body: HttpResponse["body"];
  /** The length of the body; undefined if it is generated while it is sent. */
  readonly bytes?: number;
  /** The name of the file beside it that has the content instead. */
  readonly location?: string;
}

const JSON_TYPE = "application/json";
const TEXT_TYPE = "text/plain; charset=utf-8";
const ZIP_TYPE = "application/zip";
const GZIP_TYPE = "application/gzip";
const CSV_TYPE = "text/csv; charset=utf-8";
/** RFC 3156. */
const SIGNATURE_TYPE = "application/pgp-signature";
const KEY_TYPE = "application/pgp-keys";

/** The source that the files of a feed are generated from. */
export interface FeedSource {
  readonly reader: FeedReader;
  readonly publication: Publication;
  /** The time of the feed's last change, in milliseconds. */
  readonly changed: number;
  /** Undefined if CSAF documents are not signed. */
  readonly signer: FeedSigner | undefined;
}

/** A file of a feed; undefined if it does not exist. Long files are streamed. */
export async function feedFile(
  file: FeedFile,
  source: FeedSource,
): Promise<FeedContent | undefined> {
  const { reader, publication, changed, signer } = source;
  switch (file.kind) {
    case "osv index":
      return { type: JSON_TYPE, body: osvIndex(reader) };
    case "osv archive":
      return { type: ZIP_TYPE, body: archiveOf(osvFiles(source, file.ecosystem)) };
    case "osv ecosystems":
      return { type: TEXT_TYPE, body: osvEcosystems(source) };
    case "osv tar":
      return { type: GZIP_TYPE, body: tarGzipOf(osvFiles(source)) };
    case "osv changes":
      return { type: CSV_TYPE, body: osvChanges(source, file.ecosystem) };
    case "osv document": {
      const found = await reader.document(file.id);
      if (found === undefined) return;
      if ("movedTo" in found) {
        return { type: TEXT_TYPE, body: "", location: osvFile(found.movedTo) };
      }
      if (!isOfEcosystem(found.advisories, publication, file.ecosystem)) return;
      return json(osvDocument(found.advisories, publication));
    }
    case "secdb":
      return {
        type: JSON_TYPE,
        body: secdbFile(flat(reader.byPackage()), publication, file.architecture),
      };
    case "openvex all":
      return unlessEmpty(
        openVexDocument(flat(reader.byPackage()), vexId(source, "all.json"), publication),
      );
    case "openvex archive":
      return { type: ZIP_TYPE, body: archiveOf(vexFiles(source)) };
    case "openvex index":
      return { type: JSON_TYPE, body: vexIndex(source) };
    case "openvex manifest":
      return json(vexManifest(publication));
    case "openvex document": {
      const id = vexId(source, vexPath(file.key));
      const advisories = await reader.ofPackage(file.key);
      return unlessEmpty(openVexDocument(advisories, id, publication));
    }
    case "csaf provider":
      return json(csafProvider(changed, publication));
    case "csaf index":
      return { type: TEXT_TYPE, body: csafIndex(reader) };
    case "csaf changes":
      return { type: CSV_TYPE, body: csafChangesOf(reader) };
    case "csaf archive":
      return { type: ZIP_TYPE, body: archiveOf(csafFiles(source)) };
    case "csaf document": {
      const advisories = await reader.ofPackage(file.key);
      const entry = csafEntry(advisories);
      // The path includes the year.
      if (entry === undefined || csafPath(entry.key, entry.times.first) !== file.path) return;
      const content = json(csafDocument(advisories, publication));
      if (content === undefined || file.proof === undefined) return content;
      if (file.proof !== CSAF_SIGNATURE) return hashFile(content, file.path, file.proof);
      return signer && { type: SIGNATURE_TYPE, body: await signer.sign(content.body) };
    }
    case "csaf key":
      // Another key's path stays without a file.
      if (signer === undefined || file.path !== csafKeyPath(signer.fingerprint)) return;
      return { type: KEY_TYPE, body: signer.publicKey };
    case "csaf feed":
      // Each label has a feed of its own, and the documents of a group have one label.
      if (file.name !== rolieName(publication)) return;
      return { type: JSON_TYPE, body: rolieFeed(csafEntries(reader), changed, publication) };
  }
}

interface TextContent extends FeedContent {
  readonly body: string;
}

function json(document: object | undefined): TextContent | undefined {
  return document && { type: JSON_TYPE, body: JSON.stringify(document) };
}

/** The hash of a document in the format of sha256sum, with the name of its file. */
function hashFile({ body }: TextContent, path: string, algorithm: CsafHash): FeedContent {
  const digest = hash(algorithm, body, "hex");
  return { type: TEXT_TYPE, body: `${digest}  ${path.split("/").at(-1)}\n` };
}

/** A streamed document; undefined if it is empty. */
async function unlessEmpty(pieces: AsyncGenerator<string>): Promise<FeedContent | undefined> {
  const first = await pieces.next();
  if (first.done) return undefined;
  return { type: JSON_TYPE, body: startingWith(first.value, pieces) };
}

async function* startingWith(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** The entries of all documents, some hundred bytes for each, in an order. */
async function* osvEntries(
  reader: FeedReader,
  compare: (a: OsvEntry, b: OsvEntry) => number,
  isIncluded?: (advisory: Advisory) => boolean,
): AsyncGenerator<OsvEntry> {
  const entries = new Map<string, OsvEntry>();
  const included = new Set<string>();
  for await (const advisory of reader.byId()) {
    const entry = osvEntry(advisory);
    if (entry === undefined) continue;
    const other = entries.get(entry.id);
    entries.set(entry.id, other === undefined ? entry : laterEntry(other, entry));
    if (isIncluded === undefined || isIncluded(advisory)) included.add(entry.id);
  }
  const chosen = [...entries.values()].filter(({ id }) => included.has(id));
  yield* reader.inOrder(chosen, compare);
}

function compareIds(a: OsvEntry, b: OsvEntry): number {
  return a.id < b.id ? -1 : 1;
}

async function* osvIndex(reader: FeedReader): AsyncGenerator<string> {
  let before = "[";
  for await (const { id, modified } of osvEntries(reader, compareIds)) {
    yield `${before}${JSON.stringify({ id, modified })}`;
    before = ",\n";
  }
  yield before === "[" ? "[]" : "]";
}

/**
 * Ids by time of change, latest first, as in the buckets of osv.dev: incremental readers stop at the first time that
 * they know. So the time is that of the change in this feed, later than that of a record which was modified before it
 * was imported. Ids that changed together stay in order.
 */
async function* osvChanges(
  { reader, publication }: FeedSource,
  ecosystem: string | undefined,
): AsyncGenerator<string> {
  const latestFirst = (a: OsvEntry, b: OsvEntry) => b.changed - a.changed || compareIds(a, b);
  const isIncluded = (one: Advisory) => isOfEcosystem([one], publication, ecosystem);
  for await (const { id, changed } of osvEntries(reader, latestFirst, isIncluded)) {
    yield `${rfc3339(changed)},${csvField(id)}\n`;
  }
}

/** The ecosystems that have files of their own, one in each line. */
async function* osvEcosystems({ reader, publication }: FeedSource): AsyncGenerator<string> {
  const names = new Set<string>();
  for await (const advisory of reader.byId()) {
    if (osvEntry(advisory) === undefined) continue;
    for (const name of ecosystemsOf(advisory, publication)) names.add(name);
  }
  for (const name of [...names].sort()) yield `${name}\n`;
}

/** Quoted if necessary (RFC 4180). */
function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

async function* osvFiles(
  { reader, publication }: FeedSource,
  ecosystem?: string,
): AsyncGenerator<ArchivedFile> {
  for await (const advisories of reader.byDocument()) {
    if (!isOfEcosystem(advisories, publication, ecosystem)) continue;
    const document = osvDocument(advisories, publication);
    if (document === undefined) continue;
    const path = osvFile(document.id as string);
    yield { path, text: JSON.stringify(document), time: timesOf(advisories).last };
  }
}

async function* flat(packages: AsyncIterable<readonly Advisory[]>): AsyncGenerator<Advisory> {
  for await (const advisories of packages) yield* advisories;
}

function vexId({ publication }: FeedSource, path: string): string {
  return `${publication.url}/openvex/${path}`;
}

async function* vexIndex({ reader, publication, changed }: FeedSource): AsyncGenerator<string> {
  yield `{"updated_at":"${rfc3339(changed)}","packages":[`;
  let before = "";
  for await (const advisories of publishedPackages(reader)) {
    for (const entry of vexIndexEntries(advisories, publication)) {
      yield `${before}${JSON.stringify(entry)}`;
      before = ",\n";
    }
  }
  yield "]}";
}

async function* vexFiles(source: FeedSource): AsyncGenerator<ArchivedFile> {
  const { reader, publication, changed } = source;
  let index = "";
  for await (const piece of vexIndex(source)) index += piece;
  yield { path: "index.json", text: index, time: changed };
  for await (const advisories of reader.byPackage()) {
    const path = vexPath(packageOf(advisories[0]));
    let text = "";
    for await (const piece of openVexDocument(advisories, vexId(source, path), publication)) {
      text += piece;
    }
    if (text !== "") yield { path, text, time: timesOf(advisories).last };
  }
}

/** The packages with published advisories that are not deleted. */
async function* publishedPackages(
  reader: FeedReader,
): AsyncGenerator<readonly [Advisory, ...Advisory[]]> {
  for await (const advisories of reader.byPackage()) {
    const [first, ...others] = advisories.filter(isPublished);
    if (first !== undefined) yield [first, ...others];
  }
}
