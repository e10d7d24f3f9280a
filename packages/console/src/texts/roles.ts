const number = new Intl.NumberFormat("en");

export const roleTexts = {
  one: "Role",
  all: "All roles",
  builtIn: "Built-in",
  builtInText: "Built-in: the same in every organization, and never changed.",
  custom: "Custom",
  customIn: "Custom role of",
  empty: "No role here",
  emptyText:
    "Built-in roles are available everywhere. A custom role collects the capabilities that you choose.",
  search: "Name begins with",
  count: (count: number) => (count === 1 ? "1 capability" : `${number.format(count)} capabilities`),
  create: "Create role",
  created: (name: string) => `Role ${name} was created.`,
  nameHint: "Such as release-manager",
  edit: "Edit",
  editTitle: (name: string) => `Edit ${name}`,
  edited: (name: string) => `${name} was updated. Everyone who has it has the change at once.`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: "A role can be deleted once nobody has it. This cannot be undone.",
  deleted: (name: string) => `${name} was deleted.`,
  usedBy: (count: number) =>
    count === 1 ? "One identity still has it" : `${number.format(count)} bindings still use it`,
  who: "Who has this role",
  nobody: "Nobody has this role",
  nobodyText: "Grant it under Access, at the organization or at a folder.",
  capabilities: (count: number) => `Capabilities (${number.format(count)} chosen)`,
  allCapabilities: "Capabilities by resource",
  searchCapabilities: "Search capabilities",
  noCapability: "No capability has this text in its name.",
  grayed: "You can only include capabilities you hold.",
} as const;
