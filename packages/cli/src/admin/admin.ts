import { ConfigError, readSettings } from "@wharf/server/config/settings.ts";

/** Runs the operator commands that open the data store directly, without the API. */
export async function runAdmin(args: readonly string[]): Promise<void> {
  const { notificationSecret, operatorToken, resetCode } = await import(
    "@wharf/server/app/admin.ts"
  );
  const [name, ...rest] = args;
  if (name === "token") {
    const { identity, others } = splitIdentity(rest);
    console.log(await operatorToken(await readSettings(others, process.env), identity));
  } else if (name === "registry-secret") {
    const [first, ...more] = rest;
    const host = first === undefined || first.startsWith("-") ? undefined : first;
    const settings = await readSettings(host === undefined ? rest : more, process.env);
    console.log(await notificationSecret(settings, host));
  } else if (name === "reset-account") {
    const [username, ...others] = rest;
    if (username === undefined || username.startsWith("-")) {
      throw new ConfigError("admin reset-account: username is required");
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

/** Separates `--identity UID` from the settings of the server. */
function splitIdentity(args: readonly string[]): {
  identity: string | undefined;
  others: string[];
} {
  const at = args.indexOf("--identity");
  if (at < 0) return { identity: undefined, others: [...args] };
  const identity = args[at + 1];
  if (identity === undefined) throw new ConfigError("--identity needs a value");
  return { identity, others: [...args.slice(0, at), ...args.slice(at + 2)] };
}
