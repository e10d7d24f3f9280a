/** A server-sent event. */
export interface ServerSentEvent {
  /** Its type; `message` by default. */
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events as they arrive (HTML Living Standard, 9.2). Comments, and events without data, are skipped.
 *
 * @example for await (const { data } of serverSentEvents(response.chunks())) console.log(JSON.parse(data));
 */
export async function* serverSentEvents(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let buffered = "";
  for await (const chunk of chunks) {
    buffered += decoder.decode(chunk, { stream: true });
    const blocks = buffered.split(/\r?\n\r?\n/);
    buffered = blocks.pop() ?? "";
    for (const block of blocks) {
      const found = readBlock(block);
      if (found !== undefined) yield found;
    }
  }
}

function readBlock(block: string): ServerSentEvent | undefined {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    const value = line.slice(colon + 1).replace(/^ /, "");
    const name = line.slice(0, colon);
    if (name === "event") event = value;
    if (name === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { event, data: data.join("\n") };
}
