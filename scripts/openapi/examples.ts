/** Requests and responses of an installation, by operation id. A test sends the requests and compares the responses. */
export interface Example {
  readonly request?: unknown;
  readonly response?: unknown;
}

const ORGANIZATION = "2f37503fcc2b74e91b4466bd858c72592a10696e";
const TIME = "2026-11-16T12:46:47.919Z";
const TIMES = { createTime: TIME, updateTime: TIME };

const NEW_ORGANIZATION = { name: "acme", description: "Acme Inc." };
const NEW_GROUP = { name: "platform", description: "Platform team" };

const GROUP_STATE = {
  resourceLimits: {},
  verified: false,
  kind: "ORG_KIND_UNSPECIFIED",
  status: "ORG_STATUS_READY",
  ...TIMES,
};

const GROUP = { uid: `${ORGANIZATION}/f0eef1ab43cb510f`, ...NEW_GROUP, ...GROUP_STATE };

const CLAIMS = {
  issuer: "https://token.actions.githubusercontent.com",
  subject: "repo:acme/app:ref:refs/heads/main",
};

const NEW_IDENTITY = { name: "deploy", description: "Deploys from main", claimMatch: CLAIMS };

const IDENTITY = {
  uid: `${GROUP.uid}/84af916123a1afe6`,
  ...NEW_IDENTITY,
  claimMatch: { ...CLAIMS, claims: {}, claimPatterns: {} },
  email: "",
  emailUnverified: "",
  company: "",
  lastSeenTime: TIME,
  ...TIMES,
};

const NEW_ROLE = {
  name: "puller",
  description: "Pulls images",
  capabilities: ["CAP_REPO_LIST", "CAP_MANIFEST_LIST"],
};

const ROLE = { uid: `${ORGANIZATION}/0956499a8b38edff`, ...NEW_ROLE, ...TIMES };

const NEW_BINDING = { identityUid: IDENTITY.uid, roleUid: ROLE.uid };

const BINDING = {
  uid: `${GROUP.uid}/7dc0cf404dffa10b`,
  identity: {
    uid: IDENTITY.uid,
    name: IDENTITY.name,
    description: IDENTITY.description,
    ...CLAIMS,
    email: "",
    lastSeenTime: TIME,
  },
  group: { uid: GROUP.uid, name: GROUP.name, description: GROUP.description },
  role: { uid: ROLE.uid, name: ROLE.name, description: ROLE.description },
  ...NEW_BINDING,
  ...TIMES,
};

const NEW_REPO = { name: "app", description: "The app" };

const REPO = {
  uid: `${GROUP.uid}/59d62fb0dbb58ead`,
  ...NEW_REPO,
  catalogTier: "CATALOG_TIER_UNSPECIFIED",
  bundles: [],
  aliases: [],
  activeTags: [],
  ...TIMES,
};

const page = { nextPageToken: "", totalCount: "1", skipped: 0 };

export const EXAMPLES: Readonly<Record<string, Example>> = {
  GroupsService_CreateGroup_Organization: {
    request: NEW_ORGANIZATION,
    response: { uid: ORGANIZATION, ...NEW_ORGANIZATION, ...GROUP_STATE },
  },
  GroupsService_CreateGroup: { request: NEW_GROUP, response: GROUP },
  GroupsService_GetGroup: { response: GROUP },
  GroupsService_ListGroups: { response: { groups: [GROUP], ...page } },
  GroupsService_UpdateGroup: {
    request: { description: "Builds and ships" },
    response: { ...GROUP, description: "Builds and ships" },
  },
  GroupsService_DeleteGroup: { response: {} },
  IdentitiesService_CreateIdentity: { request: NEW_IDENTITY, response: IDENTITY },
  IdentitiesService_GetIdentity: { response: IDENTITY },
  IdentitiesService_ListIdentities: { response: { identities: [IDENTITY], ...page } },
  RolesService_CreateRole: { request: NEW_ROLE, response: ROLE },
  RolesService_GetRole: { response: ROLE },
  RoleBindingsService_CreateRoleBinding: { request: NEW_BINDING, response: BINDING },
  RoleBindingsService_GetRoleBinding: { response: BINDING },
  RoleBindingsService_ListRoleBindings: { response: { roleBindings: [BINDING], ...page } },
  RoleBindingsService_DeleteRoleBinding: { response: {} },
  ReposService_CreateRepo: { request: NEW_REPO, response: REPO },
  ReposService_GetRepo: { response: REPO },
  ReposService_ListRepos: { response: { repos: [REPO], ...page } },
  PingService_Ping: { response: { response: "pong" } },
};
