import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { literalIdentityUid } from "@wharf/contract";
import { STORES } from "./support/server/test-server.ts";
import { World } from "./support/world/world.ts";

const ANYONE = literalIdentityUid("wharf", "anyone");
const DIGESTS = ["1", "2", "3"].map((digit) => `sha256:${digit.repeat(64)}`);
const PATH = "/v2/acme/app/_chainguard/history/latest";

for (const store of STORES) {
  describe(`the tag history for registry clients on ${store}`, () => {
    let world: World;
    let puller: string;
    before(async () => {
      world = await World.start({ store, registry: true });
      puller = await world.registry.holder("puller", "registry.pull");
      const { organization } = world.registry;
      for (const name of ["app", "other"]) {
        const { body } = await world.http.post(`/registry/v2beta1/repos/${organization}`, { name });
        for (const digest of DIGESTS) {
          const tag = { name: "latest", digest };
          const made = await world.http.post(`/registry/v2beta1/tags/${body.uid}`, tag);
          assert.equal(made.status, 200, JSON.stringify(made.body));
        }
      }
    });
    after(() => world.stop());

    const get = async (path: string, authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await fetch(`${world.server.url}${path}`, { headers });
      const body = JSON.parse(await response.text());
      return { status: response.status, headers: response.headers, body };
    };
    /** A registry token, as the public guide gets it. */
    const bearer = async (identity: string, scope = "repository:acme/app:pull") => {
      const authorization = `Bearer ${await world.registry.token(identity)}`;
      return `Bearer ${(await world.registry.ask({ authorization, scope })).body.token}`;
    };

    test("lists digests oldest first, for a registry token that may pull", async () => {
      const { status, body } = await get(PATH, await bearer(puller));
      assert.equal(status, 200);
      assert.deepEqual(
        body.history.map((one: { digest: string }) => one.digest),
        DIGESTS,
      );
      const times = body.history.map((one: { updateTimestamp: string }) => one.updateTimestamp);
      assert.match(times[0], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(times, times.toSorted());
      assert.deepEqual(Object.keys(body.history[0]), ["updateTimestamp", "digest"]);
    });

    test("is restricted by start and end", async () => {
      const authorization = await bearer(puller);
      const { body } = await get(PATH, authorization);
      const second = body.history[1].updateTimestamp;
      const digests = async (query: string) =>
        (await get(`${PATH}?${query}`, authorization)).body.history.map(
          (one: { digest: string }) => one.digest,
        );
      assert.deepEqual(await digests(`start=${second}`), DIGESTS.slice(1));
      assert.deepEqual(await digests(`end=${second}`), DIGESTS.slice(0, 1));
      assert.deepEqual(await digests("end=2020-01-01"), []);
      assert.deepEqual(await digests("start=2020-01-01T00:00:00%2B02:00"), DIGESTS);
      for (const query of ["start=yesterday", "end=2026-13-01T00:00:00Z"]) {
        assert.equal((await get(`${PATH}?${query}`, authorization)).status, 400, query);
      }
    });

    test("takes a Wharf token for the registry, and credentials of a registry client", async () => {
      const token = await world.registry.token(puller);
      const basic = `Basic ${btoa(`_token:${token}`)}`;
      for (const authorization of [`Bearer ${token}`, basic]) {
        assert.equal((await get(PATH, authorization)).body.history.length, 3);
      }
      const elsewhere = await get(PATH, `Bearer ${await world.server.token(puller)}`);
      assert.deepEqual([elsewhere.status, elsewhere.body.errors[0].code], [403, "DENIED"]);
    });

    test("asks for a token that may pull", async () => {
      const none = await get(PATH);
      assert.deepEqual([none.status, none.body.errors[0].code], [401, "UNAUTHORIZED"]);
      assert.equal(
        none.headers.get("www-authenticate"),
        `Bearer realm="${world.server.url}/token",service="${world.registry.host}",scope="repository:acme/app:pull"`,
      );
      const stranger = await world.registry.identity("stranger");
      const other = await bearer(puller, "repository:acme/other:pull");
      for (const [what, authorization] of [
        ["a token for another repository", other],
        ["a token that grants nothing", await bearer(stranger, "")],
        ["someone who may not pull", `Bearer ${await world.registry.token(stranger)}`],
      ] as const) {
        const { status, body } = await get(PATH, authorization);
        assert.deepEqual([status, body.errors[0].code], [403, "DENIED"], what);
      }
      const [head, payload] = (await bearer(puller)).split(".");
      const forged = `${head}.${payload}.${"A".repeat(86)}`;
      for (const authorization of [forged, "Bearer nonsense", "Digest x"]) {
        assert.equal((await get(PATH, authorization)).status, 401, authorization.slice(0, 20));
      }
    });

    test("is public where images are", async () => {
      const scope = "repository:acme/app:pull";
      const anonymous = async () => `Bearer ${(await world.registry.ask({ scope })).body.token}`;
      assert.equal((await get(PATH, await anonymous())).status, 403);
      await world.bind(world.registry.organization, ANYONE, "registry.pull");
      assert.equal((await get(PATH, await anonymous())).body.history.length, 3);
    });

    test("knows what is missing", async () => {
      const authorization = await bearer(puller);
      const unknown = await get("/v2/acme/app/_chainguard/history/none", authorization);
      assert.equal(unknown.status, 404);
      const nowhere = await bearer(puller, "repository:acme/none:pull");
      assert.equal((await get(PATH.replace("app", "none"), nowhere)).status, 404);
      const invalid = await get("/v2/app/_chainguard/history/latest", authorization);
      assert.equal(invalid.status, 404);
    });
  });
}
