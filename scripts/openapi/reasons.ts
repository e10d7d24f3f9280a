/** Reasons of errors: what each one means, and which methods have it. */
import type { DescMethod } from "@bufbuild/protobuf";
import { Auth, accessOf, isCreate, needsRecentSignIn, SecurityTokenService } from "@wharf/contract";
import { CODES, type CodeName } from "@wharf/contract/messages";
import { StepError } from "../step.ts";

/** Canonical codes, which are reasons themselves, and when an operation answers with them. */
export const CODE_TEXTS: Readonly<Partial<Record<CodeName, string>>> = {
  INVALID_ARGUMENT: "A field is missing or invalid: `fieldViolations` says which, and why.",
  UNAUTHENTICATED: "The token is missing, invalid or expired.",
  PERMISSION_DENIED:
    "The caller lacks a capability. This says nothing about whether the resource exists.",
  NOT_FOUND: "The resource, or one that the request names, does not exist.",
  ALREADY_EXISTS: "Another resource has what must be unique.",
  ABORTED: "The resource has changed since it was read, or another request is changing it.",
};

/** More specific reasons, by code: types of violations, and reasons of ErrorInfo. */
const SPECIFIC_TEXTS: Readonly<Partial<Record<CodeName, Readonly<Record<string, string>>>>> = {
  UNAUTHENTICATED: {
    RECENT_SIGN_IN_REQUIRED:
      "The sign-in in the browser was more than 15 minutes ago: sign in again.",
  },
  OUT_OF_RANGE: {
    OUT_OF_RANGE: "The position is no longer in the log: start without one.",
  },
  FAILED_PRECONDITION: {
    BUILT_IN_IDENTITY: "The identity belongs to the service, and cannot be changed or deleted.",
    BUILT_IN_ROLE: "Built-in roles cannot be changed or deleted.",
    CHART_INVALID: "The chart cannot be read.",
    CUSTOM_ASSEMBLY_DISABLED: "This server assembles no images.",
    DECISION_EXPIRED: "The decision has expired: set a later time first.",
    DECISION_REVIEWED: "The decision has this review state already.",
    DRY_RUN_TOO_LARGE: "The request deletes too much for one transaction, and cannot be a dry run.",
    EVENT_CHANGED: "A review must not change the content of the event.",
    EVENT_NOT_PENDING: "Changes to the event were requested: set it to pending first.",
    EVENT_REVIEWED: "The event was reviewed, and can no longer be changed.",
    IDEMPOTENCY_KEY_RESPONSE_LOST:
      "The request with this key succeeded, but its response cannot be read any more.",
    IDEMPOTENCY_KEY_REUSED:
      "Another request had this idempotency key: use a new key for each request.",
    IMAGE_NOT_FOUND: "No registry that the repository is in has the image.",
    LAST_OWNER: "The organization would have no owner left.",
    NAME_SHARED: "Another folder has the same name, and would take over its path.",
    NAME_TAKEN:
      "Another verified organization has the name, registries have images below it, or it is a former name that still leads to something renamed.",
    NO_REGISTRY: "No registry is attached, or none that has the repository; or the server is none.",
    NO_SBOM: "The image has no SBOM: its packages were read from its layers.",
    NO_SESSION: "The token does not belong to a session.",
    NOT_SYNCHRONIZED: "The upstream has another mode than SYNC.",
    PACKAGES_UNKNOWN:
      "The packages of the image are not known: it has no SBOM, or none that can be read.",
    REGISTRY_REFUSED: "The registry has refused the request.",
    RESOURCE_IN_USE: "Other resources refer to it.",
    RESOURCE_LIMIT_EXCEEDED: "A group has reached its quota.",
    RESOURCE_NOT_EMPTY: "There are resources or images below it.",
    REVIEWER_IS_AUTHOR: "The author of an event or decision cannot approve it.",
    RIGHTS_OF_SESSION:
      "The caller has rights only in this session, which the subscription outlasts.",
    SCIM_TOKEN_EXISTS: "The identity provider has a SCIM token: regenerate it.",
    SUBSCRIPTION_DISABLED: "The subscription is disabled: set its state to ACTIVE first.",
    TAG_IMMUTABLE: "A tag rule forbids that the tag moves to another image.",
    TAG_NOT_DELETABLE: "The registry cannot delete a tag without its image.",
    TAG_NOT_MOVABLE: "Tags are unique here, and cannot move to another image.",
    TAG_PROTECTED: "A tag rule forbids that the tag, or an image that it needs, is deleted.",
    TOO_FEW_OWNERS: "The organization needs more owners before users are provisioned.",
    TOO_MANY: "Too many repositories are synced from one.",
  },
};

/** The reasons that any operation may have: load, time and failures. */
const COMMON_TEXTS: Readonly<Record<string, string>> = {
  RESOURCE_EXHAUSTED: "A rate limit is reached, or the request is too large.",
  UNAVAILABLE: "The server, or something that it needs, cannot be reached: try again.",
  DEADLINE_EXCEEDED: "The request took too long.",
  INTERNAL: "The server failed unexpectedly.",
  COMMIT_OUTCOME_UNKNOWN: "The write may have taken effect: check before you repeat it.",
};

const SPECIFIC = new Map(
  Object.entries(SPECIFIC_TEXTS).flatMap(([code, texts]) =>
    Object.entries(texts).map(
      ([reason, text]) => [reason, { code: code as CodeName, text }] as const,
    ),
  ),
);

export function textOfReason(reason: string): string {
  const text = CODE_TEXTS[reason as CodeName] ?? SPECIFIC.get(reason)?.text ?? COMMON_TEXTS[reason];
  if (text === undefined) throw new StepError(`the reason ${reason} has no description`);
  return text;
}

/** The HTTP status of errors with this reason. */
export function statusOf(reason: string): number {
  return CODES[SPECIFIC.get(reason)?.code ?? (reason as CodeName)].http;
}

/** Callers who grant a role need a recent sign-in, unless the role only reads. */
const GRANT = ["RECENT_SIGN_IN_REQUIRED", "NOT_FOUND"];
const BIND = [...GRANT, "ALREADY_EXISTS", "RESOURCE_LIMIT_EXCEEDED"];
/** Requests that an attached registry executes. */
const AT_REGISTRY = ["NO_REGISTRY", "REGISTRY_REFUSED"];
/** Rules that forbid to move a tag. */
const MOVED = ["TAG_IMMUTABLE", "TAG_NOT_MOVABLE"];
const REPO = ["ALREADY_EXISTS", "CUSTOM_ASSEMBLY_DISABLED", "TOO_MANY"];

/**
 * The reasons that do not follow from the contract, by the name of the method in version 2. The tests' client rejects
 * errors that are missing here.
 */
const OF_METHODS: Readonly<Record<string, readonly string[]>> = {
  BatchCreateRoleBindings: BIND,
  BatchDeleteExternalGroupRoleMappings: ["LAST_OWNER", "NOT_FOUND"],
  CheckUpstream: ["NO_REGISTRY"],
  CheckAccess: ["NOT_FOUND", "PERMISSION_DENIED"],
  CollectGarbage: ["ABORTED", "NO_REGISTRY"],
  CreateAccountAssociation: ["ALREADY_EXISTS"],
  CreateAdvisory: ["ALREADY_EXISTS", "NOT_FOUND"],
  CreateDeployment: ["ALREADY_EXISTS"],
  CreateExternalGroupRoleMapping: [...GRANT, "ALREADY_EXISTS"],
  CreateGroup: ["ALREADY_EXISTS", "NAME_TAKEN", "PERMISSION_DENIED"],
  CreateGroupInvite: GRANT,
  CreateIdentity: ["ALREADY_EXISTS"],
  CreateIdentityProvider: [...GRANT, "RESOURCE_LIMIT_EXCEEDED"],
  CreatePackage: ["ALREADY_EXISTS"],
  CreateRepo: [...REPO, "NAME_TAKEN", "RESOURCE_LIMIT_EXCEEDED"],
  CreateRoleBinding: BIND,
  CreateSubscription: ["RESOURCE_LIMIT_EXCEEDED", "RIGHTS_OF_SESSION"],
  CreateRetentionPolicy: ["ALREADY_EXISTS"],
  CreateTag: [...AT_REGISTRY, "IMAGE_NOT_FOUND", "RESOURCE_LIMIT_EXCEEDED", ...MOVED],
  CreateUpstream: ["ALREADY_EXISTS"],
  CreateVerificationKey: ["ALREADY_EXISTS", "RESOURCE_LIMIT_EXCEEDED"],
  CreateWithGroup: [...GRANT, "PERMISSION_DENIED"],
  DeleteAuth: ["LAST_OWNER", "PERMISSION_DENIED"],
  DeleteExternalGroupRoleMapping: ["LAST_OWNER"],
  DeleteGroup: ["DRY_RUN_TOO_LARGE", "NAME_SHARED", "RESOURCE_NOT_EMPTY"],
  DeleteIdentity: ["BUILT_IN_IDENTITY", "LAST_OWNER"],
  DeleteIdentityProvider: ["LAST_OWNER"],
  DeleteImage: [...AT_REGISTRY, "TAG_PROTECTED"],
  DeleteRepo: ["DRY_RUN_TOO_LARGE", "TAG_PROTECTED"],
  DeleteRole: ["BUILT_IN_ROLE", "RESOURCE_IN_USE"],
  DeleteRoleBinding: ["LAST_OWNER"],
  DeleteTag: ["ABORTED", "REGISTRY_REFUSED", "TAG_NOT_DELETABLE", "TAG_PROTECTED"],
  DiffImages: ["NOT_FOUND"],
  Exchange: ["NOT_FOUND", "PERMISSION_DENIED"],
  ExchangeRefreshToken: ["PERMISSION_DENIED"],
  GenerateScimToken: ["SCIM_TOKEN_EXISTS"],
  GetArchitectures: AT_REGISTRY,
  GetChart: ["CHART_INVALID", "REGISTRY_REFUSED"],
  GetHeadlessSession: ["NOT_FOUND"],
  GetImageConfig: AT_REGISTRY,
  GetHelm: ["CHART_INVALID", "REGISTRY_REFUSED"],
  GetImageManifest: AT_REGISTRY,
  GetRawSbom: ["NO_SBOM", "PACKAGES_UNKNOWN", "REGISTRY_REFUSED"],
  GetRawVulnReport: ["NOT_FOUND"],
  GetRole: ["PERMISSION_DENIED"],
  GetSbom: ["PACKAGES_UNKNOWN", "REGISTRY_REFUSED"],
  GetSbomDocument: ["NO_SBOM", "PACKAGES_UNKNOWN", "REGISTRY_REFUSED"],
  GetSize: AT_REGISTRY,
  GetStorageStatus: ["NO_REGISTRY"],
  GetVulnReport: ["PACKAGES_UNKNOWN"],
  ListAccess: ["ABORTED", "NOT_FOUND", "PERMISSION_DENIED"],
  ListDocuments: ["UNAUTHENTICATED"],
  ListSessions: ["PERMISSION_DENIED"],
  ListVulnerabilityMetadata: ["UNAUTHENTICATED"],
  Logout: ["NO_SESSION", "PERMISSION_DENIED"],
  LookupGroup: ["NOT_FOUND"],
  LookupIdentity: ["NOT_FOUND"],
  ReconcileRegistries: ["ABORTED", "NOT_FOUND", "NO_REGISTRY"],
  RedeliverEvents: ["SUBSCRIPTION_DISABLED"],
  RegenerateScimToken: ["ABORTED"],
  Register: ["NOT_FOUND", "PERMISSION_DENIED", "RESOURCE_LIMIT_EXCEEDED"],
  RestoreTag: ["ALREADY_EXISTS", "IMAGE_NOT_FOUND", ...MOVED],
  ReviewDecision: ["DECISION_EXPIRED", "DECISION_REVIEWED", "REVIEWER_IS_AUTHOR"],
  SetScimEnabled: ["ABORTED", "TOO_FEW_OWNERS"],
  SyncUpstream: ["NOT_SYNCHRONIZED", "NO_REGISTRY"],
  UpdateAdvisoryEvent: [
    ...["EVENT_CHANGED", "EVENT_NOT_PENDING", "EVENT_REVIEWED", "REVIEWER_IS_AUTHOR"],
  ],
  UpdateGroup: ["ALREADY_EXISTS", "NAME_SHARED", "NAME_TAKEN", "RESOURCE_NOT_EMPTY"],
  UpdateIdentity: ["ALREADY_EXISTS", "BUILT_IN_IDENTITY", "LAST_OWNER", "RECENT_SIGN_IN_REQUIRED"],
  UpdateIdentityProvider: [...GRANT, "LAST_OWNER"],
  UpdateRepo: [...REPO, "NAME_TAKEN", "RESOURCE_NOT_EMPTY"],
  UpdateRole: ["BUILT_IN_ROLE", "RECENT_SIGN_IN_REQUIRED"],
  UpdateRoleBinding: [...BIND, "LAST_OWNER"],
  UpdateSubscription: ["RESOURCE_LIMIT_EXCEEDED", "RIGHTS_OF_SESSION"],
  UpdateTag: ["ABORTED", ...AT_REGISTRY, "IMAGE_NOT_FOUND", ...MOVED],
  UpdateVerificationKey: ["ALREADY_EXISTS"],
  WatchAuditEntries: ["OUT_OF_RANGE"],
  WatchEvents: ["OUT_OF_RANGE"],
};

/** Methods of version 1 whose name does not tell what version 2 calls them. */
const RENAMED: Readonly<Record<string, string>> = {
  BatchDelete: "BatchDeleteExternalGroupRoleMappings",
  CreateBatch: "BatchCreateRoleBindings",
  CreateGroupAccountAssociation: "CreateAccountAssociation",
  GetArchs: "GetArchitectures",
};

/** The reasons of a method, for errors beside those that every method may have. */
export function reasonsOf(desc: DescMethod, hasPath: boolean): ReadonlySet<string> {
  const access = accessOf(desc)?.kind;
  const reasons = ["INVALID_ARGUMENT"];
  if (access !== "anyone" || takesForeignToken(desc)) reasons.push("UNAUTHENTICATED");
  if (needsRecentSignIn(desc)) reasons.push("RECENT_SIGN_IN_REQUIRED");
  if (access === "scoped" || access === "operator") reasons.push("PERMISSION_DENIED");
  if (hasPath) reasons.push("NOT_FOUND");
  if (isCreate(desc))
    reasons.push("ABORTED", "IDEMPOTENCY_KEY_REUSED", "IDEMPOTENCY_KEY_RESPONSE_LOST");
  return new Set([...reasons, ...(OF_METHODS[nameInVersion2(desc)] ?? [])]);
}

function nameInVersion2({ name, parent }: DescMethod): string {
  const isBare = /^(Create|Delete|Lookup|Update)$/.test(name);
  const full = isBare ? name + parent.name.replace(/ies$/, "y").replace(/s$/, "") : name;
  return RENAMED[full] ?? full;
}

/** Methods that are public because the bearer token is checked by the method: another issuer may have signed it. */
const FOREIGN_TOKENS = new Set<DescMethod>([
  SecurityTokenService.method.exchange,
  SecurityTokenService.method.exchangeRefreshToken,
  Auth.method.register,
]);

export function takesForeignToken(desc: DescMethod): boolean {
  return FOREIGN_TOKENS.has(desc);
}
