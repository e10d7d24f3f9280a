import { randomUUID } from "node:crypto";
import { clone, create, type DescMethod, equals } from "@bufbuild/protobuf";
import { advisoryIdOf } from "@wharf/advisories";
import { type Advisory, AdvisorySchema, advisoriesV1 as v1 } from "@wharf/contract";
import type { ListDeps } from "../../engine/list/lists.ts";
import type { CreateDeps } from "../../engine/write/creates.ts";
import { type FieldViolation, invalidArgument } from "../../lib/errors.ts";
import type { Handler } from "../../rpc/call.ts";
import { EMPTY_REPLY, messageReply } from "../../rpc/reply.ts";
import { validate } from "../../rpc/validate.ts";
import type { Store } from "../../store/db/store.ts";
import { advisories } from "../advisories.ts";
import { newEvent } from "../review.ts";
import { subjectProblems } from "../subject-checks.ts";
import { workIn, writeAdvisory } from "../writer.ts";
import { addEventV1, rejectExcess, rejectInvalidEvent, updateEventV1 } from "./events.ts";
import { listV1 } from "./list.ts";
import { eventFromV1, eventToV1, fromV1, toV1 } from "./messages.ts";

/** The version 1 methods of advisories. */
export function advisoryV1Handlers(deps: CreateDeps & ListDeps): [DescMethod, Handler][] {
  const { method } = v1.Advisories;
  return [
    [method.create, createV1(deps)],
    [method.list, listV1(deps)],
    [method.update, updateV1(deps)],
    [method.delete, deleteV1(deps)],
    [method.createAdvisoryEvent, addEventV1(deps)],
    [method.listAdvisoryEvents, listEventsV1(deps.store)],
    [method.updateAdvisoryEvent, updateEventV1(deps)],
  ];
}

function createV1(deps: CreateDeps): Handler {
  return async (call, message) => {
    validate(v1.CreateAdvisoryRequestSchema, message);
    const { parentId, advisory: input } = message as v1.CreateAdvisoryRequest & {
      advisory: v1.Advisory;
    };
    for (const [number, event] of input.events.entries()) {
      rejectInvalidEvent(event, `advisory.events[${number}].`, call.time, "new");
    }
    const made = fromV1(input);
    rejectInvalidSubject(subjectProblems(input, "advisory."));
    made.advisoryId ||= advisoryIdOf([randomUUID()]);
    made.author = call.caller.uid;
    made.events = input.events.map((event) => newEvent(call.caller.uid, eventFromV1(event)));
    rejectExcess(made.events, "advisory.events");
    const insert = workIn(deps, call, parentId, (writer) => writer.insert(made));
    return deps.creates.write(call, insert, (stored) =>
      messageReply(v1.AdvisorySchema, toV1(stored)),
    );
  };
}

function rejectInvalidSubject(problems: readonly FieldViolation[]): void {
  if (problems.length > 0) throw invalidArgument(...problems);
}

/** Replaces the subject of an advisory; its id, author and events stay. */
function updateV1(deps: CreateDeps): Handler {
  return async (call, message) => {
    const input = message as v1.Advisory;
    if (input.id === "") throw invalidArgument({ field: "id", description: "id is required" });
    const subject = fromV1(input);
    const stored = await writeAdvisory(deps, call, input.id, async (writer, before) => {
      if (subject.advisoryId !== "" && subject.advisoryId !== before.advisoryId) {
        throw invalidArgument({
          field: "advisoryId",
          description: "advisoryId cannot be changed",
        });
      }
      rejectInvalidSubject(subjectProblems(input, "", before));
      const after = replaceSubject(before, subject);
      return equals(AdvisorySchema, before, after) ? before : writer.update(after);
    });
    return messageReply(v1.AdvisorySchema, toV1(stored));
  };
}

function replaceSubject(before: Advisory, subject: Advisory): Advisory {
  const after = clone(AdvisorySchema, subject);
  const { uid, advisoryId, author, events, createTime, updateTime } = before;
  Object.assign(after, { uid, advisoryId, author, events });
  if (createTime) after.createTime = createTime;
  if (updateTime) after.updateTime = updateTime;
  return after;
}

/** Deleting a deleted advisory changes nothing. */
function deleteV1(deps: CreateDeps): Handler {
  return async (call, message) => {
    const { id } = message as v1.DeleteAdvisoryRequest;
    await writeAdvisory(
      deps,
      call,
      id,
      async (writer, before) => {
        if (before.deleteTime === undefined) await writer.delete(before);
      },
      "deleted too",
    );
    return EMPTY_REPLY;
  };
}

function listEventsV1(store: Store): Handler {
  return async (_call, message) => {
    const { parentId } = message as v1.AdvisoryEventFilter;
    const found = await advisories.find(store.reader, parentId);
    const isThere = found !== undefined && found.deleteTime === undefined;
    // Version 1 returns an empty list for an advisory that does not exist.
    const items = isThere ? found.events.map(eventToV1) : [];
    const response = create(v1.AdvisoryEventListSchema, { parentId, items });
    return messageReply(v1.AdvisoryEventListSchema, response);
  };
}
