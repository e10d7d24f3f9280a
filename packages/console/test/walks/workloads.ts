import type { Walker, Walks } from "../support/walks.ts";

/** Builds an identity on the form of a platform, whose fields are filled in order. */
function builds(platform: string, fields: Readonly<Record<string, string>>) {
  return async ({ site, page, keys, organization }: Walker) => {
    await page.goto(site.at(`new-identity/${organization}`));
    await keys.activate("link", platform);
    await page.locator("[aria-current=page]", { hasText: platform }).waitFor();
    await keys.isAt("link", platform);
    for (const [name, text] of Object.entries(fields)) await keys.write(name, text);
    await keys.pick("Role here (optional)", "viewer");
    await keys.activate("button", "Create identity");
    await site.heading(fields.Name ?? "").waitFor();
    await keys.isAt("heading", fields.Name ?? "");
  };
}

const KEYS = JSON.stringify({
  keys: [
    {
      ...{ kty: "EC", crv: "P-256", kid: "one", alg: "ES256", use: "sig" },
      x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
      y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    },
  ],
});

export const WORKLOADS: Walks = {
  "builds an identity for GitHub Actions": builds("GitHub Actions", {
    Repository: "acme/app",
    Branch: "main",
    Name: "from github",
  }),
  "builds an identity for GitLab CI": builds("GitLab CI", {
    Project: "acme/app",
    Name: "from gitlab",
  }),
  "builds an identity for Kubernetes": builds("Kubernetes", {
    Namespace: "prod",
    "Service account": "web",
    "Issuer of the cluster": "https://cluster.example.com",
    Name: "from kubernetes",
  }),
  "builds an identity for AWS": builds("AWS", {
    "Account ID": "123456789012",
    "Name of the role or user": "terraform",
    Name: "from aws",
  }),
  "builds an identity with static keys": builds("Static keys", {
    Issuer: "https://ci.internal.example",
    Subject: "app",
    "Public keys": KEYS,
    Name: "with keys",
  }),
  "builds an identity of any issuer": builds("Any issuer", {
    Issuer: "https://ci.example.com",
    Subject: "app",
    Name: "of any issuer",
  }),

  async "tests a token"({ page, keys }) {
    await keys.activate("link", "Test a token");
    await keys.write("Token", "not.a.token");
    await keys.activate("button", "Test");
    await page.getByText("This token is rejected").waitFor();
    await keys.isAt("button", "Test");
  },

  async "edits and deletes the identity"({ site, keys }) {
    await keys.page.goto(keys.page.url());
    await keys.open("button", "Edit");
    await keys.write("Description", "of the keyboard");
    await keys.activate("button", "Save");
    await keys.closed();
    await keys.isAt("button", "Edit");
    await keys.open("button", "Delete");
    await keys.activate("button", "Delete");
    await site.heading("Identities").waitFor();
    await keys.isAt("heading", "Identities");
  },

  async "creates a pull token, which is shown once"({ site, page, keys, organization }) {
    await page.goto(site.at(`identities/${organization}`));
    await keys.open("button", "Create pull token");
    await keys.write("Name", "legacy builds");
    await keys.press("Enter");
    await keys.isAt("region", "Pull token");
    await keys.to("button", "Copy");
    await keys.activate("button", "I have stored it");
    await keys.isAt("heading", "Identities");
  },

  async "sets up an identity provider with a mapping and a SCIM token"(walker) {
    const { site, page, keys, organization } = walker;
    await page.goto(site.at(`new-provider/${organization}`));
    await keys.activate("link", "Keycloak");
    await keys.to("button", "Copy");
    await keys.write("Issuer", "https://keycloak.example.com/realms/acme");
    await keys.write("Client ID", "wharf");
    await keys.write(/^Client secret/, "a secret of the provider");
    await keys.pick("Default role", "viewer");
    await keys.activate("button", "Connect provider");
    await site.heading("keycloak").waitFor();
    await keys.activate("link", "Group mappings");
    await keys.open("button", "Add mapping");
    await keys.write("Group of the provider", "engineers");
    await keys.pick("Role", "viewer");
    await keys.activate("button", "Add mapping");
    await keys.closed();
    await page.getByText("engineers").waitFor();
    await keys.isAt("button", "Add mapping");
    await page.goto(page.url());
    await keys.activate("link", "Provisioning (SCIM)");
    await keys.open("button", "Generate token");
    await keys.activate("button", "Generate token");
    await keys.isAt("region", "SCIM token");
    await keys.activate("button", "I have stored it");
    await keys.isAt("heading", "keycloak");
  },
};
