/** Retention of a running server, as another process does it, at any time. */
import type { Logger } from "../../../src/observe/logger.ts";
import { RetentionJob } from "../../../src/registry/retention/job.ts";
import type { Answer, ApiClient } from "../client/api-client.ts";
import { DirectStore } from "../server/direct-store.ts";
import type { World } from "../world/world.ts";
import { OciClient } from "./oci-client.ts";

export const DAY_MS = 24 * 3_600_000;

/** A repo of its own, in a folder of its own. */
export interface RetainedRepo {
  readonly folder: string;
  /** The path of the repo. */
  readonly path: string;
  readonly uid: string;
}

export class Retention {
  readonly world: World;
  readonly api: ApiClient;
  readonly client: OciClient;
  readonly direct: DirectStore;
  readonly errors: unknown[] = [];

  private constructor(world: World, client: OciClient, direct: DirectStore) {
    this.world = world;
    this.api = world.operator();
    this.client = client;
    this.direct = direct;
  }

  static async open(world: World): Promise<Retention> {
    const pusher = await world.registry.holder("pusher", "registry.push");
    const token = await world.signer.token(pusher);
    const client = new OciClient(world.server.url, `Bearer ${token}`);
    return new Retention(world, client, await DirectStore.open(world.server));
  }

  async close(): Promise<void> {
    await this.direct.close();
  }

  job(): RetentionJob {
    const log = {
      info() {},
      error: ({ err }: { err: unknown }) => this.errors.push(err),
    } as unknown as Logger;
    return new RetentionJob({ ...this.direct.engine, log, attached: [] });
  }

  /** A pass of the job, so many days from now. */
  async pass(days = 0): Promise<void> {
    const job = this.job();
    await job.pass(Date.now() + days * DAY_MS);
    await job.stop();
    if (this.errors.length > 0) throw this.errors.splice(0)[0];
  }

  async repo(): Promise<RetainedRepo> {
    const name = this.world.name("folder");
    const folder = await this.world.group(this.world.registry.organization, name);
    const uid = (await this.api.repos.create(folder, { name: "app" })).uid;
    return { folder, uid, path: `acme/${name}/app` };
  }

  policy(parent: string, policy: object): Promise<Answer> {
    return this.api.retentionPolicies.create(parent, policy);
  }

  async tags({ uid }: RetainedRepo): Promise<string[]> {
    const all = { includeReferrers: true, includeDates: true, includeEpochs: true };
    const { tags } = await this.api.tags.list({ uidp: { childrenOf: uid }, pageSize: 200, ...all });
    return (tags ?? []).map(({ name }: Answer) => name).sort();
  }

  async tag({ uid }: RetainedRepo, name: string): Promise<Answer> {
    const { tags } = await this.api.tags.list({ uidp: { childrenOf: uid }, name });
    return this.api.tags.get(tags[0].uid);
  }

  async digests({ uid }: RetainedRepo): Promise<string[]> {
    const { images } = await this.api.images.listImages({ repoUid: uid, pageSize: 200 });
    return (images ?? []).map(({ digest }: Answer) => digest).sort();
  }

  async preview(uid: string, more: object = {}, api = this.api): Promise<Answer> {
    const entries: Answer[] = [];
    for (let pageToken = ""; ; ) {
      const request = { uid, pageSize: 7, pageToken, ...more };
      const page = await api.retentionPolicies.previewRetention(request);
      entries.push(...(page.entries ?? []));
      if (!page.nextPageToken) return { ...page, entries };
      pageToken = page.nextPageToken;
    }
  }
}
