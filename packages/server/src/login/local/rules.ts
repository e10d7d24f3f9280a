import { create } from "@bufbuild/protobuf";
import { GroupSchema } from "@wharf/contract";
import { invalidArgument } from "../../lib/errors.ts";
import { validate } from "../../rpc/validate.ts";

/** A username may look like an email address, but is not treated as one. */
const USERNAME = /^[a-z0-9][a-z0-9._@+-]{0,62}$/;

const MIN_PASSWORD_CHARACTERS = 12;
const MAX_PASSWORD_BYTES = 1024;

/** Normalizes and validates a username. */
export function parseUsername(typed: string): string {
  const username = normalizeUsername(typed);
  if (username !== undefined) return username;
  throw invalidField(
    "username",
    "a username starts with a letter or digit and has at most 63 characters: letters from a to z, digits and . _ @ + -",
  );
}

/** The normalized username; undefined if it is invalid. */
export function normalizeUsername(typed: string): string | undefined {
  const username = typed.trim().toLowerCase();
  return USERNAME.test(username) ? username : undefined;
}

/** Rejects weak passwords. Only length matters, so there are no rules on characters. */
export function checkPassword(password: string, again: string, known: readonly string[]): void {
  if ([...password].length < MIN_PASSWORD_CHARACTERS) {
    throw invalidField(
      "password",
      `a password must have at least ${MIN_PASSWORD_CHARACTERS} characters`,
    );
  }
  if (Buffer.byteLength(password, "utf8") > MAX_PASSWORD_BYTES) {
    throw invalidField("password", `a password must have at most ${MAX_PASSWORD_BYTES} bytes`);
  }
  if (known.includes(password.trim().toLowerCase())) {
    throw invalidField(
      "password",
      "the password must not be the name of the account or organization",
    );
  }
  if (password !== again) throw invalidField("password", "the passwords do not match");
}

/** Validates the name of an organization by the rule of all groups. */
export function parseOrganizationName(typed: string): string {
  const name = typed.trim();
  try {
    validate(GroupSchema, create(GroupSchema, { name }));
  } catch {
    throw invalidField(
      "organization",
      "the name of an organization has at most 255 characters: letters from a to z, digits, spaces and . _ -",
    );
  }
  return name;
}

function invalidField(field: string, description: string): Error {
  return invalidArgument({ field, description });
}
