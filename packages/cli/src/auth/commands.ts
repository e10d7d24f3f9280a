import { command, define, group } from "../command/definition.ts";
import { pullToken } from "./pull-token/commands.ts";
import { sessions } from "./sessions/commands.ts";

export const loginDefinition = define({
  name: "login",
  summary: "Log in, and let the commands that follow use it",
  description: `People log in with a browser: one that is opened on this machine, or with --headless any other.
Workloads log in as an identity with the token of their platform: GitHub Actions, GitLab (id_tokens
named WHARF_ID_TOKEN) and Kubernetes (projected to /var/run/secrets/tokens/wharf) are found by
themselves, others give --identity-token.

What comes of it is kept for this user alone in $XDG_CACHE_HOME/wharf, and renewed when needed.`,
  examples: [
    { command: "wharf auth login", shows: "in the browser" },
    { command: "wharf auth login --headless", shows: "with a code to type on another machine" },
    { command: "wharf auth login --org-name acme.example", shows: "straight to its provider" },
    { command: "wharf auth login --invite-code - < code", shows: "accept an invite on the way" },
    { command: "wharf auth login --identity UID", shows: "in a job of a known platform" },
    {
      command: "wharf auth login --identity UID --identity-token /run/token --audience cr.example",
      shows: "with the token in a file, for a registry",
    },
  ],
  options: {
    headless: { type: "boolean", summary: "Use a browser on another machine" },
    browser: {
      type: "boolean",
      default: true,
      summary: "Open the browser; with --no-browser, only tell the address",
    },
    "identity-provider": {
      type: "string",
      value: "UID",
      summary: "Go straight to this identity provider",
    },
    "org-name": {
      type: "string",
      value: "NAME",
      summary: "Go straight to the identity provider of this organization",
    },
    "invite-code": {
      type: "string",
      value: "CODE",
      summary: "Accept an invite: its code, or - for standard input",
      env: "WHARF_INVITE_CODE",
    },
    audience: {
      type: "list",
      value: "AUDIENCE",
      summary: "Whom tokens are meant for, if not the API; one token for each",
      env: "WHARF_AUDIENCE",
      config: "platform.audience",
    },
    identity: {
      type: "string",
      value: "IDENTITY",
      summary: "Log in as this identity with a workload's token: its uid, or name",
    },
    "identity-token": {
      type: "string",
      value: "TOKEN",
      summary: "The workload's token: a file, - for standard input, or the token itself",
      env: "WHARF_IDENTITY_TOKEN",
    },
    refresh: { type: "boolean", summary: "Keep a workload's token fresh until interrupted" },
  },
});

export const tokenDefinition = define({
  name: "token",
  summary: "Print a token, and nothing else",
  description: "With --scope or --capabilities, one that holds less than the login does.",
  examples: [
    { command: 'curl -H "Authorization: Bearer $(wharf auth token)" $WHARF_API/auth/v1/ok' },
    {
      command: "wharf auth token --scope acme --capabilities groups.list",
      shows: "for a script that is to do little",
    },
  ],
  options: {
    scope: {
      type: "list",
      value: "GROUP",
      summary: "Only what is held at these groups: uids or names",
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
  summary: "Show who is logged in, where, and until when",
  description: "Exits with 3 when the commands that follow would find nobody logged in.",
  examples: [
    { command: "wharf auth status" },
    { command: "wharf auth status --quick", shows: "by what is kept, without asking a server" },
  ],
  options: { quick: { type: "boolean", summary: "Ask no server" } },
});

export const logoutDefinition = define({
  name: "logout",
  summary: "End the session and forget its tokens",
  examples: [
    { command: "wharf auth logout" },
    { command: "wharf auth logout --all", shows: "all logins of this user, on this machine" },
    { command: "wharf auth logout --everywhere", shows: "one's sessions on all machines" },
  ],
  options: {
    all: { type: "boolean", summary: "All logins that are kept, of every server" },
    everywhere: { type: "boolean", summary: "Also one's sessions on other machines" },
  },
});

export const configureDockerDefinition = define({
  name: "configure-docker",
  summary: "Let docker, and what reads its config, log in to the registry by itself",
  description: `Names docker-credential-wharf as the credential helper of the registry in ~/.docker/config.json, or
below $DOCKER_CONFIG. Everything else in there stays. With sudo, it is the file of whoever ran it.`,
  examples: [
    { command: "wharf auth configure-docker" },
    { command: "wharf auth configure-docker --dry-run", shows: "what would be written" },
    { command: "wharf auth configure-docker --registry cr.example.com" },
  ],
  options: {
    registry: {
      type: "list",
      value: "HOST",
      summary: "The registry's host, if not platform.registry; that is set to it",
    },
    "dry-run": { type: "boolean", summary: "Print what would be written, and write nothing" },
  },
});

export const deleteAccountDefinition = define({
  name: "delete-account",
  summary: "Delete oneself, with all that one was given",
  examples: [{ command: "wharf auth delete-account" }],
  destructive: true,
});

export const dockerCredentialDefinition = define({
  name: "docker-credential",
  summary: "Speak docker's credential helper protocol: get, store, erase, list",
  examples: [{ command: "echo cr.example.com | wharf auth docker-credential get" }],
  raw: true,
  hidden: true,
});

export const auth = group({
  name: "auth",
  summary: "Log in and out, and get tokens",
  commands: [
    command(loginDefinition, () => import("./login.ts")),
    command(logoutDefinition, () => import("./logout.ts")),
    command(statusDefinition, () => import("./status.ts")),
    command(tokenDefinition, () => import("./token.ts")),
    command(configureDockerDefinition, () => import("./configure-docker.ts")),
    pullToken,
    sessions,
    command(deleteAccountDefinition, () => import("./delete-account.ts")),
    command(dockerCredentialDefinition, () => import("./docker-credential.ts")),
  ],
});
