import type { Run } from "../command/types.ts";
import { review } from "./review.ts";
import type { rejectDefinition } from "./writing.ts";

export const run: Run<typeof rejectDefinition> = async (context, { events }) => {
  await review(context, events, "REJECTED");
};
