import { capabilityName } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Column } from "../../output/columns.ts";
import { CAPABILITIES } from "../../resolve/capabilities.ts";
import type { capabilitiesDefinition } from "./commands.ts";

interface Shown {
  readonly name: string;
  readonly resource: string;
  readonly action: string;
}

const COLUMNS: readonly Column<Shown>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "Resource", value: ({ resource }) => resource },
  { header: "Action", value: ({ action }) => action },
];

export const run: Run<typeof capabilitiesDefinition> = async (context, args) => {
  const { resources, actions } = args;
  const all = CAPABILITIES.map(capabilityName)
    .filter((name) => name.includes("."))
    .sort()
    .map(shownOf)
    .filter(({ resource }) => resources.length === 0 || resources.includes(resource))
    .filter(({ action }) => actions.length === 0 || actions.includes(action));
  await context.out.list(all, COLUMNS, {
    what: "capabilities",
    id: ({ name }) => name,
    tree: { parent: () => undefined },
  });
};

/** `manifest.metadata.list` → the action `list` on `manifest.metadata`. */
function shownOf(name: string): Shown {
  const at = name.lastIndexOf(".");
  return { name, resource: name.slice(0, at), action: name.slice(at + 1) };
}
