import type { RoleBindingIdentityJson } from "@wharf/contract/messages";
import { useEffect } from "react";
import { api } from "../api/client.ts";
import { usePages } from "../api/pages.ts";
import type { Choice } from "./picker.tsx";

const PAGE_SIZE = 200;

/** While fewer people than this match, further role bindings are read, up to a bound. */
const ENOUGH = 8;
const MAX_READ = 2_000;

/**
 * People by a part of their name or email address. People belong to no group, where lists would find them, and those of
 * other organizations are nobody's business: so these are the people in the role bindings that the caller can see.
 */
export function usePeopleChoices(text: string) {
  const request = { identityKind: "IDENTITY_KIND_PERSON", pageSize: PAGE_SIZE } as const;
  const found = usePages(api.roleBindings.list, request, ({ roleBindings }) => roleBindings);
  const { rows, hasMore, isLoading, more } = found;
  const people = new Map<string, RoleBindingIdentityJson>();
  for (const { identity } of rows) if (identity?.uid) people.set(identity.uid, identity);
  const wanted = text.toLowerCase();
  const choices = [...people.values()]
    .filter(({ name = "", email = "" }) => `${name}\n${email}`.toLowerCase().includes(wanted))
    .map(choiceOf);
  const isSearching = hasMore && choices.length < ENOUGH && rows.length < MAX_READ;
  useEffect(() => {
    if (isSearching && !isLoading) more();
  });
  return { choices, hasMore, isLoading, more };
}

function choiceOf({ uid = "", name, email }: RoleBindingIdentityJson): Choice {
  const hint = name ? email : undefined;
  return { value: uid, label: name || email || uid, ...(hint && { hint }) };
}
