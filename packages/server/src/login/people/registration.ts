import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Identity, IdentitySchema, literalIdentityUid } from "@wharf/contract";
import type { Mutation } from "../../engine/write/mutation.ts";
import { notFound } from "../../lib/errors.ts";
import type { PersonClaims } from "./person.ts";

/**
 * Creates the identity of a person at their first sign-in, and updates it at later ones. Only
 * issuer and subject identify a person, never an email address.
 */
export async function registerPerson(change: Mutation, person: PersonClaims): Promise<string> {
  const { deps, tx, call } = change;
  const { iss, sub } = person.act;
  const uid = literalIdentityUid(iss, sub);
  const row = await deps.catalog.identities.table.findForChange(tx, uid);
  if (row !== undefined) {
    const identity = deps.catalog.identities.fromRow(row);
    identity.lastSeenTime = timestampFromMs(call.time);
    setEmail(identity, person);
    await deps.catalog.identities.table.update(tx, deps.catalog.identities.toRow(identity));
    return uid;
  }
  const claimMatch = {
    iss: { case: "issuer" as const, value: iss },
    sub: { case: "subject" as const, value: sub },
  };
  const input = create(IdentitySchema, {
    name: nameFrom(person.email?.address ?? person.profile?.name ?? sub),
    relationship: { case: "claimMatch", value: claimMatch },
  });
  return insertPerson(change, uid, input, person);
}

/** Stores the identity of a new person. */
export async function insertPerson(
  change: Mutation,
  uid: string,
  input: Identity,
  person: PersonClaims,
): Promise<string> {
  const { deps, call } = change;
  const identity = deps.catalog.identities.fromInput(input, call.time);
  identity.uid = uid;
  identity.lastSeenTime = timestampFromMs(call.time);
  setEmail(identity, person);
  await change.insert(deps.catalog.identities, identity);
  return uid;
}

/** Updates when a person was last seen. */
export async function updateLastSeen({ deps, tx, call }: Mutation, uid: string): Promise<void> {
  const row = await deps.catalog.identities.table.findForChange(tx, uid);
  if (row === undefined) throw notFound(deps.catalog.identities.typeName, uid);
  const identity = deps.catalog.identities.fromRow(row);
  identity.lastSeenTime = timestampFromMs(call.time);
  await deps.catalog.identities.table.update(tx, deps.catalog.identities.toRow(identity));
}

function setEmail(identity: Identity, { email }: PersonClaims): void {
  identity.email = email?.verified ? email.address : "";
  identity.emailUnverified = email && !email.verified ? email.address : "";
}

/** Longer names do not fit into lists. */
const MAX_NAME_CHARACTERS = 63;

/** Derives a valid name from a text. */
export function nameFrom(text: string): string {
  const allowed = text.toLowerCase().replace(/[^a-z0-9 ._-]+/g, "-");
  return allowed.slice(0, MAX_NAME_CHARACTERS).trim() || "person";
}
