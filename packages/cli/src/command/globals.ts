import type { Options } from "./definition.ts";

/** The output formats of every command. */
const FORMATS = ["table", "wide", "json", "yaml", "csv", "id", "tree"] as const;

export const COLORS = ["auto", "always", "never"] as const;

/** For users of Go templates and JSONPath. */
const JQ_HINT =
  "--jq prints fields, such as --jq '.items[].name', and -o csv all columns; `wharf help formats` has examples";

/** Options of every command, except `serve` and `admin`, which take the server's settings. */
export const GLOBALS = {
  api: {
    type: "string",
    value: "URL",
    summary: "API URL",
    env: "WHARF_API",
    config: "platform.api",
    default: "http://127.0.0.1:8080",
  },
  issuer: {
    type: "string",
    value: "URL",
    aliases: ["auth-url"],
    summary: "Issuer URL (default: the API URL)",
    env: "WHARF_ISSUER",
    config: "platform.issuer",
  },
  audience: {
    type: "string",
    value: "AUDIENCE",
    summary: "Token audience (default: the API URL)",
    env: "WHARF_AUDIENCE",
    config: "platform.audience",
  },
  "ca-cert": {
    type: "string",
    value: "FILE",
    summary: "PEM certificates of authorities to trust besides those of Node.js",
    env: "WHARF_CA_CERT",
    config: "platform.ca-cert",
  },
  config: {
    type: "string",
    value: "FILE",
    summary: "Config file (default: config.yaml in the user's config directory)",
    env: "WHARF_CONFIG_FILE",
  },
  context: {
    type: "string",
    value: "NAME",
    summary: "Context with the settings and logins of a server",
    env: "WHARF_CONTEXT",
    complete: async ({ environment }) => {
      const { contextNames } = await import("../contexts/files.ts");
      return contextNames(environment);
    },
  },
  output: {
    type: "choice",
    choices: FORMATS,
    short: "o",
    value: "FORMAT",
    summary: "Output format",
    env: "WHARF_OUTPUT",
    config: "default.output",
    default: "table",
    hint: JQ_HINT,
  },
  format: {
    type: "string",
    value: "TEMPLATE",
    summary: "Template for each item",
    hidden: true,
    removed: JQ_HINT,
  },
  jq: {
    type: "string",
    value: "EXPRESSION",
    summary: "Print what jq makes of -o json, which this implies, such as '.items[].name'",
  },
  pager: {
    type: "boolean",
    default: true,
    summary: "Show output that is longer than the screen with WHARF_PAGER, PAGER or less",
  },
  color: {
    type: "choice",
    choices: COLORS,
    value: "WHEN",
    summary: "Use of color (auto: at terminals, unless NO_COLOR is set)",
    config: "default.color",
    default: "auto",
  },
  "no-color": { type: "boolean", summary: "Same as --color=never", hidden: true },
  yes: { type: "boolean", short: "y", summary: "Skip confirmation prompts" },
  verbose: {
    type: "boolean",
    short: "v",
    summary: "Log requests to stderr, with tokens masked",
  },
  quiet: { type: "boolean", short: "q", summary: "Print only errors on stderr" },
  help: { type: "boolean", short: "h", summary: "Show help" },
} as const satisfies Options;
