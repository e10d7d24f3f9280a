import { hash } from "node:crypto";
import type { WharfError } from "../../lib/errors.ts";
import type { ResourceActions } from "../access/token.ts";
import { isDigest } from "../images/manifest.ts";
import { type Json, list, object, parseJson } from "../lenient-json.ts";
import type { RegistryRequest, RegistryResponse } from "./client.ts";
import { fallbackOnProtocolError } from "./protocol-error.ts";

const MIB = 1024 * 1024;
const MAX_BYTES = { head: 0, manifest: 4 * MIB, config: 8 * MIB, list: 64 * MIB };

/** The response to a write, whose body is ignored. */
const MAX_WRITE_RESPONSE_BYTES = MIB;

export interface RemoteManifest {
  readonly digest: string;
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** One page of the catalog or of a list of tags. */
export interface RemotePage {
  readonly names: readonly string[];
  /** The target of the next page; undefined for the last one. */
  readonly next: string | undefined;
  /** The time at which the request was sent, by the registry's clock, but never in our future. */
  readonly time: number;
}

/** A page of the manifests that are attached to a digest. */
export interface RemoteReferrers {
  readonly digests: readonly string[];
  /** The same, as descriptors with types and annotations. */
  readonly descriptors: readonly Json[];
  /** The target of the next page; undefined for the last one. */
  readonly next: string | undefined;
}

/** Sends the requests to a registry, with credentials. */
export interface RegistrySender {
  /** Returns undefined for 404; other error statuses reject. */
  send(request: RegistryRequest): Promise<RegistryResponse | undefined>;
  /** The registry answers, but not as the protocol requires. */
  protocolError(problem: string): WharfError;
  close(): void;
}

/** The contents of a registry, whether it is attached or that of this server. */
export type RegistryContents = Pick<
  RemoteRegistry,
  "host" | "digestOf" | "manifest" | "config" | "putTag" | "deleteTag" | "deleteManifest"
>;

/** An attached registry or an upstream: reads of its contents, and writes of its tags. */
export class RemoteRegistry {
  readonly host: string;
  readonly #client: RegistrySender;

  constructor(host: string, client: RegistrySender) {
    this.host = host;
    this.#client = client;
  }

  /** A page of the names of all repositories. */
  async catalog(next: string, signal?: AbortSignal): Promise<RemotePage> {
    const page =
      (await fallbackOnProtocolError(
        this.#list(next, CATALOG_ACCESS, "repositories", signal),
        undefined,
      )) ??
      // A registry may reject our page size; without one it uses its own.
      (await this.#list(withoutPageSize(next), CATALOG_ACCESS, "repositories", signal));
    if (page === undefined) throw this.#client.protocolError("has no catalog");
    return page;
  }

  /** A page of the tags of a repository; undefined if the repository does not exist. */
  tags(path: string, next: string, signal?: AbortSignal): Promise<RemotePage | undefined> {
    const target = next || `/v2/${path}/tags/list?n=1000`;
    return this.#list(target, actionsOn(path, "pull"), "tags", signal);
  }

  /** The digest of a tag, or the digest itself if it exists; undefined otherwise. */
  async digestOf(
    path: string,
    reference: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const response = await this.#read("head", manifestAt(path, reference), path, signal);
    const digest = response?.headers["docker-content-digest"];
    if (response !== undefined && !isDigest(digest)) throw this.#client.protocolError(NO_DIGEST);
    return digest as string | undefined;
  }

  /** A manifest by tag or digest; undefined if it does not exist. */
  async manifest(
    path: string,
    reference: string,
    signal?: AbortSignal,
  ): Promise<RemoteManifest | undefined> {
    const response = await this.#read("manifest", manifestAt(path, reference), path, signal);
    if (response === undefined) return undefined;
    const { "docker-content-digest": header = sha256(response.body) } = response.headers;
    const digest = isDigest(reference) ? reference : header;
    if (!isDigest(digest)) throw this.#client.protocolError(NO_DIGEST);
    const { body, headers } = this.#verified(response, digest);
    return { digest, bytes: body, contentType: headers["content-type"] ?? "" };
  }

  /** An image configuration; undefined if it does not exist. */
  async config(
    path: string,
    digest: string,
    signal?: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const response = await this.#read("config", `/v2/${path}/blobs/${digest}`, path, signal);
    return response && this.#verified(response, digest).body;
  }

  /** A blob of at most so many bytes; undefined if it does not exist. */
  async blob(
    path: string,
    digest: string,
    maxBytes: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array | undefined> {
    const response = await this.#get(`/v2/${path}/blobs/${digest}`, path, maxBytes, signal);
    return response && this.#verified(response, digest).body;
  }

  /** A page of the manifests that are attached to a digest; undefined if the registry has no such lists. */
  async referrers(
    path: string,
    digest: string,
    next: string,
    signal?: AbortSignal,
  ): Promise<RemoteReferrers | undefined> {
    const target = next || `/v2/${path}/referrers/${digest}`;
    const response = await fallbackOnProtocolError(
      this.#get(target, path, MAX_BYTES.manifest, signal),
      undefined,
    );
    if (response === undefined) return undefined;
    const entries = list(object(parseJson(response.body)).manifests).map(object);
    const descriptors = entries.filter(({ digest }) => isDigest(digest));
    const page = nextTarget(response.headers.link);
    return {
      descriptors,
      digests: descriptors.map(({ digest }) => digest as string),
      next: page === target ? undefined : page,
    };
  }

  /**
   * Tags a manifest of the repository, byte for byte, with a token of the subject: the notification of
   * the registry names it as the actor. Returns false if the repository does not exist.
   */
  async putTag(
    path: string,
    name: string,
    { bytes, contentType }: RemoteManifest,
    subject: string,
  ): Promise<boolean> {
    const response = await this.#client.send({
      method: "PUT",
      target: manifestAt(path, name),
      access: actionsOn(path, "pull", "push"),
      subject,
      body: bytes,
      contentType,
      maxBytes: MAX_WRITE_RESPONSE_BYTES,
    });
    return response !== undefined;
  }

  /** Deletes a tag, but not its manifest. Returns false if the tag does not exist. */
  deleteTag(path: string, name: string, subject: string): Promise<boolean> {
    return this.#delete(path, name, subject);
  }

  /** Deletes a manifest and its tags. Returns false if it does not exist. */
  deleteManifest(path: string, digest: string, subject: string): Promise<boolean> {
    return this.#delete(path, digest, subject);
  }

  close(): void {
    this.#client.close();
  }

  async #delete(path: string, reference: string, subject: string): Promise<boolean> {
    const response = await this.#client.send({
      method: "DELETE",
      target: manifestAt(path, reference),
      // Registries differ in which of these they require.
      access: actionsOn(path, "pull", "push", "delete"),
      subject,
      maxBytes: MAX_WRITE_RESPONSE_BYTES,
    });
    return response !== undefined;
  }

  async #list(
    target: string,
    access: readonly ResourceActions[],
    field: string,
    signal: AbortSignal | undefined,
  ): Promise<RemotePage | undefined> {
    const maxBytes = MAX_BYTES.list;
    const response = await this.#client.send({ method: "GET", target, access, maxBytes, signal });
    if (response === undefined) return undefined;
    const { headers, body, time } = response;
    const next = nextTarget(headers.link);
    if (next === target)
      throw this.#client.protocolError(`links ${target} to itself as the next page`);
    const names = readNames(body, field);
    if (names === undefined) throw this.#client.protocolError(`answers ${target} without a list`);
    return { names, next, time };
  }

  #read(
    kind: keyof typeof MAX_BYTES,
    target: string,
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<RegistryResponse | undefined> {
    if (kind !== "head") return this.#get(target, path, MAX_BYTES[kind], signal);
    const access = actionsOn(path, "pull");
    return this.#client.send({ method: "HEAD", target, access, maxBytes: MAX_BYTES.head, signal });
  }

  #get(
    target: string,
    path: string,
    maxBytes: number,
    signal: AbortSignal | undefined,
  ): Promise<RegistryResponse | undefined> {
    const access = actionsOn(path, "pull");
    return this.#client.send({ method: "GET", target, access, maxBytes, signal });
  }

  #verified(response: RegistryResponse, digest: string): RegistryResponse {
    // The digest of a signed schema 1 manifest excludes its signatures.
    const isSigned = response.headers["content-type"]?.startsWith(SIGNED) ?? false;
    if (isSigned || hasDigest(response.body, digest)) return response;
    throw this.#client.protocolError(`answers ${digest} with other content`);
  }
}

const SIGNED = "application/vnd.docker.distribution.manifest.v1+prettyjws";

const NO_DIGEST = "sends no valid Docker-Content-Digest header";

function manifestAt(path: string, reference: string): string {
  return `/v2/${path}/manifests/${reference}`;
}

function actionsOn(path: string, ...actions: string[]): readonly ResourceActions[] {
  return [{ type: "repository", name: path, actions }];
}

/** The access that the catalog requires; zot checks it as the repository without a name. */
const CATALOG_ACCESS = [
  { type: "registry", name: "catalog", actions: ["*"] },
  ...actionsOn("", "pull"),
];

/** The names in a list, which may be missing or null if empty; undefined if malformed. */
function readNames(body: Buffer, field: string): string[] | undefined {
  try {
    const names = JSON.parse(body.toString("utf8"))[field] ?? [];
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : undefined;
  } catch {
    return undefined;
  }
}

function withoutPageSize(target: string): string {
  return target.replace(/([?&])n=\d+&?/, "$1");
}

/** The target in `Link: </v2/_catalog?last=x&n=100>; rel="next"`, which may be an absolute URL. */
function nextTarget(link: string | string[] | undefined): string | undefined {
  const target = /<([^>]+)>;\s*rel="?next"?/.exec(String(link ?? ""))?.[1];
  if (target === undefined) return undefined;
  const url = URL.parse(target, "http://registry");
  return url === null ? undefined : `${url.pathname}${url.search}`;
}

function sha256(bytes: Uint8Array): string {
  return `sha256:${hash("sha256", bytes, "hex")}`;
}

function hasDigest(bytes: Uint8Array, digest: string): boolean {
  const [algorithm = "", value] = digest.split(":");
  return hash(algorithm, bytes, "hex") === value;
}
