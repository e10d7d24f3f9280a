/** A client of the distribution API that sends what a test says, over HTTP/1.1 or HTTP/2. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import { type ClientHttp2Session, connect } from "node:http2";
import { buffer } from "node:stream/consumers";
import { mustBeDocumentedAt } from "../client/documented-errors.ts";

export const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
export const INDEX = "application/vnd.oci.image.index.v1+json";

const CONFIG = "application/vnd.oci.image.config.v1+json";
const LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";

const AGENT = new Agent({ keepAlive: true });

export interface OciAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  readonly body: any;
  /** The code of the first error. */
  readonly code: string | undefined;
}

export interface OciRequest {
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: Buffer | string;
  /** Without a Content-Length. */
  readonly isChunked?: boolean;
}

/** The digests of a pushed image. */
export interface PushedImage {
  readonly digest: string;
  readonly config: string;
  readonly layer: string;
  readonly bytes: Buffer;
}

/** @example const client = new OciClient(server.url, `Bearer ${token}`); */
export class OciClient {
  readonly url: string;
  readonly #authorization: string | undefined;
  readonly #http2: ClientHttp2Session | undefined;

  constructor(url: string, authorization?: string, { http2 = false } = {}) {
    this.url = url;
    this.#authorization = authorization;
    this.#http2 = http2 ? connect(url) : undefined;
  }

  /** The same client with other credentials. */
  as(authorization: string | undefined): OciClient {
    return new OciClient(this.url, authorization);
  }

  close(): void {
    this.#http2?.close();
  }

  /** The path is sent as it is. */
  async send(method: string, path: string, given: OciRequest = {}): Promise<OciAnswer> {
    const { body = "", isChunked = false } = given;
    const headers: OutgoingHttpHeaders = {
      ...(this.#authorization && { authorization: this.#authorization }),
      ...(isChunked ? {} : { "content-length": Buffer.byteLength(body) }),
      ...given.headers,
    };
    if (this.#http2 !== undefined) return sendHttp2(this.#http2, method, path, headers, body);
    const { hostname, port } = new URL(this.url);
    const asked = request({ hostname, port, path, method, headers, agent: AGENT });
    if (isChunked) asked.write(body);
    asked.end(isChunked ? undefined : body);
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    const bytes = await buffer(response);
    const answer = answerOf(response.statusCode ?? 0, response.headers, bytes);
    mustBeDocumentedAt(method, path, answer.code);
    return answer;
  }

  get(path: string, headers: OutgoingHttpHeaders = {}): Promise<OciAnswer> {
    return this.send("GET", path, { headers });
  }

  /** Begins an upload; its location. */
  async begin(name: string): Promise<string> {
    const { status, headers, body } = await this.send("POST", `/v2/${name}/blobs/uploads/`);
    assert.equal(status, 202, JSON.stringify(body));
    return headers.location ?? "";
  }

  /** Pushes a blob in two requests; its digest. */
  async blob(name: string, content: Buffer | string): Promise<string> {
    const digest = sha256(content);
    const location = await this.begin(name);
    const answer = await this.send("PUT", `${location}?digest=${digest}`, { body: content });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return digest;
  }

  putManifest(
    name: string,
    reference: string,
    manifest: object | Buffer | string,
    type = MANIFEST,
  ): Promise<OciAnswer> {
    const isText = typeof manifest === "string" || Buffer.isBuffer(manifest);
    const body = isText ? manifest : JSON.stringify(manifest);
    const headers = { "content-type": type };
    return this.send("PUT", `/v2/${name}/manifests/${reference}`, { headers, body });
  }

  /** Pushes an image of one layer with this content. */
  async image(name: string, reference: string, content: string): Promise<PushedImage> {
    const manifest = await this.manifestOf(name, content);
    const bytes = Buffer.from(JSON.stringify(manifest));
    const { status, body } = await this.putManifest(name, reference, bytes);
    assert.equal(status, 201, JSON.stringify(body));
    const { config, layers } = manifest;
    return {
      digest: sha256(bytes),
      config: config.digest,
      layer: layers[0]?.digest ?? "",
      bytes,
    };
  }

  /** Pushes configuration and layer of an image, and returns its manifest. */
  async manifestOf(name: string, content: string) {
    const configuration = JSON.stringify({ architecture: "amd64", os: "linux", note: content });
    const config = await this.blob(name, configuration);
    const layer = await this.blob(name, content);
    return {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: CONFIG, digest: config, size: Buffer.byteLength(configuration) },
      layers: [{ mediaType: LAYER, digest: layer, size: Buffer.byteLength(content) }],
    };
  }
}

export function sha256(content: Buffer | string): string {
  return `sha256:${hash("sha256", content, "hex")}`;
}

export function sha512(content: Buffer | string): string {
  return `sha512:${hash("sha512", content, "hex")}`;
}

export function basic(user: string, password: string): string {
  return `Basic ${btoa(`${user}:${password}`)}`;
}

async function sendHttp2(
  session: ClientHttp2Session,
  method: string,
  path: string,
  headers: OutgoingHttpHeaders,
  body: Buffer | string,
): Promise<OciAnswer> {
  const endStream = body.length === 0;
  const stream = session.request({ ...headers, ":method": method, ":path": path }, { endStream });
  if (!endStream) stream.end(body);
  const [received] = await once(stream, "response");
  return answerOf(Number(received[":status"]), received, await buffer(stream));
}

function answerOf(status: number, headers: object, bytes: Buffer): OciAnswer {
  const texts = headers as Record<string, string | undefined>;
  const isJson = /json/.test(texts["content-type"] ?? "") && bytes.length > 0;
  const body = isJson ? JSON.parse(bytes.toString("utf8")) : undefined;
  return { status, headers: texts, bytes, body, code: body?.errors?.[0]?.code };
}
