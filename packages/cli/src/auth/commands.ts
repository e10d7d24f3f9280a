import { type Command, command, define, group } from "../command/definition.ts";
import { LIST } from "../resource/commands.ts";
import { listOptions } from "../resource/options.ts";
import { pullToken } from "./pull-token/commands.ts";

const load = () => import("./run.ts");
const loadDocker = () => import("./docker/run.ts");

export const loginDefinition = define({
  name: "login",
  summary: "Sign in, and store the login for later commands",
  description: `People sign in with a browser on this machine, or with --headless on any other machine. Workloads sign
in as an identity with the OIDC token of their platform: tokens of GitHub Actions, GitLab (id_tokens
named WHARF_ID_TOKEN) and Kubernetes (projected to /var/run/secrets/tokens/wharf) are detected; others
are given with --identity-token. Exits with 3 at once where nobody can sign in with a browser: without a
terminal, in a CI job or where no browser can be opened.

Logins are stored in $XDG_CACHE_HOME/wharf, readable by this user only, and renewed automatically.`,
  examples: [
    { command: "wharf auth login", shows: "with a browser" },
    { command: "wharf auth login --headless", shows: "with a code to type on another machine" },
    {
      command: "wharf auth login --org-name acme.example",
      shows: "with the organization's identity provider",
    },
    { command: "wharf auth login --invite-code - < code", shows: "accept an invite" },
    { command: "wharf auth login --identity UID", shows: "in a job of a supported platform" },
    {
      command: "wharf auth login --identity UID --identity-token /run/token --audience cr.example",
      shows: "with a token from a file, for a registry",
    },
  ],
  options: {
    headless: { type: "boolean", summary: "Sign in with a browser on another machine" },
    browser: {
      type: "boolean",
      default: true,
      summary: "Open the browser; --no-browser only prints the URL",
    },
    "identity-provider": {
      type: "string",
      value: "UID",
      summary: "Sign in with this identity provider",
    },
    "org-name": {
      type: "string",
      value: "NAME",
      summary: "Sign in with the identity provider of this organization",
    },
    "invite-code": {
      type: "string",
      value: "CODE",
      summary: "Code of an invite to accept, or - for standard input",
      env: "WHARF_INVITE_CODE",
    },
    audience: {
      type: "list",
      value: "AUDIENCE",
      summary: "Token audiences (default: the API URL)",
      env: "WHARF_AUDIENCE",
      config: "platform.audience",
    },
    identity: {
      type: "string",
      value: "IDENTITY",
      summary: "Sign in as this identity with a workload token: UID or name",
    },
    "identity-token": {
      type: "string",
      value: "TOKEN",
      summary: "Workload token: a file, - for standard input, or the token itself",
      env: "WHARF_IDENTITY_TOKEN",
    },
    refresh: { type: "boolean", summary: "Keep renewing the token until interrupted" },
  },
});

export const tokenDefinition = define({
  name: "token",
  summary: "Print an access token",
  description: "--scope and --capabilities restrict the token to less than the login holds.",
  examples: [
    { command: 'curl -H "Authorization: Bearer $(wharf auth token)" $WHARF_API/auth/v1/ok' },
    {
      command: "wharf auth token --scope acme --capabilities groups.list",
      shows: "least privilege for a script",
    },
  ],
  options: {
    scope: {
      type: "list",
      value: "GROUP",
      summary: "Only in these groups: UIDs or names",
    },
    capabilities: {
      type: "list",
      value: "CAPABILITY",
      summary: "Only these capabilities, such as groups.list",
    },
  },
});

export const statusDefinition = define({
  name: "status",
  summary: "Show logins, their servers and their validity",
  description: "Exits with 3 if you are not signed in to the server of later commands.",
  examples: [
    { command: "wharf auth status" },
    { command: "wharf auth status --quick", shows: "without contacting a server" },
  ],
  options: { quick: { type: "boolean", summary: "Do not contact a server" } },
});

export const logoutDefinition = define({
  name: "logout",
  summary: "Sign out: end the session and delete its tokens",
  examples: [
    { command: "wharf auth logout" },
    { command: "wharf auth logout --all", shows: "all logins of this user on this machine" },
    { command: "wharf auth logout --everywhere", shows: "your sessions on all machines" },
  ],
  options: {
    all: { type: "boolean", summary: "All stored logins of all servers" },
    everywhere: { type: "boolean", summary: "Also end your sessions on other machines" },
  },
});

export const configureDockerDefinition = define({
  name: "configure-docker",
  summary: "Configure Docker to authenticate to the registry with your login",
  description: `Sets docker-credential-wharf as the credential helper of the registry in ~/.docker/config.json, or in
$DOCKER_CONFIG. Other settings in the file stay. With sudo, changes the file of the user who ran sudo.`,
  examples: [
    { command: "wharf auth configure-docker" },
    { command: "wharf auth configure-docker --dry-run", shows: "what would be written" },
    { command: "wharf auth configure-docker --registry cr.example.com" },
  ],
  options: {
    registry: {
      type: "list",
      value: "HOST",
      summary: "Registry host (default: platform.registry, to which others are added)",
    },
    "dry-run": { type: "boolean", summary: "Print the file instead of writing it" },
  },
});

export const deleteAccountDefinition = define({
  writes: true,
  name: "delete-account",
  summary: "Delete your own account and its role bindings",
  examples: [{ command: "wharf auth delete-account" }],
  destructive: true,
});

export const dockerCredentialDefinition = define({
  name: "docker-credential",
  summary: "Docker credential helper protocol: get, store, erase, list",
  examples: [{ command: "echo cr.example.com | wharf auth docker-credential get" }],
  raw: true,
  hidden: true,
});

export const kubeletCredentialDefinition = define({
  name: "kubelet-credential",
  summary: "Credential provider protocol of the kubelet: wharf-credential-provider",
  description: `Reads a CredentialProviderRequest from standard input, exchanges its service account token for a token of
the image's registry, and prints a CredentialProviderResponse. The identity is the annotation
wharf/identity of the service account, or --identity.`,
  examples: [
    { command: "wharf auth kubelet-credential --api https://wharf.example.com < request" },
  ],
  options: {
    identity: {
      type: "string",
      value: "UID",
      summary: "Identity of service accounts without the annotation",
      env: "WHARF_IDENTITY",
    },
  },
  hidden: true,
});

export const listSessionsDefinition = define({
  ...LIST,
  summary: "List your own sessions, or those of a person or an identity provider",
  examples: [
    { command: "wharf auth sessions list" },
    {
      command: "wharf auth sessions list --identity-provider UID",
      shows: "sessions of all its users; requires identity_providers.list",
    },
    { command: "wharf auth sessions list --identity UID", shows: "sessions of a person" },
  ],
  options: {
    identity: {
      type: "string",
      value: "UID",
      summary: "Sessions of this identity; without --identity-provider, for the operator only",
    },
    "identity-provider": {
      type: "string",
      value: "UID",
      summary: "Sessions of all users of this identity provider",
    },
    ...listOptions(),
  },
});

export const endSessionsDefinition = define({
  writes: true,
  name: "end",
  aliases: ["revoke"],
  summary: "End sessions and revoke their tokens",
  examples: [{ command: "wharf auth sessions end 0d9a5c1e-…" }],
  arguments: [
    {
      name: "session",
      summary: "IDs of sessions, as printed by list",
      required: true,
      variadic: true,
    },
  ],
});

export const sessions = group({
  name: "sessions",
  aliases: ["session"],
  summary: "List and end sessions",
  commands: [
    command(listSessionsDefinition, load, "listSessions"),
    command(endSessionsDefinition, load, "endSessions"),
  ],
});

const login = command(loginDefinition, () => import("./login.ts"));
const logout = command(logoutDefinition, load, "logout");
const status = command(statusDefinition, () => import("./status.ts"));

/** A command of `wharf auth` under a name that other tools have for it. */
function shortcut(aliased: Command, name: string): Command {
  const summary = `${aliased.summary} (same as \`wharf auth ${aliased.name}\`)`;
  return { ...aliased, name, summary, examples: [{ command: `wharf ${name}` }] };
}

export const shortcuts: readonly Command[] = [
  shortcut(login, "login"),
  shortcut(logout, "logout"),
  shortcut(status, "whoami"),
];

export const auth = group({
  name: "auth",
  summary: "Sign in and out, and get tokens",
  commands: [
    login,
    logout,
    status,
    command(tokenDefinition, load, "token"),
    command(configureDockerDefinition, loadDocker, "configureDocker"),
    pullToken,
    sessions,
    command(deleteAccountDefinition, load, "deleteAccount"),
    command(dockerCredentialDefinition, loadDocker, "dockerCredential"),
    command(kubeletCredentialDefinition, () => import("./kubelet/run.ts"), "kubeletCredential"),
  ],
});
