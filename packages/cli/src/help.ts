import { flagOf, SETTINGS, variableOf } from "@wharf/server/config.ts";

/**
 * The help text, made from the settings themselves.
 *
 * @example console.log(usage());
 */
export function usage(): string {
  const options = Object.entries(SETTINGS).map(([name, { value, help, default: fallback }]) => {
    const shown = fallback === "" ? "" : ` [${fallback}]`;
    return `  ${flagOf(name)} ${value}\n      ${help}${shown} (${variableOf(name)})`;
  });
  return `wharf: a control plane for a company's container supply chain

Usage:
  wharf serve [options]                        run the server
  wharf admin token [--identity UID] [options] print a token of the operator, or of an identity
  wharf admin keys rotate [options]            sign tokens with a new key from now on
  wharf admin reset-account USERNAME [options] print a code to choose a new password or passkey with
  wharf --version

Options:
  --config FILE
      A YAML file with any of the settings below by name, such as databaseUrl. (WHARF_CONFIG)
${options.join("\n")}`;
}
