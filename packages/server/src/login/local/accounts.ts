import { create } from "@bufbuild/protobuf";
import { IdentitySchema } from "@wharf/contract";
import type { Mutation } from "../../engine/write/mutation.ts";
import { WharfError } from "../../lib/errors.ts";
import {
  addAccount,
  addPasskey,
  type LocalAccount,
  type StoredPasskey,
} from "../../store/tables/login/local-accounts.ts";
import type { Person } from "../people/person.ts";
import { insertPerson, nameFrom } from "../people/registration.ts";
import { passkeyRejected } from "./passkeys.ts";

/** The credential of a new local account. */
export type Credential = { readonly passwordHash: string } | { readonly passkey: StoredPasskey };

/** A local account to be created. */
export interface NewAccount {
  /** The uid of its identity: random, so that no issuer and subject derive it. */
  readonly identity: string;
  readonly username: string;
}

/**
 * Creates a local account and its identity. The identity trusts no tokens: the account is the only
 * way to sign in as it.
 */
export async function createAccount(
  change: Mutation,
  authUrl: string,
  { identity, username }: NewAccount,
  credential: Credential,
): Promise<Person> {
  const { tx } = change;
  const passwordHash = "passwordHash" in credential ? credential.passwordHash : "";
  if (!(await addAccount(tx, { identity, username, passwordHash }))) throw usernameTaken();
  if ("passkey" in credential && !(await addPasskey(tx, credential.passkey)))
    throw passkeyRejected();
  const person = personOf(authUrl, { identity, username }, change.call.time);
  await insertPerson(
    change,
    identity,
    create(IdentitySchema, { name: nameFrom(username) }),
    person,
  );
  return person;
}

export function usernameTaken(): WharfError {
  return new WharfError("ALREADY_EXISTS", "this username is taken");
}

/** The person of a local account who has just authenticated. This installation is the issuer. */
export function personOf(
  authUrl: string,
  { identity, username }: Pick<LocalAccount, "identity" | "username">,
  signedIn: number,
): Person {
  return {
    identity,
    provider: "",
    act: { iss: authUrl, sub: `local:${username}` },
    profile: { name: username },
    signedIn,
    mappings: [],
  };
}
