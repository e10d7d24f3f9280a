import { create } from "@bufbuild/protobuf";
import { advisoriesV1 } from "@wharf/contract";
import type { Run } from "../../command/types.ts";
import { given } from "../../resource/given.ts";
import { timeAgo } from "../../resource/time.ts";
import { findAdvisory } from "../resolve.ts";
import { EVENT_COLUMNS } from "./columns.ts";
import type { addDefinition } from "./commands.ts";
import { jsonOf } from "./findings.ts";
import { shownEvent } from "./shown.ts";
import { typeOf } from "./types.ts";

export const run: Run<typeof addDefinition> = async (context, args) => {
  const { time, issue, findings } = args;
  const advisoryEvent = create(advisoriesV1.AdvisoryEventSchema, {
    type: typeOf(args) as advisoriesV1.AdvisoryEvent["type"],
    ...given({
      timestamp: time === undefined ? undefined : timeAgo("--time", time),
      issue,
      findings: findings === undefined ? undefined : jsonOf(findings),
    }),
  });
  const { uid: parentId, advisoryId } = await findAdvisory(context, args.advisory);
  const client = (await context.client()).advisoriesV1;
  const { signal } = context;
  const { id } = await client.createAdvisoryEvent({ parentId, advisoryEvent }, { signal });
  context.err.note(`added an event to ${advisoryId}, which waits for a review`);
  await context.out.one(await shownEvent(context, id), EVENT_COLUMNS);
};
