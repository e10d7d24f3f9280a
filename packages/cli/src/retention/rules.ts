import type { RetentionRule } from "@wharf/client";
import { usageError } from "../errors.ts";

const NUMBERS = {
  newest: "newest",
  pushed: "pushedWithinDays",
  pulled: "pulledWithinDays",
} as const;
const LISTS = { tags: "tags", by: "pulledBy", "not-by": "notPulledBy" } as const;

type Rule = {
  -readonly [Field in keyof Omit<RetentionRule, "$typeName" | "$unknown">]: RetentionRule[Field];
};

/** Reads rules such as `releases:tags=v*,newest=10`. */
export function readRules(texts: readonly string[]): Rule[] {
  return texts.map(readRule);
}

function readRule(text: string): Rule {
  const colon = text.indexOf(":");
  const name = colon < 0 ? "keep" : text.slice(0, colon);
  const rule: Rule = {
    ...{ name, tags: [], newest: 0, pushedWithinDays: 0, pulledWithinDays: 0 },
    ...{ pulledBy: [], notPulledBy: [], deployed: false },
  };
  for (const part of text.slice(colon + 1).split(",")) {
    const [key = "", value] = part.trim().split(/=(.*)/s);
    if (Object.hasOwn(NUMBERS, key) && /^\d{1,9}$/.test(value ?? "")) {
      rule[NUMBERS[key as keyof typeof NUMBERS]] = Number(value);
    } else if (Object.hasOwn(LISTS, key) && value) {
      rule[LISTS[key as keyof typeof LISTS]].push(value);
    } else if (key === "deployed" && value === undefined) rule.deployed = true;
    else {
      const hint = "conditions are tags=, newest=, pushed=, pulled=, by=, not-by= and deployed";
      throw usageError(`"${part}" of --keep is no condition`, hint);
    }
  }
  return rule;
}

/** A rule as --keep takes it. */
export function ruleText(rule: RetentionRule): string {
  const numbers = Object.entries(NUMBERS).flatMap(([key, field]) =>
    rule[field] === 0 ? [] : [`${key}=${rule[field]}`],
  );
  const lists = Object.entries(LISTS).map(([key, field]) =>
    rule[field].map((one) => `${key}=${one}`),
  );
  const conditions = [...lists.flat(), ...numbers, ...(rule.deployed ? ["deployed"] : [])];
  return `${rule.name}:${conditions.join(",")}`;
}
