import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { IdentitySchema } from "@wharf/contract";
import type { Run } from "../../../command/types.ts";
import { usageError } from "../../../errors.ts";
import { readObject } from "../../../resource/document.ts";
import type { genericDefinition } from "./commands.ts";
import { makeIdentity } from "./make.ts";
import { relationshipOf } from "./relationship.ts";

export const run: Run<typeof genericDefinition> = async (context, args) => {
  const { parent, role, file } = args;
  const relationship = relationshipOf(args);
  if (file !== undefined && relationship !== undefined) {
    throw usageError("--file excludes options that say how the identity proves itself");
  }
  const kept = file === undefined ? {} : await readIdentity(file);
  if (file === undefined && relationship === undefined) {
    throw usageError(
      "nothing says how the identity proves itself",
      "give --issuer and --subject, --issuer-keys, --aws-account, --service-principal or --file",
    );
  }
  let { name } = args;
  if (name === undefined && !("name" in kept && kept.name)) {
    context.prompt.require("NAME is missing", "give it before the options, or in the file");
    name = await context.prompt.text("NAME: Name of the identity");
  }
  const identity = {
    ...kept,
    ...(name === undefined ? {} : { name }),
    ...(args.description === undefined ? {} : { description: args.description }),
    ...(relationship === undefined ? {} : { relationship }),
  };
  await makeIdentity(context, { parent, roles: role, identity });
};

/** An identity as a file has it: the fields of the API. */
export async function readIdentity(text: string) {
  const json = await readObject("--file", text);
  try {
    return fromJson(IdentitySchema, json as JsonObject);
  } catch (error) {
    throw usageError(
      `--file is no identity: ${(error as Error).message}`,
      "its fields are those that `wharf iam identities describe -o yaml` shows",
    );
  }
}
