import {
  completed,
  optionOf,
  PLATFORMS,
  type PlatformName,
  type Relationship,
  type Values,
} from "@wharf/trust";
import { shellWord } from "../../ui/shell-word.ts";

/** The platform that an identity seems to be for. */
export function platformOf({ claimMatch, staticKeys, awsIdentity }: Relationship): PlatformName {
  if (awsIdentity) return "aws";
  const issuer = claimMatch?.issuer ?? staticKeys?.issuer ?? "";
  const subject = claimMatch?.subject ?? claimMatch?.subjectPattern ?? staticKeys?.subject ?? "";
  if (subject.startsWith("repo:")) return "github";
  if (subject.startsWith("project_path:")) return "gitlab";
  if (subject.startsWith("system:serviceaccount:")) return "kubernetes";
  return staticKeys && issuer !== "" ? "keys" : "any";
}

interface CommandOptions {
  readonly name: string | undefined;
  readonly parent: string;
  readonly role: string | undefined;
}

/** The command that creates the identity, with examples where a value is missing. */
export function commandFor(
  platform: PlatformName,
  values: Values,
  { name, parent, role }: CommandOptions,
): string {
  const rules = PLATFORMS[platform];
  const valid = completed(rules, values);
  const options = Object.entries(valid).flatMap(([field, text = ""]) => {
    const option = optionOf(rules, field, valid);
    if (option === "" || text === rules.fields[field]?.default) return [];
    const texts = field === "claims" ? text.split("\n").filter((line) => line.trim()) : [text];
    return texts.map(
      (one) => `--${option} ${field === "issuerKeys" ? "jwks.json" : shellWord(one.trim())}`,
    );
  });
  return [
    "wharf iam identities create",
    ...rules.command(valid),
    ...(name ? [shellWord(name)] : []),
    ...options,
    `--parent ${parent}`,
    ...(role ? [`--role ${shellWord(role)}`] : []),
  ].join(" ");
}
