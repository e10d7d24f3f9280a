import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type {
  GenerateScimTokenResponse,
  IdentityProvider,
  IdentityProvider_SCIM,
  RegenerateScimTokenResponse,
} from "@wharf/client";
import { IdentityProvider_SCIM_CredentialState as State } from "@wharf/contract";
import type { Run } from "../../../command/types.ts";
import type { Context } from "../../../context.ts";
import { failed, usageError } from "../../../errors.ts";
import type { Column } from "../../../output/columns.ts";
import { IDENTITY_PROVIDER } from "../../../resolve/kinds.ts";
import { resolve, resolveUid } from "../../../resolve/resolve.ts";
import { durationOf, readFutureTime } from "../../../resource/values.ts";
import type {
  disableDefinition,
  enableDefinition,
  generateDefinition,
  regenerateDefinition,
  revokeDefinition,
  statusDefinition,
} from "./commands.ts";

const SCIM_COLUMNS: readonly Column<IdentityProvider_SCIM>[] = [
  { header: "Enabled", value: ({ enabled }) => (enabled ? "yes" : "no") },
  { header: "Token", value: tokenStateOf },
  { header: "Token expires", value: ({ tokenExpireTime }) => tokenExpireTime },
  {
    header: "Previous token expires",
    value: ({ previousTokenExpireTime }) => previousTokenExpireTime,
  },
  { header: "Address", value: ({ endpointUrl }) => endpointUrl },
];

/** `NOT_ISSUED` → `not issued` */
export function tokenStateOf({ credentialState }: IdentityProvider_SCIM): string {
  return (State[credentialState] ?? "").toLowerCase().replaceAll("_", " ");
}

export const status: Run<typeof statusDefinition> = async (context, { provider }) => {
  const { uid, scim } = await getProvider(context, provider);
  await context.out.one(scim, SCIM_COLUMNS, { id: () => uid });
};

export const enable: Run<typeof enableDefinition> = (context, { provider }) =>
  setEnabled(context, provider, true);

export const disable: Run<typeof disableDefinition> = (context, { provider }) =>
  setEnabled(context, provider, false);

async function setEnabled(context: Context, text: string, enabled: boolean): Promise<void> {
  const { uid, name, scim } = await getProvider(context, text);
  const { identityProviders } = await context.client();
  const request = { identityProviderUid: uid, enabled, etag: scim.etag };
  await identityProviders.setScimEnabled(request, { signal: context.signal });
  context.err.note(`provisioning of ${name} is ${enabled ? "enabled" : "disabled"}`);
}

export const generate: Run<typeof generateDefinition> = async (context, args) => {
  const expiration = expirationOf(args);
  const identityProviderUid = await resolveUid(context, IDENTITY_PROVIDER, args.provider);
  const { identityProviders } = await context.client();
  const request = { identityProviderUid, ...expiration };
  const { signal } = context;
  await printToken(context, await identityProviders.generateScimToken(request, { signal }));
};

export const regenerate: Run<typeof regenerateDefinition> = async (context, args) => {
  const expiration = expirationOf(args);
  const { uid, scim } = await getProvider(context, args.provider);
  const { identityProviders } = await context.client();
  const overlap = durationOf(args.overlap);
  const request = { identityProviderUid: uid, etag: scim.etag, overlap, ...expiration };
  const { signal } = context;
  await printToken(context, await identityProviders.regenerateScimToken(request, { signal }));
};

export const revoke: Run<typeof revokeDefinition> = async (context, { provider }) => {
  const { uid, name } = await resolve(context, IDENTITY_PROVIDER, provider);
  await context.confirm(`Revoke all provisioning tokens of ${name} (${uid})?`);
  const { identityProviders } = await context.client();
  await identityProviders.revokeScimToken({ identityProviderUid: uid }, { signal: context.signal });
  context.err.note(`revoked all provisioning tokens of ${name}`);
};

type WithScim = IdentityProvider & { readonly scim: IdentityProvider_SCIM };

/** Reads a provider with Get, since lists do not contain the SCIM state. */
async function getProvider(context: Context, text: string): Promise<WithScim> {
  const uid = await resolveUid(context, IDENTITY_PROVIDER, text);
  const { identityProviders } = await context.client();
  const provider = await identityProviders.get({ uid }, { signal: context.signal });
  if (provider.scim === undefined) {
    throw failed(`the server did not return the provisioning state of ${provider.name}`);
  }
  return provider as WithScim;
}

function expirationOf(args: {
  readonly expiration: string | undefined;
  readonly neverExpires: boolean;
}): { neverExpires: boolean; expireTime?: Timestamp } {
  const { expiration, neverExpires } = args;
  if (expiration === undefined) return { neverExpires };
  if (neverExpires) throw usageError("--expiration and --never-expires are mutually exclusive");
  return { neverExpires, expireTime: readFutureTime("--expiration", expiration) };
}

type TokenResponse = GenerateScimTokenResponse | RegenerateScimTokenResponse;

const TOKEN_COLUMNS: readonly Column<TokenResponse>[] = [
  { header: "Token", value: ({ token }) => token },
  { header: "Address", value: ({ endpointUrl }) => endpointUrl },
  { header: "Expires", value: ({ expireTime }) => expireTime },
];

/** Prints the token alone on stdout, for scripts. */
async function printToken(context: Context, response: TokenResponse): Promise<void> {
  const { out, err } = context;
  err.note(`the token is shown only once; SCIM endpoint: ${response.endpointUrl}`);
  if (out.format === "table") return out.text(response.token);
  await out.one(response, TOKEN_COLUMNS, { id: ({ identityProviderUid }) => identityProviderUid });
}
