/** Stores of every earlier version open, have what they had, and the schema of a new store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openSource, schemaFor } from "../src/app/backup/store-source.ts";
import { RESOURCES } from "../src/app/resources.ts";
import { Http } from "./support/client/http.ts";
import { comparableSchema } from "./support/server/comparable-schema.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { NewDatabase } from "./support/server/new-database.ts";
import { checkRows } from "./support/server/store-consistency.ts";
import {
  FIXTURE_URL,
  fixtureVersions,
  restoreFixture,
  type StoreFixture,
} from "./support/server/store-fixture.ts";
import { STORES, TestServer } from "./support/server/test-server.ts";
import { testSettings } from "./support/server/test-settings.ts";
import { LocalAccounts } from "./support/world/local-accounts.ts";

for (const store of STORES) {
  describe(`upgrades on ${store}`, () => {
    let created: NewDatabase;
    let expected: object;
    before(async () => {
      created = await NewDatabase.of(store);
      expected = await comparableSchema((await created.store()).reader);
    });
    after(() => created.close());

    for (const version of fixtureVersions()) {
      test(`a store of ${version} is upgraded`, async (t) => {
        const { fixture, storeFlags } = await restoreFixture(version, store);
        const step = await stepOf(storeFlags);
        const server = await TestServer.start({ sameStoreAs: { storeFlags } });
        t.after(() => server.stop());
        const direct = await DirectStore.open(server);
        t.after(() => direct.close());

        if (step < schemaFor(direct.store.reader.dialect).last)
          assert.match(server.log, /upgrade of the store: step \d+ of \d+ took \d+ ms/);
        assert.deepEqual(await comparableSchema(direct.store.reader), expected);
        await hasFilledColumns(direct);
        await checkRows(direct.store.reader);
        await hasResources(server, fixture);
        await signsIn(server, fixture);
        await writes(server, fixture);
        await server.terminate();
        await server.restart();
        assert.doesNotMatch(server.log, /upgrade of the store/, "nothing is left to upgrade");
      });
    }
  });
}

/** Every column that lists are filtered by has what the resource says. */
async function hasFilledColumns({ store }: DirectStore): Promise<void> {
  for (const { table } of Object.values(RESOURCES)) {
    const { name, filterColumns, filtersOf } = table.shape;
    const columns = filterColumns.map((column) => column.name);
    const rows = await store.reader.all<{ data: Uint8Array }>(`SELECT * FROM ${name}`);
    for (const row of rows) {
      const stored = columns.map((column) => [column, (row as Record<string, unknown>)[column]]);
      assert.deepEqual(Object.fromEntries(stored), { ...filtersOf?.(row.data) }, name);
    }
  }
}

/** The API answers as the version that wrote the store did; fields may have been added since. */
async function hasResources(
  server: TestServer,
  { resources, signingKeys, identity }: StoreFixture,
) {
  const operator = new Http(server.url, await server.token());
  for (const { path, body: before } of resources) {
    const { status, body: now } = await operator.get(path);
    assert.equal(status, 200, path);
    const expected = JSON.stringify(before).replaceAll(FIXTURE_URL, server.url);
    assert.partialDeepStrictEqual(now, JSON.parse(expected), path);
  }
  const { keys } = (await operator.get("/.well-known/jwks.json")).body;
  const kids = keys.map(({ kid }: { kid: string }) => kid);
  for (const kid of signingKeys) assert.ok(kids.includes(kid), kid);
  const workload = new Http(server.url, await server.token(identity));
  const { groups } = (await workload.get("/iam/v2beta1/groups")).body;
  assert.deepEqual(
    groups.map(({ name }: { name: string }) => name),
    ["folder"],
  );
}

/** The last step of a store that no server of this version has opened. */
async function stepOf(storeFlags: readonly string[]): Promise<number> {
  const { snapshot, step } = await openSource(await testSettings(storeFlags));
  await snapshot.close();
  return step;
}

/** Resources of the fixture are updated and deleted, and new ones are listed beside them. */
async function writes(server: TestServer, { resources }: StoreFixture): Promise<void> {
  const api = new Http(server.url, await server.token());
  const { body: root } = resources[0] as { body: { uid?: string } };
  const path = `/iam/v2beta1/groups/${root.uid}`;
  const { status, body } = await api.patch(path, { description: "changed" });
  assert.equal(status, 200);
  assert.equal(body.description, "changed");
  const list = async () =>
    (await api.get(`/iam/v2beta1/groups?uidp.childrenOf=${root.uid}`)).body.groups.map(
      ({ name }: { name: string }) => name,
    );
  const { uid } = (await api.post(path, { name: "new" })).body;
  assert.deepEqual((await list()).sort(), ["folder", "new"]);
  assert.equal((await api.delete(`/iam/v2beta1/groups/${uid}`)).status, 200);
  assert.deepEqual(await list(), ["folder"]);
}

async function signsIn(server: TestServer, { account }: StoreFixture): Promise<void> {
  const accounts = new LocalAccounts(server);
  const { tokens } = await accounts.tryPassword(account.username, account.password);
  const { capabilities } = await accounts.whoAmI(tokens);
  assert.equal(capabilities[0].group.name, "acme");
}
