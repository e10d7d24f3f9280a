import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Average number of advisories per package; public feeds have between ten and thirty. */
const PER_PACKAGE = 20;

const LETTERS = "23456789cfghjmpqrvwx";

/**
 * Writes advisories as distributions do, one file for each package: found by a scan, then fixed.
 */
export function writeAdvisories(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  let written = 0;
  for (let number = 0; written < count; number++) {
    const name = `package-${String(number).padStart(6, "0")}`;
    const size = Math.min(count - written, 1 + ((number * 7) % (2 * PER_PACKAGE)));
    const own = Array.from({ length: size }, (_, at) => advisory(name, written + at));
    const head = `schema-version: 2.0.2\n\npackage:\n  name: ${name}\n\nadvisories:\n`;
    writeFileSync(join(folder, `${name}.advisories.yaml`), head + own.join("\n"));
    written += size;
  }
}

function advisory(packageName: string, number: number): string {
  return `  - id: ${idOf(number)}
    aliases:
      - CVE-2026-${String(number % 50_000).padStart(5, "0")}
      - GHSA-${wordOf(number)}-${wordOf(number * 31)}-${wordOf(number * 97)}
    events:
      - timestamp: 2026-01-10T20:20:24Z
        type: detection
        data:
          type: scan/v1
          data:
            subpackageName: ${packageName}
            componentID: 02c890e439f7e6b4
            componentName: stdlib
            componentVersion: go1.22.${number % 10}
            componentType: go-module
            componentLocation: /usr/bin/${packageName}
            scanner: grype
      - timestamp: 2026-02-18T16:07:19Z
        type: fixed
        data:
          fixed-version: 1.${number % 100}.0-r2
`;
}

function idOf(number: number): string {
  const word = (from: number) => wordOf(Math.floor(number / LETTERS.length ** from));
  return `CGA-${word(0)}-${word(4)}-${word(8)}`;
}

/** The lower digits of a number as four letters. */
function wordOf(number: number): string {
  return [0, 1, 2, 3]
    .map((at) => LETTERS[Math.floor(number / LETTERS.length ** at) % LETTERS.length])
    .join("");
}
