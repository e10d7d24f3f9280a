import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { decodeJwt } from "jose";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { exchange } from "./support/client/tokens.ts";
import { type Cloud, SECRETS, StandInClouds } from "./support/providers/clouds.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore, type World } from "./support/world/world.ts";

const clouds = await StandInClouds.start();
after(() => clouds.stop());

const TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const ACCOUNTS = {
  amazon: { account: "123456789012" },
  google: { projectId: "acme-prod", projectNumber: "42" },
  azure: { tenantId: TENANT, clientIds: { builder: "client-b", syncer: "client-a" } },
};
const ROLE = "arn:aws:iam::123456789012:role/wharf";
const POOL = "//iam.googleapis.com/projects/42/locations/global/workloadIdentityPools/wharf";
const GRANTS = [ROLE, `${POOL}/providers/wharf`, `${TENANT} client-a`, `${TENANT} client-b`];
const READY = { status: "CHECK_STATUS_READY", reason: "", message: "" };

const AWS = "ACCOUNT_PROVIDER_TYPE_AMAZON";
const GOOGLE = "ACCOUNT_PROVIDER_TYPE_GOOGLE";
const AZURE = "ACCOUNT_PROVIDER_TYPE_AZURE";
const PROVIDERS: readonly [cloud: Cloud, type: string, name: string][] = [
  ["aws", AWS, "AWS"],
  ["google", GOOGLE, "Google"],
  ["azure", AZURE, "Azure"],
];

onEachStore(
  "the check of an account association",
  (world) => {
    let group: string;
    before(async () => {
      clouds.issuer = world.server.url;
      group = await world.group(await world.organization());
      await world.operator().accountAssociations.create(group, { name: "x", ...ACCOUNTS });
    });
    beforeEach(() => {
      clouds.instead.clear();
      clouds.asked.length = 0;
      for (const what of GRANTS) clouds.trusted.set(what, `account-association:${group}`);
    });

    const check = (api: ApiClient, type: string) =>
      api.accountAssociations.checkAccountAssociation({ uid: group, providerType: type });
    const notReady = (reason: string, message: string) => {
      return { status: "CHECK_STATUS_NOT_READY", reason, message };
    };

    world.rule("is ready when the provider issues credentials", async (api) => {
      for (const [, type] of PROVIDERS) assert.deepEqual(await check(api, type), READY, type);
      assert.deepEqual(
        clouds.asked.map(({ cloud }) => cloud),
        ["aws", "google", "azure", "azure"],
      );
      for (const { token } of clouds.asked) {
        const { iss, sub, iat = 0, exp = 0, ...rest } = decodeJwt(token);
        assert.deepEqual([iss, sub], [world.server.url, `account-association:${group}`]);
        assert.equal(exp - iat, 300);
        assert.deepEqual(Object.keys(rest).sort(), ["aud", "jti"]);
      }
    });

    world.rule("is not ready when the provider does not trust the group", async (api) => {
      clouds.trusted.clear();
      const refusal = "Not authorized to perform sts:AssumeRoleWithWebIdentity";
      for (const [type, message] of [
        [AWS, `AWS: AccessDenied: ${refusal}: the subject is not trusted`],
        [GOOGLE, "Google: invalid_grant: the subject is not trusted"],
        [
          AZURE,
          "builder: Azure: invalid_client: AADSTS70021: the subject is not trusted Trace ID: 1 Code: 2",
        ],
      ] as const) {
        assert.deepEqual(await check(api, type), notReady("REFUSED", message));
      }
    });

    world.rule("is not ready when one of several applications is not ready", async (api) => {
      clouds.trusted.set(`${TENANT} client-a`, "someone else");
      const { reason, message } = await check(api, AZURE);
      assert.equal(reason, "REFUSED");
      assert.match(message, /^syncer: Azure: invalid_client/);
    });

    world.rule("reports a provider missing from the association", async (api) => {
      const bare = await world.group(group);
      await api.accountAssociations.create(bare, { name: "bare" });
      for (const [type, what] of [
        [AWS, "Amazon account"],
        [GOOGLE, "Google project"],
        [AZURE, "Azure tenant"],
      ] as const) {
        const answer = await api.accountAssociations.checkAccountAssociation({
          uid: bare,
          providerType: type,
        });
        const message = `the association names no ${what}`;
        assert.deepEqual(answer, notReady("NOT_CONFIGURED", message));
      }
      assert.deepEqual(clouds.asked, []);
    });

    world.rule("requires an association and a provider", async (api) => {
      const none = await world.group(group);
      const missing = await rejected(
        api.accountAssociations.checkAccountAssociation({ uid: none, providerType: AWS }),
      );
      assert.deepEqual([missing.code, missing.missing], [5, `AccountAssociation ${none}`]);
      const unset = await rejected(check(api, "ACCOUNT_PROVIDER_TYPE_UNSPECIFIED"));
      assert.deepEqual(Object.keys(unset.fields), ["providerType"]);
      assert.deepEqual(clouds.asked, []);
    });

    test("requires a known provider", async () => {
      const rest = new Http(world.server.url, world.operator().token);
      const path = `/iam/v2beta1/accountAssociations/${group}:checkAccountAssociation`;
      const { status, body } = await rest.post(path, { providerType: 9 });
      assert.equal(status, 400);
      assert.match(body.message, /providerType/);
      assert.equal((await rest.post(path, {})).status, 400);
      assert.deepEqual(clouds.asked, []);
    });

    world.rule("distinguishes unreachable providers from invalid responses", async (api) => {
      for (const [cloud, type, name] of PROVIDERS) {
        const prefix = cloud === "azure" ? "builder: " : "";
        const nonsense = `${prefix}the endpoint does not answer as ${name} does: status `;
        const long = { error: "e".repeat(1_000), Error: { Code: "e".repeat(1_000) } };
        for (const [status, headers, body, reason, message] of [
          [200, {}, "{}", "MISCONFIGURED", `${nonsense}200`],
          [200, {}, "<html>", "MISCONFIGURED", `${nonsense}200`],
          [200, {}, "null", "MISCONFIGURED", `${nonsense}200`],
          [404, {}, "not here", "MISCONFIGURED", `${nonsense}404`],
          [302, { location: `${clouds.url}/elsewhere` }, "", "MISCONFIGURED", `${nonsense}302`],
          [503, {}, "", "UNREACHABLE", `${prefix}${name} cannot answer now: status 503`],
          [429, {}, "", "UNREACHABLE", `${prefix}${name} cannot answer now: status 429`],
          [
            200,
            {},
            "x".repeat(300_000),
            "UNREACHABLE",
            `${prefix}${name}: the response is too large`,
          ],
          [400, {}, JSON.stringify(long), "REFUSED", undefined],
        ] as const) {
          clouds.instead.set(cloud, (response) => response.writeHead(status, headers).end(body));
          const answer = await check(api, type);
          assert.deepEqual([answer.status, answer.reason], ["CHECK_STATUS_NOT_READY", reason]);
          if (message !== undefined) assert.equal(answer.message, message);
          assert.ok(answer.message.length <= 400);
        }
        clouds.instead.set(cloud, (response) => response.socket?.destroy());
        const gone = notReady("UNREACHABLE", `${prefix}${name}: it cannot be reached`);
        assert.deepEqual(await check(api, type), gone);
      }
      assert.ok(
        clouds.asked.every(({ path }) => path !== "/elsewhere"),
        "redirects go nowhere",
      );
    });

    test("times out", async () => {
      clouds.instead.set("aws", () => {});
      const answer = await check(world.operator(), AWS);
      assert.deepEqual(answer, notReady("UNREACHABLE", "AWS: it did not respond in time"));
    });

    test("redacts tokens that the provider echoes", async () => {
      clouds.instead.set("google", (response, { token }) => {
        const body = { error: "invalid_grant", error_description: `bad token ${token}\0 sorry` };
        response.writeHead(400).end(JSON.stringify(body));
      });
      const answer = await check(world.operator(), GOOGLE);
      const message = "Google: invalid_grant: bad token [token] sorry";
      assert.deepEqual(answer, notReady("REFUSED", message));
    });

    test("writes an audit row without credentials or tokens", async () => {
      const member = await world.member({ [group]: ["account_associations.list"] });
      const api = world.operator().as(member.token);
      for (const [, type] of PROVIDERS) assert.deepEqual(await check(api, type), READY);
      clouds.trusted.clear();
      await check(api, AWS);
      const rows = await rawRows<{ actor: string; resource: string; detail: string }>(
        world.server,
        `SELECT * FROM audit WHERE method LIKE '%CheckAccountAssociation' AND actor = '${member.uid}' ORDER BY id`,
      );
      assert.ok(rows.every(({ resource }) => resource === group));
      const details = rows.map(({ detail }) => JSON.parse(detail));
      assert.deepEqual(
        details.map(({ provider, ready, reason }) => [provider, ready, reason]),
        [
          ["AMAZON", true, undefined],
          ["GOOGLE", true, undefined],
          ["AZURE", true, undefined],
          ["AMAZON", false, "REFUSED"],
        ],
      );
      const everything = await allText(world);
      for (const secret of [...SECRETS, ...clouds.asked.map(({ token }) => token)]) {
        assert.ok(secret.length > 5);
        assert.ok(!everything.includes(secret), `${secret.slice(0, 20)} was kept`);
      }
    });

    describe("signs tokens that this server does not accept", () => {
      let tokens: readonly string[];
      before(async () => {
        for (const [, type] of PROVIDERS) await check(world.operator(), type);
        tokens = clouds.asked.slice(-4).map(({ token }) => token);
        assert.equal(new Set(tokens).size, 4);
      });

      world.rule("they are rejected as bearer tokens", async (api) => {
        for (const token of tokens) {
          const { code, message } = await rejected(api.as(token).groups.list());
          assert.deepEqual([code, message], [16, 'Unauthenticated: invalid "sub"']);
        }
      });

      test("they are rejected even with the right audience", async () => {
        const token = await world.signer.token(`account-association:${group}`);
        const { code, message } = await rejected(world.operator().as(token).groups.list());
        assert.deepEqual([code, message], [16, 'Unauthenticated: invalid "sub"']);
      });

      test("they cannot be exchanged, not even for an identity with a match-all pattern", async () => {
        const { uid: identity } = await world.operator().identities.create(group, {
          name: "gullible",
          claimMatch: { issuerPattern: ".*", subjectPattern: ".*", audiencePattern: ".*" },
        });
        const aud = world.server.url;
        for (const token of tokens) {
          for (const parameters of [{ aud }, { aud, identity }]) {
            const { status, message } = await exchange(aud, token, parameters);
            assert.deepEqual([status, message], [401, 'Unauthenticated: invalid "sub"']);
          }
        }
      });
    });
  },
  { flags: clouds.flags },
);

onEachStore(
  "an installation with names of its own for what accounts keep for it",
  (world) => {
    world.rule("requests credentials with them", async (api) => {
      clouds.issuer = world.server.url;
      const group = await world.organization();
      await api.accountAssociations.create(group, { name: "x", ...ACCOUNTS });
      const sub = `account-association:${group}`;
      clouds.trusted.clear();
      clouds.trusted.set("arn:aws:iam::123456789012:role/trust/harbour", sub);
      clouds.trusted.set(`${POOL.replace("/wharf", "/quay")}/providers/pier`, sub);
      for (const type of [AWS, GOOGLE]) {
        assert.deepEqual(
          await api.accountAssociations.checkAccountAssociation({ uid: group, providerType: type }),
          READY,
        );
      }
    });
  },
  {
    flags: [
      ...clouds.flags,
      ...["--aws-role", "trust/harbour", "--google-pool", "quay", "--google-provider", "pier"],
    ],
  },
);

/** The server's stored rows and its log. */
async function allText({ server }: World): Promise<string> {
  const tables = ["audit", "events", "account_associations", "installation"];
  const rows = await Promise.all(tables.map((table) => rawRows(server, `SELECT * FROM ${table}`)));
  return server.log + JSON.stringify(rows);
}
