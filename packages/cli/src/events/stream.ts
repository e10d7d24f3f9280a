import { createHmac } from "node:crypto";
import { toJson } from "@bufbuild/protobuf";
import type { Event } from "@wharf/client";
import { EventSchema } from "@wharf/contract";
import type { Run } from "../command/types.ts";
import type { Context } from "../context.ts";
import { usageError } from "../errors.ts";
import { resolveGroup } from "../resolve/groups.ts";
import { resumed } from "../resumed-stream.ts";
import type { listenDefinition, tailDefinition } from "./commands.ts";
import { filterFields } from "./run.ts";

type Request = { readonly group: string } & Awaited<ReturnType<typeof filterFields>>;

export const tail: Run<typeof tailDefinition> = async (context, args) => {
  const { uid: group } = await resolveGroup(context, args.parent);
  const request: Request = { group, ...(await filterFields(args)) };
  const print = (event: Event) => {
    if (context.out.format === "json") context.out.json(toJson(EventSchema, event), true);
    else context.out.text(lineOf(context, event));
  };
  let after = args.after ?? "";
  if (after === "") {
    const { events } = await context.client();
    const pageSize = Math.max(1, Math.min(args.last, 200));
    const latest = await events.list(
      { ...request, orderBy: "time desc", pageSize },
      { signal: context.signal },
    );
    after = latest.events[0]?.id ?? "";
    for (const event of latest.events.slice(0, args.last).reverse()) print(event);
  }
  await follow(context, request, after, async (event) => print(event));
};

function lineOf({ out }: Context, event: Event): string {
  if (out.format === "id") return event.id;
  const { time } = toJson(EventSchema, event) as { time: string };
  return [time, event.type, event.subject, event.actor].join("  ");
}

/** Handles every event, also after the stream was lost. */
async function follow(
  context: Context,
  request: Request,
  start: string,
  handle: (event: Event) => Promise<void>,
): Promise<void> {
  const { events } = await context.client();
  const { signal } = context;
  await resumed(context, start, (after) => events.watch({ ...request, after }, { signal }), {
    idOf: ({ id }) => id,
    handle,
  });
}

export const listen: Run<typeof listenDefinition> = async (context, args) => {
  const url = URL.parse(args.forward);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError(`--forward must be an http or https URL, not "${args.forward}"`);
  }
  const { uid: group, name } = await resolveGroup(context, args.parent);
  const request: Request = { group, ...(await filterFields(args)) };
  context.err.note(`forwarding events of ${name} to ${url.href}`);
  await follow(context, request, args.after ?? "", async (event) => {
    const answer = await forward(event, url, args.secret, context.signal);
    context.out.text(`${answer}  ${event.type}  ${event.subject}`);
  });
};

/** Sends an event in the binary mode of CloudEvents. */
async function forward(
  event: Event,
  url: URL,
  secret: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const { data, datacontenttype, ...attributes } = toJson(EventSchema, event) as Record<
    string,
    string
  >;
  const body = JSON.stringify(data);
  const headers: Record<string, string> = { "content-type": datacontenttype ?? "application/json" };
  for (const [name, value] of Object.entries(attributes)) headers[`ce-${name}`] = encodeURI(value);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, ...signature(event.id, body, secret) },
      body,
      signal,
      redirect: "manual",
    });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    signal.throwIfAborted();
    return `failed (${((error as Error).cause as Error | undefined)?.message ?? (error as Error).message})`;
  }
}

/** The headers of Standard Webhooks; none without a secret. */
function signature(id: string, body: string, secret: string | undefined): Record<string, string> {
  if (secret === undefined) return {};
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signed = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signed}`,
  };
}
