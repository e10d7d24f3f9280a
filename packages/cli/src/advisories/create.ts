import type { Run } from "../command/types.ts";
import { resolvePlace } from "../resolve/groups.ts";
import { given } from "../resource/given.ts";
import { ADVISORY_DETAILS } from "./columns.ts";
import { findAdvisory } from "./resolve.ts";
import type { createDefinition } from "./writing.ts";

export const run: Run<typeof createDefinition> = async (context, args) => {
  const parent = await resolvePlace(context, args.parent);
  const advisory = {
    artifactName: args.artifact,
    artifactType: args.artifactType,
    aliases: [...args.alias],
    ...given({
      artifactArchitecture: args.architecture,
      componentName: args.component,
      componentType: args.componentType,
      componentLocation: args.location,
      legacyAdvisoryID: args.legacyId,
      advisoryId: args.id,
    }),
  };
  const { advisoriesV1 } = await context.client();
  const { signal } = context;
  const made = await advisoriesV1.create({ parentId: parent.uid, advisory }, { signal });
  context.err.note(`created advisory ${made.advisoryId} in ${parent.name}`);
  await context.out.one(await findAdvisory(context, made.id), ADVISORY_DETAILS);
};
