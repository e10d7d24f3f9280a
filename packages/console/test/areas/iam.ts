import type { Area } from "../support/area.ts";

export const IAM: Area = {
  async fill({ world: { http } }, organization) {
    const { body: folder } = await http.post(`/iam/v2beta1/groups/${organization}`, {
      name: "platform",
      description: "keeps the lights on",
    });
    const { body: identity } = await http.post(`/iam/v2beta1/identities/${organization}`, {
      name: "deploy",
      description: "deploys from the main branch",
      claimMatch: {
        issuer: "https://token.actions.githubusercontent.com",
        subject: "repo:acme/app:ref:refs/heads/main",
      },
    });
    return { organization, folder: folder.uid, identity: identity.uid };
  },
  screens: {
    organizations: () => "organizations",
    folders: ({ organization }) => `folders/${organization}`,
    access: ({ organization }) => `access/${organization}`,
    identities: ({ organization }) => `identities/${organization}`,
    roles: ({ organization }) => `roles/${organization}`,
    account: () => "account",
    "not-found": () => "nothing-here",
  },
  empty: ["folders", "identities"],
};
