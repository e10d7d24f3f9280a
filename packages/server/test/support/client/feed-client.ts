/** A client of advisory feeds, as scanners have it. */
import { gunzipSync } from "node:zlib";
import type { JsonObject } from "@bufbuild/protobuf";
import { extract } from "tar-stream";
import { fromBuffer } from "yauzl";

/** A file of a feed as it came. */
export interface FeedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The content read as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly json: any;
}

/** Reads feeds as a scanner does. */
export class Scanner {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** @example await scanner.get(`${group}/osv/all.json`, { "if-none-match": etag }) */
  async get(
    path: string,
    headers: Record<string, string> = {},
    method = "GET",
  ): Promise<FeedAnswer> {
    const response = await fetch(`${this.#url}/feeds/${path}`, { method, headers });
    const bytes = Buffer.from(await response.arrayBuffer());
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      get json() {
        return JSON.parse(bytes.toString("utf8"));
      },
    };
  }
}

/** The files of a zip archive, by their paths. */
export function unzipped(archive: Buffer): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  return new Promise((resolve, reject) => {
    fromBuffer(archive, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      zip.on("error", reject);
      zip.on("end", () => resolve(files));
      zip.on("entry", (entry) => {
        zip.openReadStream(entry, async (failed, stream) => {
          if (failed) return reject(failed);
          const chunks: Buffer[] = [];
          for await (const chunk of stream) chunks.push(chunk as Buffer);
          files.set(entry.fileName, Buffer.concat(chunks).toString("utf8"));
          zip.readEntry();
        });
      });
      zip.readEntry();
    });
  });
}

/** The files of a gzip-compressed tar archive, by their paths. */
export async function untarred(archive: Buffer): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  const reader = extract();
  reader.end(gunzipSync(archive));
  for await (const entry of reader) {
    let text = "";
    for await (const chunk of entry) text += chunk;
    files.set(entry.header.name, text);
  }
  return files;
}

/** An approved event of the tests. */
export function approved(type: JsonObject, day = 1): JsonObject {
  return {
    createTime: `2026-01-0${day}T00:00:00Z`,
    author: "writer@example.com",
    reviewState: "REVIEW_STATE_APPROVED",
    ...type,
  };
}
