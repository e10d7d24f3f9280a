import type { PersonSession } from "@wharf/client";
import type { Run } from "../../command/types.ts";
import type { Column } from "../../output/columns.ts";
import type { listDefinition } from "./commands.ts";

const COLUMNS: readonly Column<PersonSession>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "This one", value: ({ current }) => (current ? "*" : "") },
  { header: "From", value: ({ remoteAddress }) => remoteAddress },
  { header: "With", value: ({ userAgent }) => userAgent },
  { header: "Last used", value: ({ lastUsedTime }) => lastUsedTime },
  { header: "Ends", value: ({ expireTime }) => expireTime },
  { header: "Began", value: ({ createTime }) => createTime, wide: true },
  { header: "Identity", value: ({ identity }) => identity, wide: true },
  { header: "Identity provider", value: ({ identityProvider }) => identityProvider, wide: true },
];

export const run: Run<typeof listDefinition> = async (context, args) => {
  const { out, signal } = context;
  const { sessions } = await context.client();
  const { identity = "", identityProvider = "" } = args;
  const found = sessions.listAll({ identity, identityProvider }, { signal });
  await out.list(found, COLUMNS, { what: "sessions", id: ({ id }) => id });
};
