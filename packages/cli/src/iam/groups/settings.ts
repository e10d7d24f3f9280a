import type { OrganizationSettings } from "@wharf/client";
import type { Run } from "../../command/types.ts";
import type { Column } from "../../output/columns.ts";
import { resolveGroup } from "../../resolve/groups.ts";
import { ORGANIZATION } from "../../resolve/kinds.ts";
import type { organizationSettingsDefinition } from "./commands.ts";

const COLUMNS: readonly Column<OrganizationSettings>[] = [
  {
    header: "Unique siblings",
    value: ({ uniqueSiblings }) => (uniqueSiblings ? "yes" : "no"),
  },
];

/** Changes the settings of the options, and prints all. */
export const settings: Run<typeof organizationSettingsDefinition> = async (context, args) => {
  const { uid: groupUid, name } = await resolveGroup(context, args.organization, ORGANIZATION);
  const { organizationSettings: service } = await context.client();
  const { signal } = context;
  const { uniqueSiblings } = args;
  let changed: OrganizationSettings | undefined;
  if (uniqueSiblings !== undefined) {
    changed = await service.update(
      {
        organizationSettings: { groupUid, uniqueSiblings: uniqueSiblings === "yes" },
        updateMask: { paths: ["unique_siblings"] },
      },
      { signal },
    );
    context.err.note(`updated the settings of ${name}`);
  }
  const current = changed ?? (await service.get({ groupUid }, { signal }));
  await context.out.one(current, COLUMNS, {
    id: ({ groupUid: id }) => id,
  });
};
