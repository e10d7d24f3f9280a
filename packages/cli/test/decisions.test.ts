import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ExposedImages } from "./support/exposed-images.ts";

const VULNERABILITY = "CVE-2026-0001";

describe("decisions on the command line", () => {
  let exposed: ExposedImages;
  let reviewer: Record<string, string>;
  before(async () => {
    exposed = await ExposedImages.start();
    await exposed.push("acme/app", "1", "3.3.0-r0");
    await exposed.push("acme/other", "1", "3.3.0-r0");
    const { token } = await exposed.world.member({
      [exposed.world.registry.organization]: "owner",
    });
    reviewer = { WHARF_TOKEN: token };
  });
  after(() => exposed.stop());

  const ok = (...args: string[]) => exposed.ok(args);
  const run = (...args: string[]) => exposed.run(args);
  const statuses = async () => {
    await exposed.images.settled();
    const { items } = await exposed.json<{ items: { repoPath: string; status: string }[] }>([
      ...["exposure", "show", VULNERABILITY],
    ]);
    const found = items.map(({ repoPath, status }) => [
      repoPath,
      status.split("_").slice(2).join("_"),
    ]);
    return Object.fromEntries(found);
  };

  test("suppress findings once somebody else approves them", async () => {
    const created = await run(
      ...["decisions", "create", VULNERABILITY, "--repo", "acme/app", "--status", "not-affected"],
      ...["--justification", "vulnerable_code_not_in_execute_path", "--reason", "TLS is off"],
    );
    assert.equal(created.code, 0, created.stderr);
    assert.match(created.stderr, /takes effect once somebody else approves it/);
    assert.deepEqual(await statuses(), { "acme/app": "AFFECTED", "acme/other": "AFFECTED" });
    const own = await run("decisions", "approve", VULNERABILITY);
    assert.deepEqual([own.code, /the author .* cannot approve/.test(own.stderr)], [6, true]);
    const pending = await ok("decisions", "list", "--state", "pending");
    assert.match(pending, /^CVE-2026-0001 +acme\/app +not-affected +pending +TLS is off /m);
    const approve = ["decisions", "approve", VULNERABILITY, "--reason", "checked"];
    const { code, stderr } = await exposed.run(approve, { env: reviewer });
    assert.deepEqual([code, /approved the decision about CVE-2026-0001/.test(stderr)], [0, true]);
    assert.deepEqual(await statuses(), { "acme/app": "NOT_AFFECTED", "acme/other": "AFFECTED" });
    const passes = await run("exposure", "list", "acme/app:1", "--fail-on", "high");
    assert.equal(passes.code, 0, passes.stderr);
    const suppressed = await ok(
      "exposure",
      "list",
      "acme/app:1",
      "--status",
      "not-affected",
      "-o",
      "wide",
    );
    assert.match(suppressed, / not-affected .* TLS is off /);
    await ok("decisions", "delete", VULNERABILITY, "-y");
    assert.deepEqual(await statuses(), { "acme/app": "AFFECTED", "acme/other": "AFFECTED" });
  });

  test("are tried without being made or reviewed", async () => {
    const dryRun = /dry run, nothing changed: /;
    const accept = ["--parent", "acme", "--status", "accepted", "--until", "30d"];
    const tried = await run("decisions", "create", VULNERABILITY, ...accept, "--dry-run");
    assert.deepEqual([tried.code, dryRun.test(tried.stderr)], [0, true], tried.stderr);
    assert.equal(await ok("decisions", "list", "-o", "id"), "");
    const uid = (await ok("decisions", "create", VULNERABILITY, ...accept, "-o", "id")).trim();
    for (const verb of ["approve", "reject"]) {
      const own = await run("decisions", verb, uid, "--dry-run");
      assert.equal(own.code, verb === "approve" ? 6 : 0, own.stderr);
      const other = await exposed.run(["decisions", verb, uid, "--dry-run"], { env: reviewer });
      assert.deepEqual([other.code, dryRun.test(other.stderr)], [0, true], other.stderr);
    }
    assert.match(await ok("decisions", "describe", uid), /^Review: +pending$/m);
    await ok("decisions", "delete", uid, "-y");
  });

  test("are rejected with a reason", async () => {
    const accept = [
      "decisions",
      "create",
      VULNERABILITY,
      "--parent",
      "acme",
      "--status",
      "accepted",
    ];
    const uid = (await ok(...accept, "--until", "30d", "-o", "id")).trim();
    const reject = ["decisions", "reject", uid, "--reason", "the endpoint is public"];
    await exposed.ok(reject, { env: reviewer });
    const described = await ok("decisions", "describe", VULNERABILITY);
    assert.match(described, /^Review: +rejected$/m);
    assert.match(described, /^Review reason: +the endpoint is public$/m);
    assert.match(described, /^Applies to: +acme$/m);
    assert.deepEqual(await statuses(), { "acme/app": "AFFECTED", "acme/other": "AFFECTED" });
    const again = await exposed.run(["decisions", "approve", VULNERABILITY], { env: reviewer });
    assert.deepEqual(
      [again.code, /no decision is about "CVE-2026-0001"/.test(again.stderr)],
      [5, true],
    );
  });
});
