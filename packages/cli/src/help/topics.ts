import { EXIT_MEANINGS } from "../errors.ts";
import { FUNCTIONS } from "../output/template/functions.ts";

/** What is no command's own: shown by `wharf help`, in docs/cli.md and in wharf(1). */
export interface Topic {
  readonly name: string;
  readonly title: string;
  /** Paragraphs; those that are indented are shown as they are. */
  readonly paragraphs: readonly string[];
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`).join("\n");

export const TOPICS: readonly Topic[] = [
  {
    name: "formats",
    title: "Output",
    paragraphs: [
      "-o chooses how things are printed. Lists in JSON and YAML are one document with `items`; single things are as the API has them. csv is RFC 4180 with every column; id is one uid per line; tree draws what is below what.",
      "csv, id and templates print as the server answers; all others print when everything is there.",
      "--format prints each thing by a template in the manner of Go's, on a line of its own. Fields are named as in JSON; what is not set is empty. \\n and \\t are what they are in C.",
      indented([
        "{{.uid}}  {{.group.name}}            a field, and a field within a field",
        "{{if .verified}}yes{{else}}no{{end}}  one or the other; {{else if …}} as well",
        "{{range .capabilities}}{{.}} {{end}}  once for each; $ is the whole thing",
        "{{- and -}}                           take the space before or after away",
      ]),
      "Functions; a value that is piped to one with | is its last:",
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
      "Flags win over variables, variables over the config file, the config file over defaults.",
      indented([
        "WHARF_TOKEN               A token to use instead of a login, such as that of a job.",
        "WHARF_IDENTITY            The uid of an identity to be by the platform's token, without a login.",
        "WHARF_API                 The address of the API (--api).",
        "WHARF_ISSUER              The address that issues tokens (--issuer).",
        "WHARF_AUDIENCE            Whom tokens are meant for (--audience).",
        "WHARF_CONFIG_FILE         The config file (--config).",
        "WHARF_OUTPUT              How to print (--output).",
        "WHARF_COMPLETION_SECONDS  How long completion waits for the server, if not 2.",
        "XDG_CACHE_HOME            Where logins are kept, in wharf below it.",
        "BROWSER                   What opens the browser for a login.",
        "NO_COLOR                  No color, whatever it is set to.",
      ]),
      "The server has variables of its own: `wharf serve --help` lists them.",
    ],
  },
];
