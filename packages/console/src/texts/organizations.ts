const number = new Intl.NumberFormat("en");

const NAME_HINT =
  "Lower-case letters, digits, dots, hyphens, underscores and spaces, such as acme.example";

export const organizationTexts = {
  create: "Create organization",
  created: (name: string) => `Organization ${name} was created.`,
  nameHint: NAME_HINT,
  empty: "No organization yet",
  emptyText:
    "An organization holds folders, identities, roles and repositories. Create one, or ask an owner of an existing one to invite you.",
  search: "Name begins with",
  yes: "yes",
  no: "no",
} as const;

export const folderTexts = {
  create: "Create folder",
  created: (name: string) => `Folder ${name} was created.`,
  nameHint: NAME_HINT,
  empty: "No folder here",
  emptyText:
    "Folders divide an organization. What is granted at a folder also applies to everything below it.",
  edit: "Edit",
  editTitle: (name: string) => `Edit ${name}`,
  edited: (name: string) => `${name} was updated.`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText:
    "Delete its contents first; your own role here does not count. This cannot be undone.",
  deleted: (name: string) => `${name} was deleted.`,
  contains: {
    folders: (count: number) => `Contains ${plural(count, "folder", "folders")}`,
    identities: (count: number) => `Contains ${plural(count, "identity", "identities")}`,
    repos: (count: number) => `Contains ${plural(count, "repository", "repositories")}`,
  },
  tree: "Folders of the organization",
  more: (left: number) => `Show more (${number.format(left)} left)`,
  search: "Search subfolders by prefix",
  searchHint: "such as team-",
  in: "In",
  counts: "Contents",
  here: (count: number | undefined) => (count === undefined ? "…" : number.format(count)),
  below: (here: number | undefined, below: number | undefined) =>
    below === undefined || here === undefined || below === here
      ? "here"
      : `here, ${number.format(below - here)} below`,
} as const;

function plural(count: number, one: string, many: string): string {
  return `${number.format(count)} ${count === 1 ? one : many}`;
}
