import { useQuery } from "@tanstack/react-query";
import { matchesAny } from "@wharf/contract/glob";
import type { TagJson, TagRuleJson } from "@wharf/contract/messages";
import { parentOf, pathOf } from "../app/location.ts";
import { allPages } from "./all-pages.ts";
import { api, serviceOf, useRead } from "./client.ts";
import { useGroupNames } from "./group-names.ts";

/** A rule that applies to a tag. */
export interface AppliedRule {
  readonly rule: TagRuleJson;
  /** The names of the group, or of the group and the repo, that it belongs to. */
  readonly of: string;
  /** Whether it is the repo's rule about this one tag, which protecting it creates. */
  readonly isOwn: boolean;
}

/** The rules that apply to a tag, of its repo and of the groups above, without those that the caller may not read. */
export function useTagRules({ uid = "", name = "" }: TagJson): readonly AppliedRule[] {
  const repo = parentOf(uid);
  const { data: rules = [] } = useQuery({
    queryKey: [serviceOf(api.tagRules.list), "of tag", uid],
    queryFn: () =>
      allPages(api.tagRules.list, { uidp: { ancestorsOf: uid } }, ({ tagRules }) => tagRules),
    staleTime: 5_000,
  });
  const { data } = useRead(api.repos.get, { uid: repo });
  const { nameOf } = useGroupNames([parentOf(repo)]);
  const names = [...pathOf(parentOf(repo)).map(nameOf), data?.name ?? ""];
  const depthOf = ({ uid: rule = "" }: TagRuleJson) => pathOf(parentOf(rule)).length;
  return rules
    .filter(
      (rule) =>
        matchesAny(rule.tags ?? [], name) &&
        matchesAny(rule.repos ?? [], names.slice(depthOf(rule)).join("/")),
    )
    .map((rule) => ({
      rule,
      of: names.slice(0, depthOf(rule)).join(" / "),
      isOwn: parentOf(rule.uid ?? "") === repo && rule.protected === true && isAbout(rule, name),
    }));
}

function isAbout({ tags = [] }: TagRuleJson, name: string): boolean {
  return tags.length === 1 && tags[0] === name;
}
