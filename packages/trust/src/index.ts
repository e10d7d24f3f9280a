/** The platforms whose workloads sign in, and the rules by which identities trust their tokens. */
import { aws } from "./aws.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { anyIssuer, staticKeys } from "./issuers.ts";
import { kubernetes } from "./kubernetes.ts";

export { readClaims } from "./issuers.ts";
export * from "./platform.ts";

export const PLATFORMS = {
  github,
  gitlab,
  kubernetes,
  aws,
  keys: staticKeys,
  any: anyIssuer,
} as const;

export type PlatformName = keyof typeof PLATFORMS;
