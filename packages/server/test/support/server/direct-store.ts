/** The store of a running server, opened beside it as another replica would, or past all of our own code. */

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { DescMethod } from "@bufbuild/protobuf";
import { type Capability, CapabilitySet, capabilityFromName, TagsService } from "@wharf/contract";
import { RESOURCES } from "../../../src/app/resources.ts";
import { Access } from "../../../src/auth/access.ts";
import { OPERATOR, OPERATOR_UID } from "../../../src/auth/caller.ts";
import { Grants } from "../../../src/auth/grants.ts";
import { SigningKeys } from "../../../src/auth/keys.ts";
import { issueToken } from "../../../src/auth/token.ts";
import { createEngine, type Engine } from "../../../src/engine/engine.ts";
import { PageTokens } from "../../../src/engine/list/page-token.ts";
import { Mutation } from "../../../src/engine/write/mutation.ts";
import { SinkPolicy } from "../../../src/events/subscriptions/sink-policy.ts";
import { TokenSealer } from "../../../src/lib/crypto/token-sealer.ts";
import type { Call } from "../../../src/rpc/call.ts";
import { scimStatus } from "../../../src/scim/status.ts";
import { InstallationSecrets } from "../../../src/secrets/installation-secrets.ts";
import { Secrets } from "../../../src/secrets/secrets.ts";
import { openStore } from "../../../src/store/db/open.ts";
import type { Store } from "../../../src/store/db/store.ts";
import { registryHosts } from "../../../src/sts/audiences.ts";
import { IssuerPolicy } from "../../../src/sts/issuers/issuer-policy.ts";
import { rawQuery } from "./raw-queries.ts";
import type { TestServer } from "./test-server.ts";
import { testSettings } from "./test-settings.ts";

export class DirectStore {
  readonly store: Store;
  readonly secrets: Secrets;
  /** The installation's own secrets. */
  readonly installation: InstallationSecrets;
  readonly engine: Engine;
  readonly #signer: Signer;

  private constructor(
    opened: Pick<DirectStore, "store" | "secrets" | "installation">,
    engine: Engine,
    signer: Signer,
  ) {
    this.store = opened.store;
    this.secrets = opened.secrets;
    this.installation = opened.installation;
    this.engine = engine;
    this.#signer = signer;
  }

  /** @example const direct = await DirectStore.open(server); */
  static async open(server: TestServer): Promise<DirectStore> {
    const settings = await testSettings(server.storeFlags);
    const tables = Object.values(RESOURCES).map((resource) => resource.table);
    const store = await openStore(settings, tables, { committed() {} });
    const secrets = await Secrets.open(settings, store);
    const installation = await InstallationSecrets.open(store, secrets);
    const addresses = () => ({ baseUrl: server.url, authUrl: server.url });
    const { localAccounts, rootGroups } = settings;
    const engine = createEngine({
      store,
      catalog: RESOURCES,
      access: new Access({ store, resources: RESOURCES, localAccounts }),
      pageTokens: new PageTokens(() => installation.get("page-tokens")),
      responseSealer: new TokenSealer(() => installation.get("idempotency-keys"), "responses"),
      hooks: {
        iam: {
          rootGroups,
          secrets,
          issuerPolicy: new IssuerPolicy({ ...settings, onLoopback: true }),
          scimStatus: (reader, provider, now) => scimStatus(reader, { addresses }, provider, now),
        },
        events: {
          secrets,
          sinkPolicy: new SinkPolicy({ ...settings, onLoopback: true }),
          names: () => ({
            typePrefix: settings.eventTypePrefix,
            baseUrl: server.url,
            registryHost: "",
          }),
        },
        vulnerabilitySources: {
          secrets,
          policy: new SinkPolicy({ ...settings, onLoopback: true }),
        },
        upstreams: { secrets, policy: new SinkPolicy({ ...settings, onLoopback: true }) },
        registry: {
          hosts: () => registryHosts(settings, server.url),
          attached: [...settings.registryUrls.keys()],
        },
      },
    });
    const signer = new Signer(await SigningKeys.load(store, secrets), server.url);
    return new DirectStore({ store, secrets, installation }, engine, signer);
  }

  /** A token of an identity, or of the operator. */
  token(identity: string = OPERATOR_UID): Promise<string> {
    return this.#signer.token(identity);
  }

  /** Does something as the operator, in a transaction of its own, as if a method had been called. */
  change<T>(
    work: (change: Mutation) => Promise<T>,
    method: DescMethod = TagsService.method.createTag,
  ): Promise<T> {
    return this.store.write((tx) => work(new Mutation(callOf(method), tx, this.engine)));
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

/** A call of the operator, as handlers get it. */
export function callOf(method: DescMethod): Call {
  return {
    requestId: randomUUID(),
    authorization: undefined,
    format: "json",
    remoteAddress: "127.0.0.1",
    userAgent: "tests",
    signal: new AbortController().signal,
    method,
    caller: OPERATOR,
    time: Date.now(),
  };
}

/** The content of a token that differs from the usual. */
interface TokenContent {
  readonly now?: number;
  readonly baseUrl?: string;
  readonly authUrl?: string;
  /** The boundary of a down-scoped token: capabilities by group. */
  readonly boundary?: Readonly<Record<string, readonly string[]>>;
}

/** Signs what the service itself would not: tokens of another time, for another audience. */
export class Signer {
  readonly keys: SigningKeys;
  readonly #baseUrl: string;

  constructor(keys: SigningKeys, baseUrl: string) {
    this.keys = keys;
    this.#baseUrl = baseUrl;
  }

  async token(
    subject: string,
    { now = Date.now(), boundary: held, ...other }: TokenContent = {},
  ): Promise<string> {
    const addresses = { baseUrl: this.#baseUrl, authUrl: this.#baseUrl, ...other };
    const boundary = held && Grants.at(Object.entries(held).map(capabilitiesAt));
    const content = { subject, audiences: [addresses.baseUrl], boundary };
    return issueToken(this.keys, addresses, content, now).token;
  }
}

function capabilitiesAt([group, names]: readonly [string, readonly string[]]) {
  const capabilities = names.map((name) => capabilityFromName(name) as Capability);
  return [group, CapabilitySet.of(...capabilities)] as const;
}

/**
 * A signer with the server's own keys, read from its store.
 *
 * @example const old = await (await signerOf(server)).token(uid, { now: Date.now() - 7_200_000 });
 */
export async function signerOf(server: TestServer): Promise<Signer> {
  const settings = await testSettings(server.storeFlags);
  const store = server.store ?? (await openStore(settings, [], { committed() {} }));
  const keys = await SigningKeys.load(store, await Secrets.open(settings, store));
  if (store !== server.store) await store.close();
  return new Signer(keys, server.baseUrl);
}

/**
 * Reads a server's database past all of our own code, as an auditor would.
 *
 * @example const rows = await rawRows(server, "SELECT uid FROM groups");
 */
export async function rawRows<Row>(server: TestServer, sql: string): Promise<Row[]> {
  const [rows = []] = await rawResults<Row>(server, [sql]);
  return rows;
}

/** The rows of several statements, one after the other. */
export async function rawResults<Row>(
  server: TestServer,
  statements: readonly string[],
): Promise<Row[][]> {
  const [flag, where = ""] = server.storeFlags;
  if (flag === "--data") {
    const database = new DatabaseSync(join(where, "wharf.db"), { readOnly: true });
    try {
      return statements.map((sql) => database.prepare(sql).all() as Row[]);
    } finally {
      database.close();
    }
  }
  const results: Row[][] = [];
  for (const sql of statements) results.push(await rawQuery<Row>(where, sql));
  return results;
}
