import assert from "node:assert/strict";
import { before, test } from "node:test";
import { BUILTIN_ROLES } from "@wharf/contract";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { uidsOf } from "./support/client/pagination.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const NOWHERE = "0".repeat(40);

onEachStore("filters of lists", (world) => {
  /** org ─ a ─ a1 ─ deep, a2; b. Another organization lies beside it. */
  const uid: Record<string, string> = {};
  const place = (name: string): string => uid[name] as string;
  before(async () => {
    uid.org = await world.organization();
    uid.beside = await world.organization();
    for (const [name, parent] of [
      ["a", "org"],
      ["b", "org"],
      ["a1", "a"],
      ["a2", "a"],
      ["deep", "a1"],
    ] as const) {
      uid[name] = await world.group(place(parent), name);
    }
  });

  const namesOf = async (api: ApiClient, request: object): Promise<string[]> => {
    const list = await api.groups.list(request);
    assert.equal(list.totalCount, String(list.groups.length), "the total fits the rows");
    const byUid = new Map(Object.entries(uid).map(([name, one]) => [one, name]));
    return uidsOf(list.groups)
      .map((one) => byUid.get(one) ?? one)
      .sort();
  };

  world.rule("descendants_of excludes the group itself", async (api) => {
    const below = (name: string) => namesOf(api, { uidp: { descendantsOf: place(name) } });
    assert.deepEqual(await below("org"), ["a", "a1", "a2", "b", "deep"]);
    assert.deepEqual(await below("a"), ["a1", "a2", "deep"]);
    assert.deepEqual(await below("deep"), []);
  });

  world.rule("children_of lists direct children only", async (api) => {
    assert.deepEqual(await namesOf(api, { uidp: { childrenOf: place("org") } }), ["a", "b"]);
    assert.deepEqual(await namesOf(api, { uidp: { childrenOf: place("a") } }), ["a1", "a2"]);
  });

  world.rule("ancestors_of excludes the group itself", async (api) => {
    const above = (name: string) => namesOf(api, { uidp: { ancestorsOf: place(name) } });
    assert.deepEqual(await above("deep"), ["a", "a1", "org"]);
    assert.deepEqual(await above("org"), []);
  });

  world.rule("in_root lists organizations only", async (api) => {
    const ids = [place("org"), place("a"), place("beside")];
    assert.deepEqual(await namesOf(api, { uidp: { inRoot: true, ids } }), ["beside", "org"]);
    const { groups } = await api.groups.list({ uidp: { inRoot: true }, pageSize: 200 });
    assert.ok(uidsOf(groups).includes(place("org")));
    assert.ok(uidsOf(groups).every((one) => one.length === 40));
  });

  world.rule("ids select rows exactly, each once; unknown ids are ignored", async (api) => {
    const ids = [place("deep"), place("b"), place("b"), NOWHERE];
    assert.deepEqual(await namesOf(api, { uidp: { ids } }), ["b", "deep"]);
    assert.deepEqual(await namesOf(api, { uidp: { ids: [NOWHERE] } }), []);
  });

  world.rule("filters combine with AND", async (api) => {
    const [org, a, deep] = [place("org"), place("a"), place("deep")];
    const cases: [object, string[]][] = [
      [{ childrenOf: a, descendantsOf: org }, ["a1", "a2"]],
      [{ childrenOf: org, descendantsOf: a }, []],
      [{ ancestorsOf: deep, descendantsOf: org }, ["a", "a1"]],
      [{ ancestorsOf: deep, childrenOf: org }, ["a"]],
      [{ ancestorsOf: deep, inRoot: true }, ["org"]],
      [{ ids: [org, a, deep], descendantsOf: a }, ["deep"]],
      [{ ids: [org, a, deep], childrenOf: org }, ["a"]],
      [{ ids: [org, a, deep], ancestorsOf: deep }, ["a", "org"]],
      [{ inRoot: true, childrenOf: org }, []],
      [{ inRoot: true, descendantsOf: org }, []],
    ];
    for (const [uidp, expected] of cases) {
      assert.deepEqual(await namesOf(api, { uidp }), expected, JSON.stringify(uidp));
    }
    assert.deepEqual(await namesOf(api, { uidp: { descendantsOf: org }, name: "a1" }), ["a1"]);
    assert.deepEqual(await namesOf(api, { uidp: { childrenOf: org }, name: "a1" }), []);
    assert.deepEqual(await namesOf(api, { uidp: { ids: [org, a] }, name: "a" }), ["a"]);
  });

  world.rule(
    "a prefix finds the names that begin with it, in every order and region",
    async (api) => {
      const [org, a] = [place("org"), place("a")];
      const cases: [object, string[]][] = [
        [{ uidp: { descendantsOf: org }, namePrefix: "a" }, ["a", "a1", "a2"]],
        [{ uidp: { descendantsOf: a }, namePrefix: "a" }, ["a1", "a2"]],
        [{ uidp: { childrenOf: org }, namePrefix: "a" }, ["a"]],
        [{ uidp: { ids: [org, a, place("a1")] }, namePrefix: "a" }, ["a", "a1"]],
        [{ uidp: { descendantsOf: org }, namePrefix: "a", name: "a2" }, ["a2"]],
        [{ uidp: { descendantsOf: org }, namePrefix: "b", name: "a2" }, []],
        [{ uidp: { descendantsOf: org }, namePrefix: "A" }, []],
        [{ uidp: { descendantsOf: org }, namePrefix: "%" }, []],
        [{ uidp: { descendantsOf: org }, namePrefix: "\u{10ffff}" }, []],
        [{ uidp: { descendantsOf: org }, namePrefix: "" }, ["a", "a1", "a2", "b", "deep"]],
      ];
      for (const [request, expected] of cases) {
        for (const orderBy of [
          "",
          "name",
          "name desc",
          "created_at desc",
          "uid desc",
          "name, uid",
        ]) {
          const about = JSON.stringify([request, orderBy]);
          assert.deepEqual(await namesOf(api, { ...request, orderBy }), expected, about);
        }
      }
      const page = { uidp: { descendantsOf: org }, namePrefix: "a", orderBy: "name", pageSize: 2 };
      const first = await api.groups.list(page);
      assert.deepEqual([first.totalCount, uidsOf(first.groups)], ["3", [a, place("a1")]]);
      const second = await api.groups.list({ ...page, pageToken: first.nextPageToken });
      assert.deepEqual(uidsOf(second.groups), [place("a2")]);
      assert.deepEqual(uidsOf((await api.groups.list({ ...page, skip: 2 })).groups), [place("a2")]);
    },
  );

  world.rule("an empty filter filters nothing", async (api) => {
    const { totalCount } = await api.groups.list();
    const empty = { descendantsOf: "", childrenOf: "", ancestorsOf: "", inRoot: false, ids: [] };
    assert.equal((await api.groups.list({ uidp: empty })).totalCount, totalCount);
    assert.equal((await api.groups.list({ uidp: {}, name: "" })).totalCount, totalCount);
  });

  world.rule("a filter by an unknown uid finds nothing", async (api) => {
    for (const uidp of [
      { descendantsOf: NOWHERE },
      { childrenOf: `${place("org")}/0123456789abcdef` },
      { ancestorsOf: NOWHERE },
    ]) {
      assert.deepEqual(await namesOf(api, { uidp }), []);
    }
  });

  world.rule("an invalid uid is rejected by field", async (api) => {
    for (const field of ["descendantsOf", "childrenOf", "ancestorsOf"]) {
      for (const value of ["x", `${place("org")}/`, place("org").toUpperCase(), "/"]) {
        const { code, fields } = await rejected(api.groups.list({ uidp: { [field]: value } }));
        assert.deepEqual([code, Object.keys(fields)], [3, [`uidp.${field}`]]);
      }
    }
    const { fields } = await rejected(api.groups.list({ uidp: { ids: [place("org"), "x"] } }));
    assert.deepEqual(Object.keys(fields), ["uidp.ids"]);
  });

  test("at most 1,000 ids are accepted", async () => {
    const api = world.operator("gRPC");
    const ids = Array.from({ length: 999 }, (_, at) => at.toString(16).padStart(40, "0"));
    const found = await api.groups.list({ uidp: { ids: [...ids, place("org")] } });
    assert.deepEqual(uidsOf(found.groups), [place("org")]);
    const over = { ids: [...ids, place("org"), place("a")] };
    assert.equal((await rejected(api.groups.list({ uidp: over }))).code, 3);
  });

  test("query parameters have either spelling, and lists repeat", async () => {
    const rest = new Http(world.server.url, world.operator().token);
    const uids = async (query: string) =>
      uidsOf((await rest.get(`/iam/v2beta1/groups?${query}`)).body.groups).sort();
    const [org, a, b] = [place("org"), place("a"), place("b")];
    const children = [a, b].sort();
    for (const query of [
      `uidp.children_of=${org}`,
      `uidp.childrenOf=${org}`,
      `uidp.children_of=${org}&uidp.descendantsOf=${org}`,
      `uidp.ids=${a}&uidp.ids=${encodeURIComponent(b)}`,
      `uidp.ids=${a}&uidp.ids=${b}&uidp.in_root=false`,
    ]) {
      assert.deepEqual(await uids(query), children, query);
    }
    assert.deepEqual(await uids(`uidp.ids=${a}&uidp.ids=${org}&uidp.inRoot=true`), [org]);
  });

  world.rule("every kind of resource takes the same filters", async (api) => {
    const { uid: identityUid } = await world.member();
    const claimMatch = { issuer: "https://issuer.example.com", subject: "s" };
    const org = await world.organization();
    const folder = await world.group(org);
    const made: Record<string, string[]> = { identities: [], roles: [], roleBindings: [] };
    for (const group of [org, folder]) {
      const identity = await api.identities.create(group, { name: "x", claimMatch });
      const role = await api.roles.create(group, { name: "x", capabilities: ["CAP_TAG_LIST"] });
      const binding = await api.roleBindings.create(group, { identityUid, roleUid: role.uid });
      made.identities?.push(identity.uid);
      made.roles?.push(role.uid);
      made.roleBindings?.push(binding.uid);
    }
    for (const key of ["identities", "roles", "roleBindings"] as const) {
      const [inOrg, inFolder] = made[key] as [string, string];
      const found = async (uidp: object) => {
        const list = await api[key].list({ uidp });
        assert.equal(list.totalCount, String(list[key].length));
        return uidsOf(list[key]);
      };
      assert.deepEqual(await found({ childrenOf: org }), [inOrg], key);
      assert.deepEqual(await found({ descendantsOf: org }), [inOrg, inFolder].sort(), key);
      assert.deepEqual(await found({ descendantsOf: folder }), [inFolder], key);
      assert.deepEqual(await found({ ids: [inFolder, NOWHERE] }), [inFolder], key);
      assert.deepEqual(await found({ ancestorsOf: folder }), [inOrg], key);
    }
  });

  world.rule("every authenticated caller can list built-in roles", async (api) => {
    const nobody = await world.member();
    const { roles, totalCount } = await api.as(nobody.token).roles.list({ pageSize: 200 });
    assert.deepEqual(uidsOf(roles), BUILTIN_ROLES.map((role) => role.uid as string).sort());
    assert.equal(totalCount, String(BUILTIN_ROLES.length));
  });

  world.rule("the built-in roles are found by their names, one each", async (api) => {
    for (const name of ["viewer", "owner", "editor"]) {
      const { roles, totalCount } = await api.roles.list({ name });
      assert.deepEqual(uidsOf(roles), [roleNamed(name)]);
      assert.equal(totalCount, "1");
    }
    const [viewer] = (await api.roles.list({ name: "viewer" })).roles;
    assert.equal(viewer.uid, "63921b2c44617e3f2603851537be0123af4a57d7");
    assert.equal(viewer.description, "Viewer Role (built-in)");
    const inRoot = await api.roles.list({ uidp: { inRoot: true }, pageSize: 200 });
    assert.equal(inRoot.totalCount, String(BUILTIN_ROLES.length));
  });
});
