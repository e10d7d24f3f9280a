import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Identity } from "@wharf/client";
import { builtinRole, isUid } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { notFound, usageError } from "../../errors.ts";
import { type Column, UID } from "../../output/columns.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { ROLE } from "../../resolve/kinds.ts";
import { resolveUid } from "../../resolve/resolve.ts";
import { filtered } from "../../resource/run.ts";
import { shellWord } from "../../terminal/shell-word.ts";
import { registriesOf } from "../docker/credentials.ts";
import type { createDefinition, listDefinition, revokeDefinition } from "./commands.ts";
import {
  expirationOf,
  generateKey,
  isPullToken,
  listPullTokens,
  PULL_TOKEN_ISSUER,
} from "./tokens.ts";

/** The server's limit for keys that cannot be rotated. */
const MAX_TTL_SECONDS = 8_760 * 3_600;

interface PullToken {
  readonly uid: string;
  readonly name: string;
  readonly registry: string;
  readonly username: string;
  readonly password: string;
  readonly role: string;
  readonly expireTime: string;
}

const CREATED_COLUMNS: readonly Column<PullToken>[] = [
  { header: "Registry", value: ({ registry }) => registry },
  { header: "Username", value: ({ username }) => username },
  { header: "Password", value: ({ password }) => password },
  { header: "Until", value: ({ expireTime }) => expireTime },
  { header: "Name", value: ({ name }) => name, wide: true },
  UID,
];

export const create: Run<typeof createDefinition> = async (context, args) => {
  const { settings, out, err } = context;
  if (args.ttl <= 0 || args.ttl > MAX_TTL_SECONDS) {
    throw usageError("--ttl must be positive, and at most 8760h");
  }
  const role = await roleUid(context, args.role);
  const { uid: parent, name: group } = await resolveGroup(context, args.parent);
  const registry = await registryHost(context);
  const { subject, jwks, signToken } = generateKey();
  const expires = new Date(Math.floor(Date.now() / 1000 + args.ttl) * 1000);
  const audience = new URL(settings.issuer).hostname;
  const keys = { issuer: PULL_TOKEN_ISSUER, subject, issuerKeys: jwks, audiences: [audience] };
  const uid = await createBound(context, parent, role, {
    name: args.name,
    description: args.description ?? "",
    relationship: {
      case: "staticKeys",
      value: { ...keys, expirationTime: timestampFromDate(expires) },
    },
  });
  const created: PullToken = {
    uid,
    name: args.name,
    registry,
    // Some tools reject a slash in a username.
    username: uid.replaceAll("/", "_"),
    password: signToken(audience, expires),
    role: args.role,
    expireTime: expires.toISOString(),
  };
  err.note(`created pull token ${args.name} for ${group}; the password is shown only once`);
  err.note(`use it with docker login ${created.registry} -u ${created.username} --password-stdin`);
  if (out.format === "env") return out.text(variablesOf(created));
  await out.one(created, CREATED_COLUMNS);
};

/** The first host of platform.registry; if that is not set, what the server names as its default registry. */
async function registryHost(context: Context): Promise<string> {
  const { settings, signal } = context;
  const isSet = settings.config.get("platform.registry") !== undefined;
  const [configured] = isSet ? registriesOf(settings) : [];
  if (configured !== undefined) return configured;
  const { installation } = await context.client();
  const { registryHosts } = await installation.get({}, { signal });
  return registryHosts[0] ?? new URL(settings.api).host;
}

/** Creates the identity and its role binding, or neither. */
async function createBound(
  context: Context,
  parent: string,
  role: string,
  identity: object,
): Promise<string> {
  const { signal } = context;
  const { identities, roleBindings } = await context.client();
  const { uid } = await identities.create({ parent, identity }, { signal });
  try {
    const roleBinding = { identityUid: uid, roleUid: role };
    await roleBindings.create({ parent, roleBinding }, { signal });
  } catch (thrown) {
    await identities.delete({ uid }).catch(() => {
      context.err.warn(`identity ${uid} could not be deleted: delete it`);
    });
    throw thrown;
  }
  return uid;
}

/** Built-in roles take no permission to list roles. */
async function roleUid(context: Context, text: string): Promise<string> {
  return builtinRole(text)?.uid ?? resolveUid(context, ROLE, text);
}

/** For a shell to evaluate: nothing that the server named can be a command there. */
function variablesOf({ registry, username, password }: PullToken): string {
  return [
    `export WHARF_REGISTRY=${shellWord(registry)}`,
    `export WHARF_REGISTRY_USERNAME=${shellWord(username)}`,
    `export WHARF_REGISTRY_PASSWORD=${shellWord(password)}`,
  ].join("\n");
}

const LIST_COLUMNS: readonly Column<Identity>[] = [
  { header: "Name", value: ({ name }) => name },
  UID,
  { header: "Days left", value: (identity) => daysLeft(expirationOf(identity)) },
  { header: "Description", value: ({ description }) => description },
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Last used", value: ({ lastSeenTime }) => lastSeenTime, wide: true },
  { header: "Ends", value: expirationOf, wide: true },
];

export const list: Run<typeof listDefinition> = async (context, args) => {
  const { parent, expired } = args;
  const filter =
    parent === undefined ? {} : { descendantsOf: (await resolveGroup(context, parent)).uid };
  const all = listPullTokens(context, filter);
  const shown = expired
    ? filtered(all, (identity) => expirationOf(identity).getTime() <= Date.now())
    : all;
  await context.progress("listing pull tokens", () =>
    context.out.list(shown, LIST_COLUMNS, { what: "pull tokens", arrangement: args }),
  );
};

const DAY_MS = 24 * 3_600_000;

/** Whole days, rounded up; `expired` afterwards. */
export function daysLeft(expiration: Date, now = Date.now()): string {
  const left = expiration.getTime() - now;
  return left <= 0 ? "expired" : String(Math.ceil(left / DAY_MS));
}

export const revoke: Run<typeof revokeDefinition> = async (context, { token }) => {
  const { uid, name } = await findPullToken(context, token);
  await context.confirm(`Revoke pull token ${name} (${uid})?`);
  const { identities } = await context.client();
  await identities.delete({ uid }, { signal: context.signal });
  context.err.note(`revoked pull token ${name}`);
};

/** Finds a pull token by UID, username or name. */
async function findPullToken(context: Context, text: string): Promise<Identity> {
  const uid = text.replaceAll("_", "/");
  if (isUid(uid)) {
    const { identities } = await context.client();
    const identity = await identities.get({ uid }, { signal: context.signal });
    if (isPullToken(identity)) return identity;
    throw usageError(`identity ${identity.name} is not a pull token`);
  }
  const found = await Array.fromAsync(listPullTokens(context, { name: text }));
  const [first, second] = found;
  if (first === undefined) {
    throw notFound(
      `no pull token is named "${text}"`,
      "`wharf auth pull-token list` lists all pull tokens",
    );
  }
  if (second === undefined) return first;
  throw usageError(
    `${found.length} pull tokens are named "${text}"`,
    ["give the UID of one:", ...found.map((identity) => identity.uid)].join("\n    "),
  );
}
