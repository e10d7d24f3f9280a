import { hash } from "node:crypto";
import type { Addresses } from "../addresses.ts";
import { WharfError } from "../errors.ts";
import type { RegistryKeys } from "./keys.ts";
import { limitOf } from "./limit.ts";
import { MANIFEST_TYPES } from "./manifest.ts";
import { type Access, issueRegistryToken } from "./token.ts";

/** Whom our own tokens name. Registries tell us of our own reads, too; they are nobody's pulls. */
export const OURSELVES = "wharf";

/** Requests to one registry at a time. */
const AT_ONCE = 8;

/** A registry that does not answer a question for so long is down. */
const TIMEOUT_MS = 30_000;

const MIB = 1024 * 1024;
const MOST_BYTES = { manifest: 4 * MIB, config: 8 * MIB, list: 64 * MIB };

/** What our own tokens are good for; they are made anew a minute before they end. */
const FRESH_MS = 4 * 60_000;

/** Tokens kept: more repositories are not looked at at the same time. */
const MOST_TOKENS = 64;

export interface RemoteParts {
  readonly host: string;
  readonly url: string;
  readonly keys: RegistryKeys;
  addresses(): Addresses;
}

/** A manifest as the registry has it. */
export interface RemoteManifest {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** One page of a list. */
export interface RemotePage {
  readonly names: readonly string[];
  /** Where the next one is; undefined at the end. */
  readonly next: string | undefined;
  /** When it was asked for, by the registry's clock, but never in our future. */
  readonly time: number;
}

/** A registry as we read it, with tokens that we sign for ourselves. */
export class RemoteRegistry {
  readonly host: string;
  readonly #parts: RemoteParts;
  readonly #limit = limitOf(AT_ONCE);
  readonly #tokens = new Map<string, { readonly token: string; readonly until: number }>();

  constructor(parts: RemoteParts) {
    this.host = parts.host;
    this.#parts = parts;
  }

  /** A page of the names of all repositories; the first one, or that of a `next`. */
  async catalog(next: string, signal?: AbortSignal): Promise<RemotePage> {
    const scope = { type: "registry", name: "catalog", actions: ["*"] };
    const page = await this.#list(next, scope, "repositories", signal);
    if (page === undefined) throw this.#oddity("has no catalogue");
    return page;
  }

  /** A page of the tags of a repository; undefined when there is no such repository. */
  tags(path: string, next: string, signal?: AbortSignal): Promise<RemotePage | undefined> {
    const target = next || `/v2/${path}/tags/list?n=1000`;
    return this.#list(target, pulling(path), "tags", signal);
  }

  /** The digest that a tag or digest stands for; undefined when it stands for nothing. */
  digestOf(path: string, reference: string, signal?: AbortSignal): Promise<string | undefined> {
    return this.#ask(`/v2/${path}/manifests/${reference}`, pulling(path), {
      method: "HEAD",
      signal,
      read: async ({ headers }) => headers.get("docker-content-digest") ?? undefined,
    });
  }

  /** A manifest by its digest; undefined when there is none. */
  manifest(
    path: string,
    digest: string,
    signal?: AbortSignal,
  ): Promise<RemoteManifest | undefined> {
    return this.#ask(`/v2/${path}/manifests/${digest}`, pulling(path), {
      signal,
      read: async (response) => {
        const bytes = await this.#bytes(response, MOST_BYTES.manifest);
        if (!matches(bytes, digest)) throw this.#oddity(`answers ${digest} with something else`);
        return { bytes, contentType: response.headers.get("content-type") ?? "" };
      },
    });
  }

  /** The configuration of an image; undefined when there is none. */
  config(path: string, digest: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    return this.#ask(`/v2/${path}/blobs/${digest}`, pulling(path), {
      signal,
      read: async (response) => {
        const bytes = await this.#bytes(response, MOST_BYTES.config);
        if (!matches(bytes, digest)) throw this.#oddity(`answers ${digest} with something else`);
        return bytes;
      },
    });
  }

  #list(
    target: string,
    access: Access,
    field: string,
    signal: AbortSignal | undefined,
  ): Promise<RemotePage | undefined> {
    let began = 0;
    return this.#ask(target, access, {
      signal,
      begin: () => {
        began = Date.now();
      },
      read: async (response) => {
        const bytes = await this.#bytes(response, MOST_BYTES.list);
        const names = JSON.parse(Buffer.from(bytes).toString("utf8"))[field] ?? [];
        const time = theirTime(began, response.headers.get("date"));
        return { names: names as string[], next: nextOf(response.headers.get("link")), time };
      },
    });
  }

  /** Asks and reads the answer; 404 is undefined, anything else that is not 200 a fault. */
  #ask<T>(
    target: string,
    access: Access,
    { read, begin, method = "GET", signal }: Asking<T>,
  ): Promise<T | undefined> {
    return this.#limit(async () => {
      const authorization = `Bearer ${await this.#token(access)}`;
      begin?.();
      const late = AbortSignal.timeout(TIMEOUT_MS);
      try {
        const response = await fetch(`${this.#parts.url}${target}`, {
          method,
          headers: { authorization, accept: [...MANIFEST_TYPES, "*/*"].join(", ") },
          signal: signal === undefined ? late : AbortSignal.any([signal, late]),
        });
        if (response.status === 200) return await read(response);
        await response.body?.cancel();
        if (response.status === 404) return undefined;
        throw this.#oddity(`answers ${response.status} to ${method} ${target}`);
      } catch (error) {
        if (error instanceof WharfError) throw error;
        throw this.#fault(`cannot be read: ${reasonOf(error)}`, error);
      }
    });
  }

  async #bytes(response: Response, most: number): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > most) throw this.#oddity(`answers with more than ${most} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  async #token(access: Access): Promise<string> {
    const now = Date.now();
    const known = this.#tokens.get(access.name);
    if (known !== undefined && known.until > now) return known.token;
    const content = {
      issuer: this.#parts.addresses().authUrl,
      service: this.host,
      subject: OURSELVES,
      access: [access],
      expires: Number.POSITIVE_INFINITY,
    };
    const { token } = issueRegistryToken(await this.#parts.keys.current(), content, now);
    if (this.#tokens.size >= MOST_TOKENS) this.#tokens.clear();
    this.#tokens.set(access.name, { token, until: now + FRESH_MS });
    return token;
  }

  /** It answers, and not as it should. */
  #oddity(what: string): WharfError {
    return new WharfError("UNKNOWN", `the registry ${this.host} ${what}`);
  }

  /** It cannot be reached. */
  #fault(what: string, cause?: unknown): WharfError {
    return new WharfError("UNAVAILABLE", `the registry ${this.host} ${what}`, undefined, cause);
  }
}

interface Asking<T> {
  read(response: Response): Promise<T>;
  /** Called when it is asked: it may have had to wait for its turn. */
  readonly begin?: () => void;
  readonly method?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Clocks that differ by less than what an answer's date can tell count as equal. */
const SAME_CLOCK_MS = 2_000;

/** A time of ours by a registry's clock, as far as the date of its answer tells. */
function theirTime(began: number, date: string | null): number {
  const told = Date.parse(date ?? "");
  return Math.abs(told - began) > SAME_CLOCK_MS ? Math.min(told, began) : began;
}

function pulling(path: string): Access {
  return { type: "repository", name: path, actions: ["pull"] };
}

/** `</v2/_catalog?last=x&n=100>; rel="next"`, as a path; registries also write whole addresses. */
function nextOf(link: string | null): string | undefined {
  const target = /<([^>]+)>;\s*rel="?next"?/.exec(link ?? "")?.[1];
  if (target === undefined) return undefined;
  const url = URL.parse(target, "http://registry");
  return url === null ? undefined : `${url.pathname}${url.search}`;
}

function matches(bytes: Uint8Array, digest: string): boolean {
  const [algorithm = "", value] = digest.split(":");
  return hash(algorithm, bytes, "hex") === value;
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
