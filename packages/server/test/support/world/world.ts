import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { builtinRole } from "@wharf/contract";
import { OPERATOR_UID } from "../../../src/auth/caller.ts";
import { ApiClient, type Protocol } from "../client/api-client.ts";
import { closeGrpc } from "../client/grpc.ts";
import { type Signer, signerOf } from "../server/signer.ts";
import { STORES, type StartOptions, type StoreKind, TestServer } from "../server/test-server.ts";

/** An identity with a token. */
export interface Member {
  readonly uid: string;
  readonly token: string;
}

/** One server of a suite, and the hands to work with it. */
export class TestWorld {
  readonly store: StoreKind;
  #server: TestServer | undefined;
  #signer: Signer | undefined;
  #token = "";
  #home = "";
  #names = 0;
  #rules = 0;

  constructor(store: StoreKind) {
    this.store = store;
  }

  get server(): TestServer {
    assert.ok(this.#server, "the server runs only within tests");
    return this.#server;
  }

  /** The keys of the server, as they were when it started. */
  get signer(): Signer {
    assert.ok(this.#signer, "the server runs only within tests");
    return this.#signer;
  }

  /** The service as the operator sees it. */
  operator(protocol: Protocol = "REST"): ApiClient {
    return new ApiClient({ protocol, url: this.server.url, token: this.#token });
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

  async start(options: StartOptions): Promise<void> {
    this.#server = await TestServer.start({ ...options, store: this.store });
    this.#signer = await signerOf(this.#server);
    this.#token = await this.#signer.token(OPERATOR_UID);
  }

  async stop(): Promise<void> {
    closeGrpc();

    assert.equal(await this.#server?.stop(), 0, "the server ends well");
  }
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
  suite: (world: TestWorld) => void,
  options: StartOptions = {},
): void {
  for (const store of STORES) {
    describe(`${title}, on ${store}`, () => {
      const world = new TestWorld(store);
      before(() => world.start(options));
      after(() => world.stop());
      suite(world);
    });
  }
}
