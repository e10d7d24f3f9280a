import type { RoleJson } from "@wharf/contract/messages";
import { api } from "../api/client.ts";
import { useGroupNames } from "../api/group-names.ts";
import { type Pages, usePages } from "../api/pages.ts";
import { parentOf } from "../app/location.ts";
import { usePeopleChoices } from "./people-choices.ts";
import type { Choice, Choices } from "./picker.tsx";

const UID = /^[0-9a-f]{40}(?:\/[0-9a-f]{16})*$/;

/** Choices of a page. */
const PAGE_SIZE = 30;

/**
 * People, and workload identities by the beginning of their name, that the caller can see. Someone else has a uid, which
 * can be entered.
 */
export function useIdentityChoices(namePrefix: string): Choices {
  const people = usePeopleChoices(namePrefix);
  const request = { namePrefix, pageSize: PAGE_SIZE, orderBy: "name" };
  const found = usePages(api.identities.list, request, ({ identities }) => identities);
  const { pathTo } = useGroupNames(found.rows.map(({ uid = "" }) => parentOf(uid)));
  const workloads = choicesOf(found, ({ uid = "", name = "", email }) =>
    choice(uid, name, email || (uid.includes("/") ? pathTo(parentOf(uid)) : undefined)),
  );
  if (UID.test(namePrefix)) return [{ value: namePrefix, label: namePrefix }];
  return {
    choices: [...people.choices, ...workloads.choices],
    hasMore: people.hasMore || workloads.hasMore,
    isLoading: people.isLoading || workloads.isLoading,
    more: () => Promise.all([people, workloads].map((one) => one.hasMore && one.more())),
  };
}

/** Roles, by the beginning of their name; `reasonOf` tells why one cannot be chosen. */
export function useRoleChoices(
  namePrefix: string,
  reasonOf: (role: RoleJson) => string | undefined = () => undefined,
): Choices {
  const request = { namePrefix, pageSize: PAGE_SIZE, orderBy: "name" };
  const found = usePages(api.roles.list, request, ({ roles }) => roles);
  return choicesOf(found, (role) => {
    const { uid = "", name = "", description } = role;
    const reason = reasonOf(role);
    return { ...choice(uid, name, description), ...(reason && { reason }) };
  });
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

function choicesOf<Row>(pages: Pages<Row>, choice: (row: Row) => Choice) {
  const { rows, hasMore, isLoading, more } = pages;
  return { choices: rows.map(choice), hasMore, isLoading, more };
}

function choice(value: string, label: string, hint: string | undefined): Choice {
  return { value, label, ...(hint && { hint }) };
}
