/** A server whose images come from another one, with a proxy between them that can fail. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { World, type WorldOptions } from "../world/world.ts";
import { basic, OciClient } from "./oci-client.ts";
import { type AskedRegistry, type InsteadAnswer, RegistryProxy } from "./proxy.ts";

/** The repository at the upstream that tests push to. */
export const REMOTE = "acme/app";

/** The repository here that is a mirror of it. */
export const NAME = "acme/hub/app";

/** @example const world = await UpstreamWorld.start({ store: "postgres" }); */
export class UpstreamWorld {
  readonly world: World;
  readonly upstream: World;
  proxy: RegistryProxy;
  /** Pushes to the upstream. */
  readonly pusher: OciClient;
  /** Pulls from the mirror. */
  readonly puller: OciClient;
  /** The group of the mirror. */
  readonly hub: string;
  /** The credentials that the mirror has at the upstream. */
  readonly credentials: { readonly username: string; readonly password: string };

  private constructor(
    parts: Omit<UpstreamWorld, "add" | "stop" | "expire" | "paths" | "fails" | "restartProxy">,
  ) {
    this.world = parts.world;
    this.upstream = parts.upstream;
    this.proxy = parts.proxy;
    this.pusher = parts.pusher;
    this.puller = parts.puller;
    this.hub = parts.hub;
    this.credentials = parts.credentials;
  }

  /** @param flagsFor The flags of the mirror, by the origins of the proxy and of the upstream's token endpoint. */
  static async start(
    options: WorldOptions = {},
    flagsFor: (origins: string) => string[] = () => [],
  ): Promise<UpstreamWorld> {
    const upstream = await World.start({ registry: true });
    const proxy = await RegistryProxy.start(new URL(upstream.server.url).host);
    const world = await World.start({
      registry: true,
      deliveryTimes: { idlePollMs: 30, timeoutMs: 5_000 },
      flags: flagsFor(`${proxy.url},${upstream.server.url}`),
      ...options,
    });
    const owner = await upstream.registry.holder("pusher", "registry.push");
    const reader = await upstream.registry.holder("mirror", "registry.pull");
    const puller = await world.registry.holder("puller", "registry.pull");
    const password = await upstream.registry.token(reader);
    return new UpstreamWorld({
      ...{ world, upstream, proxy },
      pusher: new OciClient(
        upstream.server.url,
        basic("_token", await upstream.registry.token(owner)),
      ),
      puller: new OciClient(world.server.url, `Bearer ${await world.server.token(puller)}`),
      hub: await world.group(world.registry.organization, "hub"),
      credentials: { username: "_token", password },
    });
  }

  /** Adds the upstream of the group `hub`, or of another parent. */
  add(upstream: object = {}, parent = this.hub) {
    return this.world.operator().upstreams.create(parent, {
      ...{ url: this.proxy.url, path: "acme", mode: "UPSTREAM_MODE_CACHE" },
      ...this.credentials,
      ...upstream,
    });
  }

  /** Makes stored tags as old as if they had been confirmed an hour ago. */
  async expire(): Promise<void> {
    const { store } = this.world.server;
    assert.ok(store);
    await store.write(async (tx) => {
      await tx.run("UPDATE tag_history SET time = time - 3600000, seen = seen - 3600000");
    });
  }

  /** The requests for contents that the upstream got since the last call. */
  paths(): string[] {
    const all = this.proxy.asked.map(({ method, url }) => `${method} ${url}`);
    this.proxy.asked.length = 0;
    return all.filter((one) => !one.endsWith("/v2/"));
  }

  /** Answers requests for which the test returns something; undefined ends that. */
  fails(instead?: (asked: AskedRegistry) => InsteadAnswer | undefined | "stall"): void {
    this.proxy.instead = async (asked) => {
      const answer = instead?.(asked);
      if (answer !== "stall") return answer;
      await sleep(60_000, undefined, { ref: false });
      return { status: 500 };
    };
  }

  /** Starts another proxy after the first was stopped. */
  async restartProxy(): Promise<RegistryProxy> {
    this.proxy = await RegistryProxy.start(new URL(this.upstream.server.url).host);
    return this.proxy;
  }

  async stop(): Promise<void> {
    await this.world.stop();
    this.proxy.stop();
    await this.upstream.stop();
  }
}
