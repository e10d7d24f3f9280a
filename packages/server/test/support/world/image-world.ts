/** Images in the registry of a server, documents about them, and what the server has read of them. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { ImageDetail } from "../../../src/exposure/inventory/image-detail.ts";
import { INDEX, MANIFEST, OciClient, sha256 } from "../registry/oci-client.ts";
import { rawRows } from "../server/direct-store.ts";
import { until } from "../until.ts";
import type { World } from "./world.ts";

const CONFIG = "application/vnd.oci.image.config.v1+json";
const EMPTY = "application/vnd.oci.empty.v1+json";
const LAYER = "application/vnd.oci.image.layer.v1.tar+gzip";

export interface ReadImage {
  readonly id: number;
  readonly platform: string;
  readonly state: number;
  readonly reason: string;
  readonly source: number;
  readonly document: string;
  readonly packages: number;
  readonly withoutPurl: number;
  readonly indexed: number;
  readonly tags: number;
  readonly tagged: number;
  readonly untagged: number;
  readonly detail: ImageDetail;
}

/** A layer of an attached manifest. */
export interface AttachedLayer {
  readonly mediaType: string;
  readonly content: Buffer | string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The differences of an image or an attached manifest from the usual one. */
export interface ManifestOptions {
  readonly architecture?: string;
  readonly subject?: string;
  readonly artifactType?: string;
  readonly layers?: readonly AttachedLayer[];
  readonly annotations?: Readonly<Record<string, string>>;
}

export class ImageWorld {
  readonly world: World;
  readonly client: OciClient;

  private constructor(world: World, client: OciClient) {
    this.world = world;
    this.client = client;
  }

  /** @example const images = await ImageWorld.of(world); // a world with `registry` */
  static async of(world: World): Promise<ImageWorld> {
    const pusher = await world.registry.holder(world.name("pusher"), "registry.push");
    const token = await world.signer.token(pusher);
    return new ImageWorld(world, new OciClient(world.server.url, `Bearer ${token}`));
  }

  /** Pushes an image of one layer. Images differ by the repository and the reference. */
  async push(
    name: string,
    reference: string,
    layer: Buffer | string,
    options: ManifestOptions = {},
  ): Promise<{ digest: string; size: number }> {
    const { architecture = "amd64" } = options;
    const config = JSON.stringify({ architecture, os: "linux", note: `${name}:${reference}` });
    return this.manifest(name, reference, {
      ...options,
      config,
      layers: [{ mediaType: LAYER, content: layer }],
    });
  }

  /** Pushes a manifest with its blobs; by its digest without a tag. */
  async manifest(
    name: string,
    tag: string,
    given: ManifestOptions & { readonly config?: string },
  ): Promise<{ digest: string; size: number }> {
    const { config = "{}", layers = [], subject, artifactType, annotations } = given;
    const descriptors = [];
    for (const { mediaType, content, annotations: own } of layers) {
      const digest = await this.client.blob(name, content);
      const size = Buffer.byteLength(content);
      descriptors.push({ mediaType, digest, size, ...(own && { annotations: own }) });
    }
    const manifest = {
      schemaVersion: 2,
      mediaType: MANIFEST,
      ...(artifactType && { artifactType }),
      config: {
        mediaType: given.config === undefined ? EMPTY : CONFIG,
        digest: await this.client.blob(name, config),
        size: Buffer.byteLength(config),
      },
      layers: descriptors,
      ...(subject && { subject: { mediaType: MANIFEST, digest: subject, size: 1 } }),
      ...(annotations && { annotations }),
    };
    return this.put(name, tag, manifest, MANIFEST);
  }

  /** Pushes an index of manifests. */
  index(
    name: string,
    tag: string,
    manifests: readonly object[],
  ): Promise<{ digest: string; size: number }> {
    return this.put(name, tag, { schemaVersion: 2, mediaType: INDEX, manifests }, INDEX);
  }

  /** Attaches a document to a digest, as a referrer. */
  attach(
    name: string,
    subject: string,
    mediaType: string,
    content: Buffer | string,
  ): Promise<{ digest: string; size: number }> {
    return this.manifest(name, "", {
      ...{ subject, artifactType: mediaType },
      layers: [{ mediaType, content }],
    });
  }

  async put(
    name: string,
    tag: string,
    manifest: object,
    type: string,
  ): Promise<{ digest: string; size: number }> {
    const bytes = Buffer.from(JSON.stringify(manifest));
    const digest = sha256(bytes);
    const { status, body } = await this.client.putManifest(name, tag || digest, bytes, type);
    assert.equal(status, 201, JSON.stringify(body));
    return { digest, size: bytes.length };
  }

  async delete(name: string, reference: string): Promise<void> {
    const { status } = await this.client.send("DELETE", `/v2/${name}/manifests/${reference}`);
    assert.equal(status, 202);
  }

  /** The uid of a repository. */
  async repo(name: string): Promise<string> {
    const last = name.slice(name.lastIndexOf("/") + 1);
    const { body } = await this.world.http.get(`/registry/v2beta1/repos?name=${last}`);
    return body.repos[0].uid;
  }

  /** Waits until nothing is requested any more, except for so many items that cannot be done. */
  async settled(others = 0): Promise<void> {
    await until(async () => {
      const [row] = await this.rows<{ waiting: number }>(
        "SELECT count(*) AS waiting FROM exposure_work WHERE key <> 'second' AND kind <> 'notify'",
      );
      return Number(row?.waiting) <= others;
    });
  }

  /** The row of an image; undefined if there is none. */
  async find(name: string, digest: string): Promise<ReadImage | undefined> {
    const repo = await this.repo(name);
    const [row] = await this.rows<ReadImage & { without_purl: number; detail: string }>(
      `SELECT * FROM exposure_images WHERE repo = '${repo}' AND digest = '${digest}'`,
    );
    if (row === undefined) return undefined;
    const numbers = Object.fromEntries(
      ["id", "state", "source", "packages", "indexed", "tags", "tagged", "untagged"].map((key) => [
        key,
        Number(row[key as keyof ReadImage]),
      ]),
    );
    const detail = JSON.parse(row.detail) as ImageDetail;
    return { ...row, ...numbers, withoutPurl: Number(row.without_purl), detail };
  }

  /** The row of an image, once all that was requested is done. */
  async read(name: string, digest: string): Promise<ReadImage> {
    await this.settled();
    const image = await this.find(name, digest);
    assert.ok(image, `${name}@${digest} was not read`);
    return image;
  }

  /** The packages of an image in words. */
  async packages(id: number): Promise<string[]> {
    const rows = await this.rows<Record<string, string>>(
      `SELECT v.* FROM image_packages p JOIN package_versions v ON v.id = p.version
       WHERE p.image = ${id} ORDER BY v.name, v.version`,
    );
    return rows
      .map(({ ecosystem, release, name, version, origin, origin_version }) => {
        const from = origin === "" ? "" : ` < ${origin} ${origin_version}`;
        return `${ecosystem} ${release} ${name} ${version}${from}`;
      })
      .sort();
  }

  rows<Row>(sql: string): Promise<Row[]> {
    return rawRows<Row>(this.world.server, sql);
  }
}

/**
 * An SPDX document of packages by their package URLs.
 *
 * @example spdxOf(["pkg:npm/left-pad@1.3.0"])
 */
export function spdxOf(purls: readonly string[], name = "image"): string {
  const packages = purls.map((purl, at) => {
    const [, path = "", version = ""] = /^pkg:[^/]+\/([^@?]+)@?([^?]*)/.exec(purl) ?? [];
    return {
      SPDXID: `SPDXRef-${at}`,
      name: path.split("/").at(-1),
      versionInfo: version,
      externalRefs: [
        { referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl },
      ],
    };
  });
  return JSON.stringify({
    spdxVersion: "SPDX-2.3",
    SPDXID: "SPDXRef-DOCUMENT",
    name,
    creationInfo: { created: "2026-01-02T03:04:05Z", creators: ["Tool: test-1.0"] },
    packages,
    relationships: [],
  });
}

const BLOCK = 512;

/**
 * A POSIX archive of files by their paths.
 *
 * @example tarOf({ "etc/os-release": "ID=alpine\n" })
 */
export function tarOf(files: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(files).flatMap(([path, content]) => {
    const header = Buffer.alloc(BLOCK);
    const body = Buffer.from(content);
    const octal = (value: number, length: number) =>
      `${value.toString(8).padStart(length - 1, "0")}\0`;
    header.write(path, 0);
    header.write(octal(0o644, 8), 100);
    header.write(octal(body.length, 12), 124);
    header.write(octal(0, 12), 136);
    header.write("        0", 148);
    header.write("ustar\x0000", 257);
    header.write(
      octal(
        header.reduce((sum, byte) => sum + byte, 0),
        7,
      ),
      148,
    );
    return [header, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]);
}

/** A layer of a file system. */
export function layerOf(files: Readonly<Record<string, string>>): Buffer {
  return gzipSync(tarOf(files));
}
