import { api } from "../../api/client.ts";
import type { GroupScreenName } from "../../app/screens.ts";

/** Contents of groups that have a screen and a count. */
export const CONTENTS = {
  folders: { method: api.groups.list, capability: "groups.list" },
  identities: { method: api.identities.list, capability: "identity.list" },
  repos: { method: api.repos.list, capability: "repo.list" },
} as const satisfies Partial<Record<GroupScreenName, object>>;

export type Content = keyof typeof CONTENTS;

/** The screens of what keeps a group from being deleted, by the plural in the server's reason. */
export const BLOCKERS: Readonly<Record<string, GroupScreenName>> = {
  groups: "folders",
  identities: "identities",
  roles: "roles",
  "role bindings": "access",
  "group invites": "people",
  repos: "repos",
  subscriptions: "events",
};
