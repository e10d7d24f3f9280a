import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { builtinRole, isUid } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { notFound, usageError } from "../../errors.ts";
import type { Column } from "../../output/columns.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { registriesOf } from "../docker/registries.ts";
import type { createDefinition } from "./commands.ts";
import { mint, PULL_TOKEN_ISSUER } from "./mint.ts";

/** As long as the server trusts keys that nobody can rotate. */
const LONGEST_SECONDS = 8_760 * 3_600;

/** What is shown once. */
interface PullToken {
  readonly uid: string;
  readonly name: string;
  readonly registry: string;
  readonly username: string;
  readonly password: string;
  readonly role: string;
  readonly expireTime: string;
}

const COLUMNS: readonly Column<PullToken>[] = [
  { header: "Registry", value: ({ registry }) => registry },
  { header: "Username", value: ({ username }) => username },
  { header: "Password", value: ({ password }) => password },
  { header: "Until", value: ({ expireTime }) => expireTime },
  { header: "Name", value: ({ name }) => name, wide: true },
  { header: "UID", value: ({ uid }) => uid, wide: true },
];

export const run: Run<typeof createDefinition> = async (context, args) => {
  const { settings, out, err } = context;
  if (args.ttl <= 0 || args.ttl > LONGEST_SECONDS) {
    throw usageError("--ttl must be more than nothing, and 8760h at most");
  }
  const role = await roleUid(context, args.role);
  const { uid: parent, name: group } = await resolveGroup(context, args.parent);
  const { subject, jwks, token } = mint();
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
  const made: PullToken = {
    uid,
    name: args.name,
    registry: registriesOf(settings)[0] ?? "",
    // Some tools do not take a slash in a username.
    username: uid.replaceAll("/", "_"),
    password: token(audience, expires),
    role: args.role,
    expireTime: expires.toISOString(),
  };
  err.note(`created pull token ${args.name} for ${group}; its password is shown this once`);
  err.note(`docker login ${made.registry} -u ${made.username} --password-stdin takes it`);
  if (out.format === "env") return out.text(variables(made));
  await out.one(made, COLUMNS);
};

/** Both or neither: a pull token that cannot pull is no use. */
async function createBound(
  context: Context,
  parent: string,
  roleUid: string,
  identity: object,
): Promise<string> {
  const { signal } = context;
  const { identities, roleBindings } = await context.client();
  const { uid } = await identities.create({ parent, identity }, { signal });
  try {
    const roleBinding = { identityUid: uid, roleUid };
    await roleBindings.create({ parent, roleBinding }, { signal });
  } catch (thrown) {
    await identities.delete({ uid }).catch(() => {
      context.err.warn(`identity ${uid} was left behind: delete it`);
    });
    throw thrown;
  }
  return uid;
}

async function roleUid({ client, signal }: Context, text: string): Promise<string> {
  if (isUid(text)) return text;
  const builtin = builtinRole(text);
  if (builtin !== undefined) return builtin.uid;
  const { roles } = await client();
  const [first, second] = (await roles.list({ name: text, pageSize: 2 }, { signal })).roles;
  if (first === undefined) throw notFound(`no role is named "${text}"`);
  if (second !== undefined) throw usageError(`several roles are named "${text}"`, "give a uid");
  return first.uid;
}

/** Neither has a character that a shell would look at. */
function variables({ registry, username, password }: PullToken): string {
  return [
    `export WHARF_REGISTRY=${registry}`,
    `export WHARF_REGISTRY_USERNAME=${username}`,
    `export WHARF_REGISTRY_PASSWORD=${password}`,
  ].join("\n");
}
