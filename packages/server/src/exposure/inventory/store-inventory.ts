import type { Transaction } from "../../store/db/commit/transaction.ts";
import type { Store } from "../../store/db/store.ts";
import { type ImageReading, writeImage } from "../../store/tables/exposure/images/images.ts";
import { replaceStatements } from "../../store/tables/exposure/images/statements.ts";
import {
  type ImagePackage,
  replacePackages,
} from "../../store/tables/exposure/packages/image-packages.ts";
import {
  addVersions,
  deleteUnused,
  type PackageVersion,
  versionIds,
} from "../../store/tables/exposure/packages/package-versions.ts";
import { matchVersions } from "../matching/match-versions.ts";
import type { InventoryPackage } from "./inventory-package.ts";
import type { ImageInventory } from "./read-inventory.ts";

/** Versions that one transaction adds, and compares with records: others must not wait long for it. */
const VERSION_BATCH_SIZE = 1_000;

/** The packages of an image by the keys of their versions. */
export type KeyedPackages = ReadonlyMap<string, InventoryPackage>;

/** Each version once: the first of several places counts. */
export function keyedPackages(packages: readonly InventoryPackage[]): KeyedPackages {
  const keyed = new Map<string, InventoryPackage>();
  for (const one of packages) {
    if (!keyed.has(one.key)) keyed.set(one.key, one);
  }
  return keyed;
}

/** Stores those of the versions that no image has had, and compares them with the records of their packages. */
export async function storeVersions(store: Store, packages: KeyedPackages): Promise<void> {
  const ids = await versionIds(store.reader, [...packages.keys()]);
  const missing = [...packages].filter(([key]) => !ids.has(key));
  for (let at = 0; at < missing.length; at += VERSION_BATCH_SIZE) {
    const batch = missing.slice(at, at + VERSION_BATCH_SIZE);
    const versions = new Map<string, PackageVersion>(
      batch.map(([key, { version }]) => [key, version]),
    );
    await store.write(async (tx) => matchVersions(tx, await addVersions(tx, versions)));
  }
}

/** An image, and what was read of it. */
export interface ImageResult {
  readonly repo: string;
  readonly digest: string;
  readonly platform: string;
  readonly pushed: number;
  readonly fingerprint: string;
  readonly inventory: ImageInventory;
}

/** Stores what was read of an image, whose versions are stored. Returns its id. */
export async function storeImage(
  tx: Transaction,
  result: ImageResult,
  packages: KeyedPackages,
): Promise<number> {
  const { repo, digest, inventory } = result;
  const id = await writeImage(tx, repo, digest, readingOf(result, packages.size));
  const ids = await versionIds(tx, [...packages.keys()]);
  const gone = await replacePackages(tx, id, imagePackages(packages, ids));
  await deleteUnused(tx, gone);
  const statements = inventory.statements.map((one) => JSON.stringify(one));
  await replaceStatements(tx, id, statements);
  return id;
}

function readingOf(result: ImageResult, packages: number): ImageReading {
  const { platform, pushed, fingerprint, inventory } = result;
  const { state, reason, source, document, withoutPurl, detail } = inventory;
  return {
    ...{ platform, pushed, state, reason, source, document, packages, withoutPurl },
    detail: JSON.stringify({ ...detail, fingerprint }),
    indexed: Date.now(),
  };
}

/** Packages with the ids of their versions, and those of the versions that own them. */
function imagePackages(packages: KeyedPackages, ids: ReadonlyMap<string, number>): ImagePackage[] {
  const byRef = new Map([...packages].map(([key, { ref }]) => [ref, ids.get(key) ?? 0]));
  return [...packages].flatMap(([key, { owner, location }]) => {
    const version = ids.get(key);
    if (version === undefined) return [];
    return [{ version, owner: (owner !== "" && byRef.get(owner)) || 0, location }];
  });
}
