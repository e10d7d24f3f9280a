export const organizationTexts = {
  create: "Create organization",
  created: (name: string) => `Organization ${name} was created.`,
  nameHint:
    "Lower-case letters, digits, dots, hyphens, underscores and spaces, such as acme.example",
  empty: "No organization yet",
  emptyText:
    "An organization holds folders, identities, roles and repositories. Create one, or ask an owner of an existing one to invite you.",
  yes: "yes",
  no: "no",
} as const;

export const folderTexts = {
  create: "Create folder",
  created: (name: string) => `Folder ${name} was created.`,
  empty: "No folder here",
  emptyText:
    "Folders divide an organization. What is granted at a folder also applies to everything below it.",
  edit: "Edit",
  editTitle: (name: string) => `Edit ${name}`,
  edited: (name: string) => `${name} was updated.`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: "Only empty folders can be deleted. This cannot be undone.",
  deleted: (name: string) => `${name} was deleted.`,
} as const;
