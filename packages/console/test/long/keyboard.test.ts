import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Keyboard } from "../support/keyboard.ts";
import { ConsoleSite } from "../support/site.ts";
import type { Walks } from "../support/walks.ts";
import { ACCESS } from "../walks/access.ts";
import { ACCOUNT } from "../walks/account.ts";
import { ACTIVITY } from "../walks/activity.ts";
import { IMAGES } from "../walks/images.ts";
import { PLACES } from "../walks/places.ts";
import { WORKLOADS } from "../walks/workloads.ts";

const WALKS: Readonly<Record<string, Walks>> = {
  places: PLACES,
  access: ACCESS,
  workloads: WORKLOADS,
  images: IMAGES,
  activity: ACTIVITY,
  account: ACCOUNT,
};

describe("the console with nothing but a keyboard", () => {
  let site: ConsoleSite;
  let keys: Keyboard;
  let organization: string;
  before(async () => {
    site = await ConsoleSite.startWithRegistry();
    keys = await Keyboard.of(site.page);
    ({ organization } = site);
  });
  after(() => site.stop());

  for (const [area, walks] of Object.entries(WALKS)) {
    let isLost = false;
    for (const [name, walk] of Object.entries(walks)) {
      test(`${area}: ${name}`, async (t) => {
        if (isLost) return t.skip("the walk before it did not arrive");
        isLost = true;
        await walk({ site, page: site.page, keys, organization });
        assert.deepEqual(site.complaints, []);
        isLost = false;
      });
    }
  }
});
