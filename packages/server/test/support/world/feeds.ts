/** Advisories that a group publishes to everybody, and who reads its feeds. */
import { after, before } from "node:test";
import type { JsonObject } from "@bufbuild/protobuf";
import { ANONYMOUS_UID } from "../../../src/auth/caller.ts";
import { approved, Scanner } from "../client/feed-client.ts";
import { DirectStore } from "../server/direct-store.ts";
import { written } from "./advisories.ts";
import type { World } from "./world.ts";

export const FIXED = approved({ fixed: { fixedVersion: "3.5.0-r0" } });

/** An advisory of a package that is fixed. */
export const ONE = {
  advisoryId: "CGA-2222-2222-2222",
  aliases: ["CVE-2026-0001"],
  events: [FIXED],
};

/** The environment of tests of feeds. */
export interface Feeds {
  readonly direct: DirectStore;
  readonly scanner: Scanner;
  /** A new organization with advisories that everybody may list. */
  publicGroup(...given: readonly JsonObject[]): Promise<string>;
}

/** Prepares it for the suite that calls this. */
export function feedsOf(world: World): Feeds {
  let direct: DirectStore;
  let scanner: Scanner;
  before(async () => {
    direct = await DirectStore.open(world.server);
    scanner = new Scanner(world.server.url);
  });
  after(() => direct.close());
  return {
    get direct() {
      return direct;
    },
    get scanner() {
      return scanner;
    },
    async publicGroup(...given) {
      const group = await world.organization();
      await world.bind(group, ANONYMOUS_UID, ["advisories.list"]);
      await written(direct, group, ...given);
      return group;
    },
  };
}
