import { type Compared, differential } from "./support/versions/differential.ts";
import type { Facts } from "./support/versions/resources.ts";
import { roleNamed } from "./support/world/world.ts";

const KEY = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };

/** Every kind of relationship, and every member of every choice in them. */
const RELATIONSHIPS: readonly Facts[] = [
  {
    claimMatch: {
      issuer: "https://issuer.example.com",
      subject: "repo:one",
      audience: "wharf.example.com",
      claims: { environment: "production" },
      claimPatterns: { actor: "robot-.*" },
    },
  },
  {
    claimMatch: {
      issuerPattern: "https://[a-z]+[.]example[.]com",
      subjectPattern: "repo:.*",
      audiencePattern: ".*[.]example[.]com",
      claims: {},
      claimPatterns: {},
    },
  },
  {
    static: {
      issuer: "https://unreachable.example.com",
      subject: "cluster",
      issuerKeys: JSON.stringify({ keys: [KEY] }),
      expiration: new Date(Date.now() + 30 * 24 * 3_600_000).toISOString(),
      audiences: ["wharf.example.com"],
    },
  },
  {
    awsIdentity: {
      awsAccount: "123456789012",
      arn: "arn:aws:iam::123456789012:role/one",
      userId: "AIDA",
    },
  },
  { awsIdentity: { awsAccount: "123456789012", arnPattern: "arn:.*", userIdPattern: "AIDA.*" } },
  { servicePrincipal: "CATALOG_SYNCER" },
];

const IDENTITIES: Compared = {
  title: "identities",
  collection: "identities",
  toV1: (facts) => facts,
  toV2({ static: keys, servicePrincipal, ...facts }) {
    if (servicePrincipal !== undefined)
      return { ...facts, servicePrincipal: `SERVICE_PRINCIPAL_${servicePrincipal}` };
    if (keys === undefined) return facts;
    const { expiration: expirationTime, ...same } = keys;
    return { ...facts, staticKeys: { ...same, expirationTime } };
  },
  fromV1: (shown) => shown,
  fromV2(shown) {
    const { uid: id, createTime, updateTime, lastSeenTime, staticKeys, servicePrincipal } = shown;
    const { name, description, claimMatch, awsIdentity } = shown;
    const facts: Facts = { id, name, description };
    Object.assign(facts, { createdAt: createTime, updatedAt: updateTime, lastSeen: lastSeenTime });
    if (claimMatch !== undefined) facts.claimMatch = claimMatch;
    if (awsIdentity !== undefined) facts.awsIdentity = awsIdentity;
    if (servicePrincipal !== undefined)
      facts.servicePrincipal = servicePrincipal.replace("SERVICE_PRINCIPAL_", "");
    if (staticKeys !== undefined) {
      const { expirationTime: expiration, ...same } = staticKeys;
      facts.static = { ...same, expiration };
    }
    return facts;
  },
  async prepare(world) {
    const sample = (number: number) => ({
      name: `identity ${number}`,
      description: "of some use",
      ...RELATIONSHIPS[number % RELATIONSHIPS.length],
    });
    return {
      parent: await world.organization(),
      sample,
      change: { name: "another" },
      required: ["claimMatch", "static", "awsIdentity", "servicePrincipal"],
      reset: { description: "" },
      invalid: { name: "No/Name" },
    };
  },
};

const BINDINGS: Compared = {
  title: "role bindings",
  collection: "roleBindings",
  toV1: (facts) => facts,
  toV2: ({ identity, role }) => ({ identityUid: identity, roleUid: role }),
  // Lists show more than other answers do.
  fromV1: ({ id, identity, role }) => ({ id, identity, role: role.id ?? role }),
  fromV2: ({ uid, identityUid, roleUid }) => ({ id: uid, identity: identityUid, role: roleUid }),
  deleteIsIdempotent: true,
  async prepare(world) {
    const { uid } = await world.member();
    return {
      parent: await world.organization(),
      sample: () => ({ identity: uid, role: roleNamed("viewer") }),
      change: { identity: uid, role: roleNamed("editor") },
      reset: {},
      invalid: { role: "nonsense" },
    };
  },
};

differential("identities and role bindings", [IDENTITIES, BINDINGS]);
