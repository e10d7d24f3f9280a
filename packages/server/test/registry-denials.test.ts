import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { STORES } from "./support/server/test-server.ts";
import { until } from "./support/until.ts";
import { TrackedRegistry } from "./support/world/tracked-registry.ts";

for (const store of STORES) {
  describe(`denied pushes and pulls, on ${store}`, () => {
    let tracked: TrackedRegistry;
    let viewer: string;
    let teamPusher: string;
    let stranger: string;
    before(async () => {
      const flags = ["--reconcile-minutes", "0"];
      tracked = await TrackedRegistry.start({ store, flags });
      const { registry } = tracked.world;
      viewer = await registry.holder("viewer", "viewer");
      teamPusher = await registry.holder("team", "registry.push", registry.team);
      stranger = await registry.identity("stranger");
    });
    after(() => tracked.stop());

    const ask = async (identity: string, scope: string) => {
      const { registry } = tracked.world;
      const password = await registry.token(identity);
      const { status, body, granted } = await registry.ask({ user: "_token", password, scope });
      return { status, granted, error: body.errors?.[0] };
    };
    const reasons = () =>
      tracked.world.server.log
        .split("\n")
        .filter((line) => line.includes(`"method":"/token"`))
        .map((line) => JSON.parse(line))
        .filter(({ reason }) => reason !== undefined);

    test("name the capabilities, the group and who can help", async () => {
      const { status, error } = await ask(viewer, "repository:acme/team/app:pull,push");
      assert.deepEqual([status, error.code], [403, "DENIED"]);
      assert.equal(
        error.message,
        "push of acme/team/app is denied: needs manifest.create, manifest.update, tag.create, tag.update, repo.create at acme/team; an owner of acme/team can grant the role registry.push",
      );
      const folder = await ask(viewer, "repository:acme/new/deep/app:push");
      assert.match(folder.error.message, /groups\.create at acme \(to create new\/deep\)/);
      const { organization } = tracked.world.registry;
      const path = `/registry/v2beta1/repos/${organization}`;
      assert.equal((await tracked.world.http.post(path, { name: "exists" })).status, 200);
      const existing = await ask(viewer, "repository:acme/exists:delete");
      assert.match(existing.error.message, /needs manifest.delete, tag.delete at acme\/exists;/);
    });

    test("name a quota that is used up", async () => {
      const { world } = tracked;
      await world.post(`groups/${world.registry.team}`, {
        name: "full",
        resourceLimits: { repositories: 0 },
      });
      const { error } = await ask(teamPusher, "repository:acme/team/full/app:pull,push");
      assert.match(error.message, /quota of repositories at acme\/team\/full is used up/);
    });

    test("name the uid of an organization whose name is not verified, to its members", async () => {
      const { world } = tracked;
      const { uid } = await world.post("groups", { name: "unverified" });
      await world.bind(uid, viewer, "registry.push");
      const { error } = await ask(viewer, "repository:unverified/app:push");
      assert.match(error.message, new RegExp(`unverified is not verified; use its uid ${uid} `));
      const other = await ask(stranger, "repository:unverified/app:push");
      const nothing = await ask(stranger, "repository:not-there/app:push");
      assert.equal(
        other.error.message.replaceAll("unverified", "not-there"),
        nothing.error.message,
        "others do not learn that it exists",
      );
    });

    test("do not reveal what exists", async () => {
      const texts: string[] = [];
      for (const name of ["acme/exists", "acme/absent", "acme/team/app", "nobody/app"]) {
        for (const identity of [stranger, teamPusher]) {
          const { status, error } = await ask(identity, `repository:${name}:pull`);
          if (identity === teamPusher && name === "acme/team/app") assert.equal(status, 200);
          else
            texts.push(error.message.replace(name, "NAME").replace(/\w+ must be/, "ORG must be"));
        }
      }
      assert.equal(new Set(texts).size, 1, texts.join("\n"));
    });

    test("are no error where less is granted by the protocol", async () => {
      const all = await ask(viewer, "repository:acme/app:*");
      assert.deepEqual([all.status, all.granted], [200, ["repository:acme/app:pull"]]);
      const mount = await ask(
        teamPusher,
        "repository:acme/team/app:pull,push repository:acme/other:pull",
      );
      assert.deepEqual(mount.granted, ["repository:acme/team/app:pull,push"]);
      const { status, body } = await tracked.world.registry.ask({
        scope: "repository:acme/a:pull",
      });
      assert.deepEqual([status, body.scope], [200, ""], "the registry asks for credentials");
    });

    test("are explained in the log line of the request", async () => {
      const { world } = tracked;
      await ask(viewer, "repository:acme/logged:push");
      await world.registry.ask({ scope: "repository:acme/anonymous:pull" });
      await world.registry.ask({ user: "_token", password: "wrong" });
      const line = await until(async () =>
        reasons().find(({ reason }) => reason.includes("push of acme/logged is denied")),
      );
      assert.deepEqual([line.level, line.httpStatus, line.code], ["info", 403, 7]);
      assert.equal(line.caller, viewer);
      const anonymous = await until(async () =>
        reasons().find(({ reason }) => reason.includes("acme/anonymous")),
      );
      const rejected = await until(async () =>
        reasons().find(({ httpStatus }) => httpStatus === 401),
      );
      assert.deepEqual([anonymous.caller, rejected.caller], [undefined, undefined]);
    });

    test("end a push before it begins", async () => {
      const { source } = tracked.image();
      const { ok, output } = await tracked.push(viewer, source, "acme/team/app:1");
      assert.ok(!ok);
      // Docker and newer versions of this client show the message.
      assert.match(output, /Requesting bearer token: .*403|needs manifest\.create/);
    });

    test("polls of the keys are not in the log", async () => {
      const { server } = tracked.world;
      for (const path of ["/registry/certs.pem", "/registry/jwks.json", "/token"]) {
        await fetch(`${server.url}${path}`);
      }
      await until(async () => server.log.includes(`"method":"/token"`));
      assert.ok(!server.log.includes("certs.pem") && !server.log.includes("jwks.json"));
    });
  });
}
