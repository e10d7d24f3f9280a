import { type ErrorText, type Ground, invalid, plain } from "./table.ts";

const AZURE = { tenantId: "0123abcd-0123-0123-0123-0123456789ab", clientIds: { builder: "a" } };
const GOOGLE = { projectId: "acme-prod", projectNumber: "123456789" };
const associations =
  (fields: object): ErrorText[1] =>
  async ({ api, world, org }) =>
    api.accountAssociations.create(await world.group(org), { name: "x", ...fields });
const installed = (app: string, ...ids: string[]) => {
  const installations = ids.map((installationId) => ({ installationId }));
  return { github: { appInstallations: { [app]: { installations } } } };
};
const services =
  (bound: (ground: Ground, group: string) => Promise<Record<string, string>>): ErrorText[1] =>
  async (ground) => {
    const group = await ground.world.group(ground.org);
    const chainguard = { serviceBindings: await bound(ground, group) };
    await ground.api.accountAssociations.create(group, { name: "x", chainguard });
  };
async function principal({ api }: Ground, group: string): Promise<string> {
  const servicePrincipal = "SERVICE_PRINCIPAL_INGESTER";
  return (await api.identities.create(group, { name: "x", servicePrincipal })).uid;
}

/** Errors of account associations. */
export const ASSOCIATIONS: readonly ErrorText[] = [
  [
    "an association exists",
    async ({ api, world, org }) => {
      const group = await world.group(org);
      await api.accountAssociations.create(group, { name: "x" });
      await api.accountAssociations.create(group, { name: "x" });
    },
    plain("ALREADY_EXISTS", 'AccountAssociation "{uid}" exists'),
  ],
  [
    "an association does not exist",
    ({ api, org }) => api.accountAssociations.get(org),
    plain("NOT_FOUND", 'AccountAssociation "{uid}" does not exist'),
  ],
  [
    "a description does not match",
    associations({ description: "x".repeat(513) }),
    invalid({
      description:
        'description must match "^(?:[^\\x00-\\x1f\\x7f-\\x9f]|[\\t\\n]|\\r\\n){0,512}$"',
    }),
  ],
  [
    "an Amazon account is malformed",
    associations({ amazon: { account: "12" } }),
    invalid({ "amazon.account": 'account must match "^[0-9]{12}$"' }),
  ],
  [
    "a Google project has no number",
    associations({ google: { projectId: "acme-prod" } }),
    invalid({ "google.projectNumber": 'projectNumber must match "^[1-9][0-9]{0,18}$"' }),
  ],
  [
    "a Google project id is malformed",
    associations({ google: { ...GOOGLE, projectId: "Acme" } }),
    invalid({
      "google.projectId":
        'projectId must match "^([a-z0-9.-]{1,100}:)?[a-z][a-z0-9-]{4,28}[a-z0-9]$"',
    }),
  ],
  [
    "an Azure tenant is malformed",
    associations({ azure: { ...AZURE, tenantId: "common" } }),
    invalid({
      "azure.tenantId":
        'tenantId must match "^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|([0-9a-zA-Z-]{1,63}\\.){1,8}[0-9a-zA-Z-]{1,63})$"',
    }),
  ],
  [
    "an Azure tenant has no clients",
    associations({ azure: { tenantId: AZURE.tenantId } }),
    invalid({ "azure.clientIds": "clientIds is required" }),
  ],
  [
    "an Azure client is malformed",
    associations({ azure: { ...AZURE, clientIds: { a: "" } } }),
    invalid({ "azure.clientIds": 'clientIds must match "^[0-9a-zA-Z._-]{1,128}$"' }),
  ],
  [
    "an Azure tenant has too many clients",
    associations({
      azure: {
        ...AZURE,
        clientIds: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`n${at}`, "a"])),
      },
    }),
    invalid({ "azure.clientIds": "clientIds must have at most 16 entries" }),
  ],
  [
    "an installation has no id",
    associations(installed("1", "0")),
    invalid({
      "github.appInstallations[1].installations[0].installationId": "installationId is required",
    }),
  ],
  [
    "the id of an installation is negative",
    associations(installed("1", "-5")),
    invalid({
      "github.appInstallations[1].installations[0].installationId":
        "installationId must be positive",
    }),
  ],
  [
    "the id of an app is not positive",
    associations(installed("0", "5")),
    invalid({ "github.appInstallations": "the ids of apps must be positive" }),
  ],
  [
    "an app has too many installations",
    associations(installed("1", ...Array.from({ length: 101 }, (_, at) => `${at + 1}`))),
    invalid({
      "github.appInstallations[1].installations": "installations must have at most 100 entries",
    }),
  ],
  [
    "no service is bound",
    associations({ chainguard: {} }),
    invalid({ "chainguard.serviceBindings": "serviceBindings is required" }),
  ],
  [
    "a service is bound to an identity elsewhere",
    services(async (ground) => ({ INGESTER: await principal(ground, ground.org) })),
    invalid({
      "chainguard.serviceBindings[INGESTER]":
        "must be the uid of an identity directly below the group",
    }),
  ],
  [
    "a service is bound to another kind of identity",
    services(async ({ api }, group) => {
      const claimMatch = { issuer: "https://issuer.example.com", subject: "s" };
      return { INGESTER: (await api.identities.create(group, { name: "x", claimMatch })).uid };
    }),
    invalid({
      "chainguard.serviceBindings[INGESTER]": "must be the uid of a service principal identity",
    }),
  ],
  [
    "a service is bound to the identity of another",
    services(async (ground, group) => ({ COSIGNED: await principal(ground, group) })),
    invalid({ "chainguard.serviceBindings[COSIGNED]": "the identity is for INGESTER" }),
  ],
  [
    "a service is bound twice",
    services(async (ground, group) => {
      const uid = await principal(ground, group);
      return { INGESTER: uid, SERVICE_PRINCIPAL_INGESTER: uid };
    }),
    invalid({
      "chainguard.serviceBindings[SERVICE_PRINCIPAL_INGESTER]": "the service is bound twice",
    }),
  ],
  [
    "a service is unknown",
    services(async (ground, group) => ({ ingester: await principal(ground, group) })),
    invalid({
      "chainguard.serviceBindings[ingester]":
        "the key must be one of COSIGNED, INGESTER, CATALOG_SYNCER, APKO_BUILDER, ENTITLEMENT_SYNCER, TENANT_SCANNER, SEDIMENTOLOGY, SKILLUP, MATERIALIZER, MICROFLOW, GUARDENER, MICROVM, SKILLS",
    }),
  ],
  [
    "a check names no provider",
    async ({ api, world, org }) => {
      const group = await world.group(org);
      await api.accountAssociations.create(group, { name: "x" });
      await api.accountAssociations.checkAccountAssociation({
        uid: group,
        providerType: "ACCOUNT_PROVIDER_TYPE_UNSPECIFIED",
      });
    },
    invalid({ providerType: "providerType is required" }),
  ],
];
