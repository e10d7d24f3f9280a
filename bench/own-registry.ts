/** The registry of the server, and CNCF Distribution beside it, with the same repositories. */
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { TestRegistry } from "../packages/server/test/support/registry/distribution.ts";
import { freePort } from "../packages/server/test/support/server/free-port.ts";
import { type Blob, makeBlob } from "./blob.ts";
import { ScratchData } from "./data-set.ts";
import type { BlobJob, BlobLoad, Transfer } from "./load/blobs.ts";
import { Program } from "./program.ts";
import { pin } from "./registry-site.ts";
import { type Bench, NotMeasured, serve } from "./row.ts";
import { mustEqual } from "./verify.ts";
import type { Wharf } from "./wharf.ts";

const MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json";

/** Tags that one request sets: their names are in its URL. */
const TAGS_PER_REQUEST = 100;

/** The size of blobs: large enough for what a request costs not to count. */
export function blobBytes({ options }: Pick<Bench, "options">): number {
  return (options.quick ? 16 : 1024) * 1024 * 1024;
}

/** A server with an organization, whose registry is empty. */
export class OwnRegistry implements AsyncDisposable {
  readonly server: Wharf;
  readonly organization: string;
  readonly #data: ScratchData;

  private constructor(server: Wharf, organization: string, data: ScratchData) {
    this.server = server;
    this.organization = organization;
    this.#data = data;
  }

  static async open(bench: Bench): Promise<OwnRegistry> {
    const data = new ScratchData();
    const server = await serve(bench, data.path);
    const body = JSON.stringify({ name: "organization" });
    const { uid } = JSON.parse(await server.rest("/iam/v2beta1/groups", body));
    return new OwnRegistry(server, uid, data);
  }

  /** The data directory. */
  get data(): string {
    return this.#data.path;
  }

  path(repo: string): string {
    return `/v2/${this.organization}/${repo}`;
  }

  repository(repo: string): string {
    return `${this.server.url}${this.path(repo)}`;
  }

  /** Pushes a small image with these tags. */
  async pushImage(bench: Bench, repo: string, tags: readonly string[]): Promise<void> {
    const config = makeBlob(0, 64);
    await transfer(bench, this.server.token, [{ blob: config, repository: this.repository(repo) }]);
    const descriptor = (mediaType: string) => ({
      ...{ mediaType, digest: config.digest, size: config.bytes },
    });
    const body = JSON.stringify({
      ...{ schemaVersion: 2, mediaType: MANIFEST_TYPE },
      config: descriptor("application/vnd.oci.empty.v1+json"),
      layers: [descriptor("application/vnd.oci.image.layer.v1.tar")],
    });
    const digest = `sha256:${hash("sha256", body)}`;
    for (let at = 0; at < tags.length; at += TAGS_PER_REQUEST) {
      const query = tags.slice(at, at + TAGS_PER_REQUEST).map((tag) => `tag=${tag}`);
      const url = `${this.repository(repo)}/manifests/${digest}?${query.join("&")}`;
      const headers = {
        authorization: `Bearer ${this.server.token}`,
        "content-type": MANIFEST_TYPE,
      };
      mustEqual((await fetch(url, { method: "PUT", headers, body })).status, 201);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    this.#data[Symbol.dispose]();
  }
}

/** CNCF Distribution that accepts every token, on the core of the servers. */
export async function startDistribution(bench: Bench, { url }: Wharf): Promise<TestRegistry> {
  if (spawnSync("docker-registry", ["--version"]).error !== undefined) {
    throw new NotMeasured("docker-registry is not installed (Debian: apt install docker-registry)");
  }
  const auth = { silly: { realm: "benchmark", service: "benchmark" } };
  const host = `127.0.0.1:${await freePort()}`;
  const registry = await TestRegistry.start(url, host, { more: { auth } });
  pin(registry.pid, bench.cores.serving);
  return registry;
}

/** Pushes and pulls blobs, each once, from the core of the load. */
export async function transfer(
  { cores }: Bench,
  token: string,
  pushes: readonly Transfer[],
  pulls: readonly Transfer[] = [],
): Promise<BlobLoad> {
  await using load = new Program<BlobJob, BlobLoad>("load/blobs.ts", cores.asking);
  return await load.ask({ token, pushes, pulls });
}

/** Blobs that differ, and the repository of each. */
export function transfersOf(
  blobs: readonly Blob[],
  repository: (repo: string) => string,
): Transfer[] {
  return blobs.map((blob, at) => ({ blob, repository: repository(`app-${at}`) }));
}
