/** Packages from the Debian mirrors of this machine: apt checks their signatures, and nothing of the machine changes. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface DebianPackages {
  readonly names: readonly string[];
  /** The directory that gets the packages. */
  readonly folder: string;
  /** The architecture as Debian names it; that of the machine by default. */
  readonly architecture?: string;
  /** Another suite than those of the machine, such as sid. */
  readonly suite?: string;
}

/** Downloads packages with an apt that has its state in the directory. Throws if one cannot be had. */
export function downloadPackages({ names, folder, architecture, suite }: DebianPackages): void {
  const state = join(folder, "apt");
  for (const part of ["lists/partial", "cache/archives/partial", "sources"]) {
    mkdirSync(join(state, part), { recursive: true });
  }
  writeFileSync(join(state, "status"), "");
  const settings = [
    "APT::Sandbox::User=",
    `Dir::State::Lists=${join(state, "lists")}`,
    `Dir::State::Status=${join(state, "status")}`,
    `Dir::Cache=${join(state, "cache")}`,
  ];
  if (architecture !== undefined) {
    settings.push(`APT::Architecture=${architecture}`, `APT::Architectures=${architecture}`);
  }
  if (suite !== undefined) {
    writeFileSync(join(state, "sources", "suite.sources"), sourceOf(suite));
    settings.push("Dir::Etc::SourceList=/dev/null");
    settings.push(`Dir::Etc::SourceParts=${join(state, "sources")}`);
  }
  const run = (...args: readonly string[]) =>
    execFileSync("apt-get", [...settings.flatMap((one) => ["-o", one]), "-q", ...args], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
  run("update");
  run("download", ...names.map((name) => (architecture ? `${name}:${architecture}` : name)));
}

/** A suite of the first mirror of this machine. */
function sourceOf(suite: string): string {
  const args = ["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"];
  const [mirror] = execFileSync("apt-get", args, { encoding: "utf8" }).split("\n");
  const keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
  return `Types: deb\nURIs: ${mirror}\nSuites: ${suite}\nComponents: main\nSigned-By: ${keys}\n`;
}
