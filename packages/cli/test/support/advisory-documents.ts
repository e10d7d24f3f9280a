/** Documents with advisories, and what an import of them prints. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../../../server/test/support/server/scratch-folder.ts";

const FOLDER = scratchFolder("wharf-import-test-");
export const GHSA = "GHSA-4x9r-j582-cgr8";
export const CVSS = "CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N";

/** A folder with these files. */
export function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(FOLDER, name);
  for (const [path, contents] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
  return folder;
}

export function distro(name: string, ids: readonly string[], version = "1.0-r0"): string {
  const advisories = ids.map(
    (id, number) => `
  - id: ${id}
    aliases: [CVE-2026-${1000 + number}]
    events:
      - timestamp: 2026-01-02T03:04:05Z
        type: detection
        data: {type: manual}
      - timestamp: 2026-01-03T03:04:05Z
        type: fixed
        data: {fixed-version: ${version}}`,
  );
  return `schema-version: 2.0.2\npackage:\n  name: ${name}\nadvisories:${advisories.join("")}\n`;
}

const ALPHABET = "23456789cfghjmpqrvwx";

/** A number of ids of the form that advisories have. */
export function ids(first: number, count: number): string[] {
  return Array.from({ length: count }, (_, at) => {
    let left = first + at;
    const letters = Array.from({ length: 12 }, () => {
      const letter = ALPHABET[left % ALPHABET.length];
      left = Math.floor(left / ALPHABET.length);
      return letter;
    });
    return `CGA-${[0, 4, 8].map((from) => letters.slice(from, from + 4).join("")).join("-")}`;
  });
}

export const OSV = JSON.stringify({
  id: GHSA,
  modified: "2026-03-05T22:10:11Z",
  aliases: ["CVE-2026-1000"],
  severity: [{ type: "CVSS_V3", score: CVSS }],
  affected: [
    {
      package: { ecosystem: "npm", name: "templates" },
      ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "4.2.1" }] }],
    },
  ],
});

/** The numbers of what an import printed. */
export function counts({ refusals: _, warnings: _warnings, ...numbers }: Record<string, unknown>) {
  return numbers;
}

export const NONE = {
  created: 0,
  changed: 0,
  unchanged: 0,
  vulnerabilities: 0,
  pendingEvents: 0,
  skipped: 0,
  refused: 0,
};
