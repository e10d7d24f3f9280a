import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { Webhook } from "standardwebhooks";
import { Receiver } from "../../server/test/support/events/receiver.ts";
import { until } from "../../server/test/support/until.ts";
import { cleanEnvironment, LAUNCHER } from "./support/command.ts";
import { fails, fileWith, ids, json } from "./support/resources.ts";
import { Site } from "./support/site.ts";

describe("events", () => {
  let site: Site;
  let acme: string;
  let receiver: Receiver;
  before(async () => {
    site = await Site.start();
    receiver = await Receiver.start();
    acme = await site.make("organizations", "acme");
  });
  after(async () => {
    await site.stop();
    await receiver.stop();
  });

  const subscriptions = (...args: string[]) => ["events", "subscriptions", ...args];

  /** A command that runs until it is stopped, with the lines that it prints. */
  const started = (...args: string[]) => {
    const child = spawn(process.execPath, [LAUNCHER, ...args], {
      env: cleanEnvironment(site.env),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines: string[] = [];
    createInterface(child.stdout).on("line", (line) => lines.push(line));
    const line = (pattern: RegExp) => until(async () => lines.find((one) => pattern.test(one)));
    const stop = async () => {
      child.kill("SIGINT");
      await new Promise((resolve) => child.once("exit", resolve));
    };
    return { line, lines, stop };
  };

  test("a subscription is created, tested, paused, updated and deleted", async () => {
    const made = await json(
      site,
      ...subscriptions("create", receiver.url, "--parent", "acme", "--type", "iam.group.*"),
      ...["--name", "groups", "--max-concurrency", "1"],
    );
    assert.deepEqual([made.sink, made.name, made.maxConcurrency], [receiver.url, "groups", 1]);
    assert.match(await site.ok(...subscriptions("list")), /^groups +acme +http.* +active/m);
    assert.match(await site.ok(...subscriptions("test", made.uid)), /^HTTP 200 after \d+ ms$/m);
    const team = await site.make("folders", "team", "--parent", "acme");
    await receiver.about(team);
    assert.match(await site.ok(...subscriptions("pause", made.uid)), /^State: +paused$/m);
    assert.match(await site.ok(...subscriptions("resume", made.uid)), /^State: +active$/m);
    const filters = fileWith("- exact: { subject: nothing }\n");
    const updated = await json(site, ...subscriptions("update", made.uid, "--filters", filters));
    assert.partialDeepStrictEqual(updated.filters, [{ exact: { subject: "nothing" } }]);
    const secret = (await site.ok(...subscriptions("rotate-secret", made.uid))).trim();
    assert.match(secret, /^whsec_/);
    const log = await json(site, "events", "deliveries", made.uid, "--state", "delivered");
    assert.equal(log.items.length, 2);
    await fails(site, 2, /either --event or --since/, "events", "redeliver", made.uid);
    const again = await site.run("events", "redeliver", made.uid, "--since", "1h");
    assert.match(again.stderr, /0 events are sent again/);
    await site.ok(...subscriptions("delete", made.uid, "-y"));
    assert.deepEqual(await ids(site, ...subscriptions("list")), []);
  });

  test("events are listed and previewed", async () => {
    const folder = await site.make("folders", "listed", "--parent", "acme");
    const { items } = await json(
      site,
      ...["events", "list", "--parent", "acme", "--type", "iam.group.created.*", "--since", "1h"],
    );
    assert.equal(items[0].subject, folder, "newest first");
    const preview = await site.run(
      "events",
      "preview",
      "--parent",
      "acme",
      "--type",
      "iam.group.*",
    );
    assert.match(preview.stderr, /\d+ of \d+ events match/);
    assert.match(preview.stdout, /iam\.group\.created\.v1 +acme\/listed +operator$/m);
    await fails(
      site,
      2,
      /--since must be a time/,
      "events",
      "list",
      "--parent",
      "acme",
      "--since",
      "x",
    );
  });

  test("tail prints the latest events, and those that follow", async () => {
    const before = await site.make("folders", "before", "--parent", "acme");
    const tail = started("events", "tail", "--parent", acme, "--type", "iam.group.*", "-o", "json");
    const first = JSON.parse(await tail.line(new RegExp(before)));
    assert.equal(first.subject, before);
    const next = await site.make("folders", "next", "--parent", "acme");
    await tail.line(new RegExp(next));
    await tail.stop();
  });

  test("listen forwards events, signed with a secret", async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    const listen = started(
      ...["events", "listen", "--parent", acme, "--forward", receiver.url, "--secret", secret],
    );
    // Until the stream has begun, events are not forwarded.
    let made = 0;
    const forwarded = await until(async () => {
      await site.make("folders", `forwarded ${made++}`, "--parent", "acme");
      return receiver.received.find(({ headers }) => headers["user-agent"] === "node");
    });
    const headers = Object.fromEntries(
      Object.entries(forwarded.headers).map(([name, value]) => [name, String(value)]),
    );
    assert.equal(headers["ce-type"], "dev.chainguard.api.iam.group.created.v1");
    const { body } = new Webhook(secret).verify(forwarded.body, headers) as {
      body: { uid: string };
    };
    assert.equal(body.uid, headers["ce-subject"]);
    await listen.line(/^200 {2}dev\.chainguard\.api\.iam\.group\.created\.v1/);
    await listen.stop();
  });
});
