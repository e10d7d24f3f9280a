import type { Options } from "./definition.ts";

/** The formats that every command can print. */
const FORMATS = ["table", "wide", "json", "yaml", "csv", "id", "tree"] as const;

export const COLORS = ["auto", "always", "never"] as const;

/** Options that every command takes, but for those that run the server, which have their own. */
export const GLOBALS = {
  api: {
    type: "string",
    value: "URL",
    summary: "The address of the server's API",
    env: "WHARF_API",
    config: "platform.api",
    default: "http://127.0.0.1:8080",
  },
  issuer: {
    type: "string",
    value: "URL",
    aliases: ["auth-url"],
    summary: "The address that issues tokens, if not that of the API",
    env: "WHARF_ISSUER",
    config: "platform.issuer",
  },
  audience: {
    type: "string",
    value: "AUDIENCE",
    summary: "Whom tokens are meant for, if not the API",
    env: "WHARF_AUDIENCE",
    config: "platform.audience",
  },
  config: {
    type: "string",
    value: "FILE",
    summary: "The config file, if not the usual one",
    env: "WHARF_CONFIG_FILE",
  },
  output: {
    type: "choice",
    choices: FORMATS,
    short: "o",
    value: "FORMAT",
    summary: "How to print what is found",
    env: "WHARF_OUTPUT",
    config: "default.output",
    default: "table",
  },
  format: {
    type: "string",
    value: "TEMPLATE",
    summary: "Print each thing by a template, such as '{{.uid}} {{.name}}'",
  },
  color: {
    type: "choice",
    choices: COLORS,
    value: "WHEN",
    summary: "Whether to color; auto is at terminals, unless NO_COLOR is set",
    config: "default.color",
    default: "auto",
  },
  "no-color": { type: "boolean", summary: "The same as --color=never", hidden: true },
  yes: { type: "boolean", short: "y", summary: "Go ahead without asking" },
  verbose: {
    type: "boolean",
    short: "v",
    summary: "Show requests on stderr, with tokens masked",
  },
  quiet: { type: "boolean", short: "q", summary: "Print no remarks on stderr, errors aside" },
  help: { type: "boolean", short: "h", summary: "Show help" },
} as const satisfies Options;
