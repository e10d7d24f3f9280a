import {
  type IdentityProvider,
  type IdentityProvider_OIDC,
  IdentityProvider_OIDC_CorrelationRule,
  IdentityProviderSchema,
  IdentityProvidersService,
  isRoot,
  parentOf,
  rootOf,
} from "@wharf/contract";
import { ISSUER_URL, isIssuerUrl } from "@wharf/trust/issuer-url";
import { deleteProvisioned } from "../auth/provisioning.ts";
import { Resource } from "../engine/resource.ts";
import type { MaskPath } from "../engine/write/mask.ts";
import type { Mutation } from "../engine/write/mutation.ts";
import { invalidArgument } from "../lib/errors.ts";
import { deleteMemberships, deleteProviderSignIns } from "../store/tables/login/provider-people.ts";
import { endSessions } from "../store/tables/login/sessions.ts";
import { deleteScimCredentials } from "../store/tables/scim/credentials.ts";
import type { IamDeps } from "./deps.ts";
import { checkGrantable, checkProviderGrantable } from "./granting.ts";
import { hasOwner, mustKeepOwner, OWNER_ROLE } from "./owners.ts";

/** Identity providers: where users of an organization sign in, and which provisions them by SCIM. */
export const identityProviders: Resource<IdentityProvider> = new Resource({
  service: IdentityProvidersService,
  schema: IdentityProviderSchema,
  table: "identity_providers",
  tree: { hasChildren: true },
  quota: "idps",
  changesAccess: true,
  index: {
    filters: [
      { field: "name", column: "name", type: "common" },
      { column: "default_role", type: "text", of: (one) => one.defaultRole, referencesRole: true },
    ],
  },
  hooks: ({ iam }) => ({
    applyDefaults: applyDefaults,
    async beforeCreate(mutation, created) {
      const oidc = configurationOf(created);
      checkIssuer(iam.issuerPolicy, oidc.issuer);
      await checkGrantable(mutation, created.defaultRole, parentOf(created.uid));
      await storeSecret(mutation, iam, created.uid, oidc, false);
    },
    beforeUpdate: (mutation, before, after, mask) =>
      beforeUpdate(mutation, iam, before, after, mask),
    beforeDelete: (mutation, deleted) => deleteDependents(mutation, iam, deleted),
    async hydrateDetail(reader, provider) {
      provider.scim = await iam.scimStatus(reader, provider.uid, Date.now());
    },
  }),
});

/** The name under which the client secret is sealed. */
export const CLIENT_SECRET = "client_secret";

const { UNSPECIFIED, SUB_EQUALS_EXTERNAL_ID } = IdentityProvider_OIDC_CorrelationRule;

/** The correlation rule defaults to the subject on Create, and to the stored rule on Update. */
function applyDefaults(
  { configuration }: IdentityProvider,
  before: IdentityProvider | undefined,
): void {
  if (configuration.case !== "oidc") return;
  const oidc = configuration.value;
  const known = before?.configuration.value?.correlationRule;
  if (oidc.correlationRule === UNSPECIFIED) oidc.correlationRule = known ?? SUB_EQUALS_EXTERNAL_ID;
}

function configurationOf({ configuration }: IdentityProvider): IdentityProvider_OIDC {
  if (configuration.case !== "oidc")
    throw invalidArgument({ field: "oidc", description: "oidc is required" });
  const { correlationRule } = configuration.value;
  if (!(correlationRule in IdentityProvider_OIDC_CorrelationRule))
    throw violation("correlationRule", "must be one of the known rules");
  return configuration.value;
}

function checkIssuer(policy: IamDeps["issuerPolicy"], issuer: string): void {
  const problem = issuerProblem(policy, issuer);
  if (problem !== undefined) throw violation("issuer", problem);
}

/** Why an issuer can be that of no provider. */
export function issuerProblem(policy: IamDeps["issuerPolicy"], issuer: string): string | undefined {
  if (!isIssuerUrl(issuer)) return `must be ${ISSUER_URL}, such as https://issuer.example.com`;
  if (!policy.mayTrust(issuer)) return "is not trusted by this installation";
  const isReachable = issuer.startsWith("https:") || policy.mayBePrivate(issuer);
  return isReachable ? undefined : "must be reached over https";
}

/**
 * The issuer, client and groups claim decide who can sign in. So changing them requires every role that
 * the provider grants: the default role, and the role of every mapping.
 */
async function beforeUpdate(
  mutation: Mutation,
  deps: IamDeps,
  before: IdentityProvider,
  after: IdentityProvider,
  mask: readonly MaskPath[],
): Promise<void> {
  const [old, now] = [configurationOf(before), configurationOf(after)];
  const changesIssuer = old.issuer !== now.issuer;
  if (changesIssuer) checkIssuer(deps.issuerPolicy, now.issuer);
  const changesSignIn =
    changesIssuer || old.clientId !== now.clientId || old.groupsClaim !== now.groupsClaim;
  // Sessions are based on ID tokens of the former issuer and client.
  if (changesIssuer || old.clientId !== now.clientId)
    await endSessions(mutation.tx, { provider: after.uid });
  // A changed client voids sign-ins only at groups that people joined, not at the provider's own.
  if (changesIssuer || (old.clientId !== now.clientId && !isRoot(parentOf(after.uid))))
    await checkOwnersOtherwise(mutation, after.uid);
  if (changesSignIn) await checkProviderGrantable(mutation, after);
  else if (before.defaultRole !== after.defaultRole)
    await checkGrantable(mutation, after.defaultRole, parentOf(after.uid));
  const { secrets } = deps;
  const cleared = now.clientSecret === "" && mask.some(isSecretPath);
  const stored = !cleared && (await secrets.has(mutation.tx, after.uid, CLIENT_SECRET));
  if (cleared) await secrets.remove(mutation.tx, after.uid, CLIENT_SECRET);
  // Otherwise the stored secret would be sent to the new issuer.
  if (stored && changesIssuer && now.clientSecret === "")
    throw violation("clientSecret", "must be given again when the issuer changes");
  await storeSecret(mutation, deps, after.uid, now, stored);
}

/** Only the secret's own path in the mask clears it: with a path above, an empty secret is unchanged. */
function isSecretPath(path: MaskPath): boolean {
  return path.map((field) => field.name).join(".") === "oidc.client_secret";
}

async function storeSecret(
  { tx }: Mutation,
  { secrets }: IamDeps,
  uid: string,
  { clientSecret, pkceEnabled }: IdentityProvider_OIDC,
  stored: boolean,
): Promise<void> {
  if (clientSecret !== "") await secrets.put(tx, uid, CLIENT_SECRET, clientSecret);
  else if (!stored && !pkceEnabled)
    throw violation("clientSecret", "is required unless pkceEnabled is set");
}

/** Deletes what depends on an identity provider. */
async function deleteDependents(
  mutation: Mutation,
  { secrets }: IamDeps,
  { uid }: IdentityProvider,
): Promise<void> {
  const { deps, tx } = mutation;
  const mappings = await mappingsOf(mutation, uid);
  if (mappings.some(({ roleUid }) => roleUid === OWNER_ROLE))
    await mustKeepOwner(mutation, rootOf(uid), { provider: uid });
  else await checkOwnersOtherwise(mutation, uid);
  for (const mapping of mappings)
    await mutation.remove(deps.catalog.externalGroupRoleMappings, mapping.uid);
  await secrets.remove(tx, uid, CLIENT_SECRET);
  await deleteScimCredentials(tx, uid);
  await deleteProvisioned(tx, uid);
  await endSessions(tx, { provider: uid });
  await deleteProviderSignIns(tx, uid);
  await deleteMemberships(tx, { provider: uid });
}

/** Rejects unless an owner can sign in otherwise than through a provider, or none could even with it. */
async function checkOwnersOtherwise(mutation: Mutation, provider: string): Promise<void> {
  const organization = rootOf(provider);
  if (await hasOwner(mutation.deps, mutation.tx, organization))
    await mustKeepOwner(mutation, organization, { provider });
}

function mappingsOf({ deps, tx }: Mutation, uid: string) {
  return deps.catalog.externalGroupRoleMappings.where(tx, { column: "parent", value: uid });
}

function violation(field: string, description: string): Error {
  return invalidArgument({ field: `oidc.${field}`, description: `${field} ${description}` });
}
