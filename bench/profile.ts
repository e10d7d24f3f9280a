import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The fields of a V8 CPU profile that are read here. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const MAX_SHOWN = 40;

/** Prints the functions with the most self time of each profiled process. */
export function showProfiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    console.log(`\n${file}`);
    for (const line of hottest(JSON.parse(readFileSync(file, "utf8")))) console.log(line);
  }
}

function hottest({ nodes, samples, timeDeltas }: Profile): string[] {
  const names = new Map(nodes.map((node) => [node.id, nameOf(node.callFrame)]));
  const self = new Map<string, number>();
  let total = 0;
  for (const [i, id] of samples.entries()) {
    const name = names.get(id) ?? "?";
    if (name.startsWith("(idle)")) continue;
    const taken = timeDeltas[i] ?? 0;
    total += taken;
    self.set(name, (self.get(name) ?? 0) + taken);
  }
  return [...self]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_SHOWN)
    .map(([name, taken]) => {
      const share = ((taken / total) * 100).toFixed(1).padStart(5);
      return `${share} % ${(taken / 1000).toFixed(1).padStart(9)} ms  ${name}`;
    });
}

function nameOf({ functionName, url, lineNumber }: Profile["nodes"][number]["callFrame"]): string {
  const file = url.replace(/^.*\/(packages|node_modules)\//, "$1/");
  return `${functionName || "(anonymous)"} ${file}${url === "" ? "" : `:${lineNumber + 1}`}`;
}
