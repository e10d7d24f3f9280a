import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AccountAssociation } from "@wharf/client";
import { type AccountAssociationSchema, AccountProviderType, CheckStatus } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { failed, notFound, usageError } from "../../errors.ts";
import { UID } from "../../output/columns.ts";
import { problemOf } from "../../problem.ts";
import { resolveGroup, resolveParent, resolveScope } from "../../resolve/groups.ts";
import type { Kind } from "../../resolve/kinds.ts";
import { printOne, type Resource } from "../../resource/run.ts";
import { definedFields, readPairs } from "../../resource/values.ts";
import type {
  checkDefinition,
  setAwsDefinition,
  setAzureDefinition,
  setGcpDefinition,
  setGithubDefinition,
  unsetDefinition,
} from "./commands.ts";

const ASSOCIATION: Kind<AccountAssociation> = {
  one: "account association",
  many: "account associations",
  listCommand: "wharf iam account-associations list",
  service: ({ accountAssociations }) => accountAssociations,
  label: ({ name }) => name,
  hint: ({ uid }) => uid,
};

export const resource: Resource<AccountAssociation> = {
  kind: ASSOCIATION,
  columns: [
    { header: "Name", value: ({ name }) => name },
    UID,
    { header: "AWS", value: ({ amazon }) => amazon?.account },
    {
      header: "GCP",
      value: ({ google }) => google && `${google.projectId} (${google.projectNumber})`,
    },
    { header: "Azure", value: azureText },
    { header: "GitHub", value: githubText },
    {
      header: "Services",
      value: ({ chainguard }) => pairsText(chainguard?.serviceBindings),
      wide: true,
    },
    { header: "Description", value: ({ description }) => description, wide: true },
    { header: "Created", value: ({ createTime }) => createTime, wide: true },
    { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
  ],
  async find(context, text) {
    const { uid } = await resolveParent(context, text);
    return (await context.client()).accountAssociations.get({ uid }, { signal: context.signal });
  },
  async select(context, args) {
    const { accountAssociations } = await context.client();
    const uidp = await resolveScope(context, args);
    const { name, orderBy } = args;
    const request = { uidp, ...definedFields({ name, orderBy }) };
    return accountAssociations.listAll(request, { signal: context.signal });
  },
};

function azureText({ azure }: AccountAssociation): string | undefined {
  return azure && [azure.tenantId, pairsText(azure.clientIds)].filter(Boolean).join(": ");
}

function githubText({ github }: AccountAssociation): string {
  return Object.entries(github?.appInstallations ?? {})
    .map(([app, { installations }]) => {
      const names = installations.map(({ installationId, name }) => name || String(installationId));
      return `app ${app}: ${names.join(", ")}`;
    })
    .join("; ");
}

function pairsText(map: { readonly [name: string]: string } = {}): string {
  return Object.entries(map)
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

/** The fields of the API by the provider names of the command line. */
const FIELDS = { aws: "amazon", gcp: "google", azure: "azure", github: "github" } as const;

type Provider = keyof typeof FIELDS;

function readProvider(text: string, allowed = Object.keys(FIELDS)): Provider {
  if (allowed.includes(text)) return text as Provider;
  throw usageError(`PROVIDER must be one of ${allowed.join(", ")}, not "${text}"`);
}

export const setAws: Run<typeof setAwsDefinition> = (context, { group, account }) =>
  setAccounts(context, group, "aws", () => ({ amazon: { account } }));

export const setGcp: Run<typeof setGcpDefinition> = (context, args) => {
  const { group, projectId, projectNumber } = args;
  return setAccounts(context, group, "gcp", () => ({ google: { projectId, projectNumber } }));
};

export const setAzure: Run<typeof setAzureDefinition> = (context, args) => {
  const { group, tenantId } = args;
  const clientIds = readPairs("--client-id", args.clientId);
  return setAccounts(context, group, "azure", () => ({ azure: { tenantId, clientIds } }));
};

export const setGithub: Run<typeof setGithubDefinition> = (context, args) => {
  const { group, appId } = args;
  readId("--app-id", appId);
  const installations = args.installation.map((text) => {
    const [id = "", ...name] = text.split("=");
    return { installationId: readId("--installation", id), name: name.join("=") };
  });
  return setAccounts(context, group, "github", (current) => ({
    github: {
      appInstallations: { ...current?.github?.appInstallations, [appId]: { installations } },
    },
  }));
};

function readId(source: string, text: string): bigint {
  if (/^[1-9]\d{0,17}$/.test(text)) return BigInt(text);
  throw usageError(`${source} must be a number, not "${text}"`);
}

type Accounts = Pick<
  MessageInitShape<typeof AccountAssociationSchema> & object,
  (typeof FIELDS)[Provider]
>;

/** Sets a group's accounts at one provider; those at other providers stay. */
async function setAccounts(
  context: Context,
  text: string,
  provider: Provider,
  accountsOf: (current: AccountAssociation | undefined) => Accounts,
): Promise<void> {
  const { uid, name } = await resolveGroup(context, text);
  const current = await associationOf(context, uid);
  const accounts = accountsOf(current);
  const { accountAssociations } = await context.client();
  const { signal } = context;
  const saved =
    current === undefined
      ? await accountAssociations.create(
          { parent: uid, accountAssociation: { name, ...accounts } },
          { signal },
        )
      : await accountAssociations.update(
          { accountAssociation: { uid, ...accounts }, updateMask: [FIELDS[provider]] },
          { signal },
        );
  context.err.note(`set the ${provider} account of ${name}`);
  await printOne(context, resource, saved);
}

export const unset: Run<typeof unsetDefinition> = async (context, args) => {
  const provider = args.provider === "all" ? undefined : readProvider(args.provider);
  const { uid, name } = await resolveGroup(context, args.group);
  const current = await associationOf(context, uid);
  const field = provider && FIELDS[provider];
  const accounts = provider === undefined ? "accounts" : `${provider} accounts`;
  if (current === undefined || (field !== undefined && current[field] === undefined)) {
    throw notFound(`${name} has no ${accounts}`);
  }
  await context.confirm(`Remove the ${accounts} of ${name}?`);
  const { accountAssociations } = await context.client();
  const { signal } = context;
  const others = [...Object.values(FIELDS), "chainguard" as const].filter(
    (other) => other !== field && current[other] !== undefined,
  );
  // An empty association would keep its group from being deleted.
  if (field === undefined || others.length === 0) {
    await accountAssociations.delete({ uid }, { signal });
  } else {
    const request = { accountAssociation: { uid }, updateMask: [field] };
    await accountAssociations.update(request, { signal });
  }
  context.err.note(`removed the ${accounts} of ${name}`);
};

const PROVIDER_TYPES: Readonly<Record<string, AccountProviderType>> = {
  aws: AccountProviderType.AMAZON,
  gcp: AccountProviderType.GOOGLE,
  azure: AccountProviderType.AZURE,
};

export const check: Run<typeof checkDefinition> = async (context, args) => {
  const provider = readProvider(args.provider, Object.keys(PROVIDER_TYPES));
  const { uid } = await resolveParent(context, args.group);
  const { accountAssociations } = await context.client();
  const request = { uid, providerType: PROVIDER_TYPES[provider] as AccountProviderType };
  const verdict = await context.progress(`checking ${provider}`, () =>
    accountAssociations.check(request, { signal: context.signal }),
  );
  await context.out.one(
    verdict,
    [
      { header: "Status", value: ({ status }) => CheckStatus[status] },
      { header: "Reason", value: ({ reason }) => reason },
      { header: "Message", value: ({ message }) => message },
    ],
    { id: ({ status }) => CheckStatus[status] ?? "" },
  );
  if (verdict.status !== CheckStatus.READY) {
    throw failed(`cannot obtain credentials at ${provider}: ${verdict.reason}`);
  }
};

/** The association of a group; undefined if it has none. */
async function associationOf(
  { client, signal }: Context,
  uid: string,
): Promise<AccountAssociation | undefined> {
  const { accountAssociations } = await client();
  try {
    return await accountAssociations.get({ uid }, { signal });
  } catch (error) {
    if (problemOf(error).code === "NOT_FOUND") return undefined;
    throw error;
  }
}
