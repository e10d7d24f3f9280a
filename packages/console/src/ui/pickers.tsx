import { api } from "../api/client.ts";
import { useGroupNames } from "../api/group-names.ts";
import { type Pages, usePages } from "../api/pages.ts";
import { parentOf } from "../app/place.ts";
import type { Choice, Choices } from "./picker.tsx";

/** Choices of a page. */
const PAGE_SIZE = 30;

/** Workload identities in the groups that the caller can see, by the beginning of their name. */
export function useIdentityChoices(namePrefix: string): Choices {
  const request = { namePrefix, pageSize: PAGE_SIZE, orderBy: "name" };
  const found = usePages(api.identities.list, request, ({ identities }) => identities);
  const { pathTo } = useGroupNames(found.rows.map(({ uid = "" }) => parentOf(uid)));
  return choicesOf(found, ({ uid = "", name = "", email }) =>
    choice(uid, name, email || (uid.includes("/") ? pathTo(parentOf(uid)) : undefined)),
  );
}

/** Roles, by the beginning of their name. */
export function useRoleChoices(namePrefix: string): Choices {
  const request = { namePrefix, pageSize: PAGE_SIZE, orderBy: "name" };
  const found = usePages(api.roles.list, request, ({ roles }) => roles);
  return choicesOf(found, ({ uid = "", name = "", description }) => choice(uid, name, description));
}

/** Organizations and folders, by the beginning of their name, with the whole path. */
export function useGroupChoices(namePrefix: string): Choices {
  const request = { namePrefix, pageSize: PAGE_SIZE, orderBy: "name" };
  const found = usePages(api.groups.list, request, ({ groups }) => groups);
  const { pathTo } = useGroupNames(found.rows.map(({ uid = "" }) => uid));
  return choicesOf(found, ({ uid = "", name = "" }) =>
    choice(uid, name, uid.includes("/") ? pathTo(parentOf(uid)) : undefined),
  );
}

function choicesOf<Row>(pages: Pages<Row>, choice: (row: Row) => Choice): Choices {
  const { rows, hasMore, isLoading, more } = pages;
  return { choices: rows.map(choice), hasMore, isLoading, more };
}

function choice(value: string, label: string, hint: string | undefined): Choice {
  return { value, label, ...(hint && { hint }) };
}
