/** Disks that are full at each step of a push: mounted for the test, so it runs as root. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { OciClient, sha256, sha512 } from "../support/registry/oci-client.ts";
import { scratchFolder } from "../support/server/scratch-folder.ts";
import { until } from "../support/until.ts";
import { World } from "../support/world/world.ts";

const MIB = 1024 * 1024;

/** A small disk. */
class Disk {
  readonly folder: string;

  /** @param folder An existing one, whose content stays. */
  constructor(options: string, folder = scratchFolder("wharf-disk-")) {
    this.folder = folder;
    const copy = join(scratchFolder("wharf-copy-"), "copy");
    cpSync(folder, copy, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]);
    cpSync(copy, folder, { recursive: true });
    process.once("exit", () => this.unmount());
  }

  /** Leaves about so many bytes free. */
  fill(left: number): void {
    const file = openSync(join(this.folder, "filler"), "w");
    const chunk = Buffer.alloc(64 * 1024);
    const free = () => {
      const { bavail, bsize } = statfsSync(this.folder);
      return bavail * bsize;
    };
    while (free() > left) writeSync(file, chunk, 0, Math.min(chunk.length, free() - left));
    closeSync(file);
  }

  /** Leaves no room for another file or folder. */
  fillFiles(): void {
    mkdirSync(join(this.folder, "files"));
    try {
      for (let at = 0; ; at++) writeFileSync(join(this.folder, "files", String(at)), "");
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
    }
  }

  clear(): void {
    rmSync(join(this.folder, "filler"), { force: true });
    rmSync(join(this.folder, "files"), { recursive: true, force: true });
  }

  unmount(): void {
    try {
      execFileSync("umount", ["-l", this.folder], { stdio: "ignore" });
    } catch {
      // It is unmounted already.
    }
  }
}

async function pusherAt(world: World): Promise<OciClient> {
  const pusher = await world.registry.holder("pusher", "registry.push");
  return new OciClient(world.server.url, `Bearer ${await world.signer.token(pusher)}`);
}

describe("a full disk of the registry's content", () => {
  let disk: Disk;
  let world: World;
  let client: OciClient;
  before(async () => {
    disk = new Disk("size=32m,nr_inodes=1000");
    const flags = ["--registry-storage", disk.folder, "--registry-min-free", "0"];
    world = await World.start({ registry: true, flags });
    client = await pusherAt(world);
    await client.image("acme/app", "1", "pulled all the time");
  });
  after(async () => {
    disk.unmount();
    await world.stop();
  });
  afterEach(() => disk.clear());

  const files = () =>
    readdirSync(disk.folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && /uploads|blobs/.test(one.parentPath))
      .map(({ name }) => name)
      .sort();
  /** Runs requests that must be refused and change nothing, while the rest goes on. */
  const refused = async (...requests: Parameters<OciClient["send"]>[]) => {
    const stored = files();
    for (const [method, path, options] of requests) {
      const { status, code, body } = await client.send(method, path, options);
      assert.deepEqual([method, status, code], [method, 507, "UNAVAILABLE"]);
      assert.match(body.errors[0].message, /disk of the registry is full/);
      assert.deepEqual(files(), stored);
    }
    assert.equal((await client.get("/v2/acme/app/manifests/1")).status, 200);
    const layer = `/v2/acme/app/blobs/${sha256("pulled all the time")}`;
    assert.equal((await client.get(layer)).bytes.toString(), "pulled all the time");
    await world.organization(`created ${randomBytes(4).toString("hex")}`);
  };
  const finish = (location: string, digest: string) =>
    client.send("PUT", `${location}?digest=${digest}`);
  const content = () => randomBytes(2 * MIB);
  const ranged = async (location: string) => (await client.get(location)).headers.range;

  test("when bytes are written: in a chunk, a last chunk, and a whole blob", async () => {
    const location = await client.begin("acme/app");
    const begun = await client.send("PATCH", location, { body: "begun " });
    assert.equal(begun.status, 202);
    const body = content();
    disk.fill(MIB / 2);
    const digest = sha256(Buffer.concat([Buffer.from("begun "), body]));
    await refused(
      ["PATCH", location, { body }],
      ["PUT", `${location}?digest=${digest}`, { body }],
      ["POST", `/v2/acme/app/blobs/uploads/?digest=${sha256(body)}`, { body }],
    );
    assert.equal(await ranged(location), "0-5");
    disk.clear();
    assert.equal((await client.send("PATCH", location, { body })).status, 202);
    assert.equal((await finish(location, digest)).status, 201);
  });

  test("when a file is created", async () => {
    const location = await client.begin("acme/app");
    disk.fillFiles();
    await refused(
      ["PATCH", location, { body: "small" }],
      ["POST", `/v2/acme/app/blobs/uploads/?digest=${sha256("small")}`, { body: "small" }],
    );
    disk.clear();
    assert.equal((await client.send("PATCH", location, { body: "small" })).status, 202);
    assert.equal((await finish(location, sha256("small"))).status, 201);
  });

  test("when the parts of an upload are joined", async () => {
    const location = await client.begin("acme/app");
    const parts = [content(), content()];
    for (const body of parts) await client.send("PATCH", location, { body });
    const digest = sha256(Buffer.concat(parts));
    disk.fill(MIB);
    await refused(["PUT", `${location}?digest=${digest}`]);
    assert.equal(await ranged(location), `0-${4 * MIB - 1}`);
    disk.clear();
    assert.equal((await finish(location, digest)).status, 201);
    assert.equal(sha256((await client.get(`/v2/acme/app/blobs/${digest}`)).bytes), digest);
  });

  test("when the folder of a blob is created", async () => {
    const location = await client.begin("acme/app");
    await client.send("PATCH", location, { body: "first of its folder" });
    disk.fillFiles();
    const digest = sha512("first of its folder");
    await refused(["PUT", `${location}?digest=${digest}`]);
    disk.clear();
    assert.equal((await finish(location, digest)).status, 201);
  });
});

describe("a full disk of the database", () => {
  let disk: Disk;
  let world: World;
  let client: OciClient;
  const restart = async (minFree: number) => {
    await world.server.terminate();
    const flags = ["--registry-host", "registry.test", "--registry-storage", storage];
    await world.server.restart([...flags, "--registry-min-free", String(minFree)]);
  };
  const storage = scratchFolder("wharf-content-");
  before(async () => {
    world = await World.start({ registry: true, flags: ["--registry-storage", storage] });
    client = await pusherAt(world);
    await world.server.terminate();
    disk = new Disk("size=96m", world.server.data);
    await world.server.restart(["--registry-host", "registry.test", "--registry-storage", storage]);
  });
  after(async () => {
    disk.unmount();
    await world.stop();
  });
  afterEach(() => disk.clear());

  const manifestOf = async (note: string) => {
    const manifest = await client.manifestOf("acme/app", "content");
    return { ...manifest, annotations: { note } };
  };
  const statusOf = async (tag: string) =>
    (await client.get(`/v2/acme/app/manifests/${tag}`)).status;

  test("refuses pushes before it is full, while the API can write", async () => {
    await restart(16);
    const first = await client.putManifest("acme/app", "1", await manifestOf("first"));
    assert.equal(first.status, 201);
    const manifest = await manifestOf("second");
    disk.fill(15 * MIB);
    for (const answer of [
      await client.send("POST", "/v2/acme/app/blobs/uploads/"),
      await client.putManifest("acme/app", "2", manifest),
    ]) {
      assert.deepEqual([answer.status, answer.code], [507, "UNAVAILABLE"]);
    }
    assert.deepEqual([await statusOf("1"), await statusOf("2")], [200, 404]);
    await world.organization("still written");
    disk.clear();
    assert.equal((await client.putManifest("acme/app", "2", manifest)).status, 201);
  });

  test("filled by others makes nothing visible that is not stored, and recovers", async () => {
    await restart(0);
    const manifest = await manifestOf("x".repeat(3 * MIB));
    disk.fill(MIB);
    const { status, body } = await client.putManifest("acme/app", "3", manifest);
    assert.ok([503, 507].includes(status), `${status} ${JSON.stringify(body)}`);
    assert.match(body.errors[0].message, /disk/);
    assert.deepEqual([await statusOf("1"), await statusOf("3")], [200, 404]);
    disk.clear();
    await until(async () => {
      const again = await client.putManifest("acme/app", "3", manifest);
      return again.status === 201;
    });
    assert.equal(await statusOf("3"), 200);
  });
});
