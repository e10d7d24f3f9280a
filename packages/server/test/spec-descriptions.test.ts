import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { ApiClient } from "./support/client/api-client.ts";
import { rejected } from "./support/client/api-error.ts";
import type { Collection } from "./support/client/collections.ts";
import { Http } from "./support/client/http.ts";
import { onEachStore, roleNamed } from "./support/world/world.ts";

const LINES = "first\nsecond\r\n\n\tindented, with a tab\n- non-breaking\u00a0space, 日本, 🚢\n";

const RELATIONSHIP = { claimMatch: { issuer: "https://issuer.example.com", subject: "s" } };

const OIDC = { issuer: "https://idp.example.com", clientId: "c", clientSecret: "s" };

/** The required fields of each resource beside its description. */
const KINDS = {
  groups: {},
  identities: RELATIONSHIP,
  roles: { capabilities: ["CAP_IAM_GROUPS_LIST"] },
  identityProviders: { defaultRole: roleNamed("viewer"), oidc: OIDC },
  accountAssociations: {},
  repos: {},
} as const satisfies Partial<Record<keyof ApiClient, object>>;

/** The same in version 1, by path. */
const KINDS_V1 = {
  "iam/v1/groups": {},
  "iam/v1/identities": RELATIONSHIP,
  "iam/v1/roles": { capabilities: ["groups.list"] },
  "iam/v1/identityProviders": { defaultRole: roleNamed("viewer"), oidc: OIDC },
  "iam/v1/account_associations": {},
  "registry/v1/repos": {},
} as const;

onEachStore("descriptions", (world) => {
  let org: string;
  before(async () => {
    org = await world.organization();
  });

  for (const [kind, needed] of Object.entries(KINDS)) {
    world.rule(`descriptions of ${kind} have several lines`, async (api) => {
      const collection = api[kind as keyof typeof KINDS] as Collection;
      const group = await world.group(org);
      const name = world.name("described");
      const resource = { name, ...needed, description: LINES };
      const { uid, description } = await collection.create(group, resource);
      assert.equal(description, LINES);
      const other = `${LINES}more`;
      assert.equal((await collection.update(uid, { description: other })).description, other);
      assert.equal((await collection.get(uid)).description, other);
      const longest = "🚢\n".repeat(256);
      assert.equal((await collection.update(uid, { description: longest })).description, longest);
      for (const bad of ["\x1b[31m", "a\rb", "\x00", "\x0b", "\x7f", "\x9b", `${longest}x`]) {
        const { code, fields } = await rejected(collection.update(uid, { description: bad }));
        assert.deepEqual([code, Object.keys(fields)], [3, ["description"]], JSON.stringify(bad));
      }
      assert.equal((await collection.get(uid)).description, longest);
    });
  }

  for (const [path, needed] of Object.entries(KINDS_V1)) {
    test(`descriptions in version 1 have several lines: ${path}`, async () => {
      const rest = new Http(world.server.url, world.operator().token);
      const group = await world.group(org);
      const fields = { name: world.name("described"), ...needed };
      const created = await rest.post(`/${path}/${group}`, { ...fields, description: LINES });
      assert.equal(created.body.description, LINES, JSON.stringify(created.body));
      const id = created.body.id ?? group;
      const put = await rest.send("PUT", `/${path}/${id}`, { ...fields, description: `${LINES}!` });
      assert.equal(put.body.description, `${LINES}!`, JSON.stringify(put.body));
      const bad = await rest.send("PUT", `/${path}/${id}`, { ...fields, description: "\x1b[31m" });
      assert.deepEqual([bad.status, bad.body.code], [400, 3]);
    });
  }
});
