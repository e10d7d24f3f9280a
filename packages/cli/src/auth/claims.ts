import type { WhoAmI } from "@wharf/client";

/** The claims that the CLI reads. */
export interface Claims {
  readonly iss?: string;
  readonly sub?: string;
  readonly aud?: string | readonly string[];
  readonly exp?: number;
  readonly email?: string;
  /** The session of the token. */
  readonly sid?: string;
}

/** Decodes a token without verifying it: for display only, never for access decisions. */
export function claimsOf(token: string): Claims {
  try {
    const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8");
    return (JSON.parse(payload) ?? {}) as Claims;
  } catch {
    return {};
  }
}

/** The expiration of a token in milliseconds since 1970; 0 if it has none. */
export function expirationOf(token: string): number {
  return (claimsOf(token).exp ?? 0) * 1000;
}

/** The expiration of a refresh token, which is JSON in base64. */
export function refreshExpirationOf(token: string): Date | undefined {
  try {
    const { exp } = JSON.parse(Buffer.from(token, "base64").toString("utf8")) as { exp?: number };
    return typeof exp === "number" ? new Date(exp * 1000) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an audience is a URL, such as the API's. Tokens for registry hosts cannot be exchanged. */
export function isUrl(audience: string): boolean {
  return /^https?:/.test(audience);
}

/** The organizations in which a caller holds capabilities, with the role or their number. */
export function organizationsOf({ capabilities }: WhoAmI): string[] {
  const grants = capabilities.map(({ group, role, capabilities: held }) => {
    const what = role?.name ?? `${held.length} capabilities`;
    return { uid: group?.id ?? "", text: `${group?.name || "everywhere"} (${what})` };
  });
  const folders = grants.filter(({ uid }) => uid.includes("/")).length;
  return [
    ...grants.filter(({ uid }) => !uid.includes("/")).map(({ text }) => text),
    ...(folders === 0 ? [] : [`${folders} folder${folders === 1 ? "" : "s"}`]),
  ];
}

/** The email address with the UID, or only the UID. */
export function displayName({
  email,
  identity,
}: {
  email?: string | undefined;
  identity: string;
}): string {
  return email ? `${email} (${identity})` : identity;
}
