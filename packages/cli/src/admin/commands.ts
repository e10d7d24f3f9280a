import { command, define, group } from "../command/definition.ts";
import { GLOBALS } from "../command/globals.ts";
import { SERVER_OPTIONS } from "../serve/options.ts";

export const tokenDefinition = define({
  name: "token",
  summary: "Print an operator token, or a token of an identity, valid for an hour",
  examples: [
    { command: "wharf admin token --data ./data" },
    {
      command: "export WHARF_TOKEN=$(wharf admin token)",
      shows: "authenticate later commands",
    },
  ],
  raw: true,
  options: {
    identity: {
      type: "string",
      value: "UID",
      summary: "Identity of the token (default: the operator).",
    },
    ...SERVER_OPTIONS,
  },
});

export const rotateDefinition = define({
  name: "rotate",
  summary: "Rotate the signing keys, and print the IDs of the new ones",
  description: [
    "An installation with --rs256-audiences has two: the first printed is for ES256, the second for RS256.",
    "Old keys stay valid until the last token they signed has expired, unless --now or --all is given.",
    "After a leak, see docs/after-a-leak.md for which to use and for the next steps.",
  ].join(" "),
  examples: [
    { command: "wharf admin keys rotate --data ./data" },
    {
      command: "wharf admin keys rotate --now --yes",
      shows: "revoke every token signed so far, from the next request on",
    },
    {
      command: "wharf admin keys rotate --all --yes",
      shows: "replace every key and secret of the installation, and end all sessions",
    },
  ],
  raw: true,
  options: {
    now: {
      type: "boolean",
      summary: "Revoke tokens of the old signing and registry keys at once.",
    },
    all: {
      type: "boolean",
      summary:
        "Like --now, and replace the secrets of refresh tokens, page tokens and notifications, and end all sessions.",
    },
    "lost-secret-key": {
      type: "boolean",
      summary:
        "With --all: the secret key is lost; drop everything that it sealed, including client secrets of identity providers.",
    },
    yes: { ...GLOBALS.yes, summary: "Skip the confirmation prompt." },
    ...SERVER_OPTIONS,
  },
});

export const resealDefinition = define({
  name: "reseal",
  summary: "Seal all stored keys and secrets with a new secret key",
  description: [
    "The old secret key cannot decrypt anything that is written afterwards.",
    "Running servers load the new key once it replaces the file that they were started with.",
  ].join(" "),
  examples: [{ command: "wharf admin keys reseal --new-secret-key-file new.key --data ./data" }],
  raw: true,
  options: {
    "new-secret-key-file": {
      type: "string",
      value: "FILE",
      summary: "32 random bytes, or their base64, such as the output of `head -c 32 /dev/urandom`.",
      required: true,
    },
    ...SERVER_OPTIONS,
  },
});

export const resetAccountDefinition = define({
  name: "reset-account",
  summary: "Print a code with which a person sets a new password or passkey",
  description: "It works once, within a day. Using it ends the account's sessions.",
  examples: [{ command: "wharf admin reset-account ada --data ./data" }],
  raw: true,
  arguments: [{ name: "username", summary: "Username of the account.", required: true }],
  options: SERVER_OPTIONS,
});

export const registrySecretDefinition = define({
  name: "registry-secret",
  summary: "Print the webhook secret of a registry's notifications",
  description:
    "It is derived from a secret of the installation and the registry's host. `wharf admin keys rotate --all` replaces it.",
  examples: [{ command: "wharf admin registry-secret registry.example.com --data ./data" }],
  raw: true,
  arguments: [
    { name: "host", summary: "Host of the registry (required if several are attached)." },
  ],
  options: SERVER_OPTIONS,
});

export const backupDefinition = define({
  name: "backup",
  summary: "Back up the whole installation to one encrypted file, while the server runs",
  description: [
    "The backup is the state of one moment, of SQLite or PostgreSQL, with the secret key. It is read again before it gets its name, only you can read the file, and an existing one is not overwritten.",
    "It is encrypted in the format of age, for the recipients or with the passphrase of the settings; at a terminal, you are asked for a passphrase otherwise.",
    "Without a file, it is added to --backup-dir, and the oldest ones beyond --backup-keep are deleted.",
  ].join(" "),
  examples: [
    { command: "wharf admin backup wharf.backup --data ./data" },
    {
      command: "wharf admin backup wharf.backup --backup-recipients age1…",
      shows: "encrypt it with a public key: who writes backups cannot read them",
    },
  ],
  raw: true,
  arguments: [{ name: "file", summary: "File to write (default: a new one in --backup-dir)." }],
  options: SERVER_OPTIONS,
});

export const keygenDefinition = define({
  name: "backup-keygen",
  summary: "Create a key pair for backups, and print the recipient",
  description:
    "The file has the identity, which opens backups for this recipient: keep it where neither servers nor backups are. `age-keygen` does the same.",
  examples: [{ command: "wharf admin backup-keygen backup-identity.txt" }],
  raw: true,
  arguments: [{ name: "file", summary: "File for the identity.", required: true }],
});

export const migrateDefinition = define({
  name: "migrate",
  summary: "Copy the store into another database: SQLite, PostgreSQL, or back",
  description: [
    "Stop all servers first. The target must be empty, and has everything or nothing afterwards: an interrupted copy leaves nothing and can be repeated.",
    "Every row is compared. The store that was copied stays as it is.",
  ].join(" "),
  examples: [
    { command: "wharf admin migrate --data ./data --to postgres://wharf@db.example.com/wharf" },
    {
      command:
        "wharf admin migrate --database-url postgres://wharf@db.example.com/wharf --to ./data",
      shows: "from PostgreSQL to SQLite",
    },
  ],
  raw: true,
  options: {
    to: {
      type: "string",
      value: "URL|DIR",
      summary: "URL of an empty PostgreSQL database, or a directory for SQLite.",
      required: true,
    },
    ...SERVER_OPTIONS,
  },
});

export const checkDefinition = define({
  name: "check",
  summary: "Check the store for damage and contradictions",
  description: [
    "Changes nothing, and works beside a running server and for one that does not start. Exits with 1 if there is a problem.",
    "SQLite: the integrity of every table and index. Both stores: counts, parents, search terms and keys; that each blob of the registry has its file.",
    "PostgreSQL: whether it can be reached and written.",
  ].join(" "),
  examples: [
    { command: "wharf admin check --data ./data" },
    { command: "wharf admin check --blobs", shows: "read the content of the registry, too" },
    { command: "wharf admin check -o json | jq -r '.problems[].name'" },
  ],
  raw: true,
  options: {
    output: {
      type: "choice",
      choices: ["table", "json"],
      short: "o",
      summary: "Output format",
      default: "table",
    },
    blobs: {
      type: "boolean",
      summary: "Hash the content of all blobs of the registry.",
    },
    repair: {
      type: "boolean",
      summary: "If only indexes of SQLite are damaged, rebuild them from their tables.",
    },
    ...SERVER_OPTIONS,
  },
});

export const restoreDefinition = define({
  name: "restore",
  summary: "Restore a backup into an empty data store",
  description: [
    "The data directory must have no database and no running server, or the PostgreSQL database no tables of wharf; the backup may be of the other database.",
    "Every row is compared with the backup; after an error, nothing is left behind. The secret key is written to the data directory, or to --secret-key-file.",
  ].join(" "),
  examples: [
    {
      command:
        "wharf admin restore wharf.backup --identity-file backup-identity.txt --data ./restored",
    },
  ],
  raw: true,
  arguments: [{ name: "file", summary: "Backup to restore.", required: true }],
  options: {
    "identity-file": {
      type: "string",
      value: "FILE",
      summary:
        "Identity of a recipient. Default: a passphrase, from --backup-passphrase-file or asked for.",
    },
    ...SERVER_OPTIONS,
  },
});

const OUTPUT = {
  type: "choice",
  choices: ["table", "json"],
  short: "o",
  summary: "Output format",
  default: "table",
} as const;

export const keysListDefinition = define({
  name: "list",
  summary: "List the keys that sign tokens and registry tokens, without their private parts",
  examples: [{ command: "wharf admin keys list --data ./data" }],
  raw: true,
  options: { output: OUTPUT, ...SERVER_OPTIONS },
});

export const accountsListDefinition = define({
  name: "list",
  summary: "List local accounts, with their credentials and sessions",
  examples: [{ command: "wharf admin accounts list --data ./data" }],
  raw: true,
  options: { output: OUTPUT, ...SERVER_OPTIONS },
});

export const accountsDisableDefinition = define({
  name: "disable",
  summary: "Remove password and passkeys of a local account, and end its sessions",
  description:
    "Its tokens are rejected from the next request on. Its identity and role bindings stay: `wharf admin reset-account` makes it usable again.",
  examples: [{ command: "wharf admin accounts disable ada --data ./data" }],
  raw: true,
  arguments: [{ name: "username", summary: "Username of the account.", required: true }],
  options: {
    yes: { ...GLOBALS.yes, summary: "Skip the confirmation prompt." },
    ...SERVER_OPTIONS,
  },
});

export const vulnerabilitiesImportDefinition = define({
  name: "import",
  summary: "Import facts about vulnerabilities from a file of CISA (KEV) or FIRST (EPSS)",
  description: [
    "For servers that cannot reach these addresses; others import them as sources. The file is recognized by its content, and one that is not complete changes nothing.",
    "Records of OSV are imported with `wharf advisories import all.zip`.",
  ].join(" "),
  examples: [
    {
      command:
        "wharf admin vulnerabilities import known_exploited_vulnerabilities.json --data ./data",
    },
    { command: "wharf admin vulnerabilities import epss_scores-current.csv.gz --data ./data" },
  ],
  raw: true,
  arguments: [{ name: "file", summary: "File to import.", required: true }],
  options: SERVER_OPTIONS,
});

const vulnerabilities = group({
  name: "vulnerabilities",
  summary: "Import facts about vulnerabilities",
  commands: [command(vulnerabilitiesImportDefinition, () => import("./vulnerabilities.ts"))],
});

const accounts = group({
  name: "accounts",
  summary: "Manage local accounts",
  commands: [
    command(accountsListDefinition, () => import("./accounts.ts"), "list"),
    command(accountsDisableDefinition, () => import("./accounts.ts"), "disable"),
  ],
});

const keys = group({
  name: "keys",
  summary: "Manage signing keys and the secret key that encrypts them",
  commands: [
    command(keysListDefinition, () => import("./keys-list.ts")),
    command(rotateDefinition, () => import("./rotate.ts")),
    command(resealDefinition, () => import("./reseal.ts")),
  ],
});

export const admin = group({
  name: "admin",
  summary: "Operator commands (need access to the data store)",
  description:
    "They take the settings of `wharf serve`, and work whether or not the server is running.",
  commands: [
    command(tokenDefinition, () => import("./token.ts")),
    command(resetAccountDefinition, () => import("./reset-account.ts")),
    command(registrySecretDefinition, () => import("./registry-secret.ts")),
    command(checkDefinition, () => import("./check.ts")),
    command(backupDefinition, () => import("./backup.ts")),
    command(restoreDefinition, () => import("./restore.ts")),
    command(keygenDefinition, () => import("./keygen.ts")),
    command(migrateDefinition, () => import("./migrate.ts")),
    keys,
    accounts,
    vulnerabilities,
  ],
});
