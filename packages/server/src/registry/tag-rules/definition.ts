import { parentOf, type TagRule, TagRuleSchema, TagRulesService } from "@wharf/contract";
import { Resource } from "../../engine/resource.ts";
import { groupOrRepo } from "../../engine/write/group-or-repo.ts";
import type { Mutation } from "../../engine/write/mutation.ts";
import { type FieldViolation, invalidArgument } from "../../lib/errors.ts";

/** Tag rules of groups and repos. All rules at and above a repo apply: none weakens another. */
export const tagRules: Resource<TagRule> = new Resource({
  service: TagRulesService,
  schema: TagRuleSchema,
  table: "tag_rules",
  index: { filters: [{ field: "name", column: "name", type: "common" }] },
  hooks: {
    resolveParent: groupOrRepo,
    beforeCreate: check,
    beforeUpdate: (mutation, _before, after) => check(mutation, after),
  },
});

async function check({ tx, deps }: Mutation, rule: TagRule): Promise<void> {
  const found: FieldViolation[] = [];
  if (!rule.immutable && !rule.protected) {
    found.push({ field: "immutable", description: "set immutable, protected or both" });
  }
  if (rule.repos.length > 0 && (await deps.catalog.repos.table.keep(tx, parentOf(rule.uid)))) {
    const description = "is for rules of groups: a rule of a repo applies to this repo";
    found.push({ field: "repos", description });
  }
  if (found.length > 0) throw invalidArgument(...found);
}
