import { aws } from "./platforms/aws.ts";
import { github } from "./platforms/github.ts";
import { gitlab } from "./platforms/gitlab.ts";
import { any, keys } from "./platforms/issuers.ts";
import { kubernetes } from "./platforms/kubernetes.ts";
import type { Relationship } from "./trust.ts";

/** Where workloads run, by name in the URL. */
export const PLATFORMS = { github, gitlab, kubernetes, aws, keys, any } as const;

export type PlatformName = keyof typeof PLATFORMS;

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
