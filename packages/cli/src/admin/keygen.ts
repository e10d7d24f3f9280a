import { resolve } from "node:path";
import { ConfigError } from "@wharf/server/config/settings.ts";
import type { Run } from "../command/types.ts";
import type { keygenDefinition } from "./commands.ts";

export const run: Run<typeof keygenDefinition> = async (_context, { words }) => {
  const [file, ...others] = words;
  if (file === undefined || file.startsWith("-") || others.length > 0)
    throw new ConfigError("admin backup-keygen: FILE is required, and nothing else");
  const { createIdentity } = await import("@wharf/server/lib/age/age.ts");
  const { writeKey } = await import("@wharf/server/app/backup/private-file.ts");
  const { recipient, secret } = await createIdentity();
  writeKey(resolve(file), `# recipient: ${recipient}\n${secret}\n`);
  console.error(`wharf: wrote the identity to ${file}: keep it where the backups are not`);
  console.log(recipient);
};
