import { command, define, group } from "../../../command/definition.ts";
import { DESCRIPTION, PARENT, ROLES } from "../../../resource/options.ts";
import { PROOF } from "./proof-options.ts";

const COMMON = { parent: PARENT, role: ROLES, description: DESCRIPTION } as const;

const name = {
  name: "name",
  summary: "Name of the identity; one that tells what it stands for otherwise",
} as const;

const KEYS = { "issuer-keys": PROOF["issuer-keys"], expiration: PROOF.expiration } as const;

export const genericDefinition = define({
  name: "generic",
  summary: "Create an identity from any claims, keys, AWS principal or file",
  description: `\`wharf iam identities create NAME …\` is short for it.

A file has the fields of the API, in YAML or JSON, as \`describe -o yaml\` prints them.`,
  examples: [
    {
      command:
        "wharf iam identities create ci --parent acme --issuer https://ci.example.com --subject app --role registry.pull",
    },
    {
      command:
        "wharf iam identities create ci --parent acme --issuer https://ci.internal --subject app --issuer-keys jwks.json --expiration 2160h",
      shows: "for an issuer that cannot be reached",
    },
    { command: "wharf iam identities create -f identity.yaml --parent acme" },
  ],
  arguments: [{ name: "name", summary: "Name of the identity" }],
  options: {
    ...COMMON,
    ...PROOF,
    file: { type: "file", short: "f", summary: "A file with the whole identity" },
  },
});

export const githubDefinition = define({
  name: "github",
  summary: "Create an identity for GitHub Actions of one repository",
  description: `Tokens with names alone (\`repo:acme/app:…\`) and with numbers (\`repo:acme@7/app@42:…\`) are
let in. With --repo-id and --owner-id the numbers must be right, so that nobody who takes over the name
gets in.`,
  examples: [
    {
      command:
        "wharf iam identities create github --repo acme/app --ref main --repo-id 42 --owner-id 7 --parent acme --role registry.push",
    },
    {
      command:
        "wharf iam identities create github deploys --repo acme/app --environment prod --parent acme",
    },
  ],
  arguments: [name],
  options: {
    repo: {
      type: "string",
      aliases: ["github-repo"],
      value: "OWNER/NAME",
      summary: "The repository",
      required: true,
    },
    ref: {
      type: "string",
      aliases: ["github-ref"],
      summary: "Only this branch, or any other ref in full: refs/tags/v1",
    },
    environment: { type: "string", value: "NAME", summary: "Only this environment" },
    "pull-request": { type: "boolean", summary: "Only pull requests" },
    "repo-id": { type: "string", value: "NUMBER", summary: "The repository's number" },
    "owner-id": { type: "string", value: "NUMBER", summary: "The number of its owner" },
    host: { type: "string", default: "github.com", summary: "A GitHub Enterprise Server" },
    audience: { ...PROOF.audience, aliases: ["github-audience"] },
    ...COMMON,
  },
});

export const gitlabDefinition = define({
  name: "gitlab",
  summary: "Create an identity for GitLab CI of one project",
  examples: [
    {
      command:
        "wharf iam identities create gitlab --project-path acme/app --ref main --parent acme --role registry.push",
    },
    {
      command:
        "wharf iam identities create gitlab --project-path acme/app --ref main --host gitlab.internal --issuer-keys jwks.json --parent acme",
      shows: "an instance that the server cannot reach",
    },
  ],
  arguments: [name],
  options: {
    "project-path": {
      type: "string",
      value: "GROUP/PROJECT",
      summary: "The project",
      required: true,
    },
    "ref-type": {
      type: "choice",
      choices: ["branch", "tag"],
      default: "branch",
      summary: "What the ref is",
    },
    ref: { type: "string", summary: "Only this branch or tag" },
    host: { type: "string", default: "gitlab.com", summary: "The instance of GitLab" },
    audience: PROOF.audience,
    ...KEYS,
    ...COMMON,
  },
});

export const kubernetesDefinition = define({
  name: "kubernetes",
  aliases: ["k8s"],
  summary: "Create an identity for a service account of a cluster",
  examples: [
    {
      command:
        "wharf iam identities create kubernetes --namespace prod --service-account app --issuer https://oidc.example.com/cluster --parent acme --role registry.pull",
    },
    {
      command:
        "kubectl get --raw /openid/v1/jwks | wharf iam identities create kubernetes --namespace prod --service-account app --issuer-keys - --parent acme",
      shows: "a cluster that the server cannot reach",
    },
  ],
  arguments: [name],
  options: {
    namespace: { type: "string", summary: "The namespace", required: true },
    "service-account": {
      type: "string",
      value: "NAME",
      summary: "The service account",
      required: true,
    },
    issuer: { ...PROOF.issuer, summary: "The cluster's issuer" },
    audience: PROOF.audience,
    ...KEYS,
    ...COMMON,
  },
});

const aws = {
  "aws-account": { ...PROOF["aws-account"], aliases: ["account"], required: true },
  "user-id": { ...PROOF["user-id"], summary: "Its unique id, which no other ever has" },
} as const;

export const awsRoleDefinition = define({
  name: "role",
  summary: "Create an identity for a role of AWS",
  examples: [
    {
      command:
        "wharf iam identities create aws role --aws-account 123456789012 --aws-role deployer --user-id AROAEXAMPLEID --parent acme",
    },
  ],
  arguments: [name],
  options: {
    ...aws,
    "aws-role": { type: "string", value: "NAME", summary: "The role at AWS", required: true },
    ...COMMON,
  },
});

export const awsUserDefinition = define({
  name: "user",
  summary: "Create an identity for a user of AWS",
  examples: [
    {
      command:
        "wharf iam identities create aws user --aws-account 123456789012 --aws-user deployer --user-id AIDAEXAMPLEID --parent acme",
    },
  ],
  arguments: [name],
  options: {
    ...aws,
    "aws-user": { type: "string", value: "NAME", summary: "The user at AWS", required: true },
    ...COMMON,
  },
});

export const createGroup = group({
  name: "create",
  summary: "Create an identity",
  description:
    "A name in place of the kind is short for `generic`. With --role, it is bound at once: when that fails, nothing is left behind.",
  fallback: "generic",
  commands: [
    command(genericDefinition, () => import("./generic.ts")),
    command(githubDefinition, () => import("./github.ts")),
    command(gitlabDefinition, () => import("./gitlab.ts")),
    command(kubernetesDefinition, () => import("./kubernetes.ts")),
    group({
      name: "aws",
      summary: "Create an identity for a principal of AWS",
      commands: [
        command(awsRoleDefinition, () => import("./aws-role.ts")),
        command(awsUserDefinition, () => import("./aws-user.ts")),
      ],
    }),
  ],
});
