import { command, define, group } from "../command/definition.ts";
import { PARENT } from "../resource/options.ts";

export const mirrorDefinition = define({
  name: "mirror",
  summary: "Download databases for osv-scanner's offline mode",
  description: `Writes one archive for each ecosystem to DIR/osv-scanner/ECOSYSTEM/all.zip, as \
\`osv-scanner --offline-vulnerabilities\` reads them with OSV_SCANNER_LOCAL_DB_CACHE_DIRECTORY=DIR. They have the approved \
advisories of the group and of all folders below. Each file is complete or as it was before.`,
  examples: [
    { command: "wharf osv mirror databases --group acme" },
    { command: "wharf osv mirror databases --group acme --ecosystem Alpine --ecosystem npm" },
  ],
  arguments: [{ name: "dir", summary: "Folder of the databases", required: true }],
  options: {
    parent: { ...PARENT, summary: "Organization or folder to mirror: name or UID" },
    ecosystem: {
      type: "list",
      value: "NAME",
      summary: "Ecosystem to mirror, without release (default: all)",
    },
  },
});

export const osv = group({
  name: "osv",
  summary: "Serve tools that read OSV",
  commands: [command(mirrorDefinition, () => import("./mirror.ts"))],
});
