import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../step.ts";
import { type Entries, type Entry, filesOf, textFile } from "./entry.ts";

/** The user of the server, as other images without a shell have it. */
export const USER = 65_532;

const ROOT_FILES: Readonly<Record<string, string>> = {
  "etc/passwd": `root:x:0:0:root:/root:/sbin/nologin
wharf:x:${USER}:${USER}:wharf:/data:/sbin/nologin
`,
  "etc/group": `root:x:0:\nwharf:x:${USER}:\n`,
  "etc/nsswitch.conf": "hosts: files dns\n",
};

/** The entries that any program expects: links, users, a folder for temporary files, and one for data. */
export function rootEntries(): Entries {
  const entries: Entries = new Map();
  for (const link of ["bin", "lib", "lib64", "sbin"]) {
    entries.set(link, { type: "symlink", target: `usr/${link}` });
    entries.set(`usr/${link}`, { type: "directory" });
  }
  for (const [path, text] of Object.entries(ROOT_FILES)) entries.set(path, textFile(text));
  // Mount points of runtimes, also on a root that is only read.
  for (const path of ["dev", "proc", "sys", "etc"]) entries.set(path, { type: "directory" });
  entries.set("tmp", { type: "directory", mode: 0o1777 });
  entries.set("data", { type: "directory", mode: 0o700, owner: USER });
  return entries;
}

export function nodeEntries(node: string): Entries {
  const content = readFileSync(node);
  const license = readFileSync(join(node, "../../LICENSE"));
  return new Map<string, Entry>([
    ["usr/bin/node", { type: "file", content, mode: 0o755 }],
    ["usr/share/doc/node/copyright", { type: "file", content: license }],
  ]);
}

/** The files of the command's package that run, and their licenses. */
const IN_IMAGE = /^(?:bin|dist)\/|^(?:LICENSE|THIRD-PARTY-LICENSES)$/;

/** The package of the command, and links to its programs. There is no `env`, so they name Node.js by its path. */
export function commandEntries(staged: string): Entries {
  const entries: Entries = new Map();
  for (const [path, content, { mode }] of filesOf(staged, IN_IMAGE)) {
    const program = mode === 0o755 ? withNodePath(content) : content;
    entries.set(`usr/lib/wharf/${path}`, { type: "file", content: program, mode });
  }
  const { bin } = JSON.parse(readFileSync(join(ROOT, "packages/cli/package.json"), "utf8"));
  for (const [name, path] of Object.entries(bin as Record<string, string>)) {
    const target = `../lib/wharf/${path.replace("./", "")}`;
    entries.set(`usr/bin/${name}`, { type: "symlink", target });
  }
  return entries;
}

function withNodePath(program: Buffer): Buffer {
  return Buffer.from(program.toString().replace(/^#!\/usr\/bin\/env node\n/, "#!/usr/bin/node\n"));
}
