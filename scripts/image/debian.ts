/** Files of packages of the Debian release of this machine, for any architecture. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { extract } from "tar-stream";
import { downloadPackages } from "../debian-packages.ts";
import { type Entries, type Entry, textFile } from "./entry.ts";

/** The libraries of Node.js, and certificate authorities. */
const PACKAGES = ["ca-certificates", "libatomic1", "libc6", "libgcc-s1", "libstdc++6"];

/** Not needed at run time: converters of character sets, and documents other than licenses. */
const OMITTED =
  /^usr\/(?:lib\/[^/]+\/(?:gconv|audit)\/|share\/(?:doc\/(?!.*\/copyright$)|lintian|man|gdb|gcc)|sbin\/)|^(?:etc|usr\/bin)\//;

const BUNDLE = "etc/ssl/certs/ca-certificates.crt";

export interface DebianFiles {
  readonly entries: Entries;
  readonly packages: readonly DebianPackage[];
}

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** As Debian names it; `all` for packages without programs. */
  readonly architecture: string;
}

/** The files of the packages for an architecture as Debian names it. */
export async function debianFiles(architecture: string, scratch: string): Promise<DebianFiles> {
  const folder = join(scratch, `debian-${architecture}`);
  downloadPackages({ names: PACKAGES, folder, architecture });
  const entries: Entries = new Map();
  const packages: DebianPackage[] = [];
  const archives = readdirSync(folder).filter((file) => file.endsWith(".deb"));
  for (const file of archives.sort()) {
    const archive = join(folder, file);
    const control = output("dpkg-deb", "--field", archive).toString();
    const name = fieldOf(control, "Package");
    const version = fieldOf(control, "Version");
    packages.push({ name, version, architecture: fieldOf(control, "Architecture") });
    // The location in which scanners look for packages of images without a package manager.
    entries.set(`var/lib/dpkg/status.d/${name}`, textFile(control));
    for (const [path, entry] of await filesIn(archive)) {
      if (!OMITTED.test(path)) entries.set(path, entry);
    }
  }
  addCertificateBundle(entries);
  return { entries, packages };
}

async function filesIn(archive: string): Promise<[string, Entry][]> {
  const found: [string, Entry][] = [];
  const reader = extract();
  Readable.from([output("dpkg-deb", "--fsys-tarfile", archive)]).pipe(reader);
  for await (const part of reader) {
    const { name, type = "file", mode, linkname } = part.header;
    const content = await buffer(part);
    const path = mergedPath(name);
    if (type === "file") found.push([path, { type, mode, content }]);
    else if (type === "symlink") found.push([path, { type, target: linkname ?? "" }]);
    else if (type !== "directory") throw new Error(`${archive}: ${name} is a ${type}`);
  }
  return found;
}

/** All below /usr: /lib and /lib64 are links to it. */
function mergedPath(name: string): string {
  return name.replace(/^\.\//, "").replace(/^(lib|lib64|bin|sbin)\//, "usr/$1/");
}

/** As the installation of the package would write it. */
function addCertificateBundle(entries: Entries): void {
  const certificates = [...entries]
    .filter(([path]) => path.startsWith("usr/share/ca-certificates/") && path.endsWith(".crt"))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, entry]) => (entry.type === "file" ? [entry.content] : []));
  if (certificates.length === 0) throw new Error("ca-certificates has no certificates");
  entries.set(BUNDLE, { type: "file", content: Buffer.concat(certificates) });
}

function fieldOf(control: string, field: string): string {
  return new RegExp(`^${field}: (.+)$`, "m").exec(control)?.[1] ?? "";
}

function output(command: string, ...args: readonly string[]): Buffer {
  return execFileSync(command, args, { maxBuffer: 1 << 28 });
}
