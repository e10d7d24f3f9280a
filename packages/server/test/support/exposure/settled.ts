/** The end of the work of exposure, which a server does after its responses. */
import { RESOURCES } from "../../../src/app/resources.ts";
import {
  type FollowerDeps,
  hasAdvisories,
} from "../../../src/exposure/records/advisory-follower.ts";
import { countWork } from "../../../src/store/tables/exposure/work/work.ts";
import { DirectStore } from "../server/direct-store.ts";
import type { TestServer } from "../server/test-server.ts";
import { testSettings } from "../server/test-settings.ts";
import { until } from "../until.ts";

/** Waits until a server has done all work that is due at a time, and follows no advisories. */
export async function workIsDone(deps: FollowerDeps, now = Date.now()): Promise<void> {
  await until(async () => {
    if (await hasAdvisories(deps)) return false;
    return (await countWork(deps.store.reader, now)).due === 0;
  });
}

/** The deps of a follower of the advisories of a server, in a store that is opened beside it. */
export async function followerOf(
  server: TestServer,
  { store }: DirectStore,
): Promise<FollowerDeps> {
  const settings = await testSettings(server.storeFlags);
  const addresses = () => ({ baseUrl: server.url, authUrl: server.url }) as never;
  return { store, catalog: RESOURCES, settings, addresses };
}

/** As `workIsDone`, for what compares whole stores. */
export async function exposureIsSettled(server: TestServer): Promise<void> {
  const direct = await DirectStore.open(server);
  try {
    await workIsDone(await followerOf(server, direct));
  } finally {
    await direct.close();
  }
}
