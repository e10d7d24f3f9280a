import { usageError } from "../../errors.ts";

/** Where a group can have accounts, by the names that people use, and the fields that hold them. */
export const PROVIDERS = {
  aws: "amazon",
  gcp: "google",
  azure: "azure",
  github: "github",
} as const;

export type Provider = keyof typeof PROVIDERS;

export function readProvider(text: string, among = Object.keys(PROVIDERS)): Provider {
  if (among.includes(text)) return text as Provider;
  throw usageError(`PROVIDER must be one of ${among.join(", ")}, not "${text}"`);
}
