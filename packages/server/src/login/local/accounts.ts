import { create } from "@bufbuild/protobuf";
import { IdentitySchema } from "@wharf/contract";
import type { Mutation } from "../../engine/mutation.ts";
import { WharfError } from "../../lib/errors.ts";
import { addAccount, type LocalAccount } from "../../store/tables/local-accounts.ts";
import { addPasskey, type StoredPasskey } from "../../store/tables/passkeys.ts";
import type { Person } from "../people/person.ts";
import { insertPerson, nameFrom } from "../people/registration.ts";
import { refused } from "./passkeys.ts";

/** What a local account is opened with. */
export type Credential = { readonly passwordHash: string } | { readonly passkey: StoredPasskey };

/** A local account that is to be made. */
export interface NewAccount {
  /** The uid that its identity will have: random, so that it tells nothing and matches nothing. */
  readonly identity: string;
  readonly username: string;
}

/**
 * Makes a local account and the identity that belongs to it. The identity trusts no tokens of
 * anyone: this account is the only way to it.
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
  if ("passkey" in credential && !(await addPasskey(tx, credential.passkey))) throw refused();
  const person = personOf(authUrl, { identity, username });
  await insertPerson(
    change,
    identity,
    create(IdentitySchema, { name: nameFrom(username) }),
    person,
  );
  return person;
}

/** The refusal of a username that someone else has. */
export function usernameTaken(): WharfError {
  return new WharfError("ALREADY_EXISTS", "this username is taken");
}

/** The person that a local account belongs to. We vouch for the account ourselves. */
export function personOf(
  authUrl: string,
  { identity, username }: Pick<LocalAccount, "identity" | "username">,
): Person {
  return {
    identity,
    provider: "",
    act: { iss: authUrl, sub: `local:${username}` },
    profile: { name: username },
    mappings: [],
  };
}
