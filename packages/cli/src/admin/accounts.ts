import { ConfigError, readSettings } from "@wharf/server/config/settings.ts";
import type { Run } from "../command/types.ts";
import { counted } from "../output/counted.ts";
import type { accountsDisableDefinition, accountsListDefinition } from "./commands.ts";
import { confirm } from "./confirm.ts";
import { printRows } from "./rows.ts";
import { splitWords } from "./words.ts";

export const list: Run<typeof accountsListDefinition> = async (_context, { words }) => {
  const { accounts } = await import("@wharf/server/app/admin-accounts.ts");
  const listed = async (settings: Parameters<typeof accounts>[0]) =>
    (await accounts(settings)).map(({ hasPassword, lockedUntil, ...account }) => ({
      ...account,
      password: hasPassword === 1,
      state: stateOf({ hasPassword, lockedUntil, ...account }),
    }));
  await printRows(words, listed, {
    header: ["USERNAME", "STATE", "PASSWORD", "PASSKEYS", "SESSIONS", "IDENTITY"],
    row: ({ username, state, password, passkeys, sessions, identity }) => [
      ...[username, state, password ? "yes" : "no", String(passkeys), String(sessions), identity],
    ],
  });
};

interface Credentials {
  readonly hasPassword: number;
  readonly passkeys: number;
  readonly lockedUntil: number;
}

function stateOf({ hasPassword, passkeys, lockedUntil }: Credentials): string {
  if (hasPassword === 0 && passkeys === 0) return "disabled";
  return lockedUntil > Date.now() ? "locked" : "active";
}

export const disable: Run<typeof accountsDisableDefinition> = async (_context, { words }) => {
  const [username, ...rest] = words;
  if (username === undefined || username.startsWith("-"))
    throw new ConfigError("admin accounts disable: USERNAME is required, before any options");
  const { flags, settings: others } = splitWords(rest, { flags: ["yes"] });
  const settings = await readSettings(others, process.env);
  if (!flags.has("yes"))
    await confirm(`Remove password and passkeys of ${username}, and end all its sessions?`);
  const { disableAccount } = await import("@wharf/server/app/admin-accounts.ts");
  const sessions = await disableAccount(settings, username);
  console.error(`wharf: ${username} can no longer sign in; ended ${counted(sessions, "session")}`);
  console.error(`wharf: next: to undo this, wharf admin reset-account ${username}`);
};
