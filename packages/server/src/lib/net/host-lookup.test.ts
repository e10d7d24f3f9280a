import assert from "node:assert/strict";
import { hostname } from "node:os";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { NameServer } from "../../../test/support/events/name-server.ts";
import { type HostLookup, hostLookup } from "./host-lookup.ts";

const KNOWN: Readonly<Record<string, string>> = {
  "api.example": "9.9.9.10",
  "private.example": "10.0.0.1",
  "mixed.example": "9.9.9.11,10.0.0.9",
};

describe("names of hosts", () => {
  let server: NameServer;
  let lookup: HostLookup;
  before(async () => {
    server = await NameServer.start((name) =>
      name.includes("silent") ? "silent" : (KNOWN[name] ?? "denied"),
    );
    lookup = hostLookup({ servers: [server.address], timeoutMs: 250 });
  });
  after(() => server.stop());

  const find = (name: string, kind: keyof HostLookup, family = 0) =>
    new Promise<string[]>((resolve, reject) => {
      lookup[kind](name, { all: true, family }, (error, addresses) => {
        if (error) reject(error);
        else resolve((addresses as { address: string }[]).map(({ address }) => address));
      });
    });

  test("of operators are those of the system, also of its hosts file", async () => {
    assert.ok((await find("localhost", "anywhere", 4)).includes("127.0.0.1"));
    assert.deepEqual(server.asked, []);
  });

  test("of users come from name servers", async () => {
    assert.deepEqual(await find("api.example", "publicOnly"), ["9.9.9.10"]);
    assert.deepEqual(await find("api.example", "publicOnly", 4), ["9.9.9.10"]);
    await assert.rejects(find("api.example", "publicOnly", 6), { code: "ENOTFOUND" });
    await assert.rejects(find("nobody.example", "publicOnly"), { code: "ENOTFOUND" });
  });

  test("of users must not have any private address", async () => {
    for (const name of ["private.example", "mixed.example"])
      await assert.rejects(find(name, "publicOnly"), /not public/);
  });

  test("of users are not looked up in other sources of this machine", async () => {
    for (const name of ["localhost", "ip6-localhost", hostname()])
      await assert.rejects(find(name, "publicOnly"), { code: "ENOTFOUND" });
  });

  test("of users that never resolve delay no others, and take no thread", async () => {
    const silent = Array.from({ length: 100 }, (_, at) =>
      find(`${at}.silent.example`, "publicOnly"),
    );
    const ended = Promise.race(silent).then(
      () => "ended",
      () => "ended",
    );
    assert.equal(systemLookups(), 0);
    assert.deepEqual(await find("api.example", "publicOnly"), ["9.9.9.10"]);
    assert.equal(await Promise.race([ended, Promise.resolve("waiting")]), "waiting");
    for (const one of await Promise.allSettled(silent))
      assert.equal(one.status === "rejected" && one.reason.code, "ETIMEOUT");
  });

  test("of operators take two threads, and wait for them up to a bound", async () => {
    const all = Promise.allSettled(
      Array.from({ length: 150 }, () => find("localhost", "anywhere")),
    );
    let isDone = false;
    all.then(() => {
      isDone = true;
    });
    let most = 0;
    while (!isDone) {
      await setImmediate();
      most = Math.max(most, systemLookups());
    }
    assert.equal(most, 2);
    const outcomes = await all;
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 102);
    const rejected = outcomes.find((one) => one.status === "rejected");
    assert.equal(rejected?.reason.code, "EAI_AGAIN");
  });
});

/** Lookups that have, or wait for, a thread of this process. */
function systemLookups(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === "GetAddrInfoReqWrap").length;
}
