import type { Area } from "../support/area.ts";

const GITHUB = "https://token.actions.githubusercontent.com";

export const WORKLOADS: Area = {
  async fill({ world: { http } }, organization) {
    const create = async (name: string, description: string, relationship: object) => {
      const identity = { name, description, ...relationship };
      const { body } = await http.post(`/iam/v2beta1/identities/${organization}`, identity);
      return body.uid as string;
    };
    const identity = await create(
      "app publishing",
      "Publishes images of the main branch of acme/app",
      {
        claimMatch: {
          issuer: GITHUB,
          subjectPattern: "repo:acme(@7)?/app(@42)?:ref:refs/heads/main",
          claims: { repository_id: "42", repository_owner_id: "7" },
        },
      },
    );
    const wide = await create("every job of acme", "", {
      claimMatch: { issuer: GITHUB, subjectPattern: "repo:acme/.+" },
    });
    await create("production cluster", "Pods of the web application, which pull their own images", {
      claimMatch: {
        issuer: "https://oidc.eks.eu-central-1.amazonaws.com/id/EXAMPLED539D4633E53DE1B71EXAMPLE",
        subject: "system:serviceaccount:prod:web",
      },
    });
    await create("terraform", "Plans and applies the infrastructure from account 123456789012", {
      awsIdentity: {
        awsAccount: "123456789012",
        arnPattern: "arn:aws(-[a-z]+)*:sts::123456789012:assumed-role/terraform/.+",
        userIdPattern: "AROAEXAMPLEID:.+",
      },
    });
    const { body: roles } = await http.get("/iam/v2beta1/roles?name=viewer");
    const viewer = roles.roles[0].uid as string;
    const { body: provider } = await http.post(`/iam/v2beta1/identityProviders/${organization}`, {
      name: "okta",
      description: "Everyone at Acme signs in with it",
      defaultRole: viewer,
      oidc: {
        issuer: "https://acme.okta.com",
        clientId: "0oa1b2c3d4e5f6g7h8i9",
        clientSecret: "only the server knows",
        groupsClaim: "groups",
        additionalScopes: ["groups"],
      },
    });
    for (const externalGroupId of ["platform-engineers", "00g1emaKYZTWRYYRRTSK"]) {
      const mapping = { externalGroupId, roleUid: viewer };
      await http.post(`/iam/v2beta1/externalGroupRoleMappings/${provider.uid}`, mapping);
    }
    return { organization, identity, wide, provider: provider.uid };
  },
  screens: {
    "identities-several": ({ organization }) => `identities/${organization}`,
    "identity-new": ({ organization }) => `new-identity/${organization}`,
    "identity-new-kubernetes": ({ organization }) =>
      `new-identity/${organization}?platform=kubernetes`,
    identity: ({ identity }) => `identity/${identity}`,
    "identity-wide": ({ wide }) => `identity/${wide}`,
    "identity-use": ({ identity }) => `identity/${identity}?tab=use`,
    "identity-test": ({ identity }) => `identity/${identity}?tab=test`,
    start: ({ organization }) => `start/${organization}`,
    operator: () => "operator",
    "account-credentials": () => "account",
    providers: ({ organization }) => `providers/${organization}`,
    "provider-new": ({ organization }) => `new-provider/${organization}?kind=entra`,
    provider: ({ provider }) => `provider/${provider}`,
    "provider-mappings": ({ provider }) => `provider/${provider}?tab=mappings`,
    "provider-scim": ({ provider }) => `provider/${provider}?tab=scim`,
  },
  empty: ["identities", "providers"],
};
