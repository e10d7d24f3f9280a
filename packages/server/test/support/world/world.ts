/** The builder of test environments: a server, its operator, and what else the options ask for. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { OPERATOR_UID } from "../../../src/auth/caller.ts";
import { ApiClient, type Protocol } from "../client/api-client.ts";
import { closeGrpc } from "../client/grpc.ts";
import { Http } from "../client/http.ts";
import { type Signer, signerOf } from "../server/direct-store.ts";
import { STORES, type StartOptions, type StoreKind, TestServer } from "../server/test-server.ts";
import { LocalAccounts } from "./local-accounts.ts";
import { Login } from "./login.ts";
import { RegistryAccess } from "./registry-access.ts";

/** An identity with a token. */
export interface Member {
  readonly uid: string;
  readonly token: string;
}

export interface WorldOptions extends StartOptions {
  /** Adds an organization whose users sign in at an OpenID provider: `world.login`. */
  readonly login?: boolean;
  /** Sets the installation up with a person `ada`, who owns the organization of this name. */
  readonly owner?: string | undefined;
  /** Adds an organization with workloads that use a registry, by its host: `world.registry`. */
  readonly registry?: true | string;
}

/** One server, and what tests do with it. */
export class World {
  readonly store: StoreKind;
  #server: TestServer | undefined;
  #signer: Signer | undefined;
  #login: Login | undefined;
  #registry: RegistryAccess | undefined;
  readonly #cleanups: (() => unknown)[] = [];
  #token = "";
  #home = "";
  #names = 0;
  #rules = 0;

  constructor(store: StoreKind) {
    this.store = store;
  }

  /** @example const world = await World.start({ store: "postgres", login: true }); */
  static async start(options: WorldOptions = {}): Promise<World> {
    const world = new World(options.store ?? "sqlite");
    await world.start(options);
    return world;
  }

  get server(): TestServer {
    return started(this.#server);
  }

  /** The keys of the server, as they were when it started. */
  get signer(): Signer {
    return started(this.#signer);
  }

  get login(): Login {
    assert.ok(this.#login, "start the world with `login`");
    return this.#login;
  }

  get registry(): RegistryAccess {
    assert.ok(this.#registry, "start the world with `registry`");
    return this.#registry;
  }

  /** Users who sign in here, by password or passkey. */
  get accounts(): LocalAccounts {
    return new LocalAccounts(this.server);
  }

  /** The service as the operator sees it. */
  operator(protocol: Protocol = "REST"): ApiClient {
    return new ApiClient({ protocol, url: this.server.url, token: this.#token });
  }

  /** Plain HTTP as the operator. */
  get http(): Http {
    return new Http(this.server.url, this.#token);
  }

  /** Posts a resource of IAM as the operator, and returns what was created. */
  // biome-ignore lint/suspicious/noExplicitAny: resources have every shape.
  async post(path: string, resource: object): Promise<any> {
    const { status, body } = await this.http.post(`/iam/v2beta1/${path}`, resource);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  /** A name that nothing else in this suite has. */
  name(prefix = "thing"): string {
    return `${prefix}-${this.#names++}`;
  }

  /**
   * A rule of the contract. The layers of protocol and store are independent, so each rule is tested
   * over one protocol on SQLite and over the other on PostgreSQL, in turn.
   */
  rule(title: string, check: (api: ApiClient) => Promise<void>): void {
    const isTurned = this.#rules++ % 2 === 1;
    const protocol = (this.store === "sqlite") === isTurned ? "gRPC" : "REST";
    test(`${title} (${protocol})`, () => check(this.operator(protocol)));
  }

  /** A new organization that only the operator is in. */
  async organization(name = this.name("org")): Promise<string> {
    return (await this.operator().groups.create("", { name })).uid;
  }

  async group(parent: string, name = this.name("group")): Promise<string> {
    return (await this.operator().groups.create(parent, { name })).uid;
  }

  /**
   * A new identity, bound to built-in roles by name, or to capabilities through a role of its own.
   *
   * @example const member = await world.member({ [group]: "viewer", [other]: ["groups.list"] });
   */
  async member(bound: Record<string, string | readonly string[]> = {}): Promise<Member> {
    this.#home ||= await this.organization("home of identities");
    const { uid } = await this.operator().identities.create(this.#home, {
      name: this.name("member"),
      claimMatch: { issuer: "https://issuer.example.com", subject: this.name("subject") },
    });
    for (const [group, role] of Object.entries(bound)) await this.bind(group, uid, role);
    return { uid, token: await this.signer.token(uid) };
  }

  /** Binds an identity to a built-in role, or to capabilities; the binding's uid. */
  async bind(
    group: string,
    identityUid: string,
    role: string | readonly string[],
  ): Promise<string> {
    const roleUid = typeof role === "string" ? roleNamed(role) : await this.role(group, role);
    return (await this.operator().roleBindings.create(group, { identityUid, roleUid })).uid;
  }

  /** A new role of a group with these capabilities. */
  async role(group: string, capabilities: readonly string[]): Promise<string> {
    const role = { name: this.name("role"), capabilities };
    return (await this.operator().roles.create(group, role)).uid;
  }

  async start(given: WorldOptions): Promise<void> {
    const { login = false, registry, owner, flags = [], ...options } = given;
    const host = registry === true ? "registry.test" : registry;
    const own = host === undefined ? flags : ["--registry-host", host, ...flags];
    this.#server = await TestServer.start({ ...options, flags: own, store: this.store });
    this.#signer = await signerOf(this.#server);
    this.#token = await this.#signer.token(OPERATOR_UID);
    if (owner !== undefined) await this.accounts.setUp({ organization: owner });
    if (login) this.#login = await Login.prepare(this);
    if (host !== undefined) this.#registry = await RegistryAccess.prepare(this, host);
  }

  /** Does something when the world stops, after what was added later. */
  onStop(cleanup: () => unknown): void {
    this.#cleanups.unshift(cleanup);
  }

  async stop(): Promise<void> {
    closeGrpc();
    for (const cleanup of this.#cleanups) await cleanup();
    assert.equal(await this.#server?.stop(), 0, "the server ends well");
  }
}

function started<T>(value: T | undefined): T {
  assert.ok(value, "the server runs only within tests");
  return value;
}

/**
 * The uid of a built-in role.
 *
 * @example roleNamed("viewer")
 */
export function roleNamed(name: string): string {
  const role = builtinRole(name);
  assert.ok(role, `there is no built-in role ${name}`);
  return role.uid;
}

/**
 * A suite that runs on a server of its own for each store.
 *
 * @example onEachStore("groups", (world) => world.rule("a group has a name", async (api) => …));
 */
export function onEachStore(
  title: string,
  suite: (world: World) => void,
  options: WorldOptions | ((store: StoreKind) => WorldOptions) = {},
): void {
  for (const store of STORES) {
    onStore(store, title, suite, typeof options === "function" ? options(store) : options);
  }
}

/**
 * A suite on a server of its own with one store: for layers that have no part in the store, and for rules whose effect on
 * each store other suites test.
 *
 * @example onStore("sqlite", "deprecation headers", (world) => …);
 */
export function onStore(
  store: StoreKind,
  title: string,
  suite: (world: World) => void,
  options: WorldOptions = {},
): void {
  describe(`${title}, on ${store}`, () => {
    const world = new World(store);
    before(() => world.start(options));
    after(() => world.stop());
    suite(world);
  });
}
