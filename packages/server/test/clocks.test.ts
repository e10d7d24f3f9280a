/** Tests clients of a server whose clock was wrong for a while. */
import assert from "node:assert/strict";
import { afterEach, before, mock, test } from "node:test";
import { databaseTime } from "../src/store/db/database-time.ts";
import { Http } from "./support/client/http.ts";
import { digest } from "./support/registry/oci-image.ts";
import { DirectStore } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const MINUTE = 60_000;

/** Sets the clock of this process, and so of the server, to a time beside the real one, where it stands still. */
function shiftClock(ms: number): void {
  mock.timers.reset();
  mock.timers.enable({ apis: ["Date"], now: Date.now() + ms });
}

onEachStore(
  "clocks",
  (world) => {
    let org: string;
    before(async () => {
      org = await world.organization();
    });
    afterEach(() => mock.timers.reset());

    world.rule("an update time never precedes earlier times of its resource", async (api) => {
      shiftClock(10 * MINUTE);
      const made = await api.groups.create(org, { name: world.name() });
      mock.timers.reset();
      const { uid } = made;
      const updated = await api.groups.update(uid, { description: "x" });
      assert.equal(updated.updateTime, made.createTime);
      shiftClock(11 * MINUTE);
      const later = await api.groups.update(uid, { description: "y" });
      assert.ok(later.updateTime > made.createTime);
    });

    world.rule("readers of tags miss nothing after the clock was set back", async (api) => {
      const repo = (await api.repos.create(org, { name: world.name() })).uid;
      const create = (name: string, n: number) =>
        api.tags.create(repo, { name, digest: digest(n) });
      let updatedSince = "1970-01-01T00:00:00Z";
      const poll = async () => {
        const request = { uidp: { childrenOf: repo }, updatedSince, orderBy: "updated_at" };
        const { tags } = await api.tags.list(request);
        updatedSince = tags.at(-1)?.updateTime ?? updatedSince;
        return tags.map(({ name }: { name: string }) => name);
      };
      shiftClock(10 * MINUTE);
      await create("ahead", 1);
      assert.deepEqual(await poll(), ["ahead"]);
      mock.timers.reset();
      await create("back", 1);
      assert.deepEqual(await poll(), ["back"]);
      await create("ahead", 2);
      assert.deepEqual(await poll(), ["ahead"]);
      assert.deepEqual(await poll(), []);
    });

    test("the clock of the database is known, if it has its own", async () => {
      const direct = await DirectStore.open(world.server);
      const time = await databaseTime(direct.store.reader).finally(() => direct.close());
      if (world.store === "sqlite") assert.equal(time, undefined);
      else assert.ok(Math.abs(Number(time) - Date.now()) < 10 * MINUTE, String(time));
    });

    test("a token issued in the future is rejected, also once it is cached", async () => {
      const status = async (token: string) =>
        (await new Http(world.server.url, token).get("/iam/v2beta1/groups")).status;
      const { uid } = await world.member();
      const tokenOf = (ahead: number) => world.signer.token(uid, { now: Date.now() + ahead });
      assert.equal(await status(await tokenOf(25_000)), 200, "clock skew");
      const token = await tokenOf(10 * MINUTE);
      assert.equal(await status(token), 401);
      shiftClock(10 * MINUTE);
      assert.equal(await status(token), 200);
      mock.timers.reset();
      assert.equal(await status(token), 401);
    });

    test("a refresh token issued in the future is rejected, and not used up", async () => {
      const refresh = async (token: string) => {
        const headers = { authorization: `Bearer ${token}` };
        const url = `${world.server.url}/sts/exchange_refresh_token`;
        return (await fetch(url, { method: "POST", headers })).status;
      };
      shiftClock(10 * MINUTE);
      const { refresh_token: token } = await world.login.logIn("ada");
      mock.timers.reset();
      assert.equal(await refresh(token), 401);
      shiftClock(10 * MINUTE);
      assert.equal(await refresh(token), 200);
    });
  },
  { login: true },
);
