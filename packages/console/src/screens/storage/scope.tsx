import { useGroupNames } from "../../api/group-names.ts";
import { pathOf } from "../../app/location.ts";
import { GroupPath } from "../../ui/group-path.tsx";
import { shellWord } from "../../ui/shell-word.ts";
import { RepoLink } from "../registry/repo-link.tsx";

/** A link to the group or repo that has a policy or an upstream: their uids look alike. */
export function Scope({ uid }: { readonly uid: string }) {
  const { isMissing } = useGroupNames([uid]);
  return isMissing(uid) ? <RepoLink uid={uid} /> : <GroupPath uid={uid} screen="storage" />;
}

/** A group in a command that people read: its path, or its uid where a name of it may not be read. */
export function useShellName(group: string): string {
  const { nameOf, isMissing } = useGroupNames([group]);
  const path = pathOf(group);
  return path.some(isMissing) ? group : shellWord(path.map(nameOf).join("/"));
}
