import { EXIT_MEANINGS } from "../errors.ts";

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
      "csv and id are streamed; other formats are printed when the list is complete, with a pager if they are longer than the screen of a terminal: WHARF_PAGER, PAGER or less. --no-pager, or an empty WHARF_PAGER, prints them as they are.",
      "--jq prints the results of an expression of jq for what -o json prints, one a line: texts without quotes, as jq -r does. It is jq itself; nothing needs to be installed.",
      indented([
        "--jq '.items[].name'                        a field of every item of a list",
        "--jq '.items[] | \"\\(.name) \\(.uid)\"'        several fields on one line",
        "--jq '.items[] | select(.verified) | .uid'  of the items for which a field is set",
        "--jq .uid                                   a field of a single resource",
      ]),
    ],
  },
  {
    name: "lists",
    title: "Lists",
    paragraphs: [
      "Lists are complete: all pages are read, unless --limit is reached. --sort and --filter take the name of a column, such as last-seen, or of a field of the API, such as createTime or role.name. The help of each list says what the server does; the command does the rest, over all that it reads, and then --limit counts what is left. Of logs (`wharf audit list`, `wharf events list`), --sort orders the rows within --limit.",
      "--filter can be repeated; rows match all of them. Of a field with several values, one must match.",
      indented([
        "name=ci              equal; name= is unset",
        "name=ci-*            * is anything",
        "name!=ci             not equal",
        "description~deploy   contains, in upper or lower case; !~ does not",
        "capabilities>10      a number: < <= > >=",
        "last-seen<90d        a time: before 90 days ago, or before a date such as 2027-01-31",
      ]),
      "--sort 'created desc' orders from high to low. Rows without a value are last.",
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
        "WHARF_PAGER, PAGER        Command that shows long output at a terminal (default: less).",
      ]),
      "Variables of the server: `wharf serve --help`.",
    ],
  },
];
