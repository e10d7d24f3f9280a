import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { ApiClient } from "./support/client/api-client.ts";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { inParallel, listAll, uidsOf } from "./support/client/pagination.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const AMAZON = { account: "123456789012" };
const GOOGLE = { projectId: "acme-prod", projectNumber: "123456789" };
const AZURE = {
  tenantId: "72f988bf-86f1-41af-91ab-2d7cd011db47",
  clientIds: { syncer: "9ada6f8a-6d83-41bc-b169-a306c21527a5" },
};
const GITHUB = {
  appInstallations: { "1234": { installations: [{ installationId: "567", name: "acme" }] } },
};
const FULL = {
  name: "accounts",
  description: "where else",
  amazon: AMAZON,
  google: GOOGLE,
  azure: AZURE,
  github: GITHUB,
};
const PROVIDER = "ACCOUNT_PROVIDER_TYPE_AMAZON";
const LATER = "2001-01-01T00:00:00Z";

onEachStore("account associations", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });
  const newGroup = () => world.group(org);

  /** The stored association, as its own reader sees it. */
  const kept = (api: ApiClient, uid: string) => api.accountAssociations.get(uid);

  world.rule("an association has the uid of its group and all of its accounts", async (api) => {
    const group = await newGroup();
    const given = { ...FULL, uid: "f".repeat(40), createTime: LATER };
    const created = await api.accountAssociations.create(group, given);
    const { createTime } = created;
    const full = { ...FULL, uid: group, createTime, updateTime: createTime };
    assert.deepEqual(created, full);
    assert.notEqual(createTime, LATER);
    assert.deepEqual(await kept(api, group), full);
    const list = await api.accountAssociations.list({ uidp: { ids: [group] } });
    assert.deepEqual(list.accountAssociations, [full]);
    assert.equal(list.totalCount, "1");
    assert.deepEqual(await api.accountAssociations.create(org, { name: "x" }).then(uidOf), org);
    assert.deepEqual(await api.accountAssociations.delete(org), {});
  });

  world.rule("a group has one association", async (api) => {
    const group = await newGroup();
    const first = await api.accountAssociations.create(group, { name: "first" });
    const refusal = await rejected(api.accountAssociations.create(group, { name: "second" }));
    assert.deepEqual([refusal.code, refusal.missing], [6, `AccountAssociation ${group}`]);
    assert.deepEqual(await kept(api, group), first);
    const below = await world.group(group);
    assert.equal(uidOf(await api.accountAssociations.create(below, { name: "below" })), below);
  });

  world.rule("of concurrent creates, one succeeds", async (api) => {
    const group = await newGroup();
    const names = Array.from({ length: 20 }, (_, at) => `racer-${at}`);
    const codes = await inParallel(names, (name) =>
      api.accountAssociations.create(group, { name }).then(
        () => 0,
        (error: { code: number }) => error.code,
      ),
    );
    assert.deepEqual(codes.sort(), [0, ...Array(19).fill(6)]);
    const { totalCount } = await api.accountAssociations.list({ uidp: { childrenOf: group } });
    assert.equal(totalCount, "1");
  });

  world.rule("the group must exist", async (api) => {
    const missing = `${org}/0123456789abcdef`;
    const refusal = await rejected(api.accountAssociations.create(missing, { name: "x" }));
    assert.deepEqual([refusal.code, refusal.missing], [5, `Group ${missing}`]);
    const identity = await world.member();
    const elsewhere = await rejected(api.accountAssociations.create(identity.uid, { name: "x" }));
    assert.deepEqual([elsewhere.code, elsewhere.missing], [5, `Group ${identity.uid}`]);
    for (const { code, missing: what } of await allRejected([
      api.accountAssociations.get(missing),
      api.accountAssociations.update(missing, { name: "x" }),
      api.accountAssociations.checkAccountAssociation({ uid: missing, providerType: PROVIDER }),
    ])) {
      assert.deepEqual([code, what], [5, `AccountAssociation ${missing}`]);
    }
  });

  const REFUSED: readonly [fields: object, field: string][] = [
    [{ name: "" }, "name"],
    [{ name: "Capital" }, "name"],
    [{ description: "x".repeat(513) }, "description"],
    [{ amazon: {} }, "amazon.account"],
    [{ amazon: { account: "12345678901" } }, "amazon.account"],
    [{ amazon: { account: "1234567890123" } }, "amazon.account"],
    [{ amazon: { account: "12345678901x" } }, "amazon.account"],
    [{ google: { projectId: "acme-prod" } }, "google.projectNumber"],
    [{ google: { projectNumber: "1" } }, "google.projectId"],
    [{ google: { ...GOOGLE, projectId: "Acme" } }, "google.projectId"],
    [{ google: { ...GOOGLE, projectId: "a/b/c/d/e" } }, "google.projectId"],
    [{ google: { ...GOOGLE, projectNumber: "012" } }, "google.projectNumber"],
    [{ google: { ...GOOGLE, projectNumber: "1/../2" } }, "google.projectNumber"],
    [{ azure: { ...AZURE, tenantId: "" } }, "azure.tenantId"],
    [{ azure: { ...AZURE, tenantId: "common" } }, "azure.tenantId"],
    [{ azure: { ...AZURE, tenantId: "../evil.com" } }, "azure.tenantId"],
    [{ azure: { ...AZURE, tenantId: ".." } }, "azure.tenantId"],
    [{ azure: { tenantId: AZURE.tenantId } }, "azure.clientIds"],
    [{ azure: { ...AZURE, clientIds: { a: "" } } }, "azure.clientIds"],
    [{ azure: { ...AZURE, clientIds: { "": "a" } } }, "azure.clientIds"],
    [
      { azure: { ...AZURE, clientIds: Object.fromEntries(numbers(17).map((n) => [n, n])) } },
      "azure.clientIds",
    ],
    [installed("1", "0"), "github.appInstallations[1].installations[0].installationId"],
    [installed("1", "-5"), "github.appInstallations[1].installations[0].installationId"],
    [installed("0", "5"), "github.appInstallations"],
    [installed("-1", "5"), "github.appInstallations"],
    [installed("1", ...numbers(101)), "github.appInstallations[1].installations"],
    [{ chainguard: {} }, "chainguard.serviceBindings"],
  ];
  world.rule("invalid accounts are rejected by field, and nothing changes", async (api) => {
    const [empty, full] = [await newGroup(), await newGroup()];
    const before = await api.accountAssociations.create(full, { name: "kept" });
    for (const [fields, field] of REFUSED) {
      const about = JSON.stringify(fields).slice(0, 200);
      const created = await rejected(
        api.accountAssociations.create(empty, { name: "x", ...fields }),
      );
      assert.deepEqual([created.code, Object.keys(created.fields)], [3, [field]], about);
      const changed = await rejected(
        api.accountAssociations.update(full, { name: "x", ...fields }, ["*"]),
      );
      assert.deepEqual(Object.keys(changed.fields), [field], about);
    }
    assert.equal((await rejected(kept(api, empty))).code, 5);
    assert.deepEqual(await kept(api, full), before);
  });

  world.rule("tenant domains, domain-scoped projects and short names are accepted", async (api) => {
    for (const fields of [
      { azure: { ...AZURE, tenantId: "acme.onmicrosoft.com" } },
      { google: { ...GOOGLE, projectId: "example.com:acme-prod" } },
      { name: "a" },
    ]) {
      const created = await api.accountAssociations.create(await newGroup(), {
        name: "x",
        ...fields,
      });
      for (const [name, value] of Object.entries(fields)) assert.deepEqual(created[name], value);
    }
  });

  world.rule("an update changes the fields of its mask", async (api) => {
    const group = await newGroup();
    const { createTime } = await api.accountAssociations.create(group, FULL);
    const update = async (change: object, mask?: string[]) => {
      const answer = await api.accountAssociations.update(group, change, mask);
      assert.deepEqual(await kept(api, group), answer);
      const { updateTime, ...rest } = answer;
      assert.ok(updateTime >= createTime);
      return rest;
    };
    const base = { ...FULL, uid: group, createTime };
    const other = { account: "000000000000" };
    assert.deepEqual(await update({ amazon: other }), { ...base, amazon: other });
    assert.deepEqual(
      await update({ google: GOOGLE, name: "n" }, ["amazon"]),
      without(base, "amazon"),
    );
    assert.deepEqual(
      await update({ google: { projectNumber: "42" } }, ["google.project_number"]),
      without({ ...base, google: { ...GOOGLE, projectNumber: "42" } }, "amazon"),
    );
    assert.deepEqual(await update({ name: "all", github: GITHUB }, ["*"]), {
      uid: group,
      name: "all",
      description: "",
      github: GITHUB,
      createTime,
    });
    const bad = await rejected(api.accountAssociations.update(group, {}, ["amazon.region"]));
    assert.deepEqual(Object.keys(bad.fields), ["updateMask"]);
  });

  world.rule("deleting is idempotent", async (api) => {
    const group = await newGroup();
    await api.accountAssociations.create(group, { name: "x" });
    assert.deepEqual(await api.accountAssociations.delete(group), {});
    assert.equal((await rejected(kept(api, group))).code, 5);
    assert.deepEqual(await api.accountAssociations.delete(group), {});
    assert.equal((await rejected(api.accountAssociations.delete("nonsense"))).code, 3);
    assert.equal((await api.accountAssociations.create(group, { name: "again" })).uid, group);
  });

  world.rule("a group is not deleted while it has an association", async (api) => {
    const group = await newGroup();
    await api.accountAssociations.create(group, { name: "x" });
    const refusal = await rejected(api.groups.delete(group));
    assert.deepEqual([refusal.code, refusal.violations], [9, ["RESOURCE_NOT_EMPTY"]]);
    await api.accountAssociations.delete(group);
    assert.deepEqual(await api.groups.delete(group), {});
  });

  world.rule("lists follow the group tree, ordered by group by default", async (api) => {
    const top = await world.organization();
    const [a, b] = [await world.group(top), await world.group(top)];
    const [a1, a2] = [await world.group(a), await world.group(a)];
    for (const [group, name] of [
      [a2, "1"],
      [top, "3"],
      [b, "2"],
      [a, "3"],
    ] as const) {
      await api.accountAssociations.create(group, { name });
    }
    const found = async (request: object) => {
      const { items, totals } = await listAll(api.accountAssociations, "accountAssociations", {
        pageSize: 2,
        ...request,
      });
      assert.deepEqual(new Set(totals), new Set([String(items.length)]));
      return uidsOf(items);
    };
    const all = [top, a, a2, b].sort();
    assert.deepEqual(await found({ uidp: { descendantsOf: top } }), all);
    assert.deepEqual(await found({ uidp: { descendantsOf: a } }), [a, a2].sort());
    assert.deepEqual(await found({ uidp: { descendantsOf: a2 } }), [a2]);
    assert.deepEqual(await found({ uidp: { descendantsOf: a1 } }), []);
    assert.deepEqual(await found({ uidp: { childrenOf: a } }), [a]);
    assert.deepEqual(await found({ uidp: { childrenOf: a1 } }), []);
    assert.deepEqual(await found({ uidp: { ancestorsOf: a2 } }), [top, a]);
    assert.deepEqual(await found({ uidp: { inRoot: true } }), []);
    assert.deepEqual(await found({ uidp: { ids: [b, a1, a] } }), [a, b].sort());
    assert.deepEqual(await found({ uidp: { ids: [b, a], childrenOf: b } }), [b]);
    assert.deepEqual(await found({ name: "3", uidp: { descendantsOf: top } }), [top, a]);
    const of = { uidp: { descendantsOf: top } };
    for (const orderBy of ["group", "group asc", "uid"]) {
      assert.deepEqual(await found({ ...of, orderBy }), all);
    }
    assert.deepEqual(await found({ ...of, orderBy: "group desc" }), all.toReversed());
    assert.deepEqual(await found({ ...of, orderBy: "name" }), [a2, b, top, a]);
    assert.deepEqual(await found({ ...of, orderBy: "created_at" }), [a2, top, b, a]);
    await api.accountAssociations.update(b, { description: "touched" });
    assert.equal((await found({ ...of, orderBy: "updated_at desc" }))[0], b);
    const { skipped, accountAssociations } = await api.accountAssociations.list({ ...of, skip: 3 });
    assert.deepEqual([skipped, uidsOf(accountAssociations)], [3, all.slice(3)]);
    const { fields } = await rejected(api.accountAssociations.list({ orderBy: "amazon" }));
    assert.deepEqual(Object.keys(fields), ["orderBy"]);
    assert.equal((await rejected(api.groups.list({ orderBy: "group" }))).code, 3);
    await api.accountAssociations.delete(a);
    assert.deepEqual(await found({ uidp: { childrenOf: a } }), []);
    assert.deepEqual(await found(of), [top, a2, b].sort());
  });

  world.rule("access is checked at the group and its ancestors", async (api) => {
    const top = await world.organization();
    const [a, b] = [await world.group(top), await world.group(top)];
    for (const group of [top, a, b]) await api.accountAssociations.create(group, { name: "x" });
    const member = await world.member({ [a]: ["account_associations.list"] });
    const theirs = api.as(member.token).accountAssociations;
    const list = await theirs.list();
    assert.deepEqual([uidsOf(list.accountAssociations), list.totalCount], [[a], "1"]);
    for (const uidp of [{ descendantsOf: top }, { childrenOf: a }, { ids: [a, b, top] }]) {
      assert.equal((await theirs.list({ uidp })).totalCount, "1");
    }
    assert.equal((await theirs.list({ uidp: { childrenOf: top } })).totalCount, "0");
    assert.equal((await theirs.get(a)).uid, a);
    const needs = async (call: Promise<unknown>, capability: string, at: string) => {
      const { code, needs } = await rejected(call);
      assert.deepEqual([code, needs], [7, `account_associations.${capability} at ${at}`]);
    };
    const nowhere = `${top}/0123456789abcdef`;
    for (const place of [b, top, nowhere]) await needs(theirs.get(place), "list", place);
    await needs(theirs.create(a, { name: "x" }), "create", a);
    await needs(theirs.update(a, { name: "x" }), "update", a);
    await needs(theirs.delete(a), "delete", a);
    await needs(
      api
        .as(member.token)
        .accountAssociations.checkAccountAssociation({ uid: b, providerType: PROVIDER }),
      "list",
      b,
    );
    const owner = await world.member({ [a]: "owner" });
    const owned = api.as(owner.token).accountAssociations;
    assert.equal((await owned.update(a, { name: "mine" })).name, "mine");
    assert.deepEqual(await owned.delete(a), {});
    assert.equal((await owned.create(a, { name: "anew" })).uid, a);
    await needs(owned.delete(b), "delete", b);
    assert.equal((await rejected(api.as("").accountAssociations.get(a))).code, 16);
  });

  test("each change leaves an event with the group as subject", async () => {
    const api = world.operator().accountAssociations;
    const group = await newGroup();
    await api.create(group, { name: "first name", amazon: AMAZON });
    await api.update(group, { name: "second name" });
    await api.delete(group);
    await api.delete(group);
    const rows = await rawRows<Record<string, string>>(
      world.server,
      `SELECT type, subject, group_uid, body_type, body FROM events
       WHERE subject = '${group}' AND type LIKE 'iam.account%' ORDER BY id`,
    );
    assert.deepEqual(
      rows.map((row) => [row.type, row.group_uid, row.body_type, JSON.parse(row.body ?? "").name]),
      ["created", "updated", "deleted"].map((what, at) => [
        `iam.account_associations.${what}.v1`,
        group,
        `wharf.iam.v2beta1.${at < 2 ? "" : "Delete"}AccountAssociation${at < 2 ? "" : "Request"}`,
        ["first name", "second name", undefined][at],
      ]),
    );
  });

  test("64-bit integers are exact as JSON numbers, too", async () => {
    const group = await world.group(org);
    const largest = "9223372036854775807";
    const send = (method: string, installationId: string) =>
      fetch(`${world.server.url}/iam/v2beta1/accountAssociations/${group}`, {
        method,
        headers: {
          authorization: `Bearer ${world.operator().token}`,
          "content-type": "application/json",
        },
        body: JSON.stringify({ name: "github", ...installed("1", "") }).replace(
          '"installationId":""',
          `"installationId": ${installationId}`,
        ),
      });
    const answer = await send("POST", largest);
    assert.equal(answer.status, 200);
    const { github } = (await answer.json()) as { github: unknown };
    assert.deepEqual({ github }, installed("1", largest));
    for (const wrong of ["9223372036854775808", "9007199254740993.5"]) {
      assert.equal((await send("PATCH", wrong)).status, 400, wrong);
    }
    assert.deepEqual((await world.operator().accountAssociations.get(group)).github, github);
  });

  test("null in the body of a REST update removes an account", async () => {
    const group = await newGroup();
    const rest = new Http(world.server.url, world.operator().token);
    await rest.post(`/iam/v2beta1/accountAssociations/${group}`, FULL);
    const { body } = await rest.patch(`/iam/v2/accountAssociations/${group}`, { azure: null });
    assert.deepEqual(
      Object.keys(body).sort(),
      Object.keys(await kept(world.operator(), group)).sort(),
    );
    assert.equal(body.azure, undefined);
    assert.deepEqual(body.amazon, AMAZON);
  });
});

function uidOf({ uid }: { uid: string }): string {
  return uid;
}

function without<T extends object, K extends keyof T>(object: T, key: K): Omit<T, K> {
  const { [key]: _, ...rest } = object;
  return rest;
}

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, at) => String(at + 1));
}

function installed(app: string, ...ids: string[]): object {
  const installations = ids.map((installationId) => ({ installationId, name: "" }));
  return { github: { appInstallations: { [app]: { installations } } } };
}
