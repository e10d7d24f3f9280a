import type { Run } from "../command/types.ts";
import { failed } from "../errors.ts";
import { type Check, type Finding, runChecks } from "./checks.ts";
import type { validateDefinition } from "./commands.ts";

const MARKS = { passed: "✓", failed: "✗", skipped: "–" } as const;

export const run: Run<typeof validateDefinition> = async (context) => {
  const { out, settings, signal, terminal, progress } = context;
  const findings = await progress("asking the server", () => runChecks(settings, signal));
  if (out.format === "table" || out.format === "wide") {
    const { green, red, dim } = terminal.style;
    const color = { passed: green, failed: red, skipped: dim };
    for (const { check, result, detail, next } of findings) {
      out.text(`${color[result](MARKS[result])} ${check}: ${detail}`);
      if (next !== undefined) out.text(`    → ${next}`);
    }
  } else {
    await out.list(findings, COLUMNS, { id: ({ check }) => check });
  }
  const wrong = findings.filter(({ result }) => result === "failed");
  if (wrong.length > 0) {
    throw failed(`${wrong.map(({ check }) => check).join(", ")} failed`, wrong[0]?.next);
  }
};

const COLUMNS = [
  { header: "Check", value: ({ check }: Finding) => check as Check["name"] },
  { header: "Result", value: ({ result }: Finding) => result },
  { header: "Detail", value: ({ detail }: Finding) => detail },
  { header: "Next", value: ({ next }: Finding) => next },
];
