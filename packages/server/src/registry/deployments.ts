import { type Deployment, DeploymentSchema, DeploymentsService } from "@wharf/contract";
import { Resource } from "../engine/resource.ts";
import { notFound } from "../lib/errors.ts";

/** Deployments: the Helm charts of a repo; at most one per repo, under its uid, deleted with the repo. */
export const deployments: Resource<Deployment> = new Resource({
  service: DeploymentsService,
  schema: DeploymentSchema,
  table: "deployments",
  tree: { uidIsParent: true },
  hooks: {
    async resolveParent({ tx, deps: { catalog } }, repo) {
      if (!(await catalog.repos.table.keep(tx, repo))) throw notFound(catalog.repos.typeName, repo);
      return repo;
    },
  },
});
