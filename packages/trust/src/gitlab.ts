import { choice, field, type Platform, quoted } from "./platform.ts";
import {
  AUDIENCE,
  EXPIRATION,
  escapePattern,
  GIT_REF,
  HOST,
  KEYS,
  nameFrom,
  subjectMatch,
} from "./subjects.ts";

const REF = field("a branch or tag, such as main", "main", GIT_REF);

export const gitlab: Platform = {
  fields: {
    projectPath: {
      ...field("GROUP/PROJECT, such as acme/app", "acme/app", /^[\w.][\w.-]*(\/[\w.][\w.-]*)+$/),
      isRequired: true,
    },
    refType: choice("branch", "tag"),
    ref: {
      ...REF,
      // Static keys have no patterns.
      isRequired: ({ issuerKeys }) => Boolean(issuerKeys),
      problem: (text, values) =>
        text.startsWith("refs/")
          ? `must be ${REF.expected}, without refs/heads/ or refs/tags/, not ${quoted(text)}`
          : REF.problem?.(text, values),
    },
    host: { ...HOST("gitlab.example.com"), default: "gitlab.com" },
    audience: AUDIENCE,
    issuerKeys: KEYS,
    expiration: EXPIRATION,
  },
  command: () => ["gitlab"],
  trust(values) {
    const { projectPath = "", refType = "", ref, host = "", audience } = values;
    const subject = (name: string, type = refType, from = projectPath) =>
      `project_path:${from}:ref_type:${type}:ref:${name}`;
    const issuer = `https://${host.toLowerCase()}`;
    const anyRef = {
      issuer,
      subjectPattern: `${escapePattern(subject(""))}.+`,
      ...(audience && { audience }),
    };
    const other = `${projectPath.slice(0, projectPath.lastIndexOf("/"))}/other`;
    return {
      name: nameFrom("gitlab", ...projectPath.split("/")),
      description: `GitLab CI of ${projectPath}`,
      relationship: ref ? subjectMatch(issuer, subject(ref), values) : { claimMatch: anyRef },
      samples: [
        { subject: subject(ref ?? "main"), of: "the branch or tag" },
        { subject: subject("feature", "branch"), of: "another branch" },
        { subject: subject("v1.0.0", "tag"), of: "another tag" },
        { subject: subject(ref ?? "main", refType, other), of: "another project of the group" },
      ],
      warnings: ref
        ? []
        : [
            `every ${refType} of ${projectPath} is accepted, those that any developer can push included`,
          ],
    };
  },
};
