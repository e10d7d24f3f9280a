/** An organization with one of everything, for requests to be about. */
import { ScimClient } from "../providers/scim.ts";
import { digest } from "../registry/oci-image.ts";
import { roleNamed, type World } from "../world/world.ts";

/** The client secret of an organization's provider; no answer may contain it. */
export const CLIENT_SECRET = "canary-client-secret-5f1d";

/** The uids of the created resources, by kind, and their other identifiers. */
export type Things = Readonly<Record<string, string>>;

/**
 * Makes an organization, or adds one more of everything to one that is there.
 *
 * @example const own = await organization(world, { name: "own-org", label: "own", issuer });
 */
export async function organization(
  world: World,
  given: {
    readonly name: string;
    readonly label: string;
    readonly issuer: string;
    readonly org?: string;
  },
): Promise<Things> {
  const api = world.operator();
  const { label, issuer } = given;
  const org = given.org ?? (await world.organization(given.name));
  if (given.org === undefined) {
    await api.groups.update(org, { verified: true });
    for (let owners = 0; owners < 2; owners++) await world.member({ [org]: "owner" });
  }
  const described = { description: `${label} description` };
  const group = (
    await api.groups.create(org, { name: given.org ? `${label}-folder` : "team", ...described })
  ).uid;
  await api.groups.create(group, { name: `${label}-folder-below`, ...described });
  // Everyone who knows the uid of an identity may bind it, and sees its name with the binding.
  const claimMatch = { issuer, subject: world.name("subject") };
  const shown = given.org ? { name: `${label}-identity`, ...described } : { name: "known" };
  const identity = (await api.identities.create(org, { ...shown, claimMatch })).uid;
  const capabilities = ["groups.list", "repo.list"];
  const role = (await api.roles.create(org, { name: `${label}-role`, ...described, capabilities }))
    .uid;
  const bound = { identityUid: identity, roleUid: role };
  const binding = (await api.roleBindings.create(group, bound)).uid;
  const provider = await providerOf(world, org, label);
  const mapped = { externalGroupId: `${label}-external`, roleUid: roleNamed("viewer") };
  const mapping = (await api.externalGroupRoleMappings.create(provider.provider as string, mapped))
    .uid;
  await api.accountAssociations.create(group, { name: `${label}-clouds`, ...described });
  const invited = { roleUid: roleNamed("viewer"), ttl: "86400s" };
  const invite = await api.groupInvites.create(group, invited);
  const repo = (await api.repos.create(group, { name: `${label}-repo` })).uid;
  await api.repos.updateRepoReadme({ repoReadme: { uid: repo, content: `# ${label} readme` } });
  const tag = (await api.tags.create(repo, { name: "latest", digest: digest(1) })).uid;
  const v1 = api.v1;
  const about = { artifactType: "apk", artifactName: `${label}-package` };
  const advisory = (await v1.advisories.create(org, about)).id;
  const event = (await v1.advisoryEvents.create(advisory, { detection: { manual: {} } })).id;
  const page = (await api.groups.list({ pageSize: 1 })).nextPageToken;
  return {
    ...{ org, group, identity, role, binding, mapping, repo, tag, advisory, event, page },
    ...provider,
    invite: invite.uid,
    code: invite.code,
    issuer,
    digest: digest(1),
  };
}

/** An identity provider that provisions, with a person and a group that it has provisioned. */
async function providerOf(world: World, org: string, label: string): Promise<Things> {
  const api = world.operator();
  const { uid: provider } = await api.identityProviders.create(org, {
    // Everyone reads it on the page that asks how to sign in, if the organization is verified.
    name: "known",
    defaultRole: roleNamed("viewer"),
    oidc: {
      issuer: `https://${label}.invalid`,
      clientId: "wharf",
      clientSecret: CLIENT_SECRET,
      pkceEnabled: true,
    },
  });
  const { token, endpointUrl, etag } = await api.identityProviders.generateScimToken({
    identityProviderUid: provider,
  });
  await api.identityProviders.setScimEnabled({
    identityProviderUid: provider,
    enabled: true,
    etag,
  });
  const scim = new ScimClient(endpointUrl, token);
  const person = { userName: `${label}-person`, externalId: `${label}-external`, active: true };
  const scimUser = (await scim.post("/Users", person)).body.id;
  const members = [{ value: scimUser }];
  const scimGroup = (await scim.post("/Groups", { displayName: `${label}-people`, members })).body
    .id;
  return { provider, scimToken: token, scimUser, scimGroup };
}
