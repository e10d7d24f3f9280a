import type { Role } from "@wharf/client";
import { type Capability, capabilityName, isRoot } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import type { Context } from "../../context.ts";
import { usageError } from "../../errors.ts";
import { type Column, UID } from "../../output/columns.ts";
import {
  ASSIGNABLE_CAPABILITIES,
  capabilityNames,
  readCapabilities,
} from "../../resolve/capabilities.ts";
import { resolveGroup, resolveScope } from "../../resolve/groups.ts";
import { ROLE } from "../../resolve/kinds.ts";
import { resolve } from "../../resolve/resolve.ts";
import type { FilterArgs } from "../../resource/commands.ts";
import { filtered, printOne, type Resource } from "../../resource/run.ts";
import { updater } from "../../resource/update.ts";
import { definedFields } from "../../resource/values.ts";
import type { capabilitiesDefinition, createDefinition, FILTERS } from "./commands.ts";
import { updateDefinition } from "./commands.ts";

const COMMON: readonly Column<Role>[] = [
  { header: "Name", value: ({ name }) => name },
  UID,
  { header: "Managed", value: ({ uid }) => (isRoot(uid) ? "yes" : "no") },
  { header: "Description", value: ({ description }) => description },
];

const TIMES: readonly Column<Role>[] = [
  { header: "Created", value: ({ createTime }) => createTime, wide: true },
  { header: "Updated", value: ({ updateTime }) => updateTime, wide: true },
];

export const resource: Resource<Role, FilterArgs<typeof FILTERS>> = {
  kind: ROLE,
  // Lists only count capabilities: their names would fill the screen.
  columns: [
    ...COMMON,
    { header: "Capabilities", value: ({ capabilities }) => capabilities.length },
    ...TIMES,
  ],
  details: [
    ...COMMON,
    { header: "Capabilities", value: ({ capabilities }) => capabilityNames(capabilities) },
    ...TIMES,
  ],
  async select(context, args) {
    const { managed, custom, name, namePrefix } = args;
    if (managed && custom) throw usageError("--managed and --custom are mutually exclusive");
    const required = readCapabilities("--capabilities", args.capabilities);
    const { roles } = await context.client();
    const uidp = managed ? { inRoot: true } : await resolveScope(context, args);
    const request = {
      uidp,
      orderBy: args.orderBy ?? "name",
      ...definedFields({ name, namePrefix }),
    };
    return filtered(
      roles.listAll(request, { signal: context.signal }),
      ({ uid, capabilities }) =>
        !(custom && isRoot(uid)) && required.every((each) => capabilities.includes(each)),
    );
  },
};

export const create: Run<typeof createDefinition> = async (context, args) => {
  const { name, description = "" } = args;
  const capabilities = readCapabilities("--capabilities", args.capabilities);
  const parent = await resolveGroup(context, args.parent);
  const { roles } = await context.client();
  const request = { parent: parent.uid, role: { name, description, capabilities } };
  const created = await roles.create(request, { signal: context.signal });
  context.err.note(`created role ${created.name} in ${parent.name}`);
  await printOne(context, resource, created);
};

export const update = updater(updateDefinition, {
  resource,
  find: (context: Context, text: string) => resolve(context, ROLE, text),
  fields: {
    name: "name",
    description: "description",
    capabilities: ({ args, current }) => updatedCapabilities(current, args),
  },
  send: ({ roles }, role, updateMask, options) => roles.update({ role, updateMask }, options),
});

function updatedCapabilities(
  { name, capabilities }: Role,
  args: Readonly<Record<"capabilities" | "add" | "remove", readonly string[]>>,
): Capability[] | undefined {
  const replacement = readCapabilities("--capabilities", args.capabilities);
  const add = readCapabilities("--add", args.add);
  const remove = readCapabilities("--remove", args.remove);
  const isEdited = add.length + remove.length > 0;
  if (replacement.length > 0 && isEdited) {
    throw usageError("--capabilities excludes --add and --remove");
  }
  if (replacement.length > 0) return replacement;
  if (!isEdited) return undefined;
  const left = [...new Set([...capabilities, ...add])].filter((each) => !remove.includes(each));
  if (left.length > 0) return left;
  throw usageError(`role ${name} would have no capabilities left`, "delete the role instead");
}

interface CapabilityRow {
  readonly name: string;
  readonly resource: string;
  readonly action: string;
}

const CAPABILITY_COLUMNS: readonly Column<CapabilityRow>[] = [
  { header: "Name", value: ({ name }) => name },
  { header: "Resource", value: (row) => row.resource },
  { header: "Action", value: ({ action }) => action },
];

export const listCapabilities: Run<typeof capabilitiesDefinition> = async (context, args) => {
  const { resources, actions } = args;
  const rows = ASSIGNABLE_CAPABILITIES.map(capabilityName)
    .filter((name) => name.includes("."))
    .sort()
    .map(capabilityRow)
    .filter((row) => resources.length === 0 || resources.includes(row.resource))
    .filter(({ action }) => actions.length === 0 || actions.includes(action));
  await context.out.list(rows, CAPABILITY_COLUMNS, {
    what: "capabilities",
    arrangement: args,
    id: ({ name }) => name,
    tree: { parent: () => undefined },
  });
};

/** `manifest.metadata.list` is the action `list` on `manifest.metadata`. */
function capabilityRow(name: string): CapabilityRow {
  const dot = name.lastIndexOf(".");
  return { name, resource: name.slice(0, dot), action: name.slice(dot + 1) };
}
