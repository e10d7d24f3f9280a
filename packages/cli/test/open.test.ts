import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { scratchFolder } from "../../server/test/support/server/scratch-folder.ts";
import { until } from "../../server/test/support/until.ts";
import { clientOf, fails, ids, runAs } from "./support/resources.ts";
import { Site } from "./support/site.ts";
import { wharfAtTerminal } from "./support/terminal.ts";

describe("wharf open", () => {
  let site: Site;
  let console: string;
  const uids: Record<string, string> = {};
  before(async () => {
    site = await Site.start();
    console = `${site.server.url.replace("127.0.0.1", "localhost")}/console/`;
    const acme = await site.make("organizations", "acme");
    const identity = ["--parent", "acme", "--issuer", "https://ci.example.com", "--subject", "s"];
    const [ci = ""] = await ids(site, "iam", "identities", "create", "ci", ...identity);
    const { repos, tags } = await clientOf(site);
    const repo = await repos.create({ parent: acme, repo: { name: "app" } });
    const digest = `sha256:${"1".repeat(64)}`;
    const tag = await tags.create({ parent: repo.uid, tag: { name: "1.2", digest } });
    Object.assign(uids, { acme, ci, repo: repo.uid, tag: tag.uid });
  });
  after(() => site.stop());

  test("prints the URL of a resource without a terminal", async () => {
    const url = async (...args: string[]) => (await site.ok("open", ...args)).trim();
    assert.equal(await url(), console);
    assert.equal(await url("acme"), `${console}folders/${uids.acme}`);
    assert.equal(await url("acme/app"), `${console}repo/${uids.repo}`);
    assert.equal(await url("acme/app:1.2"), `${console}tag/${uids.tag}`);
    assert.equal(await url("acme/ci"), `${console}identity/${uids.ci}`);
    assert.equal(await url(uids.tag as string), `${console}tag/${uids.tag}`);
    assert.equal(await url(uids.ci as string), `${console}identity/${uids.ci}`);
  });

  test("a name that is not found, or not visible to the caller, is an error", async () => {
    await fails(site, 5, /is named "acme\/nothing"/, "open", "acme/nothing");
    await fails(site, 5, /has no tag|is named/, "open", "acme/app:9");
    const stranger = await runAs(site, uids.ci as string, "open", uids.repo as string);
    assert.equal(stranger.code, 5, stranger.stderr);
    assert.equal(stranger.stdout, "");
  });

  test("opens the browser at a terminal, and only there", async () => {
    const opened = join(scratchFolder("wharf-open-"), "opened");
    const browser = `${opened}-browser`;
    writeFileSync(
      browser,
      `#!/bin/sh\nprintf %s "$1" > ${opened}.new && mv ${opened}.new ${opened}\n`,
      {
        mode: 0o755,
      },
    );
    const env = { ...site.env, BROWSER: browser };
    const terminal = wharfAtTerminal(["open", "acme"], { env });
    assert.equal(await terminal.end(), 0, terminal.text);
    const url = `${console}folders/${uids.acme}`;
    assert.match(terminal.text, /opening http/);
    const read = () => {
      try {
        return readFileSync(opened, "utf8");
      } catch {
        return undefined;
      }
    };
    assert.equal(await until(async () => read()), url);
    const printed = wharfAtTerminal(["open", "--no-browser"], { env });
    assert.equal(await printed.end(), 0);
    assert.equal(printed.text.trim(), console);
  });
});

describe("short commands", () => {
  let site: Site;
  before(async () => {
    site = await Site.start();
  });
  after(() => site.stop());

  test("whoami, login and logout are those of auth", async () => {
    assert.equal(await site.ok("whoami", "--quick"), await site.ok("auth", "status", "--quick"));
    await fails(site, 2, /--refresh requires --identity/, "login", "--refresh");
    await fails(site, 3, /not signed in/, "logout");
  });

  test("version names the version of the server, and that it cannot be reached", async () => {
    const { stdout, stderr, code } = await site.run("version");
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    assert.equal(stderr, `wharf: server ${site.server.url}: ${stdout}`);
    const { server } = JSON.parse(await site.ok("version", "-o", "json"));
    assert.deepEqual(server, { api: site.server.url, version: stdout.trim() });
    const alone = await site.run("version", "--api", "http://127.0.0.1:9");
    assert.deepEqual([alone.code, alone.stdout], [0, stdout]);
    assert.equal(alone.stderr, "wharf: server http://127.0.0.1:9 cannot be reached\n");
  });

  test("help of admin commands has their own options before the settings of the server", async () => {
    const help = await site.ok("admin", "keys", "rotate", "--help");
    const [own = "", settings = ""] = help.split("Settings of the server:");
    assert.match(own, /^ {2}--now /m);
    assert.doesNotMatch(own, /--database-url/);
    assert.match(settings, /^ {2}--database-url /m);
  });
});
