import { platformTexts as words } from "../../../texts/platforms.ts";
import { nameFrom } from "../trust.ts";
import { type Field, KEYS, option, type Platform, subjectOf } from "./platform.ts";

const ISSUER: Field = {
  name: "issuer",
  label: words.issuer,
  hint: words.issuerHint,
  isRequired: true,
};
const AUDIENCE: Field = { name: "audience", label: words.audience, hint: words.audienceHint };

export const keys: Platform = {
  label: words.staticKeys.label,
  lead: words.staticKeys.lead,
  fields: [
    ISSUER,
    { name: "subject", label: words.subject, isRequired: true },
    { ...KEYS, isRequired: true },
    {
      name: "expiration",
      label: words.staticKeys.expiration,
      hint: words.staticKeys.expirationHint,
      type: "date",
    },
    AUDIENCE,
  ],
  draft(values) {
    const { issuer = "", subject = "", expiration, audience } = values;
    return {
      name: nameFrom(subject),
      description: "",
      relationship: subjectOf(issuer, subject, { ...values, keys: values.keys || "{}" }),
      samples: [],
      warnings: [],
      command: [
        "NAME",
        ...option("issuer", issuer || "URL"),
        ...option("subject", subject || "SUBJECT"),
        ...["--issuer-keys", "jwks.json"],
        ...option("expiration", expiration && `${expiration}T00:00:00Z`),
        ...option("audience", audience),
      ],
    };
  },
};

/** Claims of lines such as `name=value`. */
export function claimsOf(lines: string | undefined): Record<string, string> {
  const pairs = (lines ?? "").split("\n").flatMap((line) => {
    const at = line.indexOf("=");
    return at > 0 ? [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const] : [];
  });
  return Object.fromEntries(pairs);
}

export const any: Platform = {
  label: words.any.label,
  lead: words.any.lead,
  fields: [
    ISSUER,
    { name: "match", label: words.any.match, options: words.any.matches },
    { name: "subject", label: words.subject, hint: words.any.subjectHint, isRequired: true },
    AUDIENCE,
    { name: "claims", label: words.any.claims, hint: words.any.claimsHint, isLong: true },
  ],
  draft(values) {
    const { issuer = "", match = "exact", subject = "", audience } = values;
    const claims = claimsOf(values.claims);
    const isPattern = match === "pattern";
    return {
      name: isPattern ? "" : nameFrom(subject),
      description: "",
      relationship: {
        claimMatch: {
          issuer,
          ...(isPattern ? { subjectPattern: subject } : { subject }),
          ...(audience && { audience }),
          ...(Object.keys(claims).length > 0 && { claims }),
        },
      },
      samples: [],
      warnings: [],
      command: [
        "NAME",
        ...option("issuer", issuer || "URL"),
        ...option(isPattern ? "subject-pattern" : "subject", subject || "SUBJECT"),
        ...option("audience", audience),
        ...Object.entries(claims).flatMap(([name, value]) => option("claim", `${name}=${value}`)),
      ],
    };
  },
};
