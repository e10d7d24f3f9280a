import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { alertOf, PASSWORD } from "../support/world/local-accounts.ts";
import { World } from "../support/world/world.ts";

let world: World;
before(async () => {
  world = await World.start({ flags: ["--trusted-proxies", "127.0.0.1"], ownProcess: true });
  assert.equal((await world.accounts.setUp()).status, 200);
});
after(() => world.stop());

/** A sign-in page of one client address, ready to be sent. */
async function openForm(address: string) {
  const headers = { "x-forwarded-for": address };
  const page = await fetch(`${world.server.url}/account`, { headers });
  const text = await page.text();
  const cookie = page.headers.get("set-cookie")?.split(";")[0] ?? "";
  const login = /name="login" value="([^"]*)"/.exec(text)?.[1] ?? "";
  assert.notEqual(login, "", text);
  return async (username: string, password: string) => {
    const answer = await fetch(`${world.server.url}/oauth/local`, {
      method: "POST",
      headers: { ...headers, cookie },
      body: new URLSearchParams({ login, username, password }),
      redirect: "manual",
    });
    const { status } = answer;
    const retryAfter = answer.headers.get("retry-after");
    return { status, retryAfter, alert: alertOf({ text: await answer.text() } as never) };
  };
}

/** More than may wait for one address, and in all more than once could wait in total. */
const GUESSERS = 6;
const GUESSES_EACH = 15;

test("password guessing from a few addresses does not block other sign-ins", async () => {
  const forms = await Promise.all(
    Array.from({ length: GUESSERS * GUESSES_EACH }, (_, at) =>
      openForm(at % 2 === 0 ? `198.51.100.${at % GUESSERS}` : `2001:db8::${at % GUESSERS}:${at}`),
    ),
  );
  const adas = await Promise.all(Array.from({ length: 3 }, () => openForm("203.0.113.9")));
  const first = Promise.withResolvers<void>();
  let waiting = forms.length;
  const guesses = forms.map(async (send, at) => {
    const answer = await send(`nobody-${at}`, "wrong wrong wrong");
    waiting -= 1;
    if (answer.status === 429) first.resolve();
    return answer;
  });
  // The queue of at least one address is full by now.
  await first.promise;
  for (const send of adas) {
    const before = waiting;
    const { status, alert } = await send("ada", PASSWORD);
    assert.deepEqual([status, alert], [200, ""]);
    assert.ok(before === 0 || waiting > 0, "did not wait for all guesses");
  }
  const answers = await Promise.all(guesses);
  const rejected = answers.filter(({ status }) => status === 429);
  assert.ok(rejected.length > 0 && rejected.length < answers.length);
  for (const { retryAfter, alert } of rejected) {
    assert.equal(retryAfter, "5");
    assert.match(alert, /^(Too many sign-ins are queued.*)?$/);
  }
  // On a slow machine the last of them wait for longer than a request may take.
  for (const { status } of answers) assert.ok([400, 429, 504].includes(status), `${status}`);
});
