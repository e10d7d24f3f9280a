export const startTexts = {
  title: (organization: string) => `Get started with ${organization}`,
  firstTitle: "Welcome to Wharf",
  firstText:
    "An organization holds folders, identities, roles and repositories. Create one, or ask an owner of an existing one to invite you.",
  lead: "Five steps from an empty organization to an image that a workload pulls. Each is checked off by itself.",
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
    push: {
      title: "Push the first image",
      text: "Docker, Podman and skopeo get their credentials from the wharf command.",
      action: "Repositories",
      command: (uid: string, registry: string) =>
        `wharf auth login && wharf auth configure-docker && docker push ${registry}/${uid}/app:1`,
    },
    workload: {
      title: "Let a workload sign in",
      text: "An identity trusts the tokens that GitHub Actions, GitLab, Kubernetes or AWS issue: no secret to store.",
      action: "Create identity",
      command: (uid: string) =>
        `wharf iam identities create github --repo acme/app --ref main --parent ${uid} --role registry.pull`,
    },
    pull: {
      title: "Pull it from a workload",
      text: "In a job of GitHub Actions with the permission id-token: write, with the UID of the identity.",
      action: "Repositories",
      command: (uid: string, registry: string) =>
        `wharf auth login --identity IDENTITY && wharf auth configure-docker && docker pull ${registry}/${uid}/app:1`,
    },
  },
} as const;
