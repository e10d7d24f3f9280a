import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { IdentitySchema } from "@wharf/contract";
import {
  optionOf,
  PLATFORMS,
  type PlatformName,
  problemsOf,
  trustOf,
  type Values,
} from "@wharf/trust";
import type { Run } from "../../../command/types.ts";
import type { Context } from "../../../context.ts";
import { usageError } from "../../../errors.ts";
import { readFutureTime } from "../../../resource/values.ts";
import type {
  awsRoleDefinition,
  awsUserDefinition,
  githubDefinition,
  gitlabDefinition,
  kubernetesDefinition,
} from "./commands.ts";
import { createIdentity } from "./run.ts";

interface CommonArgs {
  readonly name: string | undefined;
  readonly parent: string;
  readonly role: readonly string[];
  readonly description: string | undefined;
}

export const createGithub: Run<typeof githubDefinition> = (context, args) => {
  const { name, parent, role, description, pullRequest, ...values } = args;
  const { ref, environment } = values;
  if ([ref !== undefined, environment !== undefined, pullRequest].filter(Boolean).length > 1) {
    throw usageError("--ref, --environment and --pull-request are mutually exclusive");
  }
  const named = ref !== undefined ? "ref" : environment !== undefined ? "environment" : "any";
  const trigger = pullRequest ? "pull_request" : named;
  return createFor(context, "github", args, { ...values, trigger });
};

export const createGitlab: Run<typeof gitlabDefinition> = (context, args) =>
  createFor(context, "gitlab", args, withExpiration(args));

export const createKubernetes: Run<typeof kubernetesDefinition> = (context, args) =>
  createFor(context, "kubernetes", args, withExpiration(args));

export const createRole: Run<typeof awsRoleDefinition> = (context, args) =>
  createFor(context, "aws", args, { ...args, principal: "role", awsName: args.awsRole });

export const createUser: Run<typeof awsUserDefinition> = (context, args) =>
  createFor(context, "aws", args, { ...args, principal: "user", awsName: args.awsUser });

/** Creates the identity that the rules of a platform make of the options. */
async function createFor(
  context: Context,
  platform: PlatformName,
  { name, parent, role, description }: CommonArgs,
  options: object,
): Promise<void> {
  const rules = PLATFORMS[platform];
  const values = Object.fromEntries(
    Object.entries(options).filter(([field]) => field in rules.fields),
  ) as Values;
  const option = (field: string) => `--${optionOf(rules, field, values)}`;
  // An unset variable of a script must not widen what is trusted: fields that are empty count as missing.
  const empty = Object.keys(values).find((field) => values[field] === "");
  if (empty !== undefined) throw usageError(`${option(empty)} must not be empty`);
  const [problem] = Object.entries(problemsOf(rules, values));
  if (problem !== undefined) throw usageError(`${option(problem[0])} ${problem[1]}`);
  const trust = trustOf(rules, values);
  for (const warning of trust.warnings) context.err.warn(warning);
  const identity = fromJson(IdentitySchema, {
    ...(trust.relationship as JsonObject),
    name: name ?? trust.name,
    description: description ?? trust.description,
  });
  await createIdentity(context, { parent, roles: role, identity });
}

/** The options, with the expiration of keys as a time. */
function withExpiration<
  Args extends { readonly issuerKeys: string | undefined; readonly expiration: string | undefined },
>(args: Args): Args {
  const { issuerKeys, expiration } = args;
  if (expiration === undefined) return args;
  if (issuerKeys === undefined) throw usageError("--expiration requires --issuer-keys");
  const time = timestampDate(readFutureTime("--expiration", expiration)).toISOString();
  return { ...args, expiration: time };
}
