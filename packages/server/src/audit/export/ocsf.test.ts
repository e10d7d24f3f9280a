import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { AuditChains } from "../../store/tables/audit/chains.ts";
import type { StoredAuditEntry } from "../../store/tables/audit/entries.ts";
import { csvOf } from "./csv.ts";
import { ocsfOf } from "./ocsf.ts";

/** Fields that OCSF 1.9.0 requires of every event, and of each class. */
const REQUIRED = [
  ...["activity_id", "category_uid", "class_uid", "type_uid", "severity_id", "time", "metadata"],
];
const REQUIRED_BY_CLASS: Readonly<Record<number, readonly string[]>> = {
  3002: ["user", "service"],
  3006: ["group"],
  3007: ["user"],
  3008: ["iam_role"],
  6003: ["actor", "api", "src_endpoint"],
};

// biome-ignore lint/suspicious/noExplicitAny: events have every shape.
type Event = Record<string, any>;

function entryOf(changed: Partial<StoredAuditEntry>): StoredAuditEntry {
  const entry = {
    ...{ id: 7, time: 1_700_000_000_000, actor: "a".repeat(40), actorName: "ada" },
    ...{ method: "login", resource: "b".repeat(40), resourceName: "acme", resourceType: "" },
    ...{ requestId: "r", remoteAddress: "192.0.2.1", userAgent: "curl", code: 0 },
    ...{ detail: '{"b":1,"a":2}', changedFields: ["name"], session: "s", via: "rest" as const },
    ...changed,
  };
  const [linked] = new AuditChains().continue().link([entry]).entries;
  return { ...entry, ...linked } as StoredAuditEntry;
}

const CASES: readonly (readonly [method: string, type: string, typeUid: number])[] = [
  ["login", "Identity", 300201],
  ["logout", "Identity", 300202],
  ["wharf.oidc.SecurityTokenService/Exchange", "Identity", 300203],
  ["registry token", "", 300204],
  ["wharf.iam.v2beta1.GroupsService/CreateGroup", "Group", 300606],
  ["wharf.iam.v2beta1.GroupsService/DeleteGroup", "Group", 300605],
  ["wharf.iam.v2beta1.GroupsService/UpdateGroup", "Group", 600303],
  ["wharf.iam.v2beta1.IdentitiesService/CreateIdentity", "Identity", 300701],
  ["wharf.iam.v2beta1.IdentitiesService/UpdateIdentity", "Identity", 300702],
  ["wharf.iam.v2beta1.IdentitiesService/DeleteIdentity", "Identity", 300703],
  ["wharf.iam.v2beta1.RolesService/UpdateRole", "Role", 300802],
  ["wharf.iam.v2beta1.RoleBindingsService/CreateRoleBinding", "RoleBinding", 600301],
  ["wharf.audit.v2beta1.AuditService/ListAuditEntries", "", 600302],
  ["keys rotate", "", 600399],
];

test("every entry becomes an event with what its class requires", () => {
  for (const [method, resourceType, typeUid] of CASES) {
    for (const code of [0, 7]) {
      const event = ocsfOf(entryOf({ method, resourceType, code })) as Event;
      assert.equal(event.type_uid, typeUid, method);
      const classUid = Math.floor(typeUid / 100);
      assert.equal(event.class_uid, classUid);
      assert.equal(event.category_uid, Math.floor(classUid / 1000));
      for (const name of [...REQUIRED, ...(REQUIRED_BY_CLASS[classUid] ?? [])]) {
        assert.ok(event[name] !== undefined, `${method}: ${name}`);
      }
      const { version, product } = event.metadata as { version: string; product: object };
      assert.equal(version, "1.9.0");
      assert.ok(product);
      assert.equal(event.status_id, code === 0 ? 1 : 2);
    }
  }
});

test("the integrity of an event can be computed from its raw data", () => {
  const entry = entryOf({});
  const event = ocsfOf(entry) as Event;
  const [attestation] = event.attestation_list as [
    { chain_uid: string; fingerprint: { algorithm_id: number; value: string } },
  ];
  const digest = createHash("sha256").update(event.raw_data).digest("hex");
  assert.deepEqual(attestation.fingerprint, {
    ...{ algorithm_id: 3, algorithm: "SHA-256", value: digest },
  });
  assert.equal(attestation.chain_uid, entry.chain);
  const old = ocsfOf({ ...entry, chain: "" }) as Event;
  assert.equal(old.attestation_list, undefined, "entries of earlier versions have no hash");
});

test("CSV quotes what needs it, and disarms formulas", () => {
  const line = csvOf(entryOf({ userAgent: '=cmd|"x",\n', actorName: "-1+2", resourceName: "a,b" }));
  assert.ok(line.endsWith("\r\n"));
  assert.ok(line.includes(`"'=cmd|""x"",\n"`));
  assert.ok(line.includes(",'-1+2,"));
  assert.ok(line.includes(`,"a,b",`));
});
