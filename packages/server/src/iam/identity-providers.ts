import {
  type IdentityProvider,
  type IdentityProvider_OIDC,
  IdentityProvider_OIDC_CorrelationRule,
  IdentityProviderSchema,
  IdentityProvidersService,
  parentOf,
} from "@wharf/contract";
import { deleteProvisioned } from "../auth/provisioning.ts";
import type { MaskPath } from "../engine/mask.ts";
import type { Mutation } from "../engine/mutation.ts";
import { Resource } from "../engine/resource.ts";
import { invalidArgument } from "../lib/errors.ts";
import { ISSUER_URL, isIssuerUrl } from "../lib/issuer-url.ts";
import { deleteMemberships, deleteProviderSignIns } from "../store/tables/provider-people.ts";
import { deleteScimCredentials } from "../store/tables/scim-credentials.ts";
import { endSessions } from "../store/tables/sessions.ts";
import type { IamDeps } from "./deps.ts";
import { checkGrantable, checkProviderGrantable } from "./granting.ts";

/** Identity providers: where an organisation's own people log in, and who provisions them. */
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
    async beforeCreate(change, created) {
      const oidc = configurationOf(created);
      checkIssuer(iam, oidc);
      await checkGrantable(change, created.defaultRole, parentOf(created.uid));
      await storeSecret(change, iam, created.uid, oidc, false);
    },
    beforeUpdate: (change, before, after, mask) => beforeUpdate(change, iam, before, after, mask),
    beforeDelete: (change, deleted) => deleteDependents(change, iam, deleted),
    async hydrateDetail(reader, provider) {
      provider.scim = await iam.scimStatus(reader, provider.uid, Date.now());
    },
  }),
});

/** The name that the secret of a client is kept under. */
export const CLIENT_SECRET = "client_secret";

const { UNSPECIFIED, SUB_EQUALS_EXTERNAL_ID } = IdentityProvider_OIDC_CorrelationRule;

/** The rule is written once: left out it is the subject at first, and what it was later. */
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

/** The issuer must be one that this installation may trust, and can reach. */
function checkIssuer({ issuerPolicy }: IamDeps, { issuer }: IdentityProvider_OIDC): void {
  if (!isIssuerUrl(issuer))
    throw violation("issuer", `must be ${ISSUER_URL}, such as https://issuer.example.com`);
  if (!issuerPolicy.mayTrust(issuer))
    throw violation("issuer", "is not one that this installation trusts");
  if (!issuer.startsWith("https:") && !issuerPolicy.mayBePrivate(issuer))
    throw violation("issuer", "must be reached over https");
}

/**
 * Whoever says which issuer, client or claim counts decides who is let in. So that takes holding
 * all that is given to whoever is: the default role, and the role of every mapping.
 */
async function beforeUpdate(
  change: Mutation,
  deps: IamDeps,
  before: IdentityProvider,
  after: IdentityProvider,
  mask: readonly MaskPath[],
): Promise<void> {
  const [old, now] = [configurationOf(before), configurationOf(after)];
  const movesIssuer = old.issuer !== now.issuer;
  if (movesIssuer) checkIssuer(deps, now);
  const letsInOthers =
    movesIssuer || old.clientId !== now.clientId || old.groupsClaim !== now.groupsClaim;
  // Sessions rest on ID tokens of the client that the provider named when they began.
  if (movesIssuer || old.clientId !== now.clientId)
    await endSessions(change.tx, { provider: after.uid });
  if (letsInOthers) await checkProviderGrantable(change, after);
  else if (before.defaultRole !== after.defaultRole)
    await checkGrantable(change, after.defaultRole, parentOf(after.uid));
  const { secrets } = deps;
  const cleared = now.clientSecret === "" && mask.some(isSecretPath);
  const stored = !cleared && (await secrets.has(change.tx, after.uid, CLIENT_SECRET));
  if (cleared) await secrets.remove(change.tx, after.uid, CLIENT_SECRET);
  // The stored one would be sent to whoever runs the new issuer.
  if (stored && movesIssuer && now.clientSecret === "")
    throw violation("clientSecret", "must be given again when the issuer changes");
  await storeSecret(change, deps, after.uid, now, stored);
}

/** Only the secret's own path says that an empty one is meant; a path above it says nothing of it. */
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

/** All that goes with an identity provider when it is deleted. */
async function deleteDependents(
  change: Mutation,
  { secrets }: IamDeps,
  { uid }: IdentityProvider,
): Promise<void> {
  const { engine, tx } = change;
  for (const mapping of await mappingsOf(change, uid))
    await change.remove(engine.catalog.externalGroupRoleMappings, mapping.uid);
  await secrets.remove(tx, uid, CLIENT_SECRET);
  await deleteScimCredentials(tx, uid);
  await deleteProvisioned(tx, uid);
  await endSessions(tx, { provider: uid });
  await deleteProviderSignIns(tx, uid);
  await deleteMemberships(tx, { provider: uid });
}

function mappingsOf({ engine, tx }: Mutation, uid: string) {
  return engine.catalog.externalGroupRoleMappings.where(tx, { column: "parent", value: uid });
}

function violation(field: string, description: string): Error {
  return invalidArgument({ field: `oidc.${field}`, description: `${field} ${description}` });
}
