import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ReviewState } from "@wharf/contract";
import { clientOf, fails, fileWith, ids, json, runAs } from "./support/resources.ts";
import { Site } from "./support/site.ts";
import { wharfAtTerminal } from "./support/terminal.ts";

describe("advisories", () => {
  let site: Site;
  let acme: string;
  before(async () => {
    site = await Site.start();
    acme = await site.make("organizations", "acme");
  });
  after(() => site.stop());

  /** An identity with a built-in role in acme. */
  async function member(name: string, role: string): Promise<string> {
    const claims = ["--issuer", "https://issuer.example.com", "--subject", name];
    const [uid] = await ids(
      site,
      ...["iam", "identities", "create", name, "--parent", "acme", ...claims, "--role", role],
    );
    return uid as string;
  }

  const create = (...args: string[]) =>
    json(site, "advisories", "create", "--parent", "acme", ...args);

  test("advisories are created, listed, described, updated and deleted", async () => {
    const made = await create(
      ...["--artifact", "openssl", "--architecture", "x86_64", "--component", "libcrypto3"],
      ...["--component-type", "so", "--location", "/lib/libcrypto.so", "--legacy-id", "OLD-1"],
      ...["--alias", "CVE-2026-0001,GHSA-2222-3333-4444"],
    );
    assert.ok(made.uid.startsWith(`${acme}/`));
    assert.match(made.advisoryId, /^CGA-/);
    assert.deepEqual(
      [made.artifactName, made.artifactType, made.artifactArchitecture, made.componentName],
      ["openssl", "apk", "x86_64", "libcrypto3"],
    );
    assert.deepEqual(
      [made.componentType, made.componentLocation, made.legacyAdvisoryId, made.aliases],
      ["so", "/lib/libcrypto.so", "OLD-1", ["CVE-2026-0001", "GHSA-2222-3333-4444"]],
    );
    for (const name of [made.advisoryId, made.uid]) {
      assert.deepEqual(await ids(site, "advisories", "describe", name), [made.uid]);
    }
    const other = await create("--artifact", "zlib", "--artifact-type", "image", "--id", "CGA-z");
    const found = (...args: string[]) => ids(site, "advisories", "list", ...args);
    assert.deepEqual((await found()).sort(), [made.uid, other.uid].sort());
    assert.deepEqual(await found("--cve", "CVE-2026-0001"), [made.uid]);
    assert.deepEqual(await found("--artifact", "zlib", "--parent", "acme"), [other.uid]);
    assert.deepEqual(await found("--component", "libcrypto3"), [made.uid]);
    assert.deepEqual(await found("--architecture", "x86_64"), [made.uid]);
    assert.deepEqual(await found("--id", "CGA-z,CGA-none"), [other.uid]);
    assert.deepEqual(await found("--origin", "zlib"), [other.uid]);
    assert.deepEqual(await found("--query", "LIBCRYPTO"), [made.uid]);
    assert.deepEqual(await found("--artifact-type", "image"), [other.uid]);
    assert.deepEqual(await found("--component-type", "so"), [made.uid]);
    assert.deepEqual(await found("--location", "/lib/libcrypto.so"), [made.uid]);
    assert.deepEqual(await found("--legacy-id", "OLD-1"), [made.uid]);
    assert.equal((await found("--updated-since", "1h")).length, 2);
    assert.deepEqual(await found("--updated-since", "2100-01-01"), []);
    const { advisoriesV1 } = await clientOf(site);
    const listed = await Array.fromAsync(advisoriesV1.listAll({ artifactName: ["openssl"] }));
    assert.deepEqual(
      listed.map(({ id }) => id),
      [made.uid],
      "version 1 pages, too",
    );
    const { advisoryId } = made;
    const updated = await json(
      site,
      ...["advisory", "update", advisoryId, "--component", "", "--alias", "CVE-2026-0009"],
    );
    assert.deepEqual(
      [updated.componentName, updated.componentType, updated.aliases, updated.legacyAdvisoryId],
      ["", "so", ["CVE-2026-0009"], "OLD-1"],
    );
    await fails(site, 2, /nothing to change/, "advisories", "update", advisoryId);
    await fails(site, 5, /no advisory has the ID "CGA-none"/, "advisories", "get", "CGA-none");
    await fails(
      site,
      6,
      /CGA-z/,
      ...["advisories", "create", "--parent", "acme", "--artifact", "z", "--id", "CGA-z"],
    );
    await fails(site, 2, /-y/, "advisories", "delete", "CGA-z");
    await site.ok("advisories", "delete", "CGA-z", "-y");
    assert.deepEqual(await found(), [made.uid]);
  });

  test("an ID that exists in several groups is resolved by UID", async () => {
    await site.make("folders", "below", "--parent", "acme");
    const first = await create("--artifact", "x", "--id", "CGA-twice");
    const [second] = await ids(
      site,
      ...["advisories", "create", "--parent", "acme/below", "--artifact", "x", "--id", "CGA-twice"],
    );
    const { stderr } = await fails(
      site,
      2,
      /2 advisories have the ID "CGA-twice"/,
      ...["advisories", "describe", "CGA-twice"],
    );
    assert.ok(stderr.includes(first.uid) && stderr.includes(second as string));
    assert.deepEqual(await ids(site, "advisories", "describe", first.uid), [first.uid]);
  });

  test("events are added by an author and reviewed by someone else", async () => {
    const writer = await member("writer", "advisories.creator");
    const reviewer = await member("reviewer", "advisories.approver");
    const { uid } = await create("--artifact", "curl", "--id", "CGA-curl");
    const run = async (identity: string, ...args: string[]) => {
      const ended = await runAs(site, identity, "advisories", ...args, "-o", "json");
      assert.equal(ended.code, 0, ended.stderr);
      return JSON.parse(ended.stdout);
    };
    const add = (...args: string[]) => run(writer, "events", "add", "CGA-curl", ...args);
    const findings = fileWith('{"cve":1}');
    const fixed = await add(
      ...["--type", "fixed", "--fixed-version", "8.1-r0", "--note", "upgraded"],
      ...["--time", "2026-01-02", "--issue", "T-1", "--findings", findings],
    );
    assert.deepEqual(
      [fixed.author, fixed.reviewState, fixed.createTime, fixed.issue, fixed.fixed.fixedVersion],
      [writer, "REVIEW_STATE_PENDING", "2026-01-02T00:00:00Z", "T-1", "8.1-r0"],
    );
    assert.equal(Buffer.from(fixed.findings, "base64").toString(), '{"cve":1}');
    const detected = await add("--type", "detection", "--time", "2026-01-01");
    const claim = ["--type", "false-positive-determination", "--time", "2026-01-03"];
    const mistaken = await add(...claim, "--reason", "inline-mitigations-exist");
    assert.equal(mistaken.falsePositiveDetermination.type, "TYPE_INLINE_MITIGATIONS_EXIST");
    const all = await ids(site, "advisories", "events", "list", "CGA-curl");
    assert.deepEqual(all, [detected.uid, fixed.uid, mistaken.uid]);

    const own = await runAs(site, writer, "advisories", "approve", fixed.uid);
    assert.deepEqual([own.code, /needs advisories.approve/.test(own.stderr)], [4, true]);
    const unseen = await site.ok("advisories", "describe", "CGA-curl");
    assert.doesNotMatch(unseen, /^Fixed in:/m, "what nobody approved does not count");
    assert.match(unseen, /^Events: .*2026-01-02T00:00:00Z fixed \(pending\)/m);
    const because = ["--reason", "no mitigation found"];
    const [rejected] = (await run(reviewer, "reject", mistaken.uid, ...because)).items;
    assert.deepEqual(
      [rejected.uid, rejected.reviewState, rejected.reviewer, rejected.reviewReason],
      [mistaken.uid, "REVIEW_STATE_REJECTED", reviewer, "no mitigation found"],
    );
    const question = ["--reason", "by which scanner?"];
    const [asked] = (await run(reviewer, "request-changes", detected.uid, ...question)).items;
    assert.equal(asked.reviewState, "REVIEW_STATE_REQUEST_CHANGES");
    const described = await site.ok("advisories", "describe", "CGA-curl");
    assert.match(described, new RegExp(`rejected by ${reviewer}: no mitigation found`));
    assert.match(described, new RegExp(`request changes by ${reviewer}: by which scanner\\?`));
    const waiting = (...states: string[]) =>
      Promise.all(states.map((state) => ids(site, "advisories", "list", "--review", state)));
    assert.deepEqual(await waiting("pending", "request-changes"), [[uid], [uid]]);
    for (const name of ["CGA-curl", uid]) {
      for (const verb of ["approve", "reject", "request-changes"]) {
        const unconfirmed = await runAs(site, reviewer, "advisories", verb, name);
        assert.equal(unconfirmed.code, 2, unconfirmed.stderr);
        assert.match(unconfirmed.stderr, /CGA-curl: 2026-01-02T00:00:00Z fixed 8.1-r0: upgraded/);
        assert.match(unconfirmed.stderr, /1 event of CGA-curl\? There is no terminal .*\n.*-y/);
      }
    }
    const approved = (await run(reviewer, "approve", uid, "-y")).items;
    assert.deepEqual(
      approved.map((event: { uid: string }) => event.uid),
      [fixed.uid],
      "what is pending",
    );
    await fails(
      site,
      5,
      /CGA-curl has no pending events/,
      "advisories",
      "approve",
      "CGA-curl",
      "-y",
    );
    await fails(site, 6, /the event was approved/, "advisories", "reject", fixed.uid);
    await fails(
      site,
      5,
      /no event has the UID/,
      "advisories",
      "approve",
      `${uid}/${"0".repeat(16)}`,
    );
    assert.deepEqual(await ids(site, "advisories", "list", "--status", "fixed"), [uid]);
    assert.deepEqual(await waiting("pending", "request-changes"), [[], [uid]]);
    for (const filter of [
      ["--author", writer],
      ["--reviewer", reviewer],
      ["--event", "fixed"],
    ]) {
      assert.deepEqual(await ids(site, "advisories", "list", ...filter), [uid]);
    }
    assert.ok(!(await ids(site, "advisories", "list", "--not-author", writer)).includes(uid));

    const update = (...args: string[]) => run(writer, "events", "update", detected.uid, ...args);
    const again = await update("--issue", "T-2");
    assert.deepEqual(
      [again.reviewState, again.issue, again.detection, again.createTime],
      ["REVIEW_STATE_PENDING", "T-2", detected.detection, detected.createTime],
    );
    const other = await update("--type", "fixed", "--fixed-version", "8.2-r0", "--note", "a");
    assert.deepEqual([other.fixed.fixedVersion, other.fixed.note], ["8.2-r0", "a"]);
    const last = await update("--fixed-version", "8.2-r1");
    assert.deepEqual([last.fixed.fixedVersion, last.fixed.note], ["8.2-r1", "a"]);
    const refused: [code: number, message: RegExp, ...args: string[]][] = [
      [2, /nothing to change/, detected.uid],
      [2, /fixed does not take --reason/, detected.uid, "--reason", "inline-mitigations-exist"],
      [2, /patched requires --patched-versions/, detected.uid, "--type", "patched"],
      [2, /expected the UID of an event/, "CGA-curl", "--note", "x"],
      [5, /no event has the UID/, `${uid}/${"0".repeat(16)}`, "--note", "x"],
      [6, /the event was approved/, fixed.uid, "--note", "x"],
    ];
    for (const [code, message, ...args] of refused) {
      await fails(site, code, message, "advisories", "events", "update", ...args);
    }
    const table = await site.ok("advisories", "events", "list", "CGA-curl", "-o", "wide");
    assert.match(
      table,
      new RegExp(`^2026-01-02T00:00:00Z +fixed +8.1-r0 +approved +${fixed.uid}`, "m"),
    );
    assert.match(table, new RegExp(`rejected .* ${writer} +${reviewer}`));
    assert.match(
      await site.ok("advisories", "describe", "CGA-curl"),
      /^Status: +fixed\nFixed in: +8.1-r0$/m,
    );
  });

  test("pending events are shown at a terminal, and reviewed once confirmed", async () => {
    const reviewer = await member("confirming", "advisories.approver");
    const { uid } = await create("--artifact", "wget", "--id", "CGA-wget");
    const content = ["--type", "fixed", "--fixed-version", "2-r0", "--note", "upgraded"];
    await site.ok("advisories", "events", "add", "CGA-wget", ...content);
    const env = { ...site.env, WHARF_TOKEN: await site.server.token(reviewer) };
    const { advisories } = await clientOf(site);
    for (const [key, code, state] of [
      ["n", 1, ReviewState.PENDING],
      ["y", 0, ReviewState.APPROVED],
    ] as const) {
      const terminal = wharfAtTerminal(["advisories", "approve", "CGA-wget"], { env });
      await terminal.until(/Approve 1 event of CGA-wget\?/);
      assert.match(terminal.text, /CGA-wget: \S+ fixed 2-r0: upgraded/);
      terminal.type(key);
      assert.equal(await terminal.end(), code, terminal.text);
      assert.equal((await advisories.get({ uid })).events[0]?.reviewState, state);
    }
  });

  test("imports without advisories.approve are pending review", async () => {
    const importer = await member("importer", "advisories.creator");
    const document = `schema-version: 2.0.2
package: {name: waits}
advisories:
  - id: CGA-2345-2345-2345
    events: [{timestamp: 2026-01-02T00:00:00Z, type: fixed, data: {fixed-version: 1-r0}}]
`;
    const command = ["advisories", "import", fileWith(document), "--parent", "acme"];
    const { code, stdout, stderr } = await runAs(site, importer, ...command);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Created: +1$/m);
    assert.match(stdout, /^Pending events: +1$/m);
    const again = await runAs(site, importer, ...command, "-o", "json");
    const { unchanged, pendingEvents } = JSON.parse(again.stdout);
    assert.deepEqual([unchanged, pendingEvents], [1, 0]);
    const counted = await json(site, ...command);
    assert.deepEqual([counted.changed, counted.pendingEvents], [1, 0], "the operator approves");
  });

  test("conflicting options are rejected, and nothing is added", async () => {
    const { uid } = await create("--artifact", "bash", "--id", "CGA-bash");
    const cases: [option: RegExp, ...args: string[]][] = [
      [/--fixed-version/, "fixed"],
      [/--fixed-version/, "detection", "--fixed-version", "1"],
      [/--findings must be a JSON file/, "detection", "--findings", fileWith("{")],
    ];
    for (const [option, type, ...args] of cases) {
      const words = ["advisories", "events", "add", "CGA-bash", "--type", type as string, ...args];
      await fails(site, 2, option, ...words);
    }
    const { advisories } = await clientOf(site);
    assert.deepEqual((await advisories.get({ uid })).events, []);
    const types = ["true-positive-determination", "pending-upstream-fix", "fix-not-planned"];
    for (const type of [...types, "analysis-not-planned"]) {
      await site.ok("advisories", "events", "add", "CGA-bash", "--type", type, "--note", "so");
    }
    const moved = ["--type", "component-location-changed", "--from", "/a", "--to", "/b"];
    await site.ok("advisories", "events", "add", "CGA-bash", ...moved);
    const patched = ["--type", "patched", "--patched-versions", "1,2"];
    await site.ok("advisories", "events", "add", "CGA-bash", ...patched);
    assert.equal((await advisories.get({ uid })).events.length, 6);
  });
});
