import type { Run } from "../command/types.ts";
import { changesOf } from "../resource/given.ts";
import { ADVISORY_DETAILS } from "./columns.ts";
import { findAdvisory } from "./resolve.ts";
import type { updateDefinition } from "./writing.ts";

export const run: Run<typeof updateDefinition> = async (context, args) => {
  const changes = changesOf(
    {
      artifactName: args.artifact,
      artifactType: args.artifactType,
      artifactArchitecture: args.architecture,
      componentName: args.component,
      componentType: args.componentType,
      componentLocation: args.location,
      aliases: args.alias.length > 0 ? args.alias.filter((alias) => alias !== "") : undefined,
      legacyAdvisoryID: args.legacyId,
    },
    "--artifact, --component, --alias or another option",
  );
  const before = await findAdvisory(context, args.advisory);
  const { artifactName, artifactType, artifactArchitecture, aliases } = before;
  const { componentName, componentType, componentLocation, legacyAdvisoryId } = before;
  // A put replaces the whole.
  const whole = {
    ...{ id: before.uid, artifactName, artifactType, artifactArchitecture, aliases },
    ...{ componentName, componentType, componentLocation },
    ...(legacyAdvisoryId !== undefined && { legacyAdvisoryID: legacyAdvisoryId }),
    ...changes,
  };
  const { advisoriesV1 } = await context.client();
  await advisoriesV1.update(whole, { signal: context.signal });
  await context.out.one(await findAdvisory(context, before.uid), ADVISORY_DETAILS);
};
