import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { NameServer } from "../../../test/support/events/name-server.ts";
import { scratchFolder } from "../../../test/support/server/scratch-folder.ts";
import { NameFiles } from "../name-files.ts";
import { type HostLookup, hostLookup } from "./host-lookup.ts";

const HOSTS = `
127.0.0.1 localhost
10.1.2.3  hooks.internal Hooks  # by the operator
192.0.2.7 # no name
9.9.9.9   public.example
9.9.9.11  mixed.example
10.0.0.9  mixed.example
`;

const KNOWN: Readonly<Record<string, string>> = {
  "api.example": "9.9.9.10",
  "private.example": "10.0.0.1",
  "short.corp.example": "10.0.0.2",
  "two.dots.corp.example": "10.0.0.3",
  "two.dots": "10.0.0.4",
};

describe("names of hosts", () => {
  let server: NameServer;
  let lookup: HostLookup;
  const folder = scratchFolder("host-lookup-");
  const paths = { hosts: join(folder, "hosts"), resolvConf: join(folder, "resolv.conf") };
  before(async () => {
    server = await NameServer.start((name) =>
      name.includes("silent") ? "silent" : (KNOWN[name] ?? "denied"),
    );
    writeFileSync(paths.hosts, HOSTS);
    writeFileSync(paths.resolvConf, "nameserver 127.0.0.1\nsearch corp.example\n");
    const files = new NameFiles(paths);
    lookup = hostLookup({ servers: [server.address], files, timeoutMs: 250 });
  });
  after(() => server.stop());

  const find = (name: string, kind: keyof HostLookup = "anywhere", family = 0) =>
    new Promise<string[]>((resolve, reject) => {
      lookup[kind](name, { all: true, family }, (error, addresses) => {
        if (error) reject(error);
        else resolve((addresses as { address: string }[]).map(({ address }) => address));
      });
    });

  test("come from the hosts file first", async () => {
    assert.deepEqual(await find("hooks.internal"), ["10.1.2.3"]);
    assert.deepEqual(await find("HOOKS"), ["10.1.2.3"]);
    assert.deepEqual(await find("public.example", "publicOnly"), ["9.9.9.9"]);
    assert.deepEqual(await find("localhost"), ["127.0.0.1"]);
    assert.deepEqual(server.asked, []);
  });

  test("come from name servers, as they are and in the search domains", async () => {
    assert.deepEqual(await find("api.example", "publicOnly"), ["9.9.9.10"]);
    assert.deepEqual(await find("short"), ["10.0.0.2"]);
    assert.deepEqual(await find("two.dots"), ["10.0.0.4"]);
    await assert.rejects(find("short."), { code: "ENOTFOUND" });
  });

  test("of users must not have private addresses", async () => {
    for (const name of ["private.example", "hooks.internal", "localhost", "short", "mixed.example"])
      await assert.rejects(find(name, "publicOnly"), /not public/);
    await assert.rejects(find("nobody.example", "publicOnly"), { code: "ENOTFOUND" });
  });

  test("of users are not looked up in other sources of this machine", async () => {
    // Only the system's own hosts file has these, or nothing has.
    for (const name of ["ip6-localhost", hostname()])
      await assert.rejects(find(name, "publicOnly"), { code: "ENOTFOUND" });
  });

  test("have an address of the requested family", async () => {
    assert.deepEqual(await find("api.example", "publicOnly", 4), ["9.9.9.10"]);
    await assert.rejects(find("api.example", "publicOnly", 6), { code: "ENOTFOUND" });
  });

  test("that never answer delay no others, and are asked for once at a time", async () => {
    const silent = Array.from({ length: 200 }, (_, at) => find(`${at % 100}.silent.example`));
    const ended = Promise.race(silent).then(
      () => "ended",
      () => "ended",
    );
    assert.deepEqual(await find("api.example"), ["9.9.9.10"]);
    assert.equal(await Promise.race([ended, Promise.resolve("waiting")]), "waiting");
    for (const one of await Promise.allSettled(silent))
      assert.equal(one.status === "rejected" && one.reason.code, "EAI_AGAIN");
  });

  test("follow changes of the files", async () => {
    const files = new NameFiles(paths);
    assert.deepEqual(files.candidates("a.b"), ["a.b", "a.b.corp.example"]);
    const next = { hosts: paths.hosts, resolvConf: join(folder, "next.conf") };
    writeFileSync(next.resolvConf, "search one.example two.example\noptions timeout:1 ndots:3\n");
    const other = new NameFiles(next);
    assert.deepEqual(other.candidates("a.b"), ["a.b.one.example", "a.b.two.example", "a.b"]);
    assert.deepEqual(other.candidates("a.b."), ["a.b."]);
    assert.notEqual(files.version, other.version);
  });
});
