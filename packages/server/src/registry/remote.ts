import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Addresses } from "../addresses.ts";
import { WharfError } from "../errors.ts";
import type { RegistryKeys } from "./keys.ts";
import { limitOf } from "./limit.ts";
import { isDigest, MANIFEST_TYPES } from "./manifest.ts";
import { unlessOdd } from "./odd.ts";
import { type Access, issueRegistryToken } from "./token.ts";
import { type Answer, type Question, TooLong, Transport } from "./transport.ts";

/** Whom our own tokens name. Registries tell us of our own reads, too; they are nobody's pulls. */
export const OURSELVES = "wharf";

/** Requests to one registry at a time. */
const AT_ONCE = 8;

const MIB = 1024 * 1024;
const MOST_BYTES = { head: 0, manifest: 4 * MIB, config: 8 * MIB, list: 64 * MIB };

/** What our own tokens are good for; they are made anew a minute before they end. */
const FRESH_MS = 4 * 60_000;

/** A registry that is asked too much says when to ask again; so often we do, before it counts as down. */
const MOST_WAITS = 3;
const LONGEST_WAIT_MS = 10_000;

/** What is before a registry says so when that is down. */
const DOWN = new Set([429, 502, 503, 504]);

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
  readonly digest: string;
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
  readonly #transport = new Transport(AT_ONCE);
  readonly #tokens = new Map<string, { readonly token: string; readonly until: number }>();

  constructor(parts: RemoteParts) {
    this.host = parts.host;
    this.#parts = parts;
  }

  /** A page of the names of all repositories; the first one, or that of a `next`. */
  async catalog(next: string, signal?: AbortSignal): Promise<RemotePage> {
    const page =
      (await unlessOdd(this.#list(next, CATALOG, "repositories", signal), undefined)) ??
      // A registry may allow only shorter pages than we ask for; it then has a length of its own.
      (await this.#list(withoutLength(next), CATALOG, "repositories", signal));
    if (page === undefined) throw this.#oddity("has no catalogue");
    return page;
  }

  /** A page of the tags of a repository; undefined when there is no such repository. */
  tags(path: string, next: string, signal?: AbortSignal): Promise<RemotePage | undefined> {
    const target = next || `/v2/${path}/tags/list?n=1000`;
    return this.#list(target, pulling(path), "tags", signal);
  }

  /** The digest that a tag or digest stands for; undefined when it stands for nothing. */
  async digestOf(
    path: string,
    reference: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const target = `/v2/${path}/manifests/${reference}`;
    const answer = await this.#ask(target, pulling(path), "head", signal);
    const digest = answer?.headers["docker-content-digest"];
    if (answer !== undefined && !isDigest(digest)) throw this.#oddity("does not tell digests");
    return digest as string | undefined;
  }

  /** A manifest by a tag or its digest; undefined when there is none. */
  async manifest(
    path: string,
    reference: string,
    signal?: AbortSignal,
  ): Promise<RemoteManifest | undefined> {
    const target = `/v2/${path}/manifests/${reference}`;
    const answer = await this.#ask(target, pulling(path), "manifest", signal);
    if (answer === undefined) return undefined;
    const told = answer.headers["docker-content-digest"];
    const digest = isDigest(reference) ? reference : told;
    if (!isDigest(digest)) throw this.#oddity("does not tell digests");
    const { body, headers } = this.#checked(answer, digest);
    return { digest, bytes: body, contentType: headers["content-type"] ?? "" };
  }

  /** The configuration of an image; undefined when there is none. */
  async config(
    path: string,
    digest: string,
    signal?: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const target = `/v2/${path}/blobs/${digest}`;
    const answer = await this.#ask(target, pulling(path), "config", signal);
    return answer && this.#checked(answer, digest).body;
  }

  close(): void {
    this.#transport.close();
  }

  async #list(
    target: string,
    access: readonly Access[],
    field: string,
    signal: AbortSignal | undefined,
  ): Promise<RemotePage | undefined> {
    const answer = await this.#ask(target, access, "list", signal);
    if (answer === undefined) return undefined;
    const { headers, body, time } = answer;
    const next = nextOf(headers.link);
    if (next === target) throw this.#oddity(`has no end to ${target}`);
    try {
      const names = (JSON.parse(body.toString("utf8"))[field] ?? []) as string[];
      return { names, next, time };
    } catch {
      throw this.#oddity(`answers ${target} with no list`);
    }
  }

  /** Asks for something; 404 is undefined, anything else that is not 200 an oddity. */
  #ask(
    target: string,
    access: readonly Access[],
    what: keyof typeof MOST_BYTES,
    signal: AbortSignal | undefined,
  ): Promise<Asked | undefined> {
    return this.#limit(async () => {
      const method = what === "head" ? "HEAD" : "GET";
      const headers = { authorization: `Bearer ${await this.#token(access)}`, accept: ACCEPT };
      const question = { method, headers, most: MOST_BYTES[what], signal } as const;
      const answer = await this.#patiently(new URL(`${this.#parts.url}${target}`), question);
      const { status } = answer;
      if (status === 200) return answer;
      if (status === 404) return undefined;
      const said = `answers ${status} to ${method} ${target}`;
      throw DOWN.has(status) ? this.#fault(said) : this.#oddity(said);
    });
  }

  async #patiently(url: URL, question: Question): Promise<Asked> {
    for (let turn = 0; ; turn++) {
      const began = Date.now();
      const answer = await this.#transport.ask(url, question).catch((error) => {
        const said = `cannot be read: ${error.message || error.code}`;
        throw error instanceof TooLong ? this.#oddity(said) : this.#fault(said, error);
      });
      const { status, headers } = answer;
      if (status !== 429 || turn === MOST_WAITS)
        return { ...answer, time: theirTime(began, headers.date) };
      const { signal } = question;
      await sleep(waitOf(headers["retry-after"]), undefined, signal && { signal });
    }
  }

  #checked(answer: Asked, digest: string): Asked {
    // Docker's first manifests go by a digest of what they say without their signatures.
    const isSigned = answer.headers["content-type"]?.startsWith(SIGNED) ?? false;
    if (isSigned || matches(answer.body, digest)) return answer;
    throw this.#oddity(`answers ${digest} with something else`);
  }

  async #token(access: readonly Access[]): Promise<string> {
    const now = Date.now();
    const name = (access[0] as Access).name;
    const known = this.#tokens.get(name);
    if (known !== undefined && known.until > now) return known.token;
    const content = {
      issuer: this.#parts.addresses().authUrl,
      service: this.host,
      subject: OURSELVES,
      access,
      expires: Number.POSITIVE_INFINITY,
    };
    const { token } = issueRegistryToken(await this.#parts.keys.current(), content, now);
    if (this.#tokens.size >= MOST_TOKENS) this.#tokens.clear();
    this.#tokens.set(name, { token, until: now + FRESH_MS });
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

/** An answer, and when it was asked for by the registry's clock. */
interface Asked extends Answer {
  readonly time: number;
}

const SIGNED = "application/vnd.docker.distribution.manifest.v1+prettyjws";

/** How long to wait, from seconds or a date; a second where nothing is said. */
function waitOf(after: string | undefined): number {
  const seconds = Number(after ?? 1);
  const ms = Number.isNaN(seconds) ? Date.parse(after as string) - Date.now() : seconds * 1000;
  return Math.min(Math.max(ms || 0, 0), LONGEST_WAIT_MS);
}

const ACCEPT = [...MANIFEST_TYPES, "*/*"].join(", ");

/** Clocks that differ by less than what an answer's date can tell count as equal. */
const SAME_CLOCK_MS = 2_000;

/** A time of ours by a registry's clock, as far as the date of its answer tells. */
function theirTime(began: number, date: string | undefined): number {
  const told = Date.parse(date ?? "");
  return Math.abs(told - began) > SAME_CLOCK_MS ? Math.min(told, began) : began;
}

function pulling(path: string): readonly Access[] {
  return [{ type: "repository", name: path, actions: ["pull"] }];
}

/** What the catalogue takes; zot has it as the repository without a name. */
const CATALOG = [{ type: "registry", name: "catalog", actions: ["*"] }, ...pulling("")];

/** The target of a list, without how many we would like. */
function withoutLength(target: string): string {
  return target.replace(/([?&])n=\d+&?/, "$1");
}

/** `</v2/_catalog?last=x&n=100>; rel="next"`, as a path; registries also write whole addresses. */
function nextOf(link: string | string[] | undefined): string | undefined {
  const target = /<([^>]+)>;\s*rel="?next"?/.exec(String(link ?? ""))?.[1];
  if (target === undefined) return undefined;
  const url = URL.parse(target, "http://registry");
  return url === null ? undefined : `${url.pathname}${url.search}`;
}

function matches(bytes: Uint8Array, digest: string): boolean {
  const [algorithm = "", value] = digest.split(":");
  return hash(algorithm, bytes, "hex") === value;
}
