import assert from "node:assert/strict";
import { after, before } from "node:test";
import { accountAssociationsV1 } from "@wharf/contract/v1";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { StandInClouds } from "./support/providers/clouds.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore } from "./support/world/world.ts";

const clouds = await StandInClouds.start();
after(() => clouds.stop());

const ROLE = "arn:aws:iam::123456789012:role/wharf";
const AMAZON = { account: "123456789012" };

onEachStore(
  "account associations of version 1",
  (world) => {
    let org: string;
    before(async () => {
      clouds.issuer = world.server.url;
      org = await world.organization();
    });
    const accounts = (api: ApiClient, method: string, request: Record<string, unknown>) =>
      api.call(accountAssociationsV1.GroupAccountAssociations, method, request);

    world.rule("v1 associations have the uid of their group, and are those of v2", async (api) => {
      const group = await world.group(org);
      const github = {
        appInstallations: {
          "9007199254740993": { installations: [{ installationId: "567", name: "acme" }] },
        },
      };
      const given = { group, name: "accounts", description: "where else", amazon: AMAZON, github };
      assert.deepEqual(await accounts(api, "Create", given), given);
      const { amazon, github: apps } = await api.accountAssociations.get(group);
      assert.deepEqual([amazon, apps], [AMAZON, github]);
      const twice = await rejected(accounts(api, "Create", given));
      assert.deepEqual([twice.code, twice.missing], [6, `AccountAssociation ${group}`]);

      const now = await accounts(api, "Update", { group, name: "fewer" });
      assert.deepEqual(now, { group, name: "fewer", description: "" });
      assert.deepEqual(await accounts(api, "List", { group }), { items: [now] });
      assert.deepEqual(await accounts(api, "List", { group, name: "fewer" }), { items: [now] });
      assert.deepEqual(await accounts(api, "List", { group, name: "other" }), { items: [] });
      assert.deepEqual(await accounts(api, "List", { group: "nonsense" }), { items: [] });
      for (let turn = 0; turn < 2; turn++) {
        assert.deepEqual(await accounts(api, "Delete", { group }), {});
      }
      assert.deepEqual(await accounts(api, "List", { group }), { items: [] });
      const events = await rawRows<{ type: string }>(
        world.server,
        `SELECT type FROM events WHERE subject = '${group}' AND type LIKE '%account%' ORDER BY id`,
      );
      assert.deepEqual(
        events.map(({ type }) => type),
        ["created", "updated", "deleted"].map((what) => `iam.account_associations.${what}.v1`),
      );
    });

    world.rule("services are bound to their service identities", async (api) => {
      const group = await world.group(org);
      const principal = async (name: string): Promise<string> => {
        const servicePrincipal = `SERVICE_PRINCIPAL_${name}`;
        return (await api.identities.create(group, { name: "service", servicePrincipal })).uid;
      };
      const [cosigned, ingester] = [await principal("COSIGNED"), await principal("INGESTER")];
      const chainguard = { serviceBindings: { COSIGNED: cosigned } };
      const made = await accounts(api, "Create", { group, name: "x", chainguard });
      assert.deepEqual(made.chainguard, chainguard);
      const wrong = { serviceBindings: { COSIGNED: ingester } };
      const request = { group, name: "y", chainguard: wrong };
      const refusal = await rejected(accounts(api, "Update", request));
      assert.deepEqual(Object.keys(refusal.fields), ["chainguard.serviceBindings[COSIGNED]"]);
      assert.deepEqual(await accounts(api, "List", { group }), { items: [made] });
      const none = await accounts(api, "Update", { group, name: "y" });
      assert.equal("chainguard" in none, false);
    });

    world.rule("the check calls the provider", async (api) => {
      const group = await world.group(org);
      await accounts(api, "Create", { group, name: "x", amazon: AMAZON });
      clouds.asked.length = 0;
      const check = (accountType: string) => accounts(api, "Check", { group, accountType });
      const none = { ready: "NotReady", reason: "NOT_CONFIGURED" };
      assert.deepEqual(await check("GOOGLE"), {
        ...none,
        message: "the association names no Google project",
      });
      assert.deepEqual(await check("AZURE"), {
        ...none,
        message: "the association names no Azure tenant",
      });
      assert.deepEqual(clouds.asked, []);
      clouds.trusted.clear();
      const { ready, reason } = await check("AMAZON");
      assert.deepEqual([ready, reason], ["NotReady", "REFUSED"]);
      clouds.trusted.set(ROLE, `account-association:${group}`);
      assert.deepEqual(await check("AMAZON"), { ready: "Ready", reason: "", message: "" });
      assert.deepEqual(
        clouds.asked.map(({ cloud }) => cloud),
        ["aws", "aws"],
      );
    });

    world.rule("errors name the v1 fields, and nothing changes", async (api) => {
      const [group, none] = [await world.group(org), await world.group(org)];
      const made = await accounts(api, "Create", { group, name: "x" });
      const cases: [method: string, request: Record<string, unknown>, fields: string[]][] = [
        ["Create", { group: none, name: "No/Name" }, ["name"]],
        ["Create", { group: "nonsense", name: "x" }, ["group"]],
        ["Update", { group: "nonsense", name: "x" }, ["group"]],
        ["Update", { group }, ["name"]],
        ["Delete", { group: "nonsense" }, ["group"]],
        ["Check", { group }, ["accountType"]],
        ["Check", { group: "x", accountType: "AMAZON" }, ["group"]],
      ];
      const amazon = { account: "12" };
      cases.push(["Update", { group, name: "y", amazon }, ["amazon.account"]]);
      for (const [method, request, fields] of cases) {
        const refusal = await rejected(accounts(api, method, request));
        assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, fields], method);
      }
      for (const [method, request] of [
        ["Update", { group: none, name: "x" }],
        ["Check", { group: none, accountType: "AMAZON" }],
      ] as const) {
        const refusal = await rejected(accounts(api, method, request));
        assert.deepEqual([refusal.code, refusal.missing], [5, `AccountAssociation ${none}`]);
      }
      assert.deepEqual(await accounts(api, "List", { group }), { items: [made] });
      assert.deepEqual(await accounts(api, "List", { group: none }), { items: [] });
    });
  },
  { flags: clouds.flags },
);
