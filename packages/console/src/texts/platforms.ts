import type { PlatformName } from "@wharf/trust";

interface FieldTexts {
  readonly label: string;
  readonly hint?: string;
  /** Labels of the choices, by value. */
  readonly choices?: Readonly<Record<string, string>>;
}

interface PlatformTexts {
  readonly label: string;
  readonly lead: string;
  /** The fields of the form, in their order; the rules are those of @wharf/trust. */
  readonly fields: Readonly<Record<string, FieldTexts>>;
}

const ISSUER = {
  label: "Issuer",
  hint: "The iss claim of its tokens, such as https://ci.example.com",
};
const AUDIENCE = {
  label: "Audience",
  hint: "The aud claim of its tokens. Default: the host name of this installation.",
};
const KEYS = {
  label: "Public keys",
  hint: "A JSON Web Key Set, for an issuer that this server cannot reach. They expire after a year.",
};

/** Texts of the platforms whose workloads can sign in, by name in the URL. */
export const platformTexts: Readonly<Record<PlatformName, PlatformTexts>> = {
  github: {
    label: "GitHub Actions",
    lead: "Jobs of one repository sign in with the token that GitHub issues for each job. No secret is stored at GitHub.",
    fields: {
      repo: { label: "Repository", hint: "OWNER/NAME, such as acme/app" },
      trigger: {
        label: "Which jobs",
        choices: {
          ref: "of one branch or tag",
          environment: "of one deployment environment",
          pull_request: "of pull requests",
          any: "of any branch, tag or pull request",
        },
      },
      ref: { label: "Branch", hint: "Such as main, or a full ref such as refs/tags/v1" },
      environment: { label: "Environment" },
      repoId: {
        label: "Repository ID",
        hint: "gh api repos/OWNER/NAME --jq '.id, .owner.id' prints both",
      },
      ownerId: { label: "Owner ID" },
      host: {
        label: "Host",
        hint: "Only for a GitHub of your own, such as github.example.com or acme.ghe.com",
      },
    },
  },
  gitlab: {
    label: "GitLab CI",
    lead: "Jobs of one project sign in with the ID token that GitLab issues for each job. No secret is stored at GitLab.",
    fields: {
      projectPath: { label: "Project", hint: "GROUP/PROJECT, such as acme/app" },
      refType: { label: "Type of the ref", choices: { branch: "branch", tag: "tag" } },
      ref: { label: "Branch or tag", hint: "Leave it empty for all" },
      host: {
        label: "Host",
        hint: "Only for an instance of your own, such as gitlab.example.com",
      },
      issuerKeys: KEYS,
    },
  },
  kubernetes: {
    label: "Kubernetes",
    lead: "Pods sign in with a token of their service account, which Kubernetes renews.",
    fields: {
      namespace: { label: "Namespace" },
      serviceAccount: {
        label: "Service account",
        hint: "Of its own, not default: every pod without one has that.",
      },
      issuer: {
        label: "Issuer of the cluster",
        hint: "kubectl get --raw /.well-known/openid-configuration | jq -r .issuer",
      },
      issuerKeys: {
        label: "Public keys",
        hint: "For a cluster that this server cannot reach: kubectl get --raw /openid/v1/jwks. They expire after a year.",
      },
    },
  },
  aws: {
    label: "AWS",
    lead: "An IAM role or user signs in with a signed request to AWS. No secret is stored here.",
    fields: {
      principal: { label: "Principal", choices: { role: "role", user: "user" } },
      awsAccount: { label: "Account ID", hint: "12 digits" },
      awsName: { label: "Name of the role or user" },
      userId: {
        label: "Unique ID",
        hint: "AROA… of a role, AIDA… of a user: aws iam get-role prints it",
      },
    },
  },
  keys: {
    label: "Static keys",
    lead: "Anything that can sign a JSON Web Token with a key of its own. This server gets the public keys, and needs to reach nothing.",
    fields: {
      issuer: ISSUER,
      subject: { label: "Subject" },
      issuerKeys: KEYS,
      expiration: { label: "Keys expire", hint: "Default and maximum: one year from now" },
      audience: AUDIENCE,
    },
  },
  any: {
    label: "Any issuer",
    lead: "Any OpenID Connect issuer that this server can reach.",
    fields: {
      issuer: ISSUER,
      match: {
        label: "Subject is",
        choices: { exact: "exactly this", pattern: "a pattern (RE2)" },
      },
      subject: { label: "Subject", hint: "A pattern must match the whole subject." },
      audience: AUDIENCE,
      claims: { label: "Further claims", hint: "One per line: name=value" },
    },
  },
};
