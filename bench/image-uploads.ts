/** Uploads of SBOMs for images of the server's registry. */
import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Blob, blockOf, makeBlob } from "./blob.ts";
import { ExposureQueue } from "./exposure-queue.ts";
import { OwnRegistry } from "./own-registry.ts";
import type { Bench } from "./row.ts";
import { mustEqual } from "./verify.ts";

const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";

/** An image in the registry of the server. */
export interface PushedImage {
  readonly repo: string;
  readonly digest: string;
}

/** A server with a registry, whose images are read when they are pushed. */
export class ImageServer implements AsyncDisposable {
  readonly own: OwnRegistry;
  readonly queue: ExposureQueue;
  #pushed = 0;

  private constructor(own: OwnRegistry) {
    this.own = own;
    this.queue = new ExposureQueue(own.data);
  }

  static async open(bench: Bench): Promise<ImageServer> {
    return new ImageServer(await OwnRegistry.open(bench));
  }

  /** Pushes an image of one layer to a new repo, and waits until it was read. */
  async push(layer: Buffer = blockOf(makeBlob(1, 64))): Promise<PushedImage> {
    const name = `image-${this.#pushed++}`;
    const config = Buffer.from(JSON.stringify({ architecture: "amd64", os: "linux", name }));
    const descriptor = async (mediaType: string, bytes: Buffer) => ({
      ...{ mediaType, digest: await this.#blob(name, bytes), size: bytes.length },
    });
    const body = JSON.stringify({
      ...{ schemaVersion: 2, mediaType: MANIFEST_TYPE },
      config: await descriptor("application/vnd.oci.image.config.v1+json", config),
      layers: [await descriptor("application/vnd.oci.image.layer.v1.tar+gzip", layer)],
    });
    const digest = `sha256:${hash("sha256", body)}`;
    await this.#put(`${this.own.repository(name)}/manifests/latest`, MANIFEST_TYPE, body, 201);
    await this.queue.settled();
    const { repos } = JSON.parse(
      await this.own.server.rest(`/registry/v2beta1/repos?name=${name}`),
    ) as { repos: { uid: string }[] };
    return { repo: (repos[0] as { uid: string }).uid, digest };
  }

  async #blob(name: string, bytes: Buffer): Promise<Blob["digest"]> {
    const digest = `sha256:${hash("sha256", bytes)}`;
    const url = `${this.own.repository(name)}/blobs/uploads/?digest=${digest}`;
    const headers = { authorization: `Bearer ${this.own.server.token}` };
    const body = new Uint8Array(bytes);
    mustEqual((await fetch(url, { method: "POST", headers, body })).status, 201);
    return digest;
  }

  async #put(url: string, type: string, body: string, expected: number): Promise<void> {
    const headers = { authorization: `Bearer ${this.own.server.token}`, "content-type": type };
    mustEqual((await fetch(url, { method: "PUT", headers, body })).status, expected);
  }

  /** Uploads a document, and waits until the packages of the image are those of the document. */
  async ingest({ repo, digest }: PushedImage, upload: string): Promise<void> {
    const path = `/exposure/v2beta1/repos/${repo}/digests/${digest}/documents`;
    await this.own.server.rest(path, upload);
    await this.queue.settled();
  }

  /** The number of packages of an image. */
  async packages({ repo, digest }: PushedImage): Promise<number> {
    const path = `/exposure/v2beta1/repos/${repo}/digests/${digest}/packages`;
    return Number(JSON.parse(await this.own.server.rest(path)).totalCount);
  }

  /** Reads the documents and layers of an image again, and waits for the end of it. */
  async reindex({ repo, digest }: PushedImage): Promise<void> {
    const path = `/exposure/v2beta1/repos/${repo}/digests/${digest}:reindex`;
    await this.own.server.rest(path, "{}");
    await this.queue.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.queue[Symbol.dispose]();
    await this.own[Symbol.asyncDispose]();
  }
}

/** The request that uploads a document, compressed. */
export async function uploadOf(document: string): Promise<string> {
  const content = (await promisify(gzip)(document)).toString("base64");
  return JSON.stringify({ content });
}
