/** A Helm chart in the registry, which the deployment of images names. */
import { gzipSync } from "node:zlib";
import { MANIFEST } from "../registry/oci-client.ts";
import { type ImageWorld, tarOf } from "../world/image-world.ts";
import { NAME } from "./pushed-images.ts";

export const CHART = "acme/charts/api-chart";

/** Pushes a chart, and a deployment of a repo that names it. Returns the digest of the chart. */
export async function pushedChart(images: ImageWorld, repo: string): Promise<string> {
  const chart = {
    ...{ name: "api-chart", version: "1.2.3", appVersion: "1.0", description: "The API." },
    dependencies: [{ name: "redis", version: "1.x", repository: "oci://example.com/charts" }],
    annotations: { images: `- name: api\n  image: registry.test/${NAME}:1.0\n` },
  };
  const files = {
    "api-chart/Chart.yaml": "name: api-chart\nversion: 1.2.3\n",
    "api-chart/values.yaml": "replicas: 2\n",
  };
  const descriptor = async (mediaType: string, content: Buffer | string) => ({
    ...{ mediaType, size: Buffer.byteLength(content) },
    digest: await images.client.blob(CHART, content),
  });
  const config = await descriptor(
    "application/vnd.cncf.helm.config.v1+json",
    JSON.stringify(chart),
  );
  const type = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
  const layers = [await descriptor(type, gzipSync(tarOf(files)))];
  const manifest = { schemaVersion: 2, mediaType: MANIFEST, config, layers };
  const deployed = { charts: [{ repo: `oci://registry.test/${CHART}` }] };
  await images.world.operator().deployments.create(repo, deployed);
  return (await images.put(CHART, "1.2.3", manifest, MANIFEST)).digest;
}
