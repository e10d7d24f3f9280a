/** A real registry that the server keeps track of, and images to push to it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { notificationSecret } from "../../../src/app/admin.ts";
import { type Ran, skopeo, TestRegistry } from "../registry/distribution.ts";
import { writeImage } from "../registry/oci-image.ts";
import { RegistryProxy } from "../registry/proxy.ts";
import { rawRows } from "../server/direct-store.ts";
import { freePort } from "../server/free-port.ts";
import type { StoreKind } from "../server/test-server.ts";
import { testSettings } from "../server/test-settings.ts";
import { until } from "../until.ts";
import { World } from "./world.ts";

/** Number of log checks before a request asks whether a pass has ended. */
const QUIET_CHECKS = 40;

/** A tag as the service tells. */
export interface ShownTag {
  readonly uid: string;
  readonly name: string;
  readonly digest: string;
  readonly updateTime: string;
}

/** The differences from the usual registry. */
export interface TrackedOptions {
  readonly store?: StoreKind;
  /** The organization of the person who sets the installation up. */
  readonly owner?: string;
  readonly flags?: readonly string[];
  /** Whether the registry sends notifications. */
  readonly notifies?: boolean;
  /** The destination of its notifications, if not the server. */
  readonly notifyUrl?: string;
  /** Whether the server reads it through a proxy that tests control. */
  readonly proxied?: boolean;
  /** Additional settings of the registry's configuration. */
  readonly more?: object;
}

export class TrackedRegistry {
  readonly world: World;
  readonly registry: TestRegistry;
  readonly secret: string;
  readonly #proxy: RegistryProxy | undefined;
  readonly #folder = mkdtempSync(join(tmpdir(), "wharf-images-"));
  #images = 0;

  private constructor(
    world: World,
    registry: TestRegistry,
    secret: string,
    proxy: RegistryProxy | undefined,
  ) {
    this.#proxy = proxy;
    this.world = world;
    this.registry = registry;
    this.secret = secret;
  }

  /** @example const tracked = await TrackedRegistry.start({ flags: ["--reconcile-minutes", "0"] }); */
  static async start({
    store = "sqlite",
    owner,
    flags = [],
    notifies = true,
    notifyUrl,
    proxied = false,
    more = {},
  }: TrackedOptions = {}): Promise<TrackedRegistry> {
    const host = `127.0.0.1:${await freePort()}`;
    const proxy = proxied ? await RegistryProxy.start(host) : undefined;
    const own = ["--registry-urls", `${host}=${proxy?.url ?? `http://${host}`}`, ...flags];
    const world = await World.start({ store, owner, registry: host, flags: own });
    const settings = await testSettings(world.server.storeFlags);
    const secret = await notificationSecret(settings, host);
    const registry = await TestRegistry.start(world.server.url, host, {
      more,
      ...(notifies && { secret }),
      ...(notifyUrl !== undefined && { notifyUrl }),
    });
    const tracked = new TrackedRegistry(world, registry, secret, proxy);
    world.onStop(() => tracked.#stop());
    return tracked;
  }

  /** The proxy through which the server reads the registry, if requested. */
  get proxy(): RegistryProxy {
    assert.ok(this.#proxy, "start the registry with `proxied`");
    return this.#proxy;
  }

  /** Writes an image that is like no other; its digest, and where it is. */
  image(
    architectures: readonly string[] = ["amd64"],
    run?: (architecture: string) => object,
  ): { digest: string; source: string } {
    const folder = join(this.#folder, `image-${this.#images++}`);
    const digest = writeImage(folder, "1", folder, architectures, run);
    return { digest, source: `oci:${folder}:1` };
  }

  /** Pushes an image with a token of an identity. */
  async push(identity: string, source: string, path: string): Promise<Ran> {
    const creds = `_token:${await this.world.registry.token(identity)}`;
    const flags = ["--all", "--dest-tls-verify=false", "--dest-creds", creds];
    return skopeo("copy", ...flags, source, this.at(path));
  }

  async pull(identity: string, path: string): Promise<Ran> {
    const creds = `_token:${await this.world.registry.token(identity)}`;
    const into = mkdtempSync(join(this.#folder, "pulled-"));
    const flags = ["--all", "--src-tls-verify=false", "--src-creds", creds];
    return skopeo("copy", ...flags, this.at(path), `dir:${into}`);
  }

  /** Runs skopeo on something in the registry. */
  async skopeo(command: string, identity: string, path: string): Promise<Ran> {
    const creds = `_token:${await this.world.registry.token(identity)}`;
    return skopeo(command, "--tls-verify=false", "--creds", creds, this.at(path));
  }

  at(path: string): string {
    return `docker://${this.registry.host}/${path}`;
  }

  /** The uid of a repo by its name. */
  async repo(name: string): Promise<string | undefined> {
    const { body } = await this.world.http.get(`/registry/v2beta1/repos?name=${name}`);
    return body.repos?.[0]?.uid;
  }

  /** Every tag of a repo, of every kind, by name. */
  async tags(repo: string): Promise<ShownTag[]> {
    const all: ShownTag[] = [];
    const query = new URLSearchParams({
      "uidp.childrenOf": repo,
      orderBy: "name",
      pageSize: "200",
    });
    for (const kind of ["Referrers", "Dates", "Epochs"]) query.set(`include${kind}`, "true");
    for (let token: string | undefined = ""; token !== undefined; ) {
      query.set("pageToken", token);
      const { body } = await this.world.http.get(`/registry/v2beta1/tags?${query}`);
      all.push(...(body.tags ?? []));
      token = body.nextPageToken || undefined;
    }
    return all;
  }

  /** The names of the tags of a repo, by its name. */
  async tagNames(repo: string): Promise<string[]> {
    const uid = (await this.repo(repo)) as string;
    return (await this.tags(uid)).map((tag) => tag.name);
  }

  async tag(repo: string, name: string): Promise<ShownTag | undefined> {
    return (await this.tags(repo)).find((tag) => tag.name === name);
  }

  /** Waits until a tag of a repo stands for a digest. */
  async tagged(repo: string, name: string, digest: string): Promise<ShownTag> {
    return until(async () => {
      const uid = await this.repo(repo);
      const tag = uid === undefined ? undefined : await this.tag(uid, name);
      return tag?.digest === digest && tag;
    });
  }

  /** Requests a reconcile pass, and returns its result. */
  async reconcile(): Promise<Record<string, number>> {
    const { http, server } = this.world;
    const passes = () => server.log.split("reconcile pass ").length;
    let [known, quiet] = [passes(), 0];
    const { status, body } = await http.post("/registry/v2beta1/registries:reconcile", {});
    assert.equal(status, 200, JSON.stringify(body));
    return until(async () => {
      // Requests take more than the log, which names each pass that ends, if by this server.
      if (passes() === known && ++quiet % QUIET_CHECKS !== 0) return undefined;
      known = passes();
      const { registries } = (await http.get("/registry/v2beta1/registries")).body;
      const [{ pending, problem, findings }] = registries;
      assert.equal(problem, "");
      return !pending && findings;
    });
  }

  /** Sends an envelope of notifications, as the registry does. */
  notify(
    events: readonly object[],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return fetch(`${this.world.server.url}/registry/notifications`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${this.secret}`,
        "content-type": "application/vnd.docker.distribution.events.v1+json",
        ...headers,
      },
      body: JSON.stringify({ events }),
    });
  }

  rows<Row>(sql: string): Promise<Row[]> {
    return rawRows<Row>(this.world.server, sql);
  }

  /** The value of a counter of the server. */
  async metric(name: string, labels = ""): Promise<number> {
    const text = await (await fetch(`${this.world.server.url}/metrics`)).text();
    const line = text
      .split("\n")
      .find((one) => one.startsWith(`${name}${labels && "{"}`) && one.includes(labels));
    return Number(line?.slice(line.lastIndexOf(" ") + 1) ?? 0);
  }

  /** Stops the server, too. */
  stop(): Promise<void> {
    return this.world.stop();
  }

  async #stop(): Promise<void> {
    await this.registry.stop();
    this.#proxy?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
