import assert from "node:assert/strict";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { get, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { Loopback } from "./loopback.ts";

async function opened(t: TestContext): Promise<{ loopback: Loopback; url: string }> {
  const loopback = await Loopback.start();
  t.after(() => loopback.close());
  return { loopback, url: `${loopback.redirectUri}?state=${loopback.state}&code=c` };
}

const NEVER = new AbortController().signal;

test("a waiting browser gets a response", async (t) => {
  const { loopback, url } = await opened(t);
  const page = fetch(url);
  const { query, reply } = await loopback.callback(NEVER);
  assert.equal(query.get("code"), "c");
  await reply("You are signed in", "Go back.");
  assert.match(await (await page).text(), /You are signed in/);
});

test("a browser that disconnects before the response does not block the sign-in", async (t) => {
  const { loopback, url } = await opened(t);
  let left: Promise<unknown> | undefined;
  subscribe("http.server.request.start", (message) => {
    left = once((message as { response: ServerResponse }).response, "close");
  });
  const request = get(url).on("error", () => {});
  const { reply } = await loopback.callback(NEVER);
  request.destroy();
  await left;
  await reply("You are signed in", "Go back.");
});
