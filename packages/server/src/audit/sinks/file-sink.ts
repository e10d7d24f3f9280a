import { open, rename, rm, stat } from "node:fs/promises";
import type { AuditSink, SinkBatch } from "./sink.ts";

/** Size at which a file is rotated, and number of rotated files to retain. */
const DEFAULT_MAX_BYTES = 100 * 1024 * 1024;
const DEFAULT_KEEP = 5;

export interface Rotation {
  readonly maxBytes: number;
  readonly keep: number;
}

export function rotationOf(url: URL): Rotation {
  const number = (name: string, otherwise: number) => {
    return Number(url.searchParams.get(name) ?? otherwise);
  };
  return { maxBytes: number("max-bytes", DEFAULT_MAX_BYTES), keep: number("keep", DEFAULT_KEEP) };
}

/** Appends lines to a file, durably; a full one becomes FILE.1, FILE.1 becomes FILE.2, and the last one is deleted. */
export class FileSink implements AuditSink {
  readonly name: string;
  readonly #path: string;
  readonly #rotation: Rotation;

  constructor(path: string, rotation: Rotation) {
    this.name = `file:${path}`;
    this.#path = path;
    this.#rotation = rotation;
  }

  async send({ lines }: SinkBatch): Promise<void> {
    const text = lines.map(({ json }) => `${json}\n`).join("");
    await this.#rotate(Buffer.byteLength(text));
    const file = await open(this.#path, "a", 0o600);
    try {
      await file.appendFile(text);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async #rotate(added: number): Promise<void> {
    const { maxBytes, keep } = this.#rotation;
    const size = await stat(this.#path).then(
      (found) => found.size,
      () => 0,
    );
    if (size === 0 || size + added <= maxBytes) return;
    await rm(`${this.#path}.${keep}`, { force: true });
    for (let at = keep - 1; at >= 1; at--) {
      await rename(`${this.#path}.${at}`, `${this.#path}.${at + 1}`).catch(ignoreMissing);
    }
    if (keep > 0) await rename(this.#path, `${this.#path}.1`);
    else await rm(this.#path);
  }

  close(): void {}
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
