import { builtinRole } from "@wharf/contract";
import { keyPair } from "../../../../server/test/support/signatures/signing.ts";
import type { World } from "../../../../server/test/support/world/world.ts";
import type { Body } from "./text-fields.ts";

/** The texts that a method writes, and the screens that show them. */
export interface Written {
  /** A request that is accepted; new names each time. */
  readonly request: () => Body;
  /** What else messages need that a text is put into, by their labels. */
  readonly around?: Readonly<Record<string, Body>>;
  /** Fields that no text is put into, by their labels or the beginnings of those, and the reason. */
  readonly exceptions?: Readonly<Record<string, string>>;
  /** The screen that shows what was written. */
  readonly screen?: (answer: Body) => string;
  /** Whether that screen shows all that was written so far, so that it is opened once. */
  readonly isList?: boolean;
  /** Whether that screen leaves markup out instead of showing it. */
  readonly hidesMarkup?: boolean;
}

/** One of every kind that other requests need, by uid. */
export interface Uids {
  readonly organization: string;
  readonly group: string;
  readonly role: string;
  readonly identity: string;
  readonly provider: string;
  readonly invite: string;
  readonly repo: string;
  readonly charted: string;
  readonly package: string;
  readonly subscription: string;
  readonly advisory: string;
  readonly event: string;
  readonly decision: string;
  readonly source: string;
  readonly key: string;
  readonly tagRule: string;
}

const DECISION = {
  vulnerability: "CVE-2026-1",
  status: "FINDING_STATUS_NOT_AFFECTED",
  reason: "not reachable",
};
const NOT_BOTH = "a key has a public key or an identity";
const KEY = { name: "release", publicKey: keyPair().pem };
const SOURCE = {
  name: "osv",
  kind: "VULNERABILITY_SOURCE_KIND_OSV",
  url: "https://osv.example.com",
  ecosystems: ["npm"],
  paused: true,
};
const POLICY = { keep: [{ name: "recent", newest: 3 }] };
const TAG_RULE = { name: "stable", tags: ["stable"], protected: true };
const UPSTREAM = {
  url: "https://registry.example.com",
  mode: "UPSTREAM_MODE_CACHE",
  username: "robot",
  password: "secret",
};
const OIDC = { issuer: "https://idp.example.com", clientId: "wharf", clientSecret: "secret" };
const CLAIMS = { issuer: "https://ci.example.com", subject: "app" };
const KEYS = {
  issuer: "https://keys.example.com",
  subject: "app",
  issuerKeys: JSON.stringify({
    keys: [
      {
        ...{ kty: "EC", crv: "P-256", kid: "1", alg: "ES256", use: "sig" },
        x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
      },
    ],
  }),
};
const AWS = { awsAccount: "123456789012", arn: "arn:aws:iam::123456789012:role/x", userId: "A:x" };
const GOOGLE = { projectId: "project-1", projectNumber: "1" };
const AZURE = { tenantId: "tenant.example.com", clientIds: { wharf: "client" } };
const CHART = { repo: "oci://registry.example.com/charts/app" };
const DIGEST = `sha256:${"0".repeat(64)}`;
const ABOUT = { artifactType: "apk", artifactName: "openssl" };
// Nothing is sent.
const SUBSCRIPTION = { sink: "http://127.0.0.1:9/", state: "SUBSCRIPTION_STATE_PAUSED" };

const IDENTITY = {
  "identity.claimMatch": CLAIMS,
  "identity.staticKeys": KEYS,
  "identity.awsIdentity": AWS,
};
const ASSOCIATION = {
  "accountAssociation.amazon": { account: "123456789012" },
  "accountAssociation.google": GOOGLE,
  "accountAssociation.azure": AZURE,
  "accountAssociation.github.appInstallations{}.installations[]": { installationId: "1" },
};
const ASSEMBLY = { "repo.customOverlay": "custom assembly is not enabled: all of it is rejected" };
const SERVER_WRITES = "the server writes it, and ignores what callers send";

/** Something of every kind. */
export async function createEach(world: World, organization: string): Promise<Uids> {
  const api = world.operator();
  const uid = async (made: Promise<{ uid: string }>) => (await made).uid;
  const viewer = builtinRole("viewer")?.uid ?? "";
  const provider = { name: "target", defaultRole: viewer, oidc: OIDC };
  const repo = await uid(api.repos.create(organization, { name: "target" }));
  const advisories = "/vulnerabilities/v1/advisories";
  const about = { parentId: organization, advisory: ABOUT };
  const [shown, target] = [
    await world.http.post(advisories, about),
    await world.http.post(advisories, about),
  ];
  const event = { advisoryEvent: { detection: { manual: {} } } };
  const group = await world.group(organization, "target");
  await api.accountAssociations.create(group, { name: "target" });
  await api.retentionPolicies.create(group, POLICY);
  await api.upstreams.create(group, UPSTREAM);
  await api.deployments.create(repo, { charts: [CHART] });
  return {
    organization,
    group,
    repo,
    charted: await uid(api.repos.create(organization, { name: "charted" })),
    role: await world.role(organization, ["groups.list"]),
    identity: await uid(
      api.identities.create(organization, { name: "target", claimMatch: CLAIMS }),
    ),
    provider: await uid(api.identityProviders.create(organization, provider)),
    invite: await uid(api.groupInvites.create(organization, { roleUid: viewer, ttl: "3600s" })),
    package: await uid(api.packages.createPackage({ package: { name: "target" } })),
    subscription: await uid(api.subscriptions.create(organization, SUBSCRIPTION)),
    decision: await uid(api.decisions.create(organization, DECISION)),
    key: await uid(api.verificationKeys.create(organization, KEY)),
    tagRule: await uid(api.tagRules.create(organization, TAG_RULE)),
    source: await uid(api.vulnerabilitySources.create(organization, SOURCE)),
    advisory: shown.body.id,
    event: (await world.http.post(`${advisories}/${target.body.id}/events`, event)).body.id,
  };
}

/** The requests of all methods that write texts, by method. */
export function writtenBy(uids: Uids): Readonly<Record<string, Written>> {
  const { organization: parent } = uids;
  let count = 0;
  const name = () => `hostile ${count++}`;
  const path = () => `hostile-${count++}`;
  const viewer = builtinRole("viewer")?.uid ?? "";
  const role = () => ({ name: name(), capabilities: ["groups.list"] });
  const identity = () => ({ name: name(), claimMatch: CLAIMS });
  const provider = () => ({ name: name(), defaultRole: viewer, oidc: OIDC });
  const invite = { roleUid: viewer, ttl: "3600s" };
  const mapping = () => ({ externalGroupId: name(), roleUid: viewer });
  const charts = { "deployment.charts[]": CHART };
  const synced = { "repo.sync_config": { source: uids.charted } };
  return {
    "GroupsService/CreateGroup": {
      request: () => ({ parent, group: { name: name() } }),
      exceptions: { parent: "the uid of a group" },
      screen: ({ uid }) => `folders/${uid}`,
    },
    "GroupsService/UpdateGroup": { request: () => ({ group: { uid: uids.group, name: name() } }) },
    "RolesService/CreateRole": {
      request: () => ({ parent, role: role() }),
      screen: ({ uid }) => `roles/${parent}?role=${encodeURIComponent(uid)}`,
    },
    "RolesService/UpdateRole": { request: () => ({ role: { uid: uids.role, ...role() } }) },
    "IdentitiesService/CreateIdentity": {
      request: () => ({ parent, identity: identity() }),
      around: IDENTITY,
      screen: ({ uid }) => `identity/${uid}`,
    },
    "IdentitiesService/UpdateIdentity": {
      request: () => ({ identity: { uid: uids.identity, ...identity() } }),
      around: IDENTITY,
    },
    "IdentityProvidersService/CreateIdentityProvider": {
      request: () => ({ parent, identityProvider: provider() }),
      screen: ({ uid }) => `provider/${uid}`,
    },
    "IdentityProvidersService/UpdateIdentityProvider": {
      request: () => ({ identityProvider: { uid: uids.provider, ...provider() } }),
    },
    "ExternalGroupRoleMappingsService/CreateExternalGroupRoleMapping": {
      request: () => ({ parent: uids.provider, externalGroupRoleMapping: mapping() }),
      screen: () => `provider/${uids.provider}?tab=mappings`,
      isList: true,
    },
    "GroupInvitesService/CreateGroupInvite": {
      request: () => ({ parent, groupInvite: invite }),
      screen: () => `people/${parent}?tab=invites`,
      isList: true,
    },
    "GroupInvitesService/UpdateGroupInvite": {
      request: () => ({ groupInvite: { uid: uids.invite, ...invite } }),
    },
    "AccountAssociationsService/CreateAccountAssociation": {
      request: () => ({ parent, accountAssociation: { name: name() } }),
      around: ASSOCIATION,
    },
    "AccountAssociationsService/UpdateAccountAssociation": {
      request: () => ({ accountAssociation: { uid: uids.group, name: name() } }),
      around: ASSOCIATION,
    },
    "ReposService/CreateRepo": {
      request: () => ({ parent, repo: { name: path() } }),
      around: synced,
      exceptions: ASSEMBLY,
      screen: ({ uid }) => `repo/${uid}`,
    },
    "ReposService/UpdateRepo": {
      request: () => ({ repo: { uid: uids.repo, name: path() } }),
      around: synced,
      exceptions: ASSEMBLY,
    },
    "ReposService/UpdateRepoReadme": {
      request: () => ({ repoReadme: { uid: uids.repo } }),
      screen: () => `repo/${uids.repo}?tab=readme`,
      hidesMarkup: true,
    },
    "TagsService/CreateTag": {
      request: () => ({ parent: uids.repo, tag: { name: path(), digest: DIGEST } }),
    },
    "DeploymentsService/CreateDeployment": {
      request: () => ({ parent: uids.charted, deployment: { charts: [CHART] } }),
      around: charts,
    },
    "DeploymentsService/UpdateDeployment": {
      request: () => ({ deployment: { uid: uids.repo, charts: [CHART] } }),
      around: charts,
    },
    "PackagesService/CreatePackage": {
      request: () => ({ package: { name: path() } }),
      around: { "package.versions[]": { version: "1" } },
    },
    "PackagesService/UpdatePackage": {
      request: () => ({ package: { uid: uids.package } }),
      around: { "package.versions[]": { version: "1" } },
    },
    "SubscriptionsService/CreateSubscription": {
      request: () => ({ parent, subscription: SUBSCRIPTION }),
      screen: ({ uid }) => `subscription/${uid}`,
    },
    "SubscriptionsService/UpdateSubscription": {
      request: () => ({ subscription: { uid: uids.subscription, ...SUBSCRIPTION } }),
    },
    "DecisionsService/CreateDecision": {
      request: () => ({ parent, decision: DECISION }),
    },
    "DecisionsService/UpdateDecision": {
      request: () => ({ decision: { uid: uids.decision, ...DECISION } }),
    },
    "VulnerabilitySourcesService/CreateVulnerabilitySource": {
      request: () => ({ parent, vulnerabilitySource: SOURCE }),
    },
    "VulnerabilitySourcesService/UpdateVulnerabilitySource": {
      request: () => ({ vulnerabilitySource: { uid: uids.source, ...SOURCE } }),
    },
    "VerificationKeysService/CreateVerificationKey": {
      request: () => ({ parent, verificationKey: { ...KEY, name: name() } }),
      exceptions: { "verificationKey.keyless": NOT_BOTH },
    },
    "VerificationKeysService/UpdateVerificationKey": {
      request: () => ({ verificationKey: { uid: uids.key, ...KEY } }),
      exceptions: { "verificationKey.keyless": NOT_BOTH },
    },
    "TagRulesService/CreateTagRule": {
      request: () => ({ parent, tagRule: { ...TAG_RULE, name: name() } }),
    },
    "TagRulesService/UpdateTagRule": {
      request: () => ({ tagRule: { uid: uids.tagRule, ...TAG_RULE } }),
    },
    "RetentionPoliciesService/CreateRetentionPolicy": {
      request: () => ({ parent, retentionPolicy: POLICY }),
      around: { "retentionPolicy.keep[]": { name: "another" } },
    },
    "RetentionPoliciesService/UpdateRetentionPolicy": {
      request: () => ({ retentionPolicy: { uid: uids.group, ...POLICY } }),
      around: { "retentionPolicy.keep[]": { name: "another" } },
    },
    "UpstreamsService/CreateUpstream": {
      request: () => ({ parent, upstream: UPSTREAM }),
    },
    "UpstreamsService/UpdateUpstream": {
      request: () => ({ upstream: { uid: uids.group, ...UPSTREAM } }),
    },
    "Advisories/Create": {
      request: () => ({ parentId: parent, advisory: { ...ABOUT, artifactName: name() } }),
      exceptions: {
        "advisory.author": SERVER_WRITES,
        "advisory.events[]": "the server ignores it: events are created one by one",
      },
      screen: ({ id }) => `advisory/${id}`,
    },
    "Advisories/Update": {
      request: () => ({ id: uids.advisory, ...ABOUT }),
      exceptions: {
        author: SERVER_WRITES,
        "events[]": "the server ignores it: events are updated one by one",
      },
    },
    "Advisories/CreateAdvisoryEvent": {
      request: () => ({ parentId: uids.advisory, advisoryEvent: { detection: { manual: {} } } }),
      exceptions: {
        "advisoryEvent.author": SERVER_WRITES,
        "advisoryEvent.reviewer": SERVER_WRITES,
      },
      screen: () => `advisory/${uids.advisory}`,
      isList: true,
    },
    "Advisories/UpdateAdvisoryEvent": {
      request: () => ({ id: uids.event, detection: { manual: {} } }),
      exceptions: { author: SERVER_WRITES, reviewer: SERVER_WRITES },
    },
  };
}
