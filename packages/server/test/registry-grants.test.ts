import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { literalIdentityUid } from "@wharf/contract";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { STORES } from "./support/server/test-server.ts";
import { World } from "./support/world/world.ts";

const ANYONE = literalIdentityUid("wharf", "anyone");

for (const store of STORES) {
  describe(`access granted by registry tokens, on ${store}`, () => {
    let world: World;
    const who = new Map<string, string | undefined>();
    before(async () => {
      world = await World.start({ store, registry: true });
      who.set("the operator", undefined);
      who.set("a puller", await world.registry.holder("puller", "registry.pull"));
      who.set("a pusher", await world.registry.holder("pusher", "registry.push"));
      who.set(
        "a team's pusher",
        await world.registry.holder("team", "registry.push", world.registry.team),
      );
      who.set("a viewer of the console", await world.registry.holder("looker", "console_viewer"));
      who.set("an editor", await world.registry.holder("editor", "editor"));
      who.set("nobody in particular", await world.registry.identity("nobody"));
    });
    after(() => world.stop());

    const TABLE: [who: string, asked: string, granted: string | undefined][] = [
      ["a puller", "repository:acme/app:pull", "repository:acme/app:pull"],
      ["a puller", "repository:acme/app:pull,push,delete", undefined],
      ["a puller", "repository:acme/app:*", "repository:acme/app:pull"],
      ["a puller", "repository:acme/app:push", undefined],
      ["a puller", "repository:acme/team/app:pull", "repository:acme/team/app:pull"],
      ["a puller", "repository:acme/none/app:pull", "repository:acme/none/app:pull"],
      ["a puller", "repository:other/app:pull", undefined],
      ["a puller", "registry:catalog:*", undefined],
      ["a pusher", "repository:acme/app:pull,push", "repository:acme/app:pull,push"],
      ["a pusher", "repository:acme/app:*", "repository:acme/app:pull,push,delete"],
      ["a pusher", "repository:acme/none/such/app:push", "repository:acme/none/such/app:push"],
      [
        "a team's pusher",
        "repository:acme/team/app:*",
        "repository:acme/team/app:pull,push,delete",
      ],
      ["a team's pusher", "repository:acme/app:*", undefined],
      ["a team's pusher", "repository:acme/other/app:push", undefined],
      ["a viewer of the console", "repository:acme/app:*", undefined],
      ["an editor", "repository:acme/app:*", "repository:acme/app:pull"],
      ["nobody in particular", "repository:acme/app:*", undefined],
      ["the operator", "repository:acme/app:*", "repository:acme/app:pull,push,delete"],
      ["the operator", "repository:other/app:*", undefined],
      ["the operator", "registry:catalog:*", "registry:catalog:*"],
    ];
    for (const [name, asked, granted] of TABLE) {
      test(`${name} requests ${asked}`, async () => {
        const got = await world.registry.grantedTo(who.get(name), asked);
        assert.deepEqual(got, granted === undefined ? [] : [granted]);
      });
    }

    test("groups are named by path or uid", async () => {
      const puller = who.get("a puller");
      const {
        registry: { organization, team },
      } = world;
      for (const path of [`${organization}/app`, `${team}/app`, `acme/${team.slice(41)}/app`]) {
        const asked = `repository:${path}:pull`;
        assert.deepEqual(await world.registry.grantedTo(puller, asked), [asked]);
      }
    });

    test("an unknown uid grants nothing, and cannot be created", async () => {
      for (const path of ["f".repeat(40), `acme/${"f".repeat(16)}`]) {
        assert.deepEqual(
          await world.registry.grantedTo(undefined, `repository:${path}/app:pull,push`),
          [],
        );
      }
    });

    test("the name of an organization is a path once it is verified", async () => {
      const { uid } = await world.post("groups", { name: "later" });
      assert.deepEqual(await world.registry.grantedTo(undefined, "repository:later/app:pull"), []);
      await world.http.patch(`/iam/v2beta1/groups/${uid}`, { verified: true });
      const granted = await world.registry.grantedTo(undefined, "repository:later/app:pull");
      assert.deepEqual(granted, ["repository:later/app:pull"]);
    });

    test("a folder does not shadow a repo whose name begins with the folder's", async () => {
      const {
        http: operator,
        server,
        registry: { organization },
      } = world;
      await operator.post(`/registry/v2beta1/repos/${organization}`, { name: "slashed/app" });
      const { uid } = await world.post(`groups/${organization}`, { name: "neighbour" });
      const neighbour = await world.registry.holder("neighbour", "owner", uid);
      const rest = new Http(server.url, await server.token(neighbour));
      const renamed = await rest.patch(`/iam/v2beta1/groups/${uid}`, { name: "slashed" });
      assert.equal(renamed.status, 200);
      assert.deepEqual(
        await world.registry.grantedTo(neighbour, "repository:acme/slashed/app:*"),
        [],
      );
      const pusher = await world.registry.grantedTo(
        who.get("a pusher"),
        "repository:acme/slashed/app:*",
      );
      assert.deepEqual(pusher, ["repository:acme/slashed/app:pull,push,delete"]);
      const own = await world.registry.grantedTo(neighbour, "repository:acme/slashed/other:pull");
      assert.deepEqual(own, ["repository:acme/slashed/other:pull"]);
    });

    test("pushing to a new repo requires repo.create, and new folders require groups.create", async () => {
      const role = async (...capabilities: string[]) => {
        const path = `roles/${world.registry.organization}`;
        return (await world.post(path, { name: "custom", capabilities })).uid as string;
      };
      const push = ["manifest.create", "manifest.update", "tag.create", "tag.update"];
      const uid = await world.registry.identity("builder");
      const give = async (...capabilities: string[]) => {
        const binding = { identityUid: uid, roleUid: await role(...capabilities) };
        await world.post(`roleBindings/${world.registry.organization}`, binding);
      };
      const asked = ["repository:acme/new:push", "repository:acme/deep/er/new:push"] as const;
      const granted = async () => [
        (await world.registry.grantedTo(uid, asked[0])).length,
        (await world.registry.grantedTo(uid, asked[1])).length,
      ];
      await give(...push);
      assert.deepEqual(await granted(), [0, 0]);
      await give("repo.create");
      assert.deepEqual(await granted(), [1, 0]);
      await give("groups.create");
      assert.deepEqual(await granted(), [1, 1]);
    });

    test("pushing to a new repo is subject to the quota, for every caller", async () => {
      const { uid } = await world.post(`groups/${world.registry.organization}`, {
        name: "full",
        resourceLimits: { repositories: 1 },
      });
      const granted = async (path: string) => {
        const asked = `repository:acme/full/${path}:pull,push`;
        const pusher = await world.registry.grantedTo(who.get("a pusher"), asked);
        return [pusher, await world.registry.grantedTo(undefined, asked)];
      };
      const one = ["repository:acme/full/one:pull,push"];
      assert.deepEqual(await granted("one"), [one, one]);
      await world.http.post(`/registry/v2beta1/repos/${uid}`, { name: "one" });
      assert.deepEqual(await granted("one"), [one, one], "it is there");
      for (const path of ["two", "deep/er/two"]) {
        assert.deepEqual(await granted(path), [[], []]);
        const pull = `repository:acme/full/${path}:pull`;
        const all = `repository:acme/full/${path}:*`;
        const [pulled] = await world.registry.grantedTo(who.get("a pusher"), pull);
        const [everything] = await world.registry.grantedTo(who.get("a pusher"), all);
        assert.deepEqual([pulled, everything], [pull, `${pull},delete`]);
      }
    });

    test("an action requires all of its capabilities", async () => {
      const actions = {
        pull: ["repo.list", "manifest.list", "repo.blobs.get"],
        delete: ["manifest.delete", "tag.delete"],
      };
      for (const [action, capabilities] of Object.entries(actions)) {
        const uid = await world.registry.identity(`only-${action}`);
        for (const capability of capabilities) {
          assert.deepEqual(
            await world.registry.grantedTo(uid, `repository:acme/app:${action}`),
            [],
          );
          const path = `roles/${world.registry.organization}`;
          const role = await world.post(path, { name: "one", capabilities: [capability] });
          const binding = { identityUid: uid, roleUid: role.uid };
          await world.post(`roleBindings/${world.registry.organization}`, binding);
        }
        const asked = `repository:acme/app:${action}`;
        assert.deepEqual(await world.registry.grantedTo(uid, "repository:acme/app:*"), [asked]);
      }
    });

    test("a down-scoped token grants no more than its boundary", async () => {
      const {
        server,
        registry: { host },
      } = world;
      const ask = async (identity: string | undefined, narrowed: Record<string, string>) => {
        const own = await server.token(identity);
        const { token } = await exchange(server.url, own, { aud: host, ...narrowed });
        const scope = ["repository:acme/app:*", "repository:acme/team/app:*", "registry:catalog:*"];
        return (await world.registry.ask({ user: "_token", password: token, scope })).granted;
      };
      assert.deepEqual(await ask(who.get("a pusher"), { cap: "repo.list" }), []);
      assert.deepEqual(await ask(who.get("a pusher"), { scopes: world.registry.team }), [
        "repository:acme/team/app:pull,push,delete",
      ]);
      assert.deepEqual(
        await ask(undefined, { scopes: world.registry.team, cap: "manifest.list" }),
        [],
      );
    });

    test("several scopes are granted separately", async () => {
      const scope = [
        "repository:acme/app:pull repository:other/app:pull",
        "repository:acme/team/b:*",
      ];
      const password = await world.registry.token(who.get("a team's pusher"));
      const { granted } = await world.registry.ask({ user: "_token", password, scope });
      assert.deepEqual(granted, ["repository:acme/team/b:pull,push,delete"]);
    });

    test("a group is public only if anonymous callers can pull, and only for pulls", async () => {
      const scope = [
        "repository:acme/team/app:*",
        "repository:acme/app:pull",
        "registry:catalog:*",
      ];
      assert.deepEqual((await world.registry.ask({ scope })).granted, []);
      const binding = await world.bind(world.registry.team, ANYONE, "registry.push");
      const { status, granted, claims } = await world.registry.ask({ scope });
      assert.deepEqual([status, granted], [200, ["repository:acme/team/app:pull"]]);
      assert.equal(claims.sub, ANYONE);
      const shown = (await world.http.get(`/iam/v2beta1/roleBindings/${binding}`)).body;
      assert.equal(shown.identity.name, "anyone");
      await world.http.delete(`/iam/v2beta1/roleBindings/${binding}`);
      assert.deepEqual((await world.registry.ask({ scope })).granted, []);
    });

    test("a public group is public for callers with credentials, whatever their tokens hold", async () => {
      const scope = ["repository:acme/team/app:*", "repository:acme/app:pull"];
      const nobody = who.get("nobody in particular");
      const callers = {
        "a token": { user: "_token", password: await world.registry.token(nobody) },
        "the token of a workload": {
          user: nobody as string,
          password: await world.registry.issuer.sign({ sub: "nobody" }),
        },
        "a down-scoped token": {
          user: "_token",
          password: (
            await exchange(world.server.url, await world.server.token(nobody), {
              aud: world.registry.host,
              cap: "tag.list",
            })
          ).token,
        },
      };
      const binding = await world.bind(world.registry.team, ANYONE, "registry.push");
      for (const [name, credentials] of Object.entries(callers)) {
        const { granted, claims } = await world.registry.ask({ ...credentials, scope });
        assert.deepEqual(granted, ["repository:acme/team/app:pull"], name);
        assert.equal(claims.sub, nobody);
      }
      const pusher = await world.registry.grantedTo(who.get("a team's pusher"), scope[0] as string);
      assert.deepEqual(pusher, ["repository:acme/team/app:pull,push,delete"]);
      await world.http.delete(`/iam/v2beta1/roleBindings/${binding}`);
      assert.deepEqual(await world.registry.grantedTo(nobody, scope[0] as string), []);
    });

    test("making a group public requires the capabilities to bind the role", async () => {
      const puller = world.server.token(who.get("a puller"));
      const role = (await world.http.get("/iam/v2beta1/roles?name=registry.pull")).body.roles[0];
      const response = await fetch(
        `${world.server.url}/iam/v2beta1/roleBindings/${world.registry.team}`,
        {
          method: "POST",
          headers: { authorization: `Bearer ${await puller}`, "content-type": "application/json" },
          body: JSON.stringify({ identityUid: ANYONE, roleUid: role.uid }),
        },
      );
      assert.equal(response.status, 403);
    });

    test("deleting a binding or an identity takes effect with the next token", async () => {
      const uid = await world.registry.identity("leaver");
      const binding = await world.bind(world.registry.organization, uid, "registry.pull");
      const password = await world.registry.token(uid);
      const ask = () =>
        world.registry.ask({ user: "_token", password, scope: "repository:acme/app:pull" });
      assert.equal((await ask()).granted.length, 1);
      await world.http.delete(`/iam/v2beta1/roleBindings/${binding}`);
      assert.deepEqual((await ask()).granted, []);
      await world.http.delete(`/iam/v2beta1/identities/${uid}`);
      assert.equal((await ask()).status, 401);
    });
  });
}
