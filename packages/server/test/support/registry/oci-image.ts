/** Images as OCI layouts, and digests. */
import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const INDEX = "application/vnd.oci.image.index.v1+json";

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/**
 * Writes an image that holds one file, as an OCI layout: for one architecture, or an index of several. Images differ by
 * the content of the file. In place of it, a whole layer can be given, compressed with gzip.
 *
 * @example writeImage(folder, "1.0", "hello", ["amd64", "arm64"]);
 */
export function writeImage(
  folder: string,
  tag: string,
  content: string | Buffer,
  architectures: readonly string[] = ["amd64"],
  /** The runtime configuration of an architecture. */
  run: (architecture: string) => object | undefined = () => undefined,
): string {
  const blobs = join(folder, "blobs", "sha256");
  mkdirSync(blobs, { recursive: true });
  const blob = (mediaType: string, bytes: Buffer | object): Descriptor => {
    const body = Buffer.isBuffer(bytes) ? bytes : Buffer.from(JSON.stringify(bytes));
    const digest = hash("sha256", body, "hex");
    writeFileSync(join(blobs, digest), body);
    return { mediaType, digest: `sha256:${digest}`, size: body.length };
  };
  const tar = typeof content === "string" ? tarOf("hello.txt", content) : gunzipSync(content);
  const layer = blob("application/vnd.oci.image.layer.v1.tar+gzip", gzipSync(tar));
  const manifests = architectures.map((architecture) => {
    const platform = { architecture, os: "linux" };
    const rootfs = { type: "layers", diff_ids: [`sha256:${hash("sha256", tar, "hex")}`] };
    const config = blob("application/vnd.oci.image.config.v1+json", {
      ...platform,
      rootfs,
      history: [{ created_by: "a test" }],
      config: run(architecture),
    });
    const manifest = { schemaVersion: 2, mediaType: MANIFEST, config, layers: [layer] };
    return { ...blob(MANIFEST, manifest), platform };
  });
  const image =
    manifests.length === 1
      ? (manifests[0] as Descriptor)
      : blob(INDEX, { schemaVersion: 2, mediaType: INDEX, manifests });
  const annotations = { "org.opencontainers.image.ref.name": tag };
  const index = { schemaVersion: 2, manifests: [{ ...image, annotations }] };
  writeFileSync(join(folder, "index.json"), JSON.stringify(index));
  writeFileSync(join(folder, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  return image.digest;
}

const BLOCK = 512;

/** An archive with one file, as POSIX has it. */
function tarOf(name: string, content: string): Buffer {
  const body = Buffer.from(content);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number) =>
    `${value.toString(8).padStart(length - 1, "0")}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(body.length, 12), 124);
  header.write(octal(0, 12), 136);
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)} `, 148);
  const padding = Buffer.alloc(((BLOCK - (body.length % BLOCK)) % BLOCK) + 2 * BLOCK);
  return Buffer.concat([header, body, padding]);
}

/**
 * A digest like any other.
 *
 * @example digest(7) // "sha256:00…07"
 */
export function digest(number: number): string {
  return `sha256:${number.toString(16).padStart(64, "0")}`;
}
