/** The server within a worker process, with or without the hash chains of the audit log. */
import { operatorToken } from "@wharf/server/app/admin.ts";
import { startServer } from "@wharf/server/app/server.ts";
import { readSettings } from "@wharf/server/config/settings.ts";
import { openServerStore } from "@wharf/server/store/db/open.ts";
import { participantsOf } from "@wharf/server/store/participants.ts";
import { AuditChains } from "@wharf/server/store/tables/audit/chains.ts";
import { doJobs } from "../program.ts";

export interface ServerJob {
  readonly data: string;
  readonly isChained: boolean;
}

export interface ServerAddress {
  readonly url: string;
  readonly token: string;
}

doJobs(async ({ data, isChained }: ServerJob): Promise<ServerAddress> => {
  const flags = ["--data", data, "--listen", "127.0.0.1:0", "--log-level", "warn"];
  const settings = await readSettings(flags, {});
  const participants = participantsOf(new AuditChains(isChained));
  const { url } = await startServer(settings, {
    open: (location, tables, timings, options) =>
      openServerStore(location, tables, timings, { ...options, participants }),
  });
  const admin = await readSettings(["--data", data, "--base-url", url], {});
  return { url, token: await operatorToken(admin) };
});
