/**
 * `npm run image`: writes a container image for amd64 and arm64 as an OCI layout, without a build service: Node.js from
 * its npm packages, the C library and certificate authorities from Debian packages, and the command. The same commit
 * and packages yield the same image. SBOMs, provenance and signatures refer to it. Arguments name the folder to write to.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { buildInfo, buildSeconds } from "../build-info.ts";
import { stageCommand } from "../release/command-package.ts";
import { nodeFor, type Platform } from "../release/node-runtimes.ts";
import { Signer } from "../release/signing.ts";
import { ROOT, step } from "../step.ts";
import { type DebianPackage, debianFiles } from "./debian.ts";
import { layerOf } from "./entry.ts";
import { OciLayout, type PlatformImage } from "./oci-layout.ts";
import { attachProof, type Contents } from "./proof.ts";
import { commandEntries, nodeEntries, rootEntries, USER } from "./root.ts";

const { version } = manifest;
const [folder = `release/wharf-${version}-image`] = process.argv.slice(2);
const OUT = resolve(ROOT, folder);

/** Go's and Debian's name of each architecture, which are the same, and its platform of Node.js. */
const PLATFORMS: readonly (readonly [string, Platform])[] = [
  ["amd64", "linux-x64"],
  ["arm64", "linux-arm64"],
];

const HEALTHCHECK = {
  Test: ["CMD", "/usr/bin/wharf", "health"],
  Interval: 30e9,
  Timeout: 10e9,
  StartPeriod: 30e9,
};

const { commit } = buildInfo();
const seconds = buildSeconds();
const signer = Signer.from(process.env);
const created = new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

const annotations = {
  "org.opencontainers.image.title": "Wharf",
  "org.opencontainers.image.description": manifest.description,
  "org.opencontainers.image.version": version,
  "org.opencontainers.image.revision": commit,
  "org.opencontainers.image.created": created,
  "org.opencontainers.image.licenses": manifest.license,
};

function configFor(debian: readonly DebianPackage[]): object {
  const packages = debian.map(({ name, version }) => `${name} ${version}`);
  return {
    User: `${USER}:${USER}`,
    Env: [
      "PATH=/usr/bin",
      "HOME=/data",
      "WHARF_DATA=/data",
      "WHARF_LISTEN=0.0.0.0:8080",
      // Certificate authorities that are mounted into the image are trusted, too.
      "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
      "NODE_USE_SYSTEM_CA=1",
    ],
    Entrypoint: ["/usr/bin/wharf"],
    Cmd: ["serve"],
    WorkingDir: "/data",
    ExposedPorts: { "8080/tcp": {} },
    Volumes: { "/data": {} },
    StopSignal: "SIGTERM",
    Healthcheck: HEALTHCHECK,
    Labels: { ...annotations, "wharf.debian-packages": packages.join(", ") },
  };
}

const scratch = mkdtempSync(join(tmpdir(), "wharf-image-"));
try {
  let staged = "";
  const images: PlatformImage[] = [];
  const contents: Contents[] = [];
  const run = async (name: string, work: () => Promise<void>) => {
    if (!(await step(name, work))) throw new Error(`${name} failed`);
  };
  await run("bundle", async () => {
    staged = await stageCommand(scratch);
  });
  for (const [architecture, platform] of PLATFORMS) {
    await run(`image for linux/${architecture}`, async () => {
      const { entries, packages } = await debianFiles(architecture, scratch);
      const layers = [
        new Map([...rootEntries(), ...entries]),
        nodeEntries(nodeFor(platform)),
        commandEntries(staged),
      ];
      contents.push({ architecture, platform, debian: packages });
      images.push({
        architecture,
        layers: await Promise.all(layers.map((one) => layerOf(one, seconds))),
        config: configFor(packages),
      });
    });
  }
  const signed = signer ? "signed" : "unsigned: WHARF_SIGNING_KEY is not set";
  await run(`layout in ${OUT}, ${signed}`, async () => {
    const layout = new OciLayout(OUT);
    const image = layout.addImage(images, { tag: version, created, annotations });
    attachProof(layout, { image, version, created, contents, signer });
    layout.close();
  });
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
