import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { type Answer, Http } from "../support/client/http.ts";
import type { Kind } from "../support/oracle/access-model.ts";
import { FIXED } from "../support/oracle/random.ts";
import { pick } from "../support/oracle/random-plan.ts";
import { DirectStore } from "../support/server/direct-store.ts";
import { checkRows } from "../support/server/store-consistency.ts";
import { STORES, TestServer } from "../support/server/test-server.ts";

const ISSUER = "https://issuer.example.com";

const OPERATIONS = [
  "createGroup",
  "createGroupByName",
  "updateGroup",
  "deleteGroup",
  "createIdentity",
  "updateIdentity",
  "deleteIdentity",
  "createRole",
  "updateRole",
  "deleteRole",
  "createBinding",
  "createBindings",
  "updateBinding",
  "deleteBinding",
  "createAssociation",
  "updateAssociation",
  "deleteAssociation",
  "foundOrganization",
  "createRepo",
  "updateRepo",
  "deleteRepo",
  "createTag",
  "deleteTag",
] as const;

/** The action of a client, whose operands are numbers: indexes of the things that exist or existed then. */
const deeds = fc.noBias(
  fc.record({ operation: fc.constantFrom(...OPERATIONS), a: fc.nat(999), b: fc.nat(999) }),
);
type Deed = typeof deeds extends fc.Arbitrary<infer T> ? T : never;

/** The kinds of things that are created, and then changed by others. */
type Made = Kind | "repos" | "tags";

/** Things that everyone changes at once; only the latest stay, so that clients meet. */
class Crowd {
  readonly #inside: DirectStore;
  readonly #clients: readonly Http[];
  readonly #urls: readonly string[];
  readonly #uids: Record<Made, string[]>;

  constructor(
    direct: DirectStore,
    urls: readonly string[],
    token: string,
    root: string,
    role: string,
  ) {
    this.#inside = direct;
    this.#urls = urls;
    this.#clients = urls.map((url) => new Http(url, token));
    this.#uids = {
      groups: [root],
      identities: [],
      roles: [role],
      roleBindings: [],
      accountAssociations: [],
      repos: [],
      tags: [],
    };
  }

  async run(client: number, list: readonly Deed[]): Promise<void> {
    for (const [turn, deed] of list.entries()) {
      const { status, body } = await this.#do(pick(this.#clients, client + turn), deed);
      assert.ok(status < 500, `${deed.operation}: ${status} ${JSON.stringify(body)}`);
    }
  }

  async #do(rest: Http, { operation, a, b }: Deed): Promise<Answer> {
    const { groups, identities, roles, roleBindings, repos, tags } = this.#uids;
    const of = (uids: readonly string[], number: number) => pick(uids.slice(-8), number) ?? "";
    const group = of(groups, a);
    const name = `name ${a % 5}`;
    const claimMatch = { issuer: ISSUER, subject: `subject ${b}` };
    const binding = { identityUid: of(identities, b), roleUid: of(roles, a + b) };
    switch (operation) {
      case "createGroup":
        return this.#made("groups", rest.post(`/iam/v2beta1/groups/${group}`, { name }));
      case "createGroupByName":
        return this.#made("groups", rest.post(`/iam/v2beta1/groups/unique-${a % 9}`, { name }));
      case "updateGroup":
        return rest.patch(`/iam/v2beta1/groups/${group}`, { name: `unique-${b % 9}` });
      case "deleteGroup":
        return rest.delete(`/iam/v2beta1/groups/${group}`);
      case "createIdentity":
        return this.#made(
          "identities",
          rest.post(`/iam/v2beta1/identities/${group}`, { name, claimMatch }),
        );
      case "updateIdentity":
        return rest.patch(`/iam/v2beta1/identities/${of(identities, a)}`, {
          description: name,
          claimMatch,
        });
      case "deleteIdentity":
        return rest.delete(`/iam/v2beta1/identities/${of(identities, a)}`);
      case "createRole": {
        const capabilities = [b % 2 === 0 ? "groups.list" : "groups.create"];
        return this.#made(
          "roles",
          rest.post(`/iam/v2beta1/roles/${group}`, { name, capabilities }),
        );
      }
      case "updateRole":
        return rest.patch(`/iam/v2beta1/roles/${of(roles, a)}`, {
          capabilities: ["groups.update"],
        });
      case "deleteRole":
        return rest.delete(`/iam/v2beta1/roles/${of(roles, a)}`);
      case "createBinding":
        return this.#made("roleBindings", rest.post(`/iam/v2beta1/roleBindings/${group}`, binding));
      case "createBindings": {
        const requests = [binding, { ...binding, identityUid: of(identities, a) }];
        return rest.post("/iam/v2beta1/roleBindings:batchCreate", {
          parent: group,
          requests: requests.map((roleBinding) => ({ roleBinding })),
        });
      }
      case "updateBinding":
        return rest.patch(`/iam/v2beta1/roleBindings/${of(roleBindings, a)}`, binding);
      case "deleteBinding":
        return rest.delete(`/iam/v2beta1/roleBindings/${of(roleBindings, a)}`);
      case "createAssociation":
        return rest.post(`/iam/v2beta1/accountAssociations/${group}`, { name });
      case "updateAssociation":
        return rest.patch(`/iam/v2beta1/accountAssociations/${group}`, { name: `name ${b % 5}` });
      case "deleteAssociation":
        return rest.delete(`/iam/v2beta1/accountAssociations/${group}`);
      case "createRepo":
        return this.#made("repos", rest.post(`/registry/v2beta1/repos/${group}`, { name }));
      case "updateRepo":
        return rest.patch(`/registry/v2beta1/repos/${of(repos, a)}`, { name: `name ${b % 5}` });
      case "deleteRepo":
        return rest.delete(`/registry/v2beta1/repos/${of(repos, a)}`);
      case "createTag": {
        const tag = {
          name: pick(["1", "2", "1-r3", "sha256-0a"], b),
          digest: `sha256:${"0a".repeat(32)}`,
          deprecated: a % 2 === 0,
        };
        return this.#made("tags", rest.post(`/registry/v2beta1/tags/${of(repos, a)}`, tag));
      }
      case "deleteTag":
        return rest.delete(`/registry/v2beta1/tags/${of(tags, a)}`);
      case "foundOrganization": {
        const founder = of(identities, a);
        if (founder === "") return this.#do(rest, { operation: "createIdentity", a, b });
        const own = new Http(pick(this.#urls, b), await this.#inside.token(founder));
        return this.#made("groups", own.post("/iam/v2beta1/groups", { name }));
      }
    }
  }

  async #made(kind: Made, asked: Promise<Answer>): Promise<Answer> {
    const answer = await asked;
    if (answer.status === 200) this.#uids[kind].push(answer.body.uid);
    return answer;
  }
}

for (const store of STORES) {
  describe(`stored state on ${store}`, () => {
    let server: TestServer;
    let replica: TestServer | undefined;
    let direct: DirectStore;
    let operator: Http;
    let urls: string[];
    before(async () => {
      server = await TestServer.start({ store });
      // Replicas that share a store have one address towards their callers.
      const flags = ["--base-url", server.url];
      if (store === "postgres") replica = await TestServer.start({ sameStoreAs: server, flags });
      urls = [server.url, ...(replica ? [replica.url] : [])];
      direct = await DirectStore.open(server);
      operator = new Http(server.url, await direct.token());
    });
    after(async () => {
      await direct.close();
      assert.equal((await replica?.stop()) ?? 0, 0);
      assert.equal(await server.stop(), 0);
    });

    async function created(path: string, body: object): Promise<string> {
      const answer = await operator.post(`/iam/v2beta1/${path}`, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body.uid;
    }

    /** The same client on each of the replicas, or twice the same. */
    async function twice(token: string): Promise<[Http, Http]> {
      return [new Http(urls[0] as string, token), new Http(urls.at(-1) as string, token)];
    }

    test("is consistent after concurrent writes", async () => {
      const lists = fc.array(fc.array(deeds, { minLength: 40, maxLength: 40 }), {
        minLength: 8,
        maxLength: 8,
      });
      const property = fc.asyncProperty(lists, async (clients) => {
        const root = await created("groups", { name: "root" });
        const role = await created(`roles/${root}`, { name: "r", capabilities: ["groups.list"] });
        const crowd = new Crowd(direct, urls, await direct.token(), root, role);
        await Promise.all(clients.map((list, client) => crowd.run(client, list)));
        await checkRows(direct.store.reader);
      });
      await fc.assert(property, { ...FIXED, numRuns: 4 });
    });

    test("has no orphan of a concurrently deleted group", async () => {
      const root = await created("groups", { name: "root" });
      const [one, other] = await twice(await direct.token());
      for (let turn = 0; turn < 60; turn++) {
        const name = `${root.slice(0, 8)}-${turn}`;
        const group = await created(`groups/${root}`, { name });
        const place = turn % 2 === 0 ? name : group;
        await Promise.all([
          one.post(`/iam/v2beta1/groups/${place}`, { name: "child" }),
          other.delete(`/iam/v2beta1/groups/${group}`),
        ]);
      }
      await checkRows(direct.store.reader);
    });

    test("has no organization of a concurrently deleted creator", async () => {
      const root = await created("groups", { name: "root" });
      const operators = await twice(await direct.token());
      for (let turn = 0; turn < 40; turn++) {
        const claimMatch = { issuer: ISSUER, subject: `founder ${turn}` };
        const founder = await created(`identities/${root}`, { name: "founder", claimMatch });
        const [own] = await twice(await direct.token(founder));
        const [, other] = operators;
        await Promise.all([
          other.delete(`/iam/v2beta1/identities/${founder}`),
          own.post("/iam/v2beta1/groups", { name: "founded" }),
        ]);
      }
      await checkRows(direct.store.reader);
    });
  });
}
