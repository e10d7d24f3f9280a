import { create } from "@bufbuild/protobuf";
import {
  type DiffImagesRequest,
  type ImageDifference,
  ImageDifferenceSchema,
  InventoryState,
  PackageChangeSchema,
} from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import { notFound } from "../../lib/errors.ts";
import { type Handler, onlyReads } from "../../rpc/call.ts";
import { messageReply } from "../../rpc/reply.ts";
import type { Reader } from "../../store/db/connection.ts";
import {
  type FindingFilter,
  type FindingRow,
  readFindings,
} from "../../store/tables/exposure/findings/finding-list.ts";
import type { RepoInterval } from "../../store/tables/exposure/images/visible-images.ts";
import {
  type ImageRow,
  type PackageRow,
  packagesOfImage,
  visibleImagesOf,
} from "../../store/tables/exposure/packages/image-packages-list.ts";
import { tagsNamed } from "../../store/tables/registry/tags.ts";
import { OPEN_STATUSES } from "../assessment/finding.ts";
import { imageFor } from "../platform.ts";
import { SBOM_LIMITS } from "../sboms/limits.ts";
import { findingsOf } from "./list-findings.ts";
import { toImagePackage } from "./messages.ts";
import { reposOf } from "./scope.ts";

/** Findings of one image that are compared. */
const MAX_FINDINGS = 50_000;

const BY_VULNERABILITY = { column: "vulnerability", descending: false } as const;

const DIGEST = /^sha(?:256:[0-9a-f]{64}|512:[0-9a-f]{128})$/;

/** The handler of DiffImages. An image that the caller may not see is not found, like one that does not exist. */
export function diffImages({ store, catalog }: ListDeps): Handler {
  return onlyReads(async (call, message) => {
    const request = message as DiffImagesRequest;
    const { fromRepoUid, toRepoUid, platform } = request;
    const reader = store.readerFor(call).costly ?? store.readerFor(call);
    const intervals = reposOf(catalog, call, undefined);
    const imageOf = (repo: string, name: string) =>
      findImage(reader, intervals, { repo, name, platform });
    const from = await imageOf(fromRepoUid, request.from);
    const to = await imageOf(toRepoUid === "" ? fromRepoUid : toRepoUid, request.to);
    const scope = { intervals, statuses: OPEN_STATUSES, now: call.time };
    const { tooMany, ...differences } = await compareFindings(reader, scope, from, to);
    const response = create(ImageDifferenceSchema, {
      ...comparePackages(await packagesOf(reader, from), await packagesOf(reader, to)),
      ...differences,
      warnings: [...[from, to].flatMap(warningOf), ...tooMany],
      fromDigest: from.digest,
      toDigest: to.digest,
      fromState: from.state,
      toState: to.state,
    });
    return messageReply(ImageDifferenceSchema, response);
  });
}

interface ImageName {
  readonly repo: string;
  /** A digest or a tag. */
  readonly name: string;
  /** Empty for the default one. */
  readonly platform: string;
}

async function findImage(
  reader: Reader,
  intervals: readonly RepoInterval[],
  { repo, name, platform }: ImageName,
): Promise<ImageRow> {
  const isVisible = intervals.some(({ low, high }) => repo >= low && repo < high);
  const digest = DIGEST.test(name)
    ? name
    : isVisible && (await tagsNamed(reader, repo, [name])).get(name);
  const images = digest ? await visibleImagesOf(reader, intervals, repo, digest) : [];
  const chosen = imageFor(images, platform) ?? images.find((one) => mayBeFor(one, platform));
  if (chosen !== undefined) return chosen;
  throw notFound("Image", platform === "" ? name : `${name} (${platform})`);
}

/** Of an image that was not read yet, the architecture may be known, but not its variant. */
function mayBeFor({ platform, state }: ImageRow, requested: string): boolean {
  return state === InventoryState.WAITING && requested.startsWith(`${platform}/`);
}

function packagesOf(reader: Reader, { id }: ImageRow): Promise<PackageRow[]> {
  return packagesOfImage(reader, id, { text: "", limit: SBOM_LIMITS.components });
}

function warningOf({ digest, state }: ImageRow): string[] {
  if (state === InventoryState.KNOWN) return [];
  const isWaiting = state === InventoryState.WAITING;
  return [`the packages of ${digest} ${isWaiting ? "have not been read yet" : "are not known"}`];
}

/** Packages by ecosystem and name: one that has several versions in an image is compared by its package URLs. */
export function comparePackages(
  from: readonly PackageRow[],
  to: readonly PackageRow[],
): Pick<ImageDifference, "addedPackages" | "removedPackages" | "changedPackages"> {
  const added = missingIn(to, from);
  const removed = missingIn(from, to);
  const keyOf = ({ ecosystem, name }: PackageRow) => `${ecosystem} ${name}`;
  const addedByName = Map.groupBy(added, keyOf);
  const removedByName = Map.groupBy(removed, keyOf);
  const pairs = [...removedByName].flatMap(([key, [previous, ...more]]) => {
    const [current, ...others] = addedByName.get(key) ?? [];
    const isPair = previous && current && more.length === 0 && others.length === 0;
    return isPair ? [[previous, current] as const] : [];
  });
  const changed = new Set(pairs.flat());
  return {
    addedPackages: added.filter((one) => !changed.has(one)).map(toImagePackage),
    removedPackages: removed.filter((one) => !changed.has(one)).map(toImagePackage),
    changedPackages: pairs.map(([previous, current]) =>
      create(PackageChangeSchema, {
        name: previous.name,
        previous: previous.purl,
        current: current.purl,
      }),
    ),
  };
}

function missingIn(some: readonly PackageRow[], others: readonly PackageRow[]): PackageRow[] {
  const purls = new Set(others.map(({ purl }) => purl));
  return some.filter(({ purl }) => !purls.has(purl));
}

async function compareFindings(reader: Reader, scope: FindingFilter, from: ImageRow, to: ImageRow) {
  const page = { order: BY_VULNERABILITY, limit: MAX_FINDINGS };
  const open = ({ repo, digest }: ImageRow) =>
    readFindings(reader, { ...scope, repo, digest }, page);
  const [before, after] = [await open(from), await open(to)];
  const keyOf = ({ vulnerability, ecosystem, name }: FindingRow) =>
    `${vulnerability} ${ecosystem} ${name}`;
  const onlyIn = (some: readonly FindingRow[], others: readonly FindingRow[]) => {
    const keys = new Set(others.map(keyOf));
    return findingsOf(
      reader,
      some.filter((row) => !keys.has(keyOf(row))),
    );
  };
  const isCut = [before, after].some(({ length }) => length === MAX_FINDINGS);
  return {
    tooMany: isCut ? [`only the first ${MAX_FINDINGS} findings of an image are compared`] : [],
    addedFindings: await onlyIn(after, before),
    removedFindings: await onlyIn(before, after),
  };
}
