import { create, type DescMethod, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { osvFile } from "@wharf/advisories/publish";
import { argosOsvV1 } from "@wharf/contract/v1";
import { VisibleDocuments } from "../../exposure/osv/documents.ts";
import { TemporaryFile } from "../../exposure/sources/temporary-file.ts";
import { tooMany } from "../../lib/errors.ts";
import { KeyedSemaphore } from "../../lib/scheduling/semaphore.ts";
import type { Call, Handler, StreamedMessage } from "../../rpc/call.ts";
import { messageToJson } from "../../rpc/json.ts";
import { streamReply } from "../../rpc/reply.ts";
import { recordIds } from "../../store/tables/exposure/records/record-ids.ts";
import type { ArchivedFile } from "../../vulnerabilities/feeds/archive.ts";
import { tarGzipOf } from "../../vulnerabilities/feeds/tar.ts";
import { type ArgosDeps, documentId, scopesOf } from "./argos.ts";

const { ArgosOSV, DumpOSVResponseSchema } = argosOsvV1;

/** Bytes of one message. */
const CHUNK_BYTES = 256 * 1024;

/** Records that are read at a time. */
const BATCH_SIZE = 50;

/** A dump reads all advisories, and needs their space on the disk. */
const CONCURRENCY = { total: 2, perKey: 1, maxQueued: 4, maxWaitMs: 30_000 };

export interface DumpDeps extends ArgosDeps {
  /** The folder of archives, while they are sent. */
  readonly folder: string;
}

/** The handler of Dump: an archive of all records, which is complete before the first message. */
export function dumpMethod(deps: DumpDeps): readonly [DescMethod, Handler] {
  const rejection = () => tooMany("too many concurrent dumps: try again later");
  const semaphore = new KeyedSemaphore({ ...CONCURRENCY, rejection });
  const archive = (call: Call) =>
    semaphore.run(call.caller.uid, () =>
      TemporaryFile.write(deps.folder, tarGzipOf(filesOf(deps, call))),
    );
  // Written once the stream is read: over protocols without streams it never is, and nothing would close the file.
  const handler: Handler = (call) => streamReply(messagesOf(() => archive(call), call.time));
  return [ArgosOSV.method.dump, handler];
}

async function* filesOf(deps: DumpDeps, call: Call): AsyncGenerator<ArchivedFile> {
  const scopes = scopesOf(call);
  const documents = new VisibleDocuments(deps, scopes);
  let last = "";
  for (let after = ""; ; ) {
    const page = await recordIds(deps.store.reader, { scopes, after, limit: BATCH_SIZE });
    if (page.length === 0) return;
    if (call.abandoned !== undefined) throw call.abandoned;
    after = page.at(-1) as string;
    // Records with one id are beside each other.
    const ids = [...new Set(page.map(documentId))].filter((id) => id !== last);
    last = documentId(after);
    for (const document of await documents.withIds(ids)) {
      const { id, modified } = document as { id: string; modified: string };
      yield { path: osvFile(id), text: JSON.stringify(document), time: Date.parse(modified) };
    }
  }
}

async function* messagesOf(
  archive: () => Promise<TemporaryFile>,
  time: number,
): AsyncGenerator<StreamedMessage> {
  const file = await archive();
  try {
    const { size, sha256 } = file;
    const about = { generatedAt: timestampFromMs(time), sizeBytes: BigInt(size), sha256 };
    yield messageOf({ case: "metadata", value: about }, "0");
    for (let at = 0; at < size; at += CHUNK_BYTES) {
      const value = Uint8Array.from(await file.read(at, CHUNK_BYTES));
      yield messageOf({ case: "chunk", value }, String(at));
    }
  } finally {
    await file.close();
  }
}

type Content = NonNullable<Parameters<typeof create<typeof DumpOSVResponseSchema>>[1]>["content"];

function messageOf(content: Content, id: string): StreamedMessage {
  const message = create(DumpOSVResponseSchema, content === undefined ? {} : { content });
  return {
    id,
    json: () => messageToJson(DumpOSVResponseSchema, message),
    binary: () => toBinary(DumpOSVResponseSchema, message),
  };
}
