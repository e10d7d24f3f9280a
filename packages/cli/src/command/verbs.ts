import type { Definition } from "./definition.ts";

/** What commands that do the same to different things are called. */
export const LIST = { name: "list", aliases: ["ls"] } as const satisfies Partial<Definition>;

export const DESCRIBE = {
  name: "describe",
  aliases: ["get", "show"],
} as const satisfies Partial<Definition>;

export const DELETE = {
  name: "delete",
  aliases: ["rm"],
  destructive: true,
} as const satisfies Partial<Definition>;
