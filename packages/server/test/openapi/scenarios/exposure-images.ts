import { type Images, pushedImages, RECORD } from "../../support/exposure/pushed-images.ts";
import { spdxOf } from "../../support/world/image-world.ts";
import type { Recorder } from "../recorder.ts";

/** The images of the scenarios of exposure. Times of their documents are the same in each run. */
export function recordedImages(record: Recorder): Promise<Images> {
  record.keep([RECORD, spdxOf([])]);
  return pushedImages(record.world);
}
