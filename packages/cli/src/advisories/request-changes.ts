import type { Run } from "../command/types.ts";
import { review } from "./review.ts";
import type { requestChangesDefinition } from "./writing.ts";

export const run: Run<typeof requestChangesDefinition> = async (context, { events }) => {
  await review(context, events, "REQUEST_CHANGES");
};
