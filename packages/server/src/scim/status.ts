import { hash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type IdentityProvider_SCIM,
  IdentityProvider_SCIM_CredentialState,
  IdentityProvider_SCIMSchema,
} from "@wharf/contract";
import type { Addresses } from "../config/addresses.ts";
import type { ListDeps } from "../engine/list/lists.ts";
import type { CreateDeps } from "../engine/write/creates.ts";
import type { RateLimits } from "../lib/scheduling/rate-limits.ts";
import type { Reader } from "../store/db/connection.ts";
import { readScimCredentials, type ScimCredentials } from "../store/tables/scim/credentials.ts";

export interface ScimDeps extends CreateDeps, ListDeps {
  /** The rate limit of an identity provider's writes. */
  readonly writesPerMinute: number;
  readonly limits: RateLimits;
  addresses(): Addresses;
}

/** The provisioning status of an identity provider. */
export async function scimStatus(
  reader: Reader,
  deps: Pick<ScimDeps, "addresses">,
  uid: string,
  now: number,
): Promise<IdentityProvider_SCIM> {
  const credentials = await readScimCredentials(reader, uid);
  const { enabled, token_hash, token_expires, revoked, previous_expires } = credentials;
  const hasToken = token_hash !== "" && revoked === null;
  return create(IdentityProvider_SCIMSchema, {
    enabled: enabled === 1,
    endpointUrl: endpointUrl(deps, uid),
    credentialState: stateOf(credentials, now),
    etag: etagOf(credentials),
    ...(hasToken && timeField("tokenExpireTime", token_expires)),
    ...(hasToken && isRotating(credentials, now)
      ? timeField("previousTokenExpireTime", previous_expires)
      : {}),
  });
}

function stateOf(credentials: ScimCredentials, now: number): IdentityProvider_SCIM_CredentialState {
  const State = IdentityProvider_SCIM_CredentialState;
  const { token_hash, token_expires, revoked } = credentials;
  if (token_hash === "") return State.NOT_ISSUED;
  if (revoked !== null) return State.REVOKED;
  if (isRotating(credentials, now)) return State.ROTATING;
  return isPast(token_expires, now) ? State.EXPIRED : State.LIVE;
}

function isRotating({ previous_hash, previous_expires }: ScimCredentials, now: number): boolean {
  return previous_hash !== "" && !isPast(previous_expires, now);
}

/** Whether an expiry time has passed; null never does. */
export function isPast(expires: number | null, now: number): boolean {
  return expires !== null && expires <= now;
}

/** The SCIM base URL of an identity provider. */
export function endpointUrl({ addresses }: Pick<ScimDeps, "addresses">, uid: string): string {
  return `${addresses().authUrl}/scim/v2/${uid}`;
}

export function etagOf({ version }: Pick<ScimCredentials, "version">): string {
  return `v${version}`;
}

/** The digest under which a token is stored. */
export function scimTokenHash(token: string): string {
  return hash("sha256", token);
}

/** A time as a field of a message; omitted for null. */
export function timeField<Name extends string>(name: Name, ms: number | null) {
  return ms === null ? {} : ({ [name]: timestampFromMs(ms) } as Record<Name, Timestamp>);
}
