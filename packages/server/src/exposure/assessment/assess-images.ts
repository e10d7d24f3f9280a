import { ancestorsOf, isSelfOrBelow } from "@wharf/contract";
import type { Transaction } from "../../store/db/commit/transaction.ts";
import { findingsAbout, findingsOf } from "../../store/tables/exposure/findings/findings.ts";
import {
  type AssessedImage,
  type ImageReferences,
  type InstalledVersion,
  imagesById,
  imagesWithVersions,
  referencesOfImages,
  versionsInImages,
} from "../../store/tables/exposure/images/assessed-images.ts";
import { versionsById } from "../../store/tables/exposure/records/matches.ts";
import { type NamingDeps, namingOf } from "../../vulnerabilities/naming.ts";
import { assess, type MatchedVersion } from "./assess.ts";
import { Decisions } from "./decisions-of-images.ts";
import type { AssessedFinding } from "./finding.ts";
import { Knowledge, type KnownMatch } from "./knowledge.ts";
import { ImageStatements } from "./statements-of-images.ts";
import type { Vulnerability } from "./vulnerabilities.ts";
import { writeFindings } from "./write-findings.ts";

/** The vulnerability that is assessed, by all its names in any group, with its knowledge. */
export interface Focus {
  readonly names: ReadonlySet<string>;
  readonly knowledge: Knowledge;
}

/**
 * Writes the findings of images, of all vulnerabilities or of one: a handful of statements, however many images. Images of
 * one call are assessed as they are at its time.
 */
export async function assessImages(
  deps: NamingDeps,
  tx: Transaction,
  imageIds: readonly number[],
  focus?: Focus,
): Promise<void> {
  const now = Date.now();
  const images = await imagesById(tx, imageIds);
  if (images.length === 0) return;
  const installed = await installedIn(tx, images, focus);
  const knowledge = focus?.knowledge ?? (await knowledgeOf(tx, images, installed));
  const names = focus === undefined ? knowledge.names : [...focus.names];
  const statements = await readStatements(deps, tx, images, installed, knowledge, names, now);
  const byImage = Map.groupBy(installed, ({ image }) => image);
  const assessed = new Map<number, AssessedFinding[]>();
  for (const image of images) {
    const versions = matchedVersions(image, byImage.get(image.id) ?? [], knowledge);
    if (versions.length === 0) continue;
    const vulnerabilities = knowledge.at(ancestorsOf(image.repo));
    const isAssessed = ({ names: all }: Vulnerability) =>
      focus === undefined || all.some((name) => focus.names.has(name));
    const vulnerabilitiesOf = (record: number) => vulnerabilities.of(record).filter(isAssessed);
    const statementsAbout = (one: Vulnerability, version: number) =>
      statements(image, one, version);
    assessed.set(image.id, assess({ versions, vulnerabilitiesOf, statementsAbout }));
  }
  const stored =
    focus === undefined
      ? await findingsOf(tx, idsOf(images))
      : await findingsAbout(tx, [...focus.names], rangeOf(images));
  await writeFindings(tx, { images, stored, assessed }, now);
}

async function installedIn(
  tx: Transaction,
  images: readonly AssessedImage[],
  focus: Focus | undefined,
): Promise<InstalledVersion[]> {
  if (focus === undefined) return versionsInImages(tx, idsOf(images));
  return imagesWithVersions(tx, [...focus.knowledge.matches.keys()], rangeOf(images));
}

function idsOf(images: readonly AssessedImage[]): number[] {
  return images.map(({ id }) => id);
}

/** The first and the last id: images are in their order. */
function rangeOf(images: readonly AssessedImage[]): [number, number] {
  return [images[0]?.id as number, images.at(-1)?.id as number];
}

function knowledgeOf(
  tx: Transaction,
  images: readonly AssessedImage[],
  installed: readonly InstalledVersion[],
): Promise<Knowledge> {
  const versions = new Set(installed.map(({ version }) => version));
  const above = new Set(images.flatMap(({ repo }) => ancestorsOf(repo)));
  const [{ repo: scope }] = images as [AssessedImage];
  return Knowledge.ofVersions(tx, [...versions], { scope, above: [...above] });
}

/** The versions with matches of records that apply to the image. */
function matchedVersions(
  { repo }: AssessedImage,
  installed: readonly InstalledVersion[],
  { matches }: Knowledge,
): MatchedVersion[] {
  const applicable = (version: number) =>
    (matches.get(version) ?? []).filter(({ record }: KnownMatch) =>
      isSelfOrBelow(repo, record.group),
    );
  return installed.flatMap(({ version, owner }) => {
    const own = applicable(version);
    if (own.length === 0) return [];
    return [{ version, matches: own, ofOwner: owner === 0 ? [] : applicable(owner) }];
  });
}

type StatementsAbout = (
  image: AssessedImage,
  vulnerability: Vulnerability,
  version: number,
) => ReturnType<Decisions["about"]>;

/** Statements about the packages of images: decisions, and VEX documents. Most images have none. */
async function readStatements(
  deps: NamingDeps,
  tx: Transaction,
  images: readonly AssessedImage[],
  installed: readonly InstalledVersion[],
  { matches }: Knowledge,
  names: readonly string[],
  now: number,
): Promise<StatementsAbout> {
  const decisions = await Decisions.read(tx, names, now);
  const statements = await ImageStatements.read(tx, images, names);
  const concerned = images.filter(({ id }) => !decisions.isEmpty || statements.has(id));
  if (concerned.length === 0) return () => [];
  const references = await referencesOfImages(tx, concerned);
  await statements.readNames(tx, concerned, references, namingOf(deps).registry);
  const versions = new Set(
    installed.map(({ version }) => version).filter((one) => matches.has(one)),
  );
  const purls = new Map((await versionsById(tx, [...versions])).map(({ id, purl }) => [id, purl]));
  return (image, { names: all }, version) => {
    const purl = purls.get(version) ?? "";
    const digests = digestsOf(image, references);
    return [
      ...decisions.about(all, { repo: image.repo, digests, purl }),
      ...statements.about(image.id, all, purl),
    ];
  };
}

function digestsOf(
  { id, digest }: AssessedImage,
  references: ReadonlyMap<number, ImageReferences>,
): string[] {
  return [digest, ...(references.get(id)?.indexes ?? [])];
}
