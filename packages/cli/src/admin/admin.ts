import { ConfigError, readSettings } from "@wharf/server/config/settings.ts";

/**
 * `wharf admin …`: what the operator does with the store itself.
 *
 * @example await runAdmin(["token", "--data", "./data"]);
 */
export async function runAdmin(args: readonly string[]): Promise<void> {
  const { notificationSecret, operatorToken, resetCode } = await import(
    "@wharf/server/app/admin.ts"
  );
  const [what, ...rest] = args;
  if (what === "token") {
    const { identity, others } = takeIdentity(rest);
    console.log(await operatorToken(await readSettings(others, process.env), identity));
  } else if (what === "registry-secret") {
    const [first, ...more] = rest;
    const host = first === undefined || first.startsWith("-") ? undefined : first;
    const settings = await readSettings(host === undefined ? rest : more, process.env);
    console.log(await notificationSecret(settings, host));
  } else if (what === "reset-account") {
    const [username, ...others] = rest;
    if (username === undefined || username.startsWith("-")) {
      throw new ConfigError("admin reset-account needs a username");
    }
    const { url, code } = await resetCode(await readSettings(others, process.env), username);
    console.error(
      `wharf: ${username} can choose a new password or passkey at ${url} with this code, once, within 24 hours`,
    );
    console.log(code);
  } else {
    throw new ConfigError(`unknown command: admin ${args.join(" ")}`);
  }
}

/** Takes `--identity UID` out of the arguments; the rest are settings. */
function takeIdentity(args: readonly string[]): { identity: string | undefined; others: string[] } {
  const at = args.indexOf("--identity");
  if (at < 0) return { identity: undefined, others: [...args] };
  const identity = args[at + 1];
  if (identity === undefined) throw new ConfigError("--identity needs a value");
  return { identity, others: [...args.slice(0, at), ...args.slice(at + 2)] };
}
