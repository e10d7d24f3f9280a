import { isRequired, PLATFORMS, type PlatformName, problemsOf, type Values } from "@wharf/trust";
import { platformTexts } from "../../texts/platforms.ts";
import { sentence } from "../../texts/sentence.ts";
import { SelectField, TextArea, TextField } from "../../ui/fields.tsx";

/** Fields with several lines. */
const LONG = ["issuerKeys", "claims"];

/** The fields of a platform, each with the message of its rule as soon as a value breaks it. */
export function PlatformFields({
  platform,
  values,
}: {
  readonly platform: PlatformName;
  readonly values: Values;
}) {
  const rules = PLATFORMS[platform];
  const problems = problemsOf(rules, values);
  return Object.entries(platformTexts[platform].fields).map(([name, { label, hint, choices }]) => {
    const rule = rules.fields[name];
    if (rule === undefined || rule.applies?.(values) === false) return null;
    if (choices !== undefined) {
      return <SelectField key={name} name={name} label={label} options={choices} />;
    }
    const problem = problems[name];
    const shared = {
      ...{ name, label, hint },
      isRequired: isRequired(rule, values),
      check: () => (problem === undefined ? undefined : sentence(problem)),
    };
    return LONG.includes(name) ? (
      <TextArea key={name} {...shared} />
    ) : (
      <TextField key={name} {...shared} type={name === "expiration" ? "date" : "text"} />
    );
  });
}
