/** A repo with an affected image and one with the fix, for what calls every method of exposure. */
import { ImageWorld, spdxOf } from "../world/image-world.ts";
import type { World } from "../world/world.ts";
import { importRecords } from "./osv-client.ts";
import { HIGH, osv } from "./osv-records.ts";
import { exposureIsSettled } from "./settled.ts";

export const NAME = "acme/api";
export const CVE = "CVE-2026-1234";
export const GHSA = "GHSA-2222-3333-4444";
export const LEFT_PAD = "pkg:npm/left-pad@1.3.0";

const SSL = "pkg:apk/alpine/libssl3@3.3.1-r0?arch=x86_64&distro=alpine-3.20&upstream=openssl";

/** The record of what affects the image. */
export const RECORD = osv(GHSA, "npm", "left-pad", "1.3.1", {
  aliases: [CVE],
  summary: "Reads beyond the end of its input",
  severity: [{ type: "CVSS_V3", score: HIGH }],
});

export interface Images {
  readonly images: ImageWorld;
  readonly organization: string;
  readonly repo: string;
  /** The digest of the tag 1.0, whose package is affected. */
  readonly affected: string;
  /** Waits until the server has done what follows from the changes. */
  settled(): Promise<void>;
}

/** A repo with two tags, of which the second has the fix. */
export async function pushedImages(world: World): Promise<Images> {
  const { organization } = world.registry;
  const images = await ImageWorld.of(world);
  const push = async (tag: string, ...purls: readonly string[]) => {
    const { digest } = await images.push(NAME, tag, `the layer of ${tag}`);
    await images.attach(NAME, digest, "application/spdx+json", spdxOf(purls, "api"));
    // One after the other: lists of images are in the order in which they were read.
    await images.settled();
    return digest;
  };
  const affected = await push("1.0", LEFT_PAD, SSL);
  await push("1.1", LEFT_PAD.replace("1.3.0", "1.3.1"), SSL);
  await importRecords(world, organization, RECORD);
  const settled = async () => {
    await images.settled();
    await exposureIsSettled(world.server);
  };
  await settled();
  return { images, organization, repo: await images.repo(NAME), affected, settled };
}
