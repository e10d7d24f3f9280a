import type { Identity_ClaimMatchJson } from "@wharf/contract/messages";
import { platformTexts as words } from "../../../texts/platforms.ts";
import { escapePattern, nameFrom } from "../trust.ts";
import { option, type Platform } from "./platform.ts";

export const github: Platform = {
  label: words.github.label,
  lead: words.github.lead,
  fields: [
    { name: "repo", label: words.github.repo, hint: words.github.repoHint, isRequired: true },
    { name: "trigger", label: words.github.trigger, options: words.github.triggers },
    {
      name: "ref",
      label: words.github.ref,
      hint: words.github.refHint,
      isRequired: true,
      when: ({ trigger = "ref" }) => trigger === "ref",
    },
    {
      name: "environment",
      label: words.github.environment,
      isRequired: true,
      when: ({ trigger }) => trigger === "environment",
    },
    { name: "repoId", label: words.github.repoId, hint: words.github.idHint },
    { name: "ownerId", label: words.github.ownerId },
    { name: "host", label: words.host, hint: words.github.hostHint },
  ],
  draft(values) {
    const { repo = "", repoId, ownerId, trigger = "ref", ref, environment, host } = values;
    const example = repo || "acme/app";
    const [owner = "", project = ""] = example.split("/");
    const part = (name: string, id: string | undefined) =>
      `${escapePattern(name)}(@${id || "[0-9]+"})?`;
    const repository = `repo:${part(owner, ownerId)}/${part(project, repoId)}`;
    const fullRef = ref?.startsWith("refs/") ? ref : `refs/heads/${ref || "main"}`;
    const triggers: Readonly<Record<string, string>> = {
      ref: `ref:${escapePattern(fullRef)}`,
      environment: `environment:${escapePattern(environment || "production")}`,
      pull_request: "pull_request",
      any: ".+",
    };
    const claims = {
      ...(repoId && { repository_id: repoId }),
      ...(ownerId && { repository_owner_id: ownerId }),
    };
    const claimMatch: Identity_ClaimMatchJson = {
      issuer: host
        ? `https://${host}/_services/token`
        : "https://token.actions.githubusercontent.com",
      subjectPattern: `${repository}:${triggers[trigger] ?? triggers.ref}`,
      ...(Object.keys(claims).length > 0 && { claims }),
    };
    const of = (rest: string, from = example) => `repo:${from}:${rest}`;
    return {
      name: repo && nameFrom("github", owner, project),
      description: repo && words.github.description(repo),
      relationship: { claimMatch },
      samples: [
        { subject: of(`ref:${fullRef}`), what: words.github.samples.ref },
        { subject: of("ref:refs/heads/feature"), what: words.github.samples.branch },
        { subject: of("ref:refs/tags/v1.0.0"), what: words.github.samples.tag },
        { subject: of("pull_request"), what: words.github.samples.pullRequest },
        {
          subject: of(`environment:${environment || "production"}`),
          what: words.github.samples.environment,
        },
        {
          subject: of(`ref:${fullRef}`, `${owner}/other`),
          what: words.github.samples.other,
        },
      ],
      warnings: repoId && ownerId ? [] : [words.github.idsMissing],
      command: [
        "github",
        ...option("repo", repo || "OWNER/NAME"),
        ...(trigger === "ref" ? option("ref", ref || "main") : []),
        ...(trigger === "environment" ? option("environment", environment || "production") : []),
        ...(trigger === "pull_request" ? ["--pull-request"] : []),
        ...option("repo-id", repoId),
        ...option("owner-id", ownerId),
        ...option("host", host),
      ],
    };
  },
};
