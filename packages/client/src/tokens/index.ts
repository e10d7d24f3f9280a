import { exchange } from "./exchange.ts";
import { fixed } from "./fixed.ts";
import { githubActions, gitlab } from "./platforms.ts";
import { refresh } from "./refresh.ts";

/** Token sources. Sources that need files or processes are in `@wharf/client/node`. */
export const tokens = { fixed, exchange, refresh, githubActions, gitlab } as const;
