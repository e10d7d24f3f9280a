import type { Area } from "../support/area.ts";

export const REGISTRY: Area = {
  async fill({ world: { http } }, organization) {
    const { body: repo } = await http.post(`/registry/v2beta1/repos/${organization}`, {
      name: "app",
    });
    return { organization, repo: repo.uid };
  },
  screens: { repos: ({ organization }) => `repos/${organization}` },
  empty: ["repos"],
};
