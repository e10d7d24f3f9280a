import assert from "node:assert/strict";
import { createReadStream, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, test } from "node:test";
import { constants, gzipSync, zstdCompressSync } from "node:zlib";
import { build } from "esbuild";
import { embeddedSql } from "../../../../../scripts/build-plugins.ts";
import { commonOptions } from "../../../../../scripts/bundles.ts";
import { scratchFolder } from "../../../test/support/server/scratch-folder.ts";
import { ChildProgram } from "../../lib/child-program.ts";
import type { LayerInventory } from "./inventory.ts";
import { LAYER_LIMITS } from "./limits.ts";
import { LayerReader, type LayerSource } from "./read-layers.ts";
import { layerOf, readBytes, sourceOf, symlink, TAR } from "./testing/layers.ts";

const MIB = 1024 ** 2;

const folder = scratchFolder("wharf-layers-");
const egg = (name: string) => `Name: ${name}\nVersion: 1\n`;

function namesIn(inventory: LayerInventory): string[] {
  if (inventory.outcome === "failed") throw new Error(JSON.stringify(inventory));
  return inventory.packages.map(({ name }) => name);
}

function codeOf(inventory: LayerInventory): string {
  return inventory.outcome === "failed" ? inventory.code : "";
}

/** The header of a file of a size. */
async function headerOf(size: number): Promise<Buffer> {
  const header = (await layerOf({ file: "" })).subarray(0, 512);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  header.fill(" ", 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** A file of the scratch folder as a layer. */
function fileLayer(name: string, bytes: Buffer, mediaType = TAR): LayerSource {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return { digest: `sha256:${name}`, mediaType, content: async () => createReadStream(path) };
}

/** A bundle of a program, as the build makes it. */
async function bundled(entry: string): Promise<ChildProgram> {
  const outfile = join(folder, entry.replace(/^.*\//, "").replace(/\.ts$/, ".cjs"));
  const options = commonOptions({ target: "node24", plugins: [], external: [] });
  const path = `packages/server/src/exposure/layers/${entry}`;
  await build({ ...options, plugins: [embeddedSql], entryPoints: [path], outfile });
  return new ChildProgram(outfile);
}

describe("the layer process", () => {
  test("reads files and pipes, compressed or not, in the order of the layers", async () => {
    const layer = (name: string) => layerOf({ [`${name}.egg-info`]: egg(name) });
    const [a, b, c, d] = [await layer("a"), await layer("b"), await layer("c"), await layer("d")];
    const hidden = await layerOf({ ".wh.a.egg-info": "" });
    const gzip = Buffer.concat([gzipSync(c.subarray(0, 700)), gzipSync(c.subarray(700))]);
    const inventory = await new LayerReader().read([
      fileLayer("0", a),
      sourceOf(zstdCompressSync(b), 1, `${TAR}+zstd`),
      fileLayer("2", gzip, "application/vnd.docker.image.rootfs.diff.tar.gzip"),
      sourceOf(hidden, 3),
      {
        digest: "foreign",
        mediaType: "application/vnd.docker.image.rootfs.foreign.diff.tar.gzip",
        content: async () => undefined,
      },
      sourceOf(gzipSync(d), 5, `${TAR}+gzip`),
    ]);
    assert.deepEqual(namesIn(inventory), ["b", "c", "d"]);
    assert.ok(inventory.outcome === "read");
    assert.equal(inventory.foreignLayers, 1);
  });

  test("reads layers again for the targets of hard links", async () => {
    const name = "node_modules/a/package.json";
    const base = await layerOf({ "a/store": '{"name":"a","version":"1.0.0"}', "a/other": "{" });
    const links = await layerOf({
      [`srv/${name}`]: { type: "link", linkname: "a/store" },
      [`usr/${name}`]: { type: "link", linkname: "a/other" },
      [`var/${name}`]: { type: "link", linkname: "a/none" },
    });
    const inventory = await new LayerReader().read([sourceOf(base, 0), fileLayer("links", links)]);
    assert.deepEqual(namesIn(inventory), ["a"]);
    assert.ok(inventory.outcome === "read");
    assert.deepEqual(inventory.packages[0]?.path, `srv/${name}`);
    assert.deepEqual(inventory.problems.map(({ code, path }) => [code, path]).toSorted(), [
      ["malformed", `usr/${name}`],
      ["unresolved_link", `var/${name}`],
    ]);
    assert.equal("linked" in inventory, false);
  });

  test("names the layer that cannot be read, and why", async () => {
    const good = await layerOf({ "a.egg-info": egg("a") });
    const gzip = gzipSync(good);
    const flipped = Buffer.from(gzip);
    flipped.writeUInt8(flipped.readUInt8(gzip.length - 6) ^ 1, gzip.length - 6);
    for (const [bytes, code] of [
      [gzip.subarray(0, 60), "bad_gzip"],
      [flipped, "bad_gzip"],
      [zstdCompressSync(good).subarray(0, 60), "bad_zstd"],
      [good.subarray(0, 600), "truncated"],
      [gzipSync("no archive".repeat(100)), "not_tar"],
      [Buffer.from("BZh91AY&SY".repeat(100)), "not_tar"],
    ] as const) {
      const inventory = await readBytes([good, bytes, good]);
      assert.deepEqual(
        [inventory.outcome, codeOf(inventory), "layer" in inventory && inventory.layer],
        ["failed", code, "sha256:1"],
      );
    }
  });

  test("rejects layers that it does not get", async () => {
    const reader = new LayerReader();
    const one = sourceOf(await layerOf({}), 0);
    assert.equal(
      codeOf(await reader.read([{ ...one, mediaType: "application/json" }])),
      "unsupported_media_type",
    );
    for (const content of [
      async () => undefined,
      async () => Promise.reject(new Error("no storage")),
      async () => createReadStream(join(folder, "missing")),
      async () =>
        Readable.from(
          [Buffer.alloc(512)].map(() => {
            throw new Error("broken disk");
          }),
        ),
    ] as LayerSource["content"][]) {
      const inventory = await reader.read([one, { ...one, digest: "missing", content }]);
      assert.deepEqual(inventory.outcome === "failed" && [inventory.code, inventory.layer], [
        "layer_unavailable",
        "missing",
      ]);
    }
    assert.equal(
      codeOf(await reader.read(Array(3).fill(one), { limits: { layers: 2 } })),
      "too_many_layers",
    );
  });

  test("stops at each limit", async () => {
    const eggs = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`${at}.egg-info`, egg(`p${at}`)]),
    );
    const layer = await layerOf({
      ...eggs,
      zeros: Buffer.alloc(1024 * 1024),
      a: symlink("b"),
      c: symlink("d"),
    });
    for (const [limits, code] of [
      [{ expandedBytes: 500_000 }, "layer_too_large"],
      [{ entries: 20 }, "too_many_entries"],
      [{ links: 1 }, "too_many_links"],
      [{ packages: 19 }, "too_many_packages"],
      [{ answerBytes: 1_000 }, "answer_too_large"],
      [{ memoryBytes: 1024 * 1024, timeoutMs: 60_000 }, "out_of_memory"],
      [{ timeoutMs: 1 }, "timeout"],
    ] as const) {
      const slow = code === "out_of_memory" ? [endless()] : [];
      const layers = [sourceOf(layer, 0), ...slow];
      assert.equal(codeOf(await new LayerReader().read(layers, { limits })), code);
    }
    const inventory = await readBytes([layer], { limits: { fileBytes: 10, problems: 3 } });
    assert.ok(inventory.outcome === "read");
    assert.deepEqual(inventory.packages, []);
    assert.deepEqual([inventory.problems.length, inventory.problemCount], [3, 20]);
    const limited = await readBytes([await layerOf({ "var/lib/dpkg/status": "x".repeat(100) })], {
      limits: { keptBytes: 99 },
    });
    assert.equal(limited.outcome === "read" && limited.problems[0]?.code, "file_too_large");
  });

  /** A layer that does not end before its process does. */
  function endless(): LayerSource {
    async function* chunks() {
      for (;;) {
        yield Buffer.alloc(0x10000, "not to be decompressed, and no archive: ");
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    async function* bytes() {
      yield await headerOf(2 ** 33 - 1);
      yield* chunks();
    }
    return {
      digest: "endless",
      mediaType: TAR,
      content: async () => Readable.from(bytes(), { objectMode: false }),
    };
  }

  test("may be killed, or its caller may give up", async () => {
    const aborter = new AbortController();
    const aborting: LayerSource = {
      ...endless(),
      content: async () => {
        aborter.abort(new Error("given up"));
        return Readable.from([]);
      },
    };
    const reading = new LayerReader().read([aborting, endless()], { signal: aborter.signal });
    await assert.rejects(reading, { message: "given up" });

    let pids: string[] = [];
    const source = endless();
    const killing: LayerSource = {
      ...source,
      content: async () => {
        pids = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8")
          .trim()
          .split(" ");
        process.kill(Number(pids.at(-1)), "SIGKILL");
        return source.content();
      },
    };
    assert.equal(codeOf(await new LayerReader().read([killing])), "killed");
  });

  test("survives bombs: zeros and entries are skipped within its memory", async () => {
    const [first, last] = [
      await layerOf({ "a.egg-info": egg("a") }),
      await layerOf({ "b.egg-info": egg("b") }),
    ];
    const entry = await headerOf(0);
    const entries = Buffer.alloc(512 * 200_000);
    for (let at = 0; at < entries.length; at += 512) entry.copy(entries, at);
    const many = gzipSync(Buffer.concat([entries, first]), { level: 1 });
    // Members of gzip follow each other: the same ten mebibytes of zeros a hundred times.
    const zeros = gzipSync(Buffer.alloc(10 * MIB), { level: 1 });
    const header = gzipSync(await headerOf(1000 * MIB));
    const bomb = Buffer.concat([header, ...Array(100).fill(zeros), gzipSync(last)]);
    const limits = { memoryBytes: 400 * MIB };
    const inventory = await readBytes([many, bomb], { limits });
    assert.deepEqual(namesIn(inventory), ["a", "b"]);
  });

  test("cannot allocate the window that a zstd frame asks for", async () => {
    const frame = zstdCompressSync(Buffer.alloc(1024), {
      params: { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 },
    });
    const huge = Buffer.from(frame);
    // 2^28 bytes: twice the limit.
    huge[5] = 18 << 3;
    assert.equal(codeOf(await readBytes([huge])), "bad_zstd");
  });

  test("is a bundle in the build, which may open nothing at all", async () => {
    const program = await bundled("layer-process.ts");
    const status = readFileSync("/var/lib/dpkg/status");
    const layers = [sourceOf(gzipSync(await layerOf({ "var/lib/dpkg/status": status })), 0)];
    const names = namesIn(await new LayerReader(program).read(layers));
    assert.ok(names.includes("dpkg"), names.join(" "));
  });

  test("can only use its descriptors: no files, network, processes or threads", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    try {
      const file = join(folder, "written");
      const layer = { ...sourceOf(Buffer.alloc(512), 0), digest: `${port} ${file}` };
      for (const program of [
        await bundled("testing/probe.ts"),
        new ChildProgram(join(import.meta.dirname, "testing/probe.ts")),
      ]) {
        const answer: unknown = await new LayerReader(program).read([layer]);
        assert.deepEqual(answer, { outcome: "failed", could: ["descriptor"] });
        assert.equal(existsSync(file), false);
      }
    } finally {
      server.close();
    }
  });

  test("has limits that its answer fits into", () => {
    assert.ok(LAYER_LIMITS.packages * 400 < LAYER_LIMITS.answerBytes);
    assert.ok(LAYER_LIMITS.keptBytes + LAYER_LIMITS.heapBytes < LAYER_LIMITS.memoryBytes);
  });
});
