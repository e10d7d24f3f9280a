/** Many groups at once, written past the API: a request for each would take most of a test's time. */
import { create } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import {
  type Group,
  GroupSchema,
  isRoot,
  newChildUid,
  newRootUid,
  OrgStatus,
} from "@wharf/contract";
import { DirectStore } from "../server/direct-store.ts";
import type { TestServer } from "../server/test-server.ts";

/** Stores groups below another, or organizations, all with the same creation time; their uids, in the order of the names. */
export async function storeGroups(
  server: TestServer,
  parent: string,
  names: readonly string[],
): Promise<string[]> {
  const createTime = timestampNow();
  const uids = names.map(() => (parent === "" ? newRootUid() : newChildUid(parent)));
  const groups = names.map((name, at) => groupNamed(name, uids[at] as string, createTime));
  const direct = await DirectStore.open(server);
  try {
    await direct.change((change) => change.insertAll(direct.engine.catalog.groups, groups));
  } finally {
    await direct.close();
  }
  return uids;
}

/** A group or an organization that has its name and nothing else. */
export function groupNamed(name: string, uid: string, createTime = timestampNow()): Group {
  const status = isRoot(uid) ? OrgStatus.READY : OrgStatus.UNSPECIFIED;
  return create(GroupSchema, { uid, name, status, createTime, updateTime: createTime });
}
