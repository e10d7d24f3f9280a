import assert from "node:assert/strict";
import { before } from "node:test";
import { allRejected, rejected } from "./support/client/api-error.ts";
import { Http } from "./support/client/http.ts";
import { rawRows } from "./support/server/direct-store.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const OIDC = { issuer: "https://login.example.com", clientId: "wharf", pkceEnabled: true };

onEachStore(
  "identity providers",
  (world) => {
    let org: string;
    const viewer = roleNamed("viewer");
    const provider = (oidc: object = OIDC) => ({ name: "corp", defaultRole: viewer, oidc });
    before(async () => {
      org = await world.organization();
    });

    world.rule("one is created, shown, listed and found by name", async (api) => {
      const home = await world.organization();
      const scopes = ["offline_access", "groups", "a:b/c"];
      const created = await api.identityProviders.create(home, {
        ...provider({ ...OIDC, additionalScopes: scopes, groupsClaim: "groups" }),
        name: "corp login",
        description: "for all",
      });
      assert.match(created.uid, new RegExp(`^${home}/[0-9a-f]{16}$`));
      assert.deepEqual(created.oidc, {
        ...OIDC,
        clientSecret: "",
        additionalScopes: scopes,
        groupsClaim: "groups",
        correlationRule: "CORRELATION_RULE_SUB_EQUALS_EXTERNAL_ID",
      });
      assert.equal(created.createTime, created.updateTime);
      assert.deepEqual(created.scim, {
        enabled: false,
        endpointUrl: `${world.server.url}/scim/v2/${created.uid}`,
        credentialState: "CREDENTIAL_STATE_NOT_ISSUED",
        etag: "v0",
      });
      assert.deepEqual(await api.identityProviders.get(created.uid), created);
      const { scim, ...listed } = created;
      for (const request of [{ uidp: { childrenOf: home } }, { uidp: { descendantsOf: home } }]) {
        const page = await api.identityProviders.list({ ...request, name: "corp login" });
        assert.deepEqual(page.identityProviders, [listed], "a list says nothing of provisioning");
        assert.equal(page.totalCount, "1");
      }
      const folder = await world.group(home);
      const above = await api.identityProviders.list({ uidp: { ancestorsOf: folder } });
      assert.deepEqual(above.identityProviders, [listed]);
    });

    world.rule("invalid fields are each reported", async (api) => {
      const bad: [object, string][] = [
        [{ ...OIDC, issuer: "" }, "oidc.issuer"],
        [{ ...OIDC, clientId: "" }, "oidc.clientId"],
        [{ ...OIDC, issuer: "login.example.com" }, "oidc.issuer"],
        [{ ...OIDC, issuer: "https://login.example.com?x=1" }, "oidc.issuer"],
        [{ ...OIDC, issuer: "https://me@login.example.com" }, "oidc.issuer"],
        [{ ...OIDC, issuer: "http://login.example.com" }, "oidc.issuer"],
        [{ ...OIDC, issuer: "https://evil.example.com" }, "oidc.issuer"],
        [{ ...OIDC, pkceEnabled: false }, "oidc.clientSecret"],
        [{ ...OIDC, additionalScopes: ["two words"] }, "oidc.additionalScopes"],
        [{ ...OIDC, additionalScopes: [""] }, "oidc.additionalScopes"],
        [{ ...OIDC, correlationRule: 9 }, "oidc.correlationRule"],
      ];
      for (const [oidc, field] of bad) {
        const refusal = await rejected(api.identityProviders.create(org, provider(oidc)));
        assert.deepEqual([refusal.code, Object.keys(refusal.fields)], [3, [field]]);
      }
      const none = await rejected(
        api.identityProviders.create(org, { name: "x", defaultRole: viewer }),
      );
      assert.deepEqual(Object.keys(none.fields), ["oidc"]);
      const empty = await rejected(api.identityProviders.create(org, {}));
      assert.deepEqual(Object.keys(empty.fields), ["name", "defaultRole"]);
      assert.equal(
        (await api.identityProviders.list({ uidp: { childrenOf: org } })).totalCount,
        "0",
      );
    });

    world.rule("the default role must exist and be bindable there", async (api) => {
      const elsewhere = await world.role(await world.organization(), ["groups.list"]);
      for (const defaultRole of [elsewhere, "0".repeat(40)]) {
        const create = api.identityProviders.create(org, { ...provider(), defaultRole });
        const refusal = await rejected(create);
        assert.deepEqual([refusal.code, refusal.missing], [5, `Role ${defaultRole}`]);
      }
      const own = await world.role(org, ["groups.list"]);
      const folder = await world.group(org);
      const made = await api.identityProviders.create(folder, { ...provider(), defaultRole: own });
      const refusal = await rejected(api.roles.delete(own));
      assert.deepEqual([refusal.code, refusal.violations], [9, ["RESOURCE_IN_USE"]]);
      await api.identityProviders.update(made.uid, { defaultRole: viewer });
      assert.deepEqual(await api.roles.delete(own), {});
      await api.identityProviders.delete(made.uid);
    });

    world.rule("it is updated by mask; its correlation rule is immutable", async (api) => {
      const OID = "CORRELATION_RULE_OID_EQUALS_EXTERNAL_ID";
      const SUB = "CORRELATION_RULE_SUB_EQUALS_EXTERNAL_ID";
      const { uid } = await api.identityProviders.create(
        org,
        provider({ ...OIDC, correlationRule: OID, groupsClaim: "groups" }),
      );
      const change = (oidc: object, mask?: string[]) =>
        api.identityProviders.update(uid, { ...provider(oidc) }, mask);
      const renamed = await api.identityProviders.update(uid, { name: "new" });
      assert.deepEqual([renamed.name, renamed.oidc.groupsClaim], ["new", "groups"]);
      for (const [oidc, mask] of [
        [{ correlationRule: SUB }, ["oidc.correlation_rule"]],
        [{ ...OIDC, correlationRule: SUB }, ["*"]],
        [{ ...OIDC, correlationRule: SUB }, ["oidc"]],
      ] as [object, string[]][]) {
        const refusal = await rejected(change(oidc, mask));
        assert.deepEqual(Object.keys(refusal.fields), ["oidc.correlationRule"]);
      }
      assert.equal((await change({ correlationRule: OID })).oidc.correlationRule, OID);
      const whole = await change(OIDC, ["*"]);
      assert.deepEqual([whole.oidc.correlationRule, whole.oidc.groupsClaim], [OID, ""]);
      for (const mask of [["oidc"], ["*"]]) {
        const refusal = await rejected(
          api.identityProviders.update(uid, { name: "x", defaultRole: viewer }, mask),
        );
        assert.equal(refusal.code, 3);
      }
      const issuer = await rejected(change({ issuer: "nonsense" }, ["oidc.issuer"]));
      assert.deepEqual(Object.keys(issuer.fields), ["oidc.issuer"]);
      assert.equal((await api.identityProviders.get(uid)).oidc.issuer, OIDC.issuer);
    });

    world.rule(
      "a group with one cannot be deleted; deleting one deletes its children",
      async (api) => {
        const home = await world.organization();
        const { uid } = await api.identityProviders.create(
          home,
          provider({ ...OIDC, clientSecret: "s3cret-of-the-deleted" }),
        );
        const mapping = await api.externalGroupRoleMappings.create(uid, {
          externalGroupId: "g",
          roleUid: viewer,
        });
        await api.identityProviders.generateScimToken({ identityProviderUid: uid });
        const refusal = await rejected(api.groups.delete(home));
        assert.deepEqual([refusal.code, refusal.violations], [9, ["RESOURCE_NOT_EMPTY"]]);
        assert.deepEqual(await api.identityProviders.delete(uid), {});
        assert.equal((await rejected(api.identityProviders.get(uid))).code, 5);
        assert.equal((await rejected(api.externalGroupRoleMappings.get(mapping.uid))).code, 5);
        assert.equal((await rejected(api.identityProviders.delete(uid))).code, 5);
        for (const sql of [
          `SELECT 1 FROM secrets WHERE owner = '${uid}'`,
          `SELECT 1 FROM scim_credentials WHERE provider = '${uid}'`,
          `SELECT 1 FROM counts WHERE uid = '${uid}'`,
        ])
          assert.deepEqual(await rawRows(world.server, sql), []);
        const events = await rawRows<{ type: string }>(
          world.server,
          `SELECT type FROM events WHERE subject = '${uid}' OR subject = '${mapping.uid}' ORDER BY id`,
        );
        assert.deepEqual(
          events.map(({ type }) => type.replace(/^iam\./, "")),
          [
            "identity_providers.created.v1",
            "external_group_role_mappings.created.v1",
            "identity_providers.scim_token.generated.v1",
            "external_group_role_mappings.deleted.v1",
            "identity_providers.deleted.v1",
          ],
        );
        assert.deepEqual(await api.groups.delete(home), {});
      },
    );

    world.rule("output-only fields are ignored", async (api) => {
      const scim = { enabled: true, endpointUrl: "https://evil.example.com", etag: "v9" };
      const made = await api.identityProviders.create(org, { ...provider(), scim });
      const changed = await api.identityProviders.update(made.uid, { name: "other", scim });
      assert.deepEqual(changed.scim, made.scim);
      assert.equal(changed.scim.enabled, false);
    });

    world.rule("reads and writes require the capabilities of the contract", async (api) => {
      const { uid } = await api.identityProviders.create(org, provider());
      const reader = api.as((await world.member({ [org]: ["identity_providers.list"] })).token);
      assert.equal((await reader.identityProviders.get(uid)).uid, uid);
      const refusals = await allRejected([
        reader.identityProviders.create(org, provider()),
        reader.identityProviders.update(uid, { name: "x" }),
        reader.identityProviders.delete(uid),
        reader.identityProviders.generateScimToken({ identityProviderUid: uid }),
      ]);
      for (const { code } of refusals) assert.equal(code, 7);
      const nobody = api.as((await world.member()).token);
      assert.equal((await rejected(nobody.identityProviders.get(uid))).code, 7);
      assert.deepEqual((await nobody.identityProviders.list()).identityProviders, []);
      const rest = new Http(world.server.url, reader.token);
      assert.equal((await rest.post(`/iam/v2/identityProviders/${org}`, provider())).status, 403);
    });
  },
  { flags: ["--denied-issuers", "https://evil.example.com"] },
);
