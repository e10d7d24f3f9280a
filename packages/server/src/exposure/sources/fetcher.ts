import type { VulnerabilitySource } from "@wharf/contract";
import { type Download, DownloadError, download } from "../../delivery/download.ts";
import type { HostLookup } from "../../lib/net/host-lookup.ts";
import type { SourcePolicy } from "./checks.ts";
import { SourceError } from "./errors.ts";
import { TemporaryFile } from "./temporary-file.ts";

const MIB = 1024 ** 2;

/** Limits of what is downloaded. */
export const MAX_ARCHIVE_BYTES = 4 * 1024 * MIB;
export const MAX_FILE_BYTES = 128 * MIB;
const MAX_CHECKSUM_BYTES = 64 * 1024;

/** A download of this server's may take so long: the largest archive has a gigabyte. */
const TOTAL_MS = 60 * 60_000;

/** The validators of a file that was imported. */
export interface Validators {
  readonly etag: string;
  readonly lastModified: string;
}

export interface FetchedFile extends Validators {
  readonly file: TemporaryFile;
}

export interface FetcherDeps {
  readonly policy: SourcePolicy;
  readonly hosts?: HostLookup | undefined;
  readonly timeoutMs: number;
  /** The folder of temporary files. */
  readonly folder: string;
}

/** Downloads the files of one source. */
export class SourceFetcher {
  readonly #deps: FetcherDeps;
  readonly #source: VulnerabilitySource;
  readonly #token: string | undefined;
  readonly #signal: AbortSignal;

  constructor(
    deps: FetcherDeps,
    source: VulnerabilitySource,
    token: string | undefined,
    signal: AbortSignal,
  ) {
    this.#deps = deps;
    this.#source = source;
    this.#token = token;
    this.#signal = signal;
  }

  /** The file of a source that is one file; undefined if it is unchanged. Throws unless its checksum is right. */
  async only(validators: Validators | undefined): Promise<FetchedFile | undefined> {
    const { url, checksum } = this.#source;
    const fetched = await this.file(new URL(url), MAX_FILE_BYTES, validators);
    if (fetched === undefined || checksum === "") return fetched;
    try {
      await this.#check(fetched.file, checksum);
      return fetched;
    } catch (error) {
      await fetched.file.close();
      throw error;
    }
  }

  /** The URL of a file below that of the source. */
  below(...path: string[]): URL {
    const base = this.#source.url.replace(/\/+$/, "");
    return new URL(`${base}/${path.map(encodeURIComponent).join("/")}`);
  }

  /** Downloads a file; undefined if it is unchanged. It must be closed. */
  async file(
    url: URL,
    maxBytes: number,
    validators?: Validators,
  ): Promise<FetchedFile | undefined> {
    const { chunks, ...rest } = await this.open(url, maxBytes, validators);
    if (chunks === undefined) return undefined;
    return { file: await TemporaryFile.write(this.#deps.folder, chunks), ...rest };
  }

  /** Begins a download. Its chunks must be read to the end, or returned. */
  open(url: URL, maxBytes: number, validators?: Validators): Promise<Download> {
    const { policy, hosts, timeoutMs } = this.#deps;
    const isOwn = url.origin === new URL(this.#source.url).origin;
    return download(url, {
      mayBePrivate: (one) => policy.mayBePrivate(one),
      hosts,
      authorization: isOwn && this.#token !== undefined ? `Bearer ${this.#token}` : undefined,
      ...validators,
      timeoutMs,
      totalMs: TOTAL_MS,
      maxBytes,
      signal: this.#signal,
    });
  }

  /** A whole file; undefined if the source does not have it. */
  async bytes(url: URL, maxBytes: number): Promise<Uint8Array | undefined> {
    try {
      const { chunks } = await this.open(url, maxBytes);
      return Buffer.concat(await Array.fromAsync(chunks ?? []));
    } catch (error) {
      if (error instanceof DownloadError && (error.status === 404 || error.status === 410)) {
        return undefined;
      }
      throw error;
    }
  }

  async #check(file: TemporaryFile, checksum: string): Promise<void> {
    const isUrl = !checksum.startsWith("sha256:");
    const expected = isUrl ? await this.#published(checksum) : checksum.slice("sha256:".length);
    if (file.sha256 === expected) return;
    const text = `the file has the SHA-256 ${file.sha256}, but ${expected} is expected`;
    throw new SourceError("CHECKSUM", text);
  }

  /** The checksum of a file as sha256sum writes it. */
  async #published(url: string): Promise<string> {
    const bytes = await this.bytes(new URL(url), MAX_CHECKSUM_BYTES);
    const found = /^([0-9a-f]{64})(\s|$)/i.exec(
      Buffer.from(bytes ?? [])
        .toString("utf8")
        .trim(),
    );
    if (found?.[1] !== undefined) return found[1].toLowerCase();
    throw new SourceError("CHECKSUM", "the URL of the checksum does not have a SHA-256");
  }
}
