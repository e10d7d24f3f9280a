import { Capability, type Deployment } from "@wharf/contract";
import { registryV1 } from "@wharf/contract/v1";
import { parse } from "yaml";
import type { Grants } from "../../auth/grants.ts";
import type { ResourceStore } from "../../engine/catalog.ts";
import { type ContentsDeps, openContents } from "../../exposure/inventory/image-contents.ts";
import { invalidArgument, notFound } from "../../lib/errors.ts";
import { parseManifest } from "../../registry/images/image-manifest.ts";
import { list, object, parseJson, text, textMap } from "../../registry/lenient-json.ts";
import { resolvePath } from "../../registry/path.ts";
import { mustBeUid } from "../../rpc/validate.ts";
import { namesOf } from "../../store/tables/exposure/images/image-names.ts";
import { newestDigest } from "../../store/tables/exposure/images/visible-repos.ts";
import { findManifest } from "../../store/tables/registry/manifests.ts";
import { type AdaptedMethod, respondWith } from "../adapter.ts";
import { invalidChart, MAX_CHART_BYTES, readChartFiles } from "./chart-files.ts";

const { getHelm, getChart, listChartsByImageRepo, listChartImageBindings } =
  registryV1.Registry.method;

const CONFIG = "application/vnd.cncf.helm.config.v1+json";
const CONTENTS = /^application\/(?:vnd\.cncf\.helm\.chart\.content\.v1\.tar|tar)\+gzip$/;

const MAX_CONFIG_BYTES = 1024 * 1024;

export interface ChartDeps extends ContentsDeps, ResourceStore {
  /** The hosts of the installation's registries. */
  hosts(): readonly string[];
}

/** Helm charts: those in registries, and those that deploy the images of a repo. */
export function chartMethods(deps: ChartDeps): AdaptedMethod[] {
  return [
    respondWith(getChart, {}, ({ repoId, digest }, { signal }) =>
      readChart(deps, repoId, digest, signal),
    ),
    respondWith(getHelm, {}, async ({ repoId, digest }, { caller, signal }) => {
      if ((await findManifest(deps.store.reader, repoId, digest)) === undefined) {
        throw notFound("Image", `${repoId}@${digest}`);
      }
      return helmOf(deps, repoId, caller.grants, signal);
    }),
    respondWith(listChartsByImageRepo, {}, async ({ repoId }, { caller }) => {
      mustBeUid("repoId", repoId);
      return { chartImageBindings: await bindingsOf(deps, [repoId], caller.grants) };
    }),
    respondWith(listChartImageBindings, {}, async ({ imageRepoIds }, { caller }) => {
      const hidden = imageRepoIds.find((uid) => !canSee(caller.grants, uid));
      if (hidden !== undefined) {
        const description = `you may not list the repo ${hidden}`;
        throw invalidArgument({ field: "imageRepoIds", description });
      }
      const repos = [...new Set(imageRepoIds)];
      return { chartImageBindings: await bindingsOf(deps, repos, caller.grants) };
    }),
  ];
}

function canSee(grants: Grants, repo: string): boolean {
  return grants.holds([Capability.CAP_REPO_LIST], repo);
}

async function readChart(deps: ContentsDeps, repo: string, digest: string, signal: AbortSignal) {
  const contents = await openContents(deps, repo, digest, signal);
  const bytes = await contents?.manifest(digest);
  if (contents === undefined || bytes === undefined) throw notFound("Chart", `${repo}@${digest}`);
  const { config, layers } = parseManifest(bytes);
  if (config?.mediaType !== CONFIG) throw notFound("Chart", `${repo}@${digest}`);
  const described = await contents.blob(config.digest, MAX_CONFIG_BYTES);
  if (described === undefined) throw invalidChart("has no configuration that can be read");
  const fields = object(parseJson(described));
  const layer = layers.find(({ mediaType }) => CONTENTS.test(mediaType));
  const archive = layer && (await contents.blob(layer.digest, MAX_CHART_BYTES));
  const files = archive === undefined ? new Map() : await readChartFiles(archive);
  const annotations = textMap(fields.annotations);
  return {
    ...{ name: text(fields.name), version: text(fields.version), annotations },
    ...{ appVersion: text(fields.appVersion), description: text(fields.description) },
    dependencies: list(fields.dependencies).map((one) => {
      const { name, version, repository } = object(one);
      return { name: text(name), version: text(version), repository: text(repository) };
    }),
    images: imagesIn(annotations.images ?? annotations["artifacthub.io/images"] ?? ""),
    raw: files.get("Chart.yaml") ?? "",
    values: files.get("values.yaml") ?? "",
    changelog: files.get("CHANGELOG.md") ?? "",
  };
}

/** The images in an annotation, which is a list in YAML; one that is not, has none. */
function imagesIn(annotation: string) {
  return list(parsedYaml(annotation)).flatMap((one) => {
    const { name, image } = object(one);
    const reference = text(image);
    if (reference === "") return [];
    const repository = reference.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
    const repoName = repository.slice(repository.lastIndexOf("/") + 1);
    return [{ name: text(name) || repoName, image: reference, repoName }];
  });
}

function parsedYaml(annotation: string): unknown {
  try {
    return parse(annotation, { maxAliasCount: 0, logLevel: "silent" });
  } catch {
    return undefined;
  }
}

type HelmChart = Deployment["charts"][number];

/** The first chart of the deployment of a repo. */
async function helmOf(deps: ChartDeps, repo: string, grants: Grants, signal: AbortSignal) {
  const { reader } = deps.store;
  const [chart] = (await deps.catalog.deployments.find(reader, repo))?.charts ?? [];
  if (chart === undefined) throw notFound("Deployment", repo);
  const location = { chartName: nameOf(chart), chartRepository: chart.repo };
  const stored = await storedChart(deps, chart, grants);
  const digest = stored && (await newestDigest(reader, stored));
  if (stored === undefined || digest === undefined) return location;
  const { version } = await readChart(deps, stored, digest, signal);
  return { ...location, chartVersion: version, chartDigest: digest };
}

function nameOf({ repo, chart }: HelmChart): string {
  return chart || repo.slice(repo.lastIndexOf("/") + 1);
}

/** The uid of the repo with a chart, if it is in a registry of this installation, and visible. */
async function storedChart(
  { catalog, store, hosts }: ChartDeps,
  { repo, chart = "" }: HelmChart,
  grants: Grants,
): Promise<string | undefined> {
  const [, host = "", path = ""] = /^oci:\/\/([^/]+)\/(.+?)\/*$/.exec(repo) ?? [];
  if (!hosts().includes(host)) return undefined;
  const isWhole = chart === "" || path === chart || path.endsWith(`/${chart}`);
  const found = await resolvePath(catalog, store.reader, isWhole ? path : `${path}/${chart}`);
  const uid = found?.repo;
  return uid !== undefined && canSee(grants, uid) ? uid : undefined;
}

/** Charts in registries of this installation that the deployments of repos name. */
async function bindingsOf(deps: ChartDeps, repos: readonly string[], grants: Grants) {
  const { reader } = deps.store;
  const names = await namesOf(reader, "repos", repos);
  const bindings = [];
  for (const repo of repos) {
    const { charts = [] } = (await deps.catalog.deployments.find(reader, repo)) ?? {};
    const found = await Promise.all(charts.map((chart) => storedChart(deps, chart, grants)));
    const distinct = new Set(found.filter((uid) => uid !== undefined));
    const imageRepo = names.get(repo) ?? "";
    bindings.push(...[...distinct].map((chartRepo) => ({ chartRepo, imageRepo })));
  }
  const key = (one: { imageRepo: string; chartRepo: string }) =>
    `${one.imageRepo} ${one.chartRepo}`;
  return bindings.sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
