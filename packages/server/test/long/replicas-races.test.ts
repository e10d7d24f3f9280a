import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ApiClient } from "../support/client/api-client.ts";
import { ApiError } from "../support/client/api-error.ts";
import { inParallel } from "../support/client/pagination.ts";
import { ScimClient } from "../support/providers/scim.ts";
import { DirectStore, type Signer, signerOf } from "../support/server/direct-store.ts";
import { checkRows } from "../support/server/store-consistency.ts";
import { TestServer } from "../support/server/test-server.ts";
import { roleNamed } from "../support/world/world.ts";

const FLAGS = ["--base-url", "http://wharf.test"];
const CLAIMS = { issuer: "https://issuer.example.com", subject: "s" };
const ROUNDS = Array.from({ length: 30 }, (_, at) => at);

describe("races between two replicas", () => {
  let [one, two]: TestServer[] = [];
  let a: ApiClient;
  let b: ApiClient;
  let org: string;
  let signer: Signer;
  before(async () => {
    one = await TestServer.start({ store: "postgres", flags: FLAGS, ownProcess: true });
    two = await TestServer.start({ sameStoreAs: one, flags: FLAGS, ownProcess: true });
    signer = await signerOf(one);
    a = new ApiClient({ url: one.url, token: await one.token() });
    b = new ApiClient({ url: two.url, token: a.token });
    org = (await a.groups.create("", { name: "org" })).uid;
  });
  after(async () => {
    assert.deepEqual([await one?.stop(), await two?.stop()], [0, 0]);
  });

  /** Both calls at once; the code that each ends with. */
  const race = (first: () => Promise<unknown>, second: () => Promise<unknown>) =>
    Promise.all([codeOf(first()), codeOf(second())]);

  const consistent = async () => {
    const direct = await DirectStore.open(one as TestServer);
    await checkRows(direct.store.reader).finally(() => direct.close());
  };

  /** Runs every round on alternating replicas, and tells how the rounds ended. */
  const outcomes = async (
    round: (here: ApiClient, there: ApiClient, at: number) => Promise<[number, number]>,
  ): Promise<Set<string>> => {
    const ended = await inParallel(
      ROUNDS,
      (at) => (at % 2 === 0 ? round(a, b, at) : round(b, a, at)),
      4,
    );
    return new Set(ended.map((codes) => codes.join()));
  };

  const newIdentity = async (at: string) =>
    (await a.identities.create(at, { name: "x", claimMatch: CLAIMS })).uid as string;
  const newRole = async (at: string) =>
    (await a.roles.create(at, { name: "x", capabilities: ["CAP_TAG_LIST"] })).uid as string;

  const provider = (defaultRole: string) => {
    const oidc = { issuer: CLAIMS.issuer, clientId: "c", pkceEnabled: true };
    return { name: "x", defaultRole, oidc };
  };
  const newProvider = async (at: string) =>
    (await a.identityProviders.create(at, provider(roleNamed("viewer")))).uid as string;
  const mapping = { externalGroupId: "g", roleUid: roleNamed("viewer") };

  test("the same mapping is not created twice", async () => {
    const ended = await outcomes(async (here, there) => {
      const uid = await newProvider(org);
      const codes = await race(
        () => here.externalGroupRoleMappings.create(uid, mapping),
        () => there.externalGroupRoleMappings.create(uid, mapping),
      );
      return codes.toSorted((x, y) => x - y) as [number, number];
    });
    assert.deepEqual([...ended], ["0,6"]);
    await consistent();
  });

  test("the same person is not provisioned twice", async () => {
    const provider = await newProvider(org);
    for (let owners = 0; owners < 2; owners++) {
      const identityUid = await newIdentity(org);
      await a.roleBindings.create(org, { identityUid, roleUid: roleNamed("owner") });
    }
    const { token, etag } = await a.identityProviders.generateScimToken({
      identityProviderUid: provider,
    });
    await b.identityProviders.setScimEnabled({
      identityProviderUid: provider,
      enabled: true,
      etag,
    });
    const clients = [one, two].map((server) => {
      return new ScimClient(`${server?.url}/scim/v2/${provider}`, token);
    });
    const ended = await inParallel(
      ROUNDS,
      async (at) => {
        const body = { userName: `person ${at}`, externalId: `ext ${at}` };
        const answers = clients.map((client) => client.post("/Users", body));
        return (await Promise.all(answers)).map(({ status }) => status).sort();
      },
      4,
    );
    for (const statuses of ended) assert.deepEqual(statuses, [201, 409]);
  });

  test("deleting an identity provider and creating a mapping never leaves an orphan", async () => {
    const ended = await outcomes(async (here, there) => {
      const uid = await newProvider(org);
      return race(
        () => here.identityProviders.delete(uid),
        () => there.externalGroupRoleMappings.create(uid, mapping),
      );
    });
    for (const codes of ended) assert.ok(["0,5", "0,0"].includes(codes), codes);
    await consistent();
  });

  test("deleting a role and inviting to it never leaves a dangling invite", async () => {
    const ended = await outcomes(async (here, there) => {
      const role = await newRole(org);
      return race(
        () => here.roles.delete(role),
        () => there.identityProviders.create(org, provider(role)),
      );
    });
    for (const codes of ended) assert.ok(["0,5", "9,0"].includes(codes), codes);
    await consistent();
  });

  test("deleting a group and creating in it never leaves an orphan", async () => {
    const identityUid = await newIdentity(org);
    const roleUid = roleNamed("viewer");
    const fillings: ((api: ApiClient, group: string) => Promise<unknown>)[] = [
      (api, group) => api.groups.create(group, { name: "child" }),
      (api, group) => api.identities.create(group, { name: "child", claimMatch: CLAIMS }),
      (api, group) => api.roles.create(group, { name: "x", capabilities: ["CAP_TAG_LIST"] }),
      (api, group) => api.roleBindings.create(group, { identityUid, roleUid }),
      (api, group) => api.accountAssociations.create(group, { name: "child" }),
    ];
    const ended = await outcomes(async (here, there, at) => {
      const { uid } = await here.groups.create(org, { name: "contested" });
      const fill = fillings[at % fillings.length] as (typeof fillings)[number];
      const codes = await race(
        () => here.groups.delete(uid),
        () => fill(there, uid),
      );
      const exists = (await codeOf(there.groups.get(uid))) === 0;
      assert.equal(exists, codes[1] === 0, "the group is there if, and only if, its child is");
      return codes;
    });
    for (const codes of ended) assert.ok(["0,5", "9,0"].includes(codes), codes);
    await consistent();
  });

  test("deleting a group and creating in it by path never leaves an orphan", async () => {
    const ended = await outcomes(async (here, there, at) => {
      const name = `contested by name ${at}`;
      const { uid } = await here.groups.create(org, { name });
      return race(
        () => here.groups.delete(uid),
        () => there.groups.create(name, { name: "child" }),
      );
    });
    for (const codes of ended) assert.ok(["0,5", "9,0"].includes(codes), codes);
    await consistent();
  });

  test("deleting an identity and binding it never leaves a dangling binding", async () => {
    const ended = await outcomes(async (here, there) => {
      const identityUid = await newIdentity(org);
      const codes = await race(
        () => here.identities.delete(identityUid),
        () => there.roleBindings.create(org, { identityUid, roleUid: roleNamed("viewer") }),
      );
      const { totalCount } = await here.roleBindings.list({ identity: identityUid });
      assert.equal(totalCount, "0");
      return codes;
    });
    for (const codes of ended) assert.ok(["0,5", "0,0"].includes(codes), codes);
    await consistent();
  });

  test("deleting a role and binding it never leaves a dangling binding", async () => {
    const identityUid = await newIdentity(org);
    const ended = await outcomes(async (here, there) => {
      const roleUid = await newRole(org);
      return race(
        () => here.roles.delete(roleUid),
        () => there.roleBindings.create(org, { identityUid, roleUid }),
      );
    });
    for (const codes of ended) assert.ok(["0,5", "9,0"].includes(codes), codes);
    await consistent();
  });

  test("an identity deleted while it creates an organization leaves none", async () => {
    const ended = await outcomes(async (here, there) => {
      const identityUid = await newIdentity(org);
      const theirs = there.as(await signer.token(identityUid));
      return race(
        () => here.identities.delete(identityUid),
        () => theirs.groups.create("", { name: "mine" }),
      );
    });
    for (const codes of ended) assert.ok(["0,16", "0,0"].includes(codes), codes);
    await consistent();
  });

  test("concurrent deletes succeed once", async () => {
    const ended = await outcomes(async (here, there) => {
      const { uid } = await here.groups.create(org, { name: "once" });
      const codes = await race(
        () => here.groups.delete(uid),
        () => there.groups.delete(uid),
      );
      return codes.toSorted((x, y) => x - y) as [number, number];
    });
    assert.deepEqual([...ended], ["0,5"]);
    await consistent();
  });

  test("concurrent creates make one association of a group", async () => {
    const ended = await outcomes(async (here, there) => {
      const { uid } = await here.groups.create(org, { name: "associated" });
      const codes = await race(
        () => here.accountAssociations.create(uid, { name: "here" }),
        () => there.accountAssociations.create(uid, { name: "there" }),
      );
      const { name } = await here.accountAssociations.get(uid);
      assert.equal(
        name,
        codes[0] === 0 ? "here" : "there",
        "what was acknowledged is what is kept",
      );
      return codes.toSorted((x, y) => x - y) as [number, number];
    });
    assert.deepEqual([...ended], ["0,6"]);
    await consistent();
  });

  test("concurrent delete and create leave at most one association", async () => {
    const ended = await outcomes(async (here, there) => {
      const { uid } = await here.groups.create(org, { name: "associated" });
      await there.accountAssociations.create(uid, { name: "first" });
      const codes = await race(
        () => here.accountAssociations.delete(uid),
        () => there.accountAssociations.create(uid, { name: "second" }),
      );
      const exists = (await codeOf(here.accountAssociations.get(uid))) === 0;
      assert.equal(exists, codes[1] === 0);
      return codes;
    });
    for (const codes of ended) assert.ok(["0,0", "0,6"].includes(codes), codes);
    await consistent();
  });

  test("two folders of a verified organization do not get the same name", async () => {
    const verified = (await a.groups.create("", { name: "folders.example" })).uid;
    await a.groups.update(verified, { verified: true });
    const folder = async (api: ApiClient, name: string) =>
      (await api.groups.create(verified, { name })).uid as string;
    const ended = await outcomes(async (here, there, at) => {
      const renamed = await folder(here, `other ${at}`);
      const codes = await race(
        () => folder(here, `both ${at}`),
        () =>
          at % 3 === 0
            ? folder(there, `both ${at}`)
            : there.groups.update(renamed, { name: `both ${at}` }),
      );
      const list = await here.groups.list({
        uidp: { childrenOf: verified },
        name: `both ${at}`,
      });
      assert.equal(list.totalCount, "1");
      return codes.toSorted((x, y) => x - y) as [number, number];
    });
    assert.deepEqual([...ended], ["0,6"]);
    await consistent();
  });

  test("two organizations of one name are not both verified", async () => {
    const ended = await outcomes(async (here, there, at) => {
      const name = `verified ${at}`;
      const [first, second] = await Promise.all(
        [here, there].map(async (api) => (await api.groups.create("", { name })).uid as string),
      );
      const codes = await race(
        () => here.groups.update(first as string, { verified: true }),
        () => there.groups.update(second as string, { verified: true }),
      );
      return codes.toSorted((x, y) => x - y) as [number, number];
    });
    assert.deepEqual([...ended], ["0,9"]);
  });
});

async function codeOf(call: Promise<unknown>): Promise<number> {
  try {
    await call;
    return 0;
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}
