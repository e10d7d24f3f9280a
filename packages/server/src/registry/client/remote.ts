import { hash } from "node:crypto";
import type { ResourceActions } from "../access/token.ts";
import { isDigest } from "../images/manifest.ts";
import { type Asked, RegistryClient, type RegistryClientDeps } from "./client.ts";
import { fallbackOnProtocolError } from "./protocol-error.ts";

const MIB = 1024 * 1024;
const MOST_BYTES = { head: 0, manifest: 4 * MIB, config: 8 * MIB, list: 64 * MIB };

/** What a registry says of a change, which nobody reads. */
const MOST_REMARKS = MIB;

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

/** A registry as we read it, and as we change its tags for those who may. */
export class RemoteRegistry {
  readonly host: string;
  readonly #client: RegistryClient;

  constructor(parts: RegistryClientDeps) {
    this.host = parts.host;
    this.#client = new RegistryClient(parts);
  }

  /** A page of the names of all repositories; the first one, or that of a `next`. */
  async catalog(next: string, signal?: AbortSignal): Promise<RemotePage> {
    const page =
      (await fallbackOnProtocolError(
        this.#list(next, CATALOG, "repositories", signal),
        undefined,
      )) ??
      // A registry may allow only shorter pages than we ask for; it then has a length of its own.
      (await this.#list(withoutLength(next), CATALOG, "repositories", signal));
    if (page === undefined) throw this.#client.oddity("has no catalogue");
    return page;
  }

  /** A page of the tags of a repository; undefined when there is no such repository. */
  tags(path: string, next: string, signal?: AbortSignal): Promise<RemotePage | undefined> {
    const target = next || `/v2/${path}/tags/list?n=1000`;
    return this.#list(target, allowing(path, "pull"), "tags", signal);
  }

  /** The digest that a tag or digest stands for; undefined when it stands for nothing. */
  async digestOf(
    path: string,
    reference: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const answer = await this.#read("head", manifestAt(path, reference), path, signal);
    const digest = answer?.headers["docker-content-digest"];
    if (answer !== undefined && !isDigest(digest)) throw this.#client.oddity(NO_DIGESTS);
    return digest as string | undefined;
  }

  /** A manifest by a tag or its digest; undefined when there is none. */
  async manifest(
    path: string,
    reference: string,
    signal?: AbortSignal,
  ): Promise<RemoteManifest | undefined> {
    const answer = await this.#read("manifest", manifestAt(path, reference), path, signal);
    if (answer === undefined) return undefined;
    const told = answer.headers["docker-content-digest"];
    const digest = isDigest(reference) ? reference : told;
    if (!isDigest(digest)) throw this.#client.oddity(NO_DIGESTS);
    const { body, headers } = this.#checked(answer, digest);
    return { digest, bytes: body, contentType: headers["content-type"] ?? "" };
  }

  /** The configuration of an image; undefined when there is none. */
  async config(
    path: string,
    digest: string,
    signal?: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const answer = await this.#read("config", `/v2/${path}/blobs/${digest}`, path, signal);
    return answer && this.#checked(answer, digest).body;
  }

  /**
   * Puts a manifest that the repository has under a tag, byte for byte, as somebody: notifications of
   * it name them. Returns false where there is no such repository.
   */
  async tag(
    path: string,
    name: string,
    { bytes, contentType }: RemoteManifest,
    subject: string,
  ): Promise<boolean> {
    const answer = await this.#client.ask({
      method: "PUT",
      target: manifestAt(path, name),
      access: allowing(path, "pull", "push"),
      subject,
      body: bytes,
      contentType,
      most: MOST_REMARKS,
    });
    return answer !== undefined;
  }

  /** Deletes a tag and nothing else, as somebody. Returns false where there is no such tag. */
  async untag(path: string, name: string, subject: string): Promise<boolean> {
    const answer = await this.#client.ask({
      method: "DELETE",
      target: manifestAt(path, name),
      // Some registries want the one, some the other.
      access: allowing(path, "pull", "push", "delete"),
      subject,
      most: MOST_REMARKS,
    });
    return answer !== undefined;
  }

  close(): void {
    this.#client.close();
  }

  async #list(
    target: string,
    access: readonly ResourceActions[],
    field: string,
    signal: AbortSignal | undefined,
  ): Promise<RemotePage | undefined> {
    const most = MOST_BYTES.list;
    const answer = await this.#client.ask({ method: "GET", target, access, most, signal });
    if (answer === undefined) return undefined;
    const { headers, body, time } = answer;
    const next = nextOf(headers.link);
    if (next === target) throw this.#client.oddity(`has no end to ${target}`);
    const names = readNames(body, field);
    if (names === undefined) throw this.#client.oddity(`answers ${target} with no list`);
    return { names, next, time };
  }

  #read(
    what: keyof typeof MOST_BYTES,
    target: string,
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<Asked | undefined> {
    const method = what === "head" ? "HEAD" : "GET";
    const [access, most] = [allowing(path, "pull"), MOST_BYTES[what]];
    return this.#client.ask({ method, target, access, most, signal });
  }

  #checked(answer: Asked, digest: string): Asked {
    // Docker's first manifests go by a digest of what they say without their signatures.
    const isSigned = answer.headers["content-type"]?.startsWith(SIGNED) ?? false;
    if (isSigned || matches(answer.body, digest)) return answer;
    throw this.#client.oddity(`answers ${digest} with something else`);
  }
}

const SIGNED = "application/vnd.docker.distribution.manifest.v1+prettyjws";

const NO_DIGESTS = "does not tell digests";

function manifestAt(path: string, reference: string): string {
  return `/v2/${path}/manifests/${reference}`;
}

function allowing(path: string, ...actions: string[]): readonly ResourceActions[] {
  return [{ type: "repository", name: path, actions }];
}

/** What the catalogue takes; zot has it as the repository without a name. */
const CATALOG = [{ type: "registry", name: "catalog", actions: ["*"] }, ...allowing("", "pull")];

/** The names in a list; undefined for what is none. An empty one may be left out, or null. */
function readNames(body: Buffer, field: string): string[] | undefined {
  try {
    const names = JSON.parse(body.toString("utf8"))[field] ?? [];
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : undefined;
  } catch {
    return undefined;
  }
}

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
