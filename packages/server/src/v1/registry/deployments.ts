import { type Deployment, DeploymentsService } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import { type AdaptedMethod, adapt, type Invoke } from "../adapter.ts";

const { Registry } = registryV1;

/** The version 1 methods of deployments, which are identified by their repo's id. */
export function deploymentMethods(invoke: Invoke): AdaptedMethod[] {
  return [
    adapt(invoke, {
      method: Registry.method.createDeployment,
      target: DeploymentsService.method.createDeployment,
      request: ({ parentId, charts }) => ({
        parent: parentId,
        deployment: { charts: charts.map(chart) },
      }),
      response: deploymentV1,
      names: { parent: "parentId" },
    }),
    adapt(invoke, {
      method: Registry.method.updateDeployment,
      target: DeploymentsService.method.updateDeployment,
      request: ({ repoId, charts }) => ({
        deployment: { uid: repoId, charts: charts.map(chart) },
        updateMask: { paths: ["charts"] },
      }),
      response: deploymentV1,
      names: { uid: "repoId" },
    }),
    adapt(invoke, {
      method: Registry.method.getDeployment,
      target: DeploymentsService.method.getDeployment,
      request: ({ repoId }) => ({ uid: repoId }),
      response: deploymentV1,
      names: { uid: "repoId" },
    }),
  ];
}

/** Translates a deployment to version 1. */
export function deploymentV1({ uid, charts }: Deployment) {
  return { id: uid, charts: charts.map(chart) };
}

/** A chart has the same fields in both versions. An optional field that is not set stays so. */
function chart({ source, repo, chart: name }: registryV1.HelmChart | Deployment["charts"][number]) {
  return {
    repo,
    ...(source !== undefined && { source }),
    ...(name !== undefined && { chart: name }),
  };
}
