// Installs what is missing, and nothing else: npm packages that are needed to build and run always,
// those for development with --with-dev, Debian packages of the tests' real peers with --with-peers, also
// those of the long tests with --with-long-peers; builds with --build. Runs on any Node.js from 20 on, before any dependency exists.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { installArgs } from "./install-plan.mjs";

function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: ["ignore", 2, 2] });
  if (status !== 0) {
    console.error(`wharf: "${command} ${args.join(" ")}" failed`);
    process.exit(status ?? 1);
  }
}

const POSTGRES = "/usr/lib/postgresql";

/** Its clients live in the same place, so the place alone says nothing. */
function hasPostgres() {
  if (!existsSync(POSTGRES)) return false;
  return readdirSync(POSTGRES).some((version) =>
    existsSync(join(POSTGRES, version, "bin", "initdb")),
  );
}

const PEERS = [
  { package: "postgresql", isThere: hasPostgres },
  ...["age", "chromium-headless-shell", "docker-registry", "skopeo", "zsh", "fish"].map((name) => {
    return { package: name, isThere: () => existsSync(join("/usr/bin", name)) };
  }),
  // For promtool.
  { package: "prometheus", isThere: () => existsSync("/usr/bin/promtool") },
];

/** Clients of registries. */
const LONG_PEERS = ["buildah", "containerd", "podman"].map((name) => {
  return { package: name, isThere: () => existsSync(join("/usr/bin", name)) };
});

function installPeers(peers) {
  const missing = peers.filter((peer) => !peer.isThere()).map((peer) => peer.package);
  if (missing.length === 0) return;
  const root = process.getuid?.() === 0;
  const apt = (...args) => (root ? run("apt-get", args) : run("sudo", ["-n", "apt-get", ...args]));
  console.error(`wharf: installing ${missing.join(", ")}`);
  process.env.DEBIAN_FRONTEND = "noninteractive";
  apt("update", "-q");
  apt("install", "-q", "-y", "--no-install-recommends", ...missing);
}

/** The Node.js that the install brought along; the shell that started us may not have seen it yet. */
function installedNode() {
  const brought = join("node_modules", ".bin", "node");
  return existsSync(brought) ? brought : process.execPath;
}

const args = installArgs(".", { withDev: process.argv.includes("--with-dev") });
if (args !== undefined) {
  console.error("wharf: installing packages");
  run("npm", args);
}
if (process.argv.includes("--with-peers")) installPeers(PEERS);
if (process.argv.includes("--with-long-peers")) installPeers([...PEERS, ...LONG_PEERS]);
if (process.argv.includes("--build")) run(installedNode(), ["scripts/build.ts"]);
