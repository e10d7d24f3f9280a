import type { Run } from "../command/types.ts";
import { review } from "./review.ts";
import type { approveDefinition } from "./writing.ts";

export const run: Run<typeof approveDefinition> = async (context, { events }) => {
  await review(context, events, "APPROVED");
};
