export const startTexts = {
  title: (organization: string) => `Get started with ${organization}`,
  firstTitle: "Welcome to Wharf",
  firstText:
    "An organization holds folders, identities, roles and repositories. Create one, or ask an owner of an existing one to invite you.",
  lead: "Five steps from an empty organization to the first pull. Each is checked off by itself.",
  progress: (done: number, total: number) => `${done} of ${total} done`,
  done: "done",
  open: "open",
  dismiss: "Do not show this again",
  all: "All organizations",
  steps: {
    organization: {
      title: "Create an organization",
      text: "It holds everything else. You own it.",
      action: "Show folders",
      command: "wharf iam organizations create acme.example",
    },
    signIn: {
      title: "Secure how people sign in",
      text: "Connect the identity provider of your company, or add a passkey to your own account.",
      action: "Connect provider",
      other: "Add a passkey",
      command: (uid: string) =>
        `wharf iam identity-providers create sso --parent ${uid} --issuer https://login.example.com --client-id wharf --pkce --default-role viewer`,
    },
    registry: {
      title: "Attach a registry",
      text: "Wharf decides who may pull and push, and knows what is in it. The operator attaches it to the server.",
      action: "Repositories",
      command: "wharf serve --registry-urls registry.example.com=https://registry.internal:5000",
    },
    workload: {
      title: "Let a workload sign in",
      text: "An identity trusts the tokens that GitHub Actions, GitLab, Kubernetes or AWS issue: no secret to store.",
      action: "Create identity",
      command: (uid: string) =>
        `wharf iam identities create github --repo acme/app --ref main --parent ${uid} --role registry.push`,
    },
    pull: {
      title: "Pull the first image",
      text: "Sign Docker in with your own login, or run the workload.",
      action: "Repositories",
      command: (_: string, registry: string) =>
        `wharf auth configure-docker --registry ${registry} && docker pull ${registry}/acme/app`,
    },
  },
} as const;
