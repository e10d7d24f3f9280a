import { fixed } from "./fixed.ts";

export const tokens = { fixed };
