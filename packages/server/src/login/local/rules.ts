import { create } from "@bufbuild/protobuf";
import { GroupSchema } from "@wharf/contract";
import { invalidArgument } from "../../lib/errors.ts";
import { validate } from "../../rpc/validate.ts";

/** What local accounts are called: also an e-mail address, which then is a name like any other. */
const USERNAME = /^[a-z0-9][a-z0-9._@+-]{0,62}$/;

const SHORTEST_PASSWORD = 12;
const MOST_BYTES = 1024;

/** A username as it is kept, from one as it was typed. */
export function readUsername(typed: string): string {
  const username = knownUsername(typed);
  if (username !== undefined) return username;
  throw refusal(
    "username",
    "a username starts with a letter or digit and has at most 63 characters: letters from a to z, digits and . _ @ + -",
  );
}

/** Like readUsername, for one that is only looked for: nobody has one that is not in its form. */
export function knownUsername(typed: string): string | undefined {
  const username = typed.trim().toLowerCase();
  return USERNAME.test(username) ? username : undefined;
}

/**
 * Refuses passwords that are easily guessed. Length is what counts, so nothing is asked of the
 * characters.
 */
export function checkPassword(password: string, again: string, known: readonly string[]): void {
  if ([...password].length < SHORTEST_PASSWORD) {
    throw refusal("password", `a password must have at least ${SHORTEST_PASSWORD} characters`);
  }
  if (Buffer.byteLength(password, "utf8") > MOST_BYTES) {
    throw refusal("password", `a password must have at most ${MOST_BYTES} bytes`);
  }
  if (known.includes(password.trim().toLowerCase())) {
    throw refusal("password", "the password must not be the name of the account or organization");
  }
  if (password !== again) throw refusal("password", "the passwords do not match");
}

/** The name of an organization, by the rule that holds for all groups. */
export function readOrganization(typed: string): string {
  const name = typed.trim();
  try {
    validate(GroupSchema, create(GroupSchema, { name }));
  } catch {
    throw refusal(
      "organization",
      "the name of an organization has at most 255 characters: letters from a to z, digits, spaces and . _ -",
    );
  }
  return name;
}

function refusal(field: string, description: string): Error {
  return invalidArgument({ field, description });
}
