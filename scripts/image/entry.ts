/** Files of an image or an archive, and how they become one: sorted, owned by root, with one time, so that bytes are the same. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { pack } from "tar-stream";

export type Entry = { readonly mode?: number; readonly owner?: number } & (
  | { readonly type: "file"; readonly content: Buffer }
  | { readonly type: "directory" }
  | { readonly type: "symlink"; readonly target: string }
);

/** Entries by path, without a leading slash. */
export type Entries = Map<string, Entry>;

export interface Layer {
  readonly blob: Buffer;
  /** The digest of the layer before it was compressed. */
  readonly diffId: string;
}

const compress = promisify(gzip);

export function textFile(text: string): Entry {
  return { type: "file", content: Buffer.from(text) };
}

/** The files of a folder, by their paths in it, that a pattern matches. Those in `bin` are programs. */
export function filesOf(folder: string, pattern: RegExp): [string, Buffer, { mode: number }][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => pattern.test(path))
    .map((path) => {
      const mode = path.startsWith("bin/") ? 0o755 : 0o644;
      return [path, readFileSync(join(folder, path)), { mode }];
    });
}

export function digestOf(content: Buffer): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}

export async function layerOf(entries: Entries, seconds: number): Promise<Layer> {
  const archive = pack();
  const written = buffer(archive);
  for (const [name, entry] of withParents(entries)) {
    const owner = entry.owner ?? 0;
    const header = { name, uid: owner, gid: owner, mtime: new Date(seconds * 1000) };
    if (entry.type === "file") {
      archive.entry({ ...header, type: "file", mode: entry.mode ?? 0o644 }, entry.content);
    } else if (entry.type === "symlink") {
      archive.entry({ ...header, type: "symlink", linkname: entry.target, mode: 0o777 });
    } else {
      archive.entry({ ...header, name: `${name}/`, type: "directory", mode: entry.mode ?? 0o755 });
    }
  }
  archive.finalize();
  const tar = await written;
  return { blob: await compress(tar), diffId: digestOf(tar) };
}

/** In order, with the folders of all files. */
function withParents(entries: Entries): [string, Entry][] {
  const all = new Map(entries);
  for (const path of entries.keys()) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const parent = path.slice(0, at);
      if (!all.has(parent)) all.set(parent, { type: "directory" });
    }
  }
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1));
}
