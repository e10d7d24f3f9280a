/** A server with three organizations: the attackers', their victim's, and one of the operator's. */
import assert from "node:assert/strict";
import { notificationSecret } from "../../../src/app/admin.ts";
import { exchange } from "../client/tokens.ts";
import { StandInIssuer } from "../providers/issuer.ts";
import { TestRegistry } from "../registry/distribution.ts";
import { freePort } from "../server/free-port.ts";
import type { StoreKind } from "../server/test-server.ts";
import { testSettings } from "../server/test-settings.ts";
import { World } from "../world/world.ts";
import { CLIENT_SECRET, organization, type Things } from "./organization.ts";
import type { CallerName, Marks, Phase } from "./request.ts";

/** In every name and description of the victim's; no attacker may read it. */
export const CANARY = "canary-victim";

const HOST = "registry.test";

export class FuzzWorld {
  readonly world: World;
  readonly issuer: StandInIssuer;
  /** Ids of the victim's that no request ever names: they can come from the server alone. */
  readonly hidden: ReadonlySet<string>;
  readonly #registry: TestRegistry;
  readonly #registrySecret: string;
  readonly #victim: Things;
  readonly #third: Things;
  #own: Things = {};
  #spare: Things = {};
  #tokens = new Map<CallerName, string>();
  #marks = new Map<Phase, Marks>();
  #renewals = 0;

  private constructor(
    world: World,
    issuer: StandInIssuer,
    registry: TestRegistry,
    sides: { victim: Things; hidden: Things; third: Things; registrySecret: string },
  ) {
    this.world = world;
    this.issuer = issuer;
    this.#registry = registry;
    this.#registrySecret = sides.registrySecret;
    this.#victim = sides.victim;
    this.#third = sides.third;
    const named = new Set(Object.values(sides.victim));
    const known = ["issuer", "digest", "page", "provider"];
    const ids = Object.entries(sides.hidden).filter(
      ([kind, value]) => !known.includes(kind) && !named.has(value),
    );
    this.hidden = new Set(ids.map(([, value]) => value.split("/").at(-1) as string));
  }

  /** @example const world = await FuzzWorld.start("sqlite"); */
  static async start(store: StoreKind): Promise<FuzzWorld> {
    const issuer = await StandInIssuer.start();
    const address = `127.0.0.1:${await freePort()}`;
    const world = new World(store);
    const undo: (() => unknown)[] = [() => issuer.stop(), () => world.stop()];
    try {
      return await FuzzWorld.#settle(world, issuer, address, undo);
    } catch (error) {
      // A process or server left running would keep the process from ending.
      for (const stop of undo) await stop();
      throw error;
    }
  }

  static async #settle(
    world: World,
    issuer: StandInIssuer,
    address: string,
    undo: (() => unknown)[],
  ): Promise<FuzzWorld> {
    // Nothing listens at port 1: no cloud ever receives a request.
    const clouds = ["--aws-sts-endpoint", "--google-sts-endpoint", "--azure-login-endpoint"];
    await world.start({
      ownProcess: true,
      flags: [
        ...[
          "--log-level",
          "warn",
          "--reconcile-minutes",
          "0",
          "--scim-writes-per-minute",
          "9999999",
        ],
        // Limits are for one client: requests come from many.
        ...["--trusted-proxies", "127.0.0.1"],
        ...["--registry-host", HOST, "--registry-urls", `${HOST}=http://${address}`],
        ...clouds.flatMap((flag) => [flag, "http://127.0.0.1:1"]),
      ],
    });
    const settings = await testSettings(world.server.storeFlags);
    const registrySecret = await notificationSecret(settings, HOST);
    const registry = await TestRegistry.start(world.server.url, address);
    undo.push(() => registry.stop());
    const of = { name: "victim-org", label: CANARY, issuer: issuer.url };
    const victim = await organization(world, of);
    const hidden = await organization(world, {
      ...of,
      org: victim.org as string,
      label: `${CANARY}-2`,
    });
    const third = await organization(world, {
      name: "third-org",
      label: "third",
      issuer: issuer.url,
    });
    const sides = { victim, hidden, third, registrySecret };
    const made = new FuzzWorld(world, issuer, registry, sides);
    await made.renew();
    return made;
  }

  /** The uid of the organization that nobody may change. */
  get victim(): string {
    return this.#victim.org as string;
  }

  /** Texts that no answer may hold, for any caller. */
  get secrets(): readonly string[] {
    const tokens = [...this.#tokens.values()];
    const provisioning = [this.#own, this.#victim, this.#third].map(
      ({ scimToken = "" }) => scimToken,
    );
    return [CLIENT_SECRET, this.#registrySecret, ...provisioning, ...tokens].filter(Boolean);
  }

  /** Makes the attackers' organization again: what was there may have been deleted by them. */
  async renew(): Promise<void> {
    const { world, issuer } = this;
    const name = this.#renewals++ === 0 ? "own-org" : `own-org-${this.#renewals}`;
    const own = await organization(world, { name, label: "own", issuer: issuer.url });
    const [org, group] = [own.org as string, own.group as string];
    const owner = await world.member({ [org]: "owner" });
    const viewer = await world.member({ [org]: "viewer" });
    const { url } = world.server;
    const narrowed = await exchange(url, owner.token, { aud: url, scopes: group });
    assert.notEqual(narrowed.token, "", narrowed.message);
    const forRegistry = await exchange(url, owner.token, { aud: HOST });
    const expired = await world.signer.token(owner.uid, { now: Date.now() - 7_200_000 });
    const foreign = await world.signer.token(owner.uid, { baseUrl: "https://elsewhere.invalid" });
    const subject = (await world.operator().identities.get(own.identity as string)).claimMatch
      .subject;
    const upstream = await issuer.sign({
      sub: subject,
      aud: new URL(url).hostname,
      exp: inAnHour(),
    });
    this.#own = own;
    this.#spare = await organization(world, { name, label: "spare", issuer: issuer.url, org });
    this.#tokens = new Map<CallerName, string>([
      ["expired", expired],
      ["foreign", foreign],
      ["viewer", viewer.token],
      ["owner", owner.token],
      ["narrowed", narrowed.token],
      ["operator", world.operator().token],
      ["provisioner", own.scimToken as string],
      ["registry", this.#registrySecret],
    ]);
    const basic = btoa(`_token:${forRegistry.token}`);
    this.#marks = new Map<Phase, Marks>([
      ["authenticated", this.#named({ token: viewer.token, upstream, basic })],
      [
        "anonymous",
        this.#named({ token: expired, upstream: `${upstream}x`, basic: "eDp5", code: "x" }),
      ],
    ]);
  }

  #named(shown: Things): Marks {
    const marks = new Map<string, string>();
    const sides = {
      own: { ...this.#own, url: this.world.server.url, ...shown },
      spare: this.#spare,
      victim: this.#victim,
      third: this.#third,
    };
    for (const [side, things] of Object.entries(sides)) {
      for (const [kind, value] of Object.entries(things)) marks.set(`${side}.${kind}`, value);
    }
    return marks;
  }

  marks(phase: Phase): Marks {
    return this.#marks.get(phase) as Marks;
  }

  /** The bearer token of a caller; undefined for those that send none, or one of their own. */
  tokenOf(caller: CallerName): string | undefined {
    return this.#tokens.get(caller);
  }

  async stop(): Promise<void> {
    await this.issuer.stop();
    await this.#registry.stop();
    await this.world.stop();
  }
}

function inAnHour(): number {
  return Math.floor(Date.now() / 1000) + 3_600;
}
