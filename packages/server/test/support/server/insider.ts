import { randomUUID } from "node:crypto";
import type { DescMethod } from "@bufbuild/protobuf";
import { TagsService } from "@wharf/contract";
import { RESOURCES } from "../../../src/app/resources.ts";
import { Access } from "../../../src/auth/access.ts";
import { OPERATOR } from "../../../src/auth/caller.ts";
import { readSettings } from "../../../src/config/settings.ts";
import { Engine } from "../../../src/engine/engine.ts";
import { Mutation } from "../../../src/engine/mutation.ts";
import { PageTokens } from "../../../src/engine/page-token.ts";
import type { Call } from "../../../src/rpc/call.ts";
import { scimStatus } from "../../../src/scim/status.ts";
import { registryHosts } from "../../../src/sts/audiences.ts";
import { IssuerPolicy } from "../../../src/sts/issuers/issuer-policy.ts";
import { Inside } from "./store-access.ts";
import type { TestServer } from "./test-server.ts";

/** An engine of the tests' own on the store of a running server, as another replica would have it. */
export class Insider {
  readonly inside: Inside;
  readonly engine: Engine;

  private constructor(inside: Inside, engine: Engine) {
    this.inside = inside;
    this.engine = engine;
  }

  /** @example const insider = await Insider.open(server); */
  static async open(server: TestServer): Promise<Insider> {
    const inside = await Inside.open(server);
    const { store, secrets } = inside;
    const installation = await inside.installation();
    const settings = await readSettings(server.storeFlags, {});
    const addresses = () => ({ baseUrl: server.url, authUrl: server.url });
    const { localAccounts, rootGroups } = settings;
    const engine = new Engine({
      store,
      catalog: RESOURCES,
      access: new Access({ store, resources: RESOURCES, localAccounts }),
      pageTokens: new PageTokens(() => installation.get("page-tokens")),
      hooks: {
        iam: {
          rootGroups,
          secrets,
          issuerPolicy: new IssuerPolicy({ ...settings, onLoopback: true }),
          scimStatus: (reader, provider, now) => scimStatus(reader, { addresses }, provider, now),
        },
        registry: { hosts: () => registryHosts(settings, server.url) },
      },
    });
    return new Insider(inside, engine);
  }

  /** Does something as the operator, in a transaction of its own, as if a method had been called. */
  change<T>(
    work: (change: Mutation) => Promise<T>,
    method: DescMethod = TagsService.method.createTag,
  ): Promise<T> {
    return this.engine.store.write((tx) => work(new Mutation(call(method), tx, this.engine)));
  }

  close(): Promise<void> {
    return this.inside.close();
  }
}

function call(method: DescMethod): Call {
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
