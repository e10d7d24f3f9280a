import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { newChildUid, TagSchema } from "@wharf/contract";
import { RESOURCES } from "@wharf/server/app/resources.ts";
import type { ResourceRow } from "@wharf/server/store/resources/rows.ts";
import { ORGANIZATION } from "./organization.ts";

const TAGS_PER_REPO = 100;

const FIRST_MS = Date.UTC(2026, 0, 1);

/** Tags of the builds of many repos. */
export function* tagRows(count: number): Iterable<ResourceRow> {
  let repo = "";
  for (let at = 0; at < count; at++) {
    if (at % TAGS_PER_REPO === 0) repo = newChildUid(ORGANIZATION);
    const time = timestampFromMs(FIRST_MS + at * 1_000);
    const digest = `sha256:${at.toString(16).padStart(64, "0")}`;
    const name = `build-${String(at).padStart(6, "0")}`;
    const tag = { uid: newChildUid(repo), name, digest, createTime: time, updateTime: time };
    yield RESOURCES.tags.toRow(create(TagSchema, tag));
  }
}
