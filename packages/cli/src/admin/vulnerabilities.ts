import { ConfigError, readSettings } from "@wharf/server/config/settings.ts";
import type { Run } from "../command/types.ts";
import type { vulnerabilitiesImportDefinition } from "./commands.ts";

export const run: Run<typeof vulnerabilitiesImportDefinition> = async (_context, { words }) => {
  const [file, ...others] = words;
  if (file === undefined || file.startsWith("-")) {
    throw new ConfigError("admin vulnerabilities import: name a file of KEV or EPSS");
  }
  const settings = await readSettings(others, process.env);
  const { importFacts } = await import("@wharf/server/app/admin-vulnerabilities.ts");
  const { kind, records, changed, rejected, rejections } = await importFacts(settings, file);
  for (const { name, reason } of rejections) console.error(`wharf: ${name}: ${reason}`);
  console.error(
    `wharf: ${kind}: ${records} records, ${changed} changed, ${rejected} rejected of ${file}`,
  );
};
