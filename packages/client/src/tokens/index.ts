import { exchange } from "./exchange.ts";
import { fixed } from "./fixed.ts";
import { githubActions, gitlab } from "./platforms.ts";
import { refresh } from "./refresh.ts";

/** Where tokens can come from. What needs files and processes is in `@wharf/client/node`. */
export const tokens = { fixed, exchange, refresh, githubActions, gitlab } as const;
