import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachStore } from "./support/world/world.ts";

onEachStore("unknown organization names", (world) => {
  for (const name of ["nobody", "a\0b", "\0", "é\u{10ffff}"]) {
    test(`${JSON.stringify(name)} is not found, by tools and by browsers`, async () => {
      const { url } = world.server;
      const word = encodeURIComponent(name);
      const known = await fetch(`${url}/orgcheck?name=${word}`);
      assert.deepEqual([known.status, await known.text()], [200, "false"]);
      const redirect = encodeURIComponent("http://127.0.0.1:1/");
      const login = await fetch(`${url}/oauth?redirect=${redirect}&idp_id=${word}`);
      assert.equal(login.status, 404);
      assert.match(await login.text(), /identity provider does not exist/);
    });
  }
});
