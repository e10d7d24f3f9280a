import { choice, type Field, field, type Platform, quoted } from "./platform.ts";
import { AUDIENCE, EXPIRATION, ISSUER, KEYS, nameFrom, subjectMatch } from "./subjects.ts";

const REQUIRED_ISSUER: Field = { ...ISSUER, isRequired: true };
const SUBJECT: Field = { ...field("the sub claim of the tokens", "app", /\S/), isRequired: true };

/** Keys of the workload itself, or of an issuer that the server cannot reach. */
export const staticKeys: Platform = {
  fields: {
    issuer: REQUIRED_ISSUER,
    subject: SUBJECT,
    issuerKeys: { ...KEYS, isRequired: true },
    expiration: EXPIRATION,
    audience: AUDIENCE,
  },
  command: () => ["generic"],
  trust(values) {
    const { issuer = "", subject = "" } = values;
    const relationship = subjectMatch(issuer, subject, values);
    return { name: nameFrom(subject), description: "", relationship, samples: [], warnings: [] };
  },
};

/** Any OpenID Connect issuer that the server can reach. */
export const anyIssuer: Platform = {
  fields: {
    issuer: REQUIRED_ISSUER,
    match: { ...choice("exact", "pattern"), option: "" },
    subject: {
      ...SUBJECT,
      option: ({ match }) => (match === "pattern" ? "subject-pattern" : "subject"),
    },
    audience: AUDIENCE,
    claims: {
      expected: "one NAME=VALUE per line",
      example: "",
      option: "claim",
      problem: (text) => readClaims(text).problem,
    },
  },
  command: () => ["generic"],
  trust({ issuer = "", match, subject = "", audience, claims }) {
    const isPattern = match === "pattern";
    return {
      name: isPattern ? "" : nameFrom(subject),
      description: "",
      relationship: {
        claimMatch: {
          issuer,
          ...(isPattern ? { subjectPattern: subject } : { subject }),
          ...(audience && { audience }),
          ...(claims && { claims: readClaims(claims).claims }),
        },
      },
      samples: [],
      warnings: [],
    };
  },
};

/** Claims of lines such as `name=value`; a line that is none must not be dropped, which would trust more tokens. */
export function readClaims(lines: string): { claims: Record<string, string>; problem?: string } {
  const found = new Map<string, string>();
  for (const line of lines.split("\n").filter((one) => one.trim() !== "")) {
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(line)?.map((part) => part.trim()) ?? [];
    if (name === "" || found.has(name))
      return {
        claims: {},
        problem: `must be one NAME=VALUE per line, each name once, not ${quoted(line)}`,
      };
    found.set(name, value);
  }
  return { claims: Object.fromEntries(found) };
}
