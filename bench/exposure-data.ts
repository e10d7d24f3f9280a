/** Dimensions of the data sets of images. The numbers of an image and a package decide whether it contains it. */
import { ORGANIZATION } from "./organization.ts";

export const TEAMS = 10;
export const IMAGES_PER_REPO = 100;

/** One image in so many has a tag; those are in use. */
export const TAGGED_SHARE = 10;

/** Each image has one in ten of these packages, 300, in one of five versions. */
export const PACKAGES = 3_000;
export const PACKAGE_SHARE = 10;
export const VERSIONS = 5;

/** The package of every second image. */
export const WIDESPREAD = "widespread";
export const WIDESPREAD_SHARE = 2;

/** The rows of `image_packages` of so many images. */
export function packageRows(images: number): number {
  return (images * PACKAGES) / PACKAGE_SHARE + images / WIDESPREAD_SHARE;
}

export function packageName(at: number): string {
  return `package-${String(at).padStart(4, "0")}`;
}

export function versionText(at: number): string {
  return `1.2.${at}-r0`;
}

/** An own advisory about all versions of the widespread package. */
export function widespreadAdvisory(at: string): object {
  const event = { createTime: "2026-03-01T00:00:00.000Z", reviewState: "REVIEW_STATE_APPROVED" };
  return {
    ...{ advisoryId: `ADV-${at}`, artifactType: "apk", artifactName: WIDESPREAD },
    aliases: [vulnerabilityAt(at)],
    events: [
      { ...event, detection: { manual: {} } },
      { ...event, createTime: "2026-03-02T00:00:00.000Z", fixed: { fixedVersion: "1.3.0-r0" } },
    ],
  };
}

export function vulnerabilityAt(at: string): string {
  return `CVE-2027-${at}`;
}

export function teamUid(team: number): string {
  return `${ORGANIZATION}/${hex(team + 1)}`;
}

export function repoUid(repo: number): string {
  return `${teamUid(repo % TEAMS)}/${hex(repo + 1)}`;
}

export function digestOf(image: number): string {
  return `sha256:${image.toString(16).padStart(64, "0")}`;
}

function hex(number: number): string {
  return number.toString(16).padStart(16, "0");
}
