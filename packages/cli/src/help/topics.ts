import { EXIT_MEANINGS } from "../errors.ts";
import { FUNCTIONS } from "../output/template/functions.ts";

/** Topics that belong to no command: in `wharf help`, docs/cli.md and wharf(1). */
export interface Topic {
  readonly name: string;
  readonly title: string;
  /** Paragraphs; indented ones are not wrapped. */
  readonly paragraphs: readonly string[];
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`).join("\n");

export const TOPICS: readonly Topic[] = [
  {
    name: "formats",
    title: "Output",
    paragraphs: [
      "-o selects the output format. A list in JSON or YAML is one document with `items`; a single resource has the fields of the API. csv is RFC 4180 with all columns; id prints one UID per line; tree prints the hierarchy.",
      "csv, id and templates are streamed; other formats are printed when the list is complete.",
      "--format prints each item on its own line with a Go-style template. Fields are named as in JSON; unset fields are empty. \\n and \\t are newline and tab.",
      indented([
        "{{.uid}}  {{.group.name}}            a field, and a nested field",
        "{{if .verified}}yes{{else}}no{{end}}  a condition, also with {{else if …}}",
        "{{range .capabilities}}{{.}} {{end}}  a loop; $ is the whole item",
        "{{- and -}}                           trim the space before or after",
      ]),
      "Functions; a value piped with | is the last argument:",
      indented(Object.values(FUNCTIONS).map(({ summary }) => summary)),
    ],
  },
  {
    name: "exit-codes",
    title: "Exit codes",
    paragraphs: [
      indented(EXIT_MEANINGS.map(([code, meaning]) => `${String(code).padEnd(3)}  ${meaning}`)),
    ],
  },
  {
    name: "environment",
    title: "Environment",
    paragraphs: [
      "Precedence: flags, environment variables, config file, defaults.",
      indented([
        "WHARF_TOKEN               Access token to use instead of a login.",
        "WHARF_IDENTITY            UID of an identity to use with the platform's OIDC token, without a login.",
        "WHARF_API                 API URL (--api).",
        "WHARF_ISSUER              Issuer URL (--issuer).",
        "WHARF_AUDIENCE            Token audience (--audience).",
        "WHARF_CONFIG_FILE         Config file (--config).",
        "WHARF_CONTEXT             Context (--context).",
        "WHARF_OUTPUT              Output format (--output).",
        "WHARF_COMPLETION_SECONDS  Timeout of shell completion in seconds (default: 2).",
        "XDG_CACHE_HOME            Logins are stored in wharf/ below it, those of contexts in wharf/contexts/.",
        "BROWSER                   Command that opens the browser for a sign-in.",
        "NO_COLOR                  Disables color if set.",
      ]),
      "Variables of the server: `wharf serve --help`.",
    ],
  },
];
