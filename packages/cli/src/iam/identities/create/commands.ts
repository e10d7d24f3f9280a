import { command, define, group, type Options } from "../../../command/definition.ts";
import { DESCRIPTION, PARENT, ROLES } from "../../../resource/options.ts";

/** Options that say which tokens an identity trusts. */
export const TRUST = {
  issuer: { type: "string", value: "URL", summary: "Issuer (iss) of the token" },
  "issuer-pattern": { type: "string", value: "REGEX", summary: "RE2 pattern for the issuer" },
  subject: { type: "string", summary: "Subject (sub) of the token" },
  "subject-pattern": {
    type: "string",
    value: "REGEX",
    summary: "RE2 pattern for the whole subject",
  },
  audience: {
    type: "string",
    summary: "Audience (aud) of the token (default: the host of this server's issuer URL)",
  },
  "audience-pattern": { type: "string", value: "REGEX", summary: "RE2 pattern for the audience" },
  claim: {
    type: "list",
    repeatOnly: true,
    value: "NAME=VALUE",
    summary: "Another claim that the token must have",
  },
  "claim-pattern": {
    type: "list",
    repeatOnly: true,
    value: "NAME=REGEX",
    summary: "RE2 pattern for another claim",
  },
  "issuer-keys": {
    type: "file",
    summary: "JSON Web Key Set of an issuer that the server cannot reach",
  },
  expiration: {
    type: "string",
    value: "TIME",
    summary: "When trust in the keys expires: a time or a duration (maximum: one year)",
  },
  "aws-account": { type: "string", value: "ACCOUNT", summary: "AWS account ID (12 digits)" },
  arn: { type: "string", summary: "ARN returned by AWS GetCallerIdentity" },
  "arn-pattern": { type: "string", value: "REGEX", summary: "RE2 pattern for the ARN" },
  "user-id": { type: "string", value: "ID", summary: "User ID returned by AWS GetCallerIdentity" },
  "user-id-pattern": { type: "string", value: "REGEX", summary: "RE2 pattern for the user ID" },
  "service-principal": {
    type: "string",
    value: "SERVICE",
    summary: "Service of this installation, such as CATALOG_SYNCER",
  },
} as const satisfies Options;

const load = () => import("./run.ts");
const loadPlatforms = () => import("./platforms.ts");

const COMMON = { parent: PARENT, role: ROLES, description: DESCRIPTION } as const;

const name = {
  name: "name",
  summary: "Name of the identity (default: derived from the options)",
} as const;

const KEY_OPTIONS = { "issuer-keys": TRUST["issuer-keys"], expiration: TRUST.expiration } as const;

export const genericDefinition = define({
  writes: true,
  name: "generic",
  summary: "Create an identity from claims, keys, an AWS principal or a file",
  description: `\`wharf iam identities create NAME …\` is a shorthand.

A file contains the fields of the API, in YAML or JSON, as printed by \`describe -o yaml\`.`,
  examples: [
    {
      command:
        "wharf iam identities create ci --parent acme --issuer https://ci.example.com --subject app --role registry.pull",
    },
    {
      command:
        "wharf iam identities create ci --parent acme --issuer https://ci.internal --subject app --issuer-keys jwks.json --expiration 2160h",
      shows: "for an issuer that the server cannot reach",
    },
    { command: "wharf iam identities create -f identity.yaml --parent acme" },
  ],
  arguments: [{ name: "name", summary: "Name of the identity" }],
  options: {
    ...COMMON,
    ...TRUST,
    file: { type: "file", short: "f", summary: "File with the identity" },
  },
});

export const githubDefinition = define({
  writes: true,
  name: "github",
  summary: "Create an identity for GitHub Actions of a repository",
  description: `Accepts subjects with names (\`repo:acme/app:…\`) and with immutable IDs (\`repo:acme@7/app@42:…\`). With
--repo-id and --owner-id, the IDs must match, so that a new owner of the name is rejected.`,
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
      summary: "Repository",
      required: true,
    },
    ref: {
      type: "string",
      aliases: ["github-ref"],
      summary: "Only this branch, or a full ref such as refs/tags/v1",
    },
    environment: { type: "string", value: "NAME", summary: "Only this environment" },
    "pull-request": { type: "boolean", summary: "Only pull requests" },
    "repo-id": { type: "string", value: "NUMBER", summary: "Repository ID" },
    "owner-id": { type: "string", value: "NUMBER", summary: "ID of the repository's owner" },
    host: {
      type: "string",
      default: "github.com",
      summary: "Host of GitHub, such as acme.ghe.com or that of GitHub Enterprise Server",
    },
    audience: { ...TRUST.audience, aliases: ["github-audience"] },
    ...COMMON,
  },
});

export const gitlabDefinition = define({
  writes: true,
  name: "gitlab",
  summary: "Create an identity for GitLab CI of a project",
  examples: [
    {
      command:
        "wharf iam identities create gitlab --project-path acme/app --ref main --parent acme --role registry.push",
    },
    {
      command:
        "wharf iam identities create gitlab --project-path acme/app --ref main --host gitlab.internal --issuer-keys jwks.json --parent acme",
      shows: "for an instance that the server cannot reach",
    },
  ],
  arguments: [name],
  options: {
    "project-path": {
      type: "string",
      value: "GROUP/PROJECT",
      summary: "Project",
      required: true,
    },
    "ref-type": {
      type: "choice",
      choices: ["branch", "tag"],
      default: "branch",
      summary: "Type of the ref",
    },
    ref: { type: "string", summary: "Only this branch or tag" },
    host: { type: "string", default: "gitlab.com", summary: "Host of GitLab" },
    audience: TRUST.audience,
    ...KEY_OPTIONS,
    ...COMMON,
  },
});

export const kubernetesDefinition = define({
  writes: true,
  name: "kubernetes",
  aliases: ["k8s"],
  summary: "Create an identity for a Kubernetes service account",
  examples: [
    {
      command:
        "wharf iam identities create kubernetes --namespace prod --service-account app --issuer https://oidc.example.com/cluster --parent acme --role registry.pull",
    },
    {
      command:
        "kubectl get --raw /openid/v1/jwks | wharf iam identities create kubernetes --namespace prod --service-account app --issuer-keys - --parent acme",
      shows: "for a cluster that the server cannot reach",
    },
  ],
  arguments: [name],
  options: {
    namespace: { type: "string", summary: "Namespace", required: true },
    "service-account": {
      type: "string",
      value: "NAME",
      summary: "Service account",
      required: true,
    },
    issuer: { ...TRUST.issuer, summary: "Issuer URL of the cluster" },
    audience: TRUST.audience,
    ...KEY_OPTIONS,
    ...COMMON,
  },
});

const aws = {
  "aws-account": { ...TRUST["aws-account"], aliases: ["account"], required: true },
  "user-id": { ...TRUST["user-id"], summary: "Unique ID, which is never reused" },
} as const;

export const awsRoleDefinition = define({
  writes: true,
  name: "role",
  summary: "Create an identity for an AWS IAM role",
  examples: [
    {
      command:
        "wharf iam identities create aws role --aws-account 123456789012 --aws-role deployer --user-id AROAEXAMPLEID --parent acme",
    },
  ],
  arguments: [name],
  options: {
    ...aws,
    "aws-role": { type: "string", value: "NAME", summary: "IAM role", required: true },
    ...COMMON,
  },
});

export const awsUserDefinition = define({
  writes: true,
  name: "user",
  summary: "Create an identity for an AWS IAM user",
  examples: [
    {
      command:
        "wharf iam identities create aws user --aws-account 123456789012 --aws-user deployer --user-id AIDAEXAMPLEID --parent acme",
    },
  ],
  arguments: [name],
  options: {
    ...aws,
    "aws-user": { type: "string", value: "NAME", summary: "IAM user", required: true },
    ...COMMON,
  },
});

export const createGroup = group({
  name: "create",
  summary: "Create an identity",
  description:
    "A name instead of a platform is a shorthand for `generic`. With --role, roles are bound in the same step; if that fails, no identity is created.",
  fallback: "generic",
  commands: [
    command(genericDefinition, load, "createGeneric"),
    command(githubDefinition, loadPlatforms, "createGithub"),
    command(gitlabDefinition, loadPlatforms, "createGitlab"),
    command(kubernetesDefinition, loadPlatforms, "createKubernetes"),
    group({
      name: "aws",
      summary: "Create an identity for an AWS principal",
      commands: [
        command(awsRoleDefinition, loadPlatforms, "createRole"),
        command(awsUserDefinition, loadPlatforms, "createUser"),
      ],
    }),
  ],
});
