import { parsePackageUrl, versionOf } from "@wharf/advisories/package-url";
import { DecisionOrigin, FindingStatus } from "@wharf/contract";
import type { Reader } from "../../store/db/connection.ts";
import {
  type AssessedImage,
  type ImageReferences,
  statementsOfImages,
} from "../../store/tables/exposure/images/assessed-images.ts";
import { locationsOf, OWN_HOST } from "../../store/tables/registry/locations.ts";
import { imageNames, type Names, packageNames } from "../sboms/image-names.ts";
import { VexStatements } from "../sboms/vex.ts";
import type { VexComponent, VexStatement } from "../sboms/vex-statement.ts";
import type { FindingStatement } from "./finding.ts";

/** A statement of a VEX document, as it is stored with an image. */
export interface StoredStatement extends VexStatement {
  /** The digest of the document. */
  readonly document?: string;
}

const STATUS_OF: Readonly<Record<VexStatement["status"], FindingStatus>> = {
  not_affected: FindingStatus.NOT_AFFECTED,
  affected: FindingStatus.AFFECTED,
  fixed: FindingStatus.FIXED,
  under_investigation: FindingStatus.UNSPECIFIED,
};

const MAX_REASON_LENGTH = 500;

/** The VEX statements of documents about images. */
export class ImageStatements {
  readonly #byImage: ReadonlyMap<number, VexStatements>;
  readonly #names = new Map<number, Names>();
  readonly #packages = new Map<string, Names>();

  private constructor(byImage: ReadonlyMap<number, VexStatements>) {
    this.#byImage = byImage;
  }

  /** The statements about vulnerabilities with these names. */
  static async read(
    reader: Reader,
    images: readonly AssessedImage[],
    names: readonly string[],
  ): Promise<ImageStatements> {
    const ids = images.map(({ id }) => id);
    const rows = await statementsOfImages(reader, ids, names);
    const byImage = Map.groupBy(rows, ({ image }) => image);
    const parsed = [...byImage].map(([image, all]) => {
      const statements = all.map(({ statement }) => JSON.parse(statement) as StoredStatement);
      return [image, new VexStatements(statements)] as const;
    });
    return new ImageStatements(new Map(parsed));
  }

  /** Whether an image has any. */
  has(image: number): boolean {
    return this.#byImage.has(image);
  }

  /** Reads the names of images that have statements: documents refer to images by any of them. */
  async readNames(
    reader: Reader,
    images: readonly AssessedImage[],
    references: ReadonlyMap<number, ImageReferences>,
    ownHost: string,
  ): Promise<void> {
    const paths = new Map<string, readonly string[]>();
    for (const { id, repo, digest, platform } of images.filter((one) => this.has(one.id))) {
      const repositories = paths.get(repo) ?? (await repositoriesOf(reader, repo, ownHost));
      paths.set(repo, repositories);
      const { indexes = [], tags = [] } = references.get(id) ?? {};
      const [, architecture] = platform.split("/");
      const digests = [digest, ...indexes];
      this.#names.set(id, imageNames({ repositories, digests, tags, architecture }));
    }
  }

  /** The statement that decides, if one applies: the latest, which replaces those before. */
  about(image: number, names: readonly string[], purl: string): FindingStatement[] {
    const statements = this.#byImage.get(image);
    const ofImage = this.#names.get(image);
    if (statements === undefined || ofImage === undefined) return [];
    const ofPackage = this.#packages.get(purl) ?? packageNames(purl);
    this.#packages.set(purl, ofPackage);
    const found = statements.deciding(names, ofImage, ofPackage);
    return found === undefined ? [] : [findingStatement(found)];
  }
}

function findingStatement(statement: StoredStatement): FindingStatement {
  const { status, author, supplier, justification, impact, action, time, document } = statement;
  const by = author ?? supplier;
  const reason = (impact ?? action)?.slice(0, MAX_REASON_LENGTH).toWellFormed();
  // A fix is in a version: without one, the statement does not tell which.
  const isVague = status === "fixed" && !namesVersion(statement);
  return {
    origin: DecisionOrigin.ATTACHED,
    status: isVague ? FindingStatus.UNSPECIFIED : STATUS_OF[status],
    ...(by && { author: by }),
    ...(justification && { justification }),
    ...(reason && { reason }),
    ...(time !== undefined && { time }),
    ...(document && { document }),
  };
}

function namesVersion({ products }: VexStatement): boolean {
  return products.some((product) => [product, ...product.subcomponents].some(isVersioned));
}

function isVersioned({ identifiers, purls, hashes }: VexComponent): boolean {
  return (
    hashes.length > 0 ||
    purls.some((purl) => versionOf(parsePackageUrl(purl)) !== "") ||
    identifiers.some((identifier) => /sha(256|512):/.test(identifier))
  );
}

/** The paths of a repo at registries, with their hosts. */
async function repositoriesOf(reader: Reader, repo: string, ownHost: string): Promise<string[]> {
  const locations = await locationsOf(reader, repo);
  return locations.map(({ host, path }) => `${host === OWN_HOST ? ownHost : host}/${path}`);
}
