import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../oracle/random.ts";
import type { World } from "../world/world.ts";
import { LEASE_MS } from "./brief-times.ts";
import { MANIFEST, type OciClient, sha256 } from "./oci-client.ts";

const REPOS = 3;

/** The pause while a server is down. */
const RETRY_MS = 100;

/** Few contents, so that all pushers push, mount and delete the same blobs. */
const CONTENTS = Array.from({ length: 40 }, (_, at) => `${at} `.repeat(100 + at * 37));

const CONFIG = JSON.stringify({ architecture: "amd64", os: "linux" });

interface Acknowledged {
  readonly digest: string;
  readonly bytes: Buffer;
  readonly blobs: readonly string[];
}

/** Pushes to its own repos and deletes there, at random, and knows which manifests must be there. */
export class RandomPusher {
  pushes = 0;
  /** Manifests that were refused because their blobs were collected: only of slow pushes. */
  late = 0;
  readonly #name: string;
  readonly #clients: readonly OciClient[];
  readonly #world: World;
  readonly #random: Random;
  /** By the path of the tag. */
  readonly #acknowledged = new Map<string, Acknowledged>();
  #tags = 0;

  constructor(at: number, clients: readonly OciClient[], world: World, random: Random) {
    this.#name = `pusher-${at}`;
    this.#clients = clients;
    this.#world = world;
    this.#random = random;
  }

  /** Takes so many steps, beside those that a killed server interrupts. */
  async work(steps: number): Promise<void> {
    for (let step = 0; step < steps; ) {
      const repo = `${this.#name}-${this.#random.below(REPOS)}`;
      const kind = this.#random.below(10);
      try {
        if (kind < 7) await this.#push(`acme/${repo}`);
        else if (kind < 9) await this.#deleteManifest(`acme/${repo}`);
        else await this.#deleteRepo(repo);
        step++;
      } catch (error) {
        // The server was killed.
        if (error instanceof assert.AssertionError) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  /** Leaves blobs that no manifest needs: so many new ones, and perhaps those of a manifest. */
  async litter(count: number): Promise<void> {
    const name = `acme/${this.#name}-${this.#random.below(REPOS)}`;
    for (let at = 0; at < count; at++)
      await this.#client().blob(name, `litter ${this.#name} ${this.#tags++}`);
    await this.#deleteManifest(name);
  }

  /** Every acknowledged manifest can be pulled in full, from any server. */
  async verify(): Promise<void> {
    for (const [path, { bytes, blobs }] of this.#acknowledged) {
      const client = this.#client();
      assert.deepEqual((await client.get(path)).bytes, bytes, path);
      const name = path.split("/manifests/")[0];
      for (const digest of blobs) {
        const { status, bytes: content } = await client.get(`${name}/blobs/${digest}`);
        assert.deepEqual([path, status, sha256(content)], [path, 200, digest]);
      }
    }
  }

  #client(): OciClient {
    return this.#random.pick(this.#clients);
  }

  async #push(name: string): Promise<void> {
    const layers = this.#random.some(CONTENTS, 3);
    const began = performance.now();
    const contents = [CONFIG, ...layers];
    for (const content of contents) await this.#provide(name, content);
    const [config, ...others] = contents.map((content) => ({
      mediaType: content === CONFIG ? "application/vnd.oci.image.config.v1+json" : "layer/any",
      digest: sha256(content),
      size: content.length,
    }));
    const bytes = Buffer.from(
      JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config, layers: others }),
    );
    const tag = `t${this.#tags++}`;
    const { status, code } = await this.#client().putManifest(name, tag, bytes);
    if (status === 201) {
      this.pushes++;
      const blobs = contents.map((content) => sha256(content));
      this.#acknowledged.set(`/v2/${name}/manifests/${tag}`, {
        digest: sha256(bytes),
        bytes,
        blobs,
      });
      return;
    }
    if (code !== "MANIFEST_BLOB_UNKNOWN") return;
    this.late++;
    const took = performance.now() - began;
    assert.ok(took > LEASE_MS / 2, `blobs were collected ${took} ms after they were asked for`);
  }

  /** Brings a blob into a repo as clients do: looks for it, mounts it from elsewhere, or uploads it. */
  async #provide(name: string, content: string): Promise<void> {
    const client = this.#client();
    const digest = sha256(content);
    const { status } = await client.send("HEAD", `/v2/${name}/blobs/${digest}`);
    if (status === 200) return;
    if (this.#random.below(2) === 0) {
      const from = `acme/pusher-${this.#random.below(6)}-${this.#random.below(REPOS)}`;
      const query = `mount=${digest}&from=${from}`;
      const mounted = await client.send("POST", `/v2/${name}/blobs/uploads/?${query}`);
      if (mounted.status === 201) return;
    }
    const begun = await client.send("POST", `/v2/${name}/blobs/uploads/`);
    const location = `${begun.headers.location}?digest=${digest}`;
    const put = await client.send("PUT", location, { body: content });
    if (put.status !== 201) throw new Error(`${put.status}`);
  }

  async #deleteManifest(name: string): Promise<void> {
    const own = [...this.#acknowledged].filter(([path]) => path.startsWith(`/v2/${name}/`));
    if (own.length === 0) return;
    const [, { digest }] = this.#random.pick(own);
    for (const [path, one] of own) if (one.digest === digest) this.#acknowledged.delete(path);
    await this.#client().send("DELETE", `/v2/${name}/manifests/${digest}`);
  }

  async #deleteRepo(repo: string): Promise<void> {
    for (const path of this.#acknowledged.keys())
      if (path.startsWith(`/v2/acme/${repo}/`)) this.#acknowledged.delete(path);
    const api = this.#world.operator();
    const { repos } = await api.repos.list({ name: repo });
    for (const { uid } of repos) await api.repos.delete(uid);
  }
}
