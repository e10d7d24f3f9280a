import type { Area } from "../support/area.ts";

const LONG = "Owns the payment services, their runbooks and the on-call rota, ".repeat(4).trim();

export const PEOPLE: Area = {
  async fill({ world: { http } }, organization) {
    const post = async (path: string, body: object): Promise<Record<string, string>> =>
      (await http.post(path, body)).body;
    const folder = async (parent: string, name: string, description = "") =>
      (await post(`/iam/v2beta1/groups/${parent}`, { name, description })).uid as string;
    const platform = await folder(organization, "platform engineering", "keeps the lights on");
    const payments = await folder(organization, "team-payments", LONG);
    for (const name of ["team-checkout", "team-data", "team-identity", "security"]) {
      await folder(organization, name);
    }
    const ledger = await folder(payments, "ledger");
    await folder(ledger, "ledger-eu-central");
    await folder(platform, "clusters");
    const { uid: role = "" } = await post(`/iam/v2beta1/roles/${organization}`, {
      name: "release-manager",
      description: "Publishes images and reads who pulled them",
      capabilities: [
        "groups.list",
        "repo.list",
        "repo.update",
        "tag.create",
        "tag.list",
        "audit.list",
      ],
    });
    const { uid: identity = "" } = await post(`/iam/v2beta1/identities/${payments}`, {
      name: "release-train",
      claimMatch: {
        issuer: "https://token.actions.githubusercontent.com",
        subject: "repo:acme/payments:environment:production",
      },
    });
    const roles = (await http.get("/iam/v2beta1/roles?name=viewer")).body.roles;
    await post(`/iam/v2beta1/roleBindings/${payments}`, { identityUid: identity, roleUid: role });
    const viewer = { identityUid: identity, roleUid: roles[0].uid };
    await post(`/iam/v2beta1/roleBindings/${organization}`, viewer);
    for (const email of ["grace@example.com", "margaret.hamilton@example.com"]) {
      const invite = { email, roleUid: role, ttl: "604800s", singleUse: true };
      await post(`/iam/v2beta1/groupInvites/${organization}`, invite);
    }
    const people = await http.get(
      `/iam/v2beta1/roleBindings?group=${organization}&identity_kind=IDENTITY_KIND_PERSON`,
    );
    const person = people.body.roleBindings[0].identityUid;
    return { organization, payments, role, identity, person };
  },
  screens: {
    organizations: () => "organizations",
    account: () => "account",
    "not-found": () => "nothing-here",
    folders: ({ organization }) => `folders/${organization}`,
    "folders-nested": ({ payments }) => `folders/${payments}`,
    "folders-search": ({ organization }) => `folders/${organization}?begins=team-`,
    access: ({ payments }) => `access/${payments}`,
    "access-check": ({ payments }) => `access/${payments}?tab=check&can=repo.delete`,
    "access-identity": ({ payments, identity }) =>
      `access/${payments}?identity=${encodeURIComponent(identity ?? "")}`,
    roles: ({ organization }) => `roles/${organization}`,
    "roles-custom": ({ organization }) => `roles/${organization}?tab=custom`,
    people: ({ organization }) => `people/${organization}`,
    invites: ({ organization }) => `people/${organization}?tab=invites`,
    person: ({ organization, person }) => `people/${organization}?person=${person}`,
    role: ({ organization, role }) =>
      `roles/${organization}?role=${encodeURIComponent(role ?? "")}`,
  },
  empty: ["folders"],
  failing: ["folders", "access", "roles", "people"],
};
