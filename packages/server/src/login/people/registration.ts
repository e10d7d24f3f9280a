import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Identity, IdentitySchema, literalIdentityUid } from "@wharf/contract";
import type { Mutation } from "../../engine/mutation.ts";
import { notFound } from "../../lib/errors.ts";
import type { Described } from "./person.ts";

/**
 * Makes the identity of a person who logs in for the first time, and keeps that of one who comes
 * back up to date. Issuer and subject tell who it is, nothing else does: an e-mail address never.
 */
export async function registerPerson(change: Mutation, person: Described): Promise<string> {
  const { engine, tx, call } = change;
  const { iss, sub } = person.act;
  const uid = literalIdentityUid(iss, sub);
  const row = await engine.catalog.identities.table.findForChange(tx, uid);
  if (row !== undefined) {
    const identity = engine.catalog.identities.fromRow(row);
    identity.lastSeenTime = timestampFromMs(call.time);
    setEmail(identity, person);
    await engine.catalog.identities.table.update(tx, engine.catalog.identities.toRow(identity));
    return uid;
  }
  const claimMatch = {
    iss: { case: "issuer" as const, value: iss },
    sub: { case: "subject" as const, value: sub },
  };
  const given = create(IdentitySchema, {
    name: nameFrom(person.email?.address ?? person.profile?.name ?? sub),
    relationship: { case: "claimMatch", value: claimMatch },
  });
  return insertPerson(change, uid, given, person);
}

/** Stores a new person's identity. */
export async function insertPerson(
  change: Mutation,
  uid: string,
  given: Identity,
  person: Described,
): Promise<string> {
  const { engine, call } = change;
  const identity = engine.catalog.identities.fromInput(given, call.time);
  identity.uid = uid;
  identity.lastSeenTime = timestampFromMs(call.time);
  setEmail(identity, person);
  await change.insert(engine.catalog.identities, identity);
  return uid;
}

/** Notes that a person whom we know has come. */
export async function noteSeen({ engine, tx, call }: Mutation, uid: string): Promise<void> {
  const row = await engine.catalog.identities.table.findForChange(tx, uid);
  if (row === undefined) throw notFound(engine.catalog.identities.typeName, uid);
  const identity = engine.catalog.identities.fromRow(row);
  identity.lastSeenTime = timestampFromMs(call.time);
  await engine.catalog.identities.table.update(tx, engine.catalog.identities.toRow(identity));
}

function setEmail(identity: Identity, { email }: Described): void {
  identity.email = email?.verified ? email.address : "";
  identity.emailUnverified = email && !email.verified ? email.address : "";
}

/** The longest name that reads well in a list. */
const LONGEST_NAME = 63;

/** A name that the rules for names allow, as near to the given text as can be. */
export function nameFrom(text: string): string {
  const allowed = text.toLowerCase().replace(/[^a-z0-9 ._-]+/g, "-");
  return allowed.slice(0, LONGEST_NAME).trim() || "person";
}
