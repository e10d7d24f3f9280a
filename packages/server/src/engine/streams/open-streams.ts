import { tooMany, type WharfError } from "../../lib/errors.ts";
import { type Share, type ShareHolder, shareOf } from "../../lib/scheduling/share.ts";

/** A stream that is read, and whether it must end. */
export class OpenStream {
  readonly caller: string;
  readonly share: Share;
  #ended: WharfError | undefined;
  #onEnd: () => void = () => {};

  constructor(holder: ShareHolder) {
    this.caller = holder.caller.uid;
    this.share = shareOf(holder);
  }

  /** The error with which the stream must end. */
  get ended(): WharfError | undefined {
    return this.#ended;
  }

  /** Calls a function when the stream must end. */
  onEnd(notify: () => void): void {
    this.#onEnd = notify;
  }

  end(error: WharfError): void {
    this.#ended = error;
    this.#onEnd();
  }
}

/**
 * The streams of all callers. When there are too many, the newest of the largest holder ends: of the organization or the
 * client network with the most streams and, within it, of the largest share. So a caller with few streams gets another
 * one, whatever the others hold.
 */
export class OpenStreams {
  readonly #max: number;
  readonly #maxPerCaller: number;
  /** The oldest first. */
  readonly #streams = new Set<OpenStream>();

  constructor(max: number, maxPerCaller: number) {
    this.#max = max;
    this.#maxPerCaller = maxPerCaller;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Throws RESOURCE_EXHAUSTED if a new stream would be the one to end. */
  mustAdmit(holder: ShareHolder): void {
    this.#displacedBy(new OpenStream(holder));
  }

  /** Opens a stream. Ends another one if there are too many, or throws RESOURCE_EXHAUSTED. */
  open(holder: ShareHolder): OpenStream {
    const opened = new OpenStream(holder);
    const displaced = this.#displacedBy(opened);
    if (displaced !== undefined) {
      this.#streams.delete(displaced);
      displaced.end(tooMany("the stream was ended in favor of callers with fewer: resume it"));
    }
    this.#streams.add(opened);
    return opened;
  }

  close(stream: OpenStream): void {
    this.#streams.delete(stream);
  }

  #displacedBy(opened: OpenStream): OpenStream | undefined {
    const all = [...this.#streams, opened];
    const own = all.filter(({ caller }) => caller === opened.caller);
    if (own.length > this.#maxPerCaller) throw tooMany("too many streams of yours are open");
    if (all.length <= this.#max) return undefined;
    const holder = largest(all, ({ organization, network }) => [
      ...(organization === "" ? [] : [organization]),
      ...(network === "" ? [] : [network]),
    ]);
    const displaced = largest(holder, ({ key }) => [key]).at(-1) as OpenStream;
    if (displaced === opened) {
      throw tooMany("too many streams of your organization or client network are open");
    }
    return displaced;
  }
}

/** The streams of the holder with the most; among equal ones, of that with the newest. */
function largest(
  streams: readonly OpenStream[],
  holdersOf: (share: Share) => readonly string[],
): readonly OpenStream[] {
  const byOwner = new Map<string, OpenStream[]>();
  for (const stream of streams) {
    for (const holder of holdersOf(stream.share)) {
      const own = byOwner.get(holder);
      if (own === undefined) byOwner.set(holder, [stream]);
      else own.push(stream);
    }
  }
  const most = Math.max(...[...byOwner.values()].map(({ length }) => length));
  const equal = [...byOwner.values()].filter(({ length }) => length === most);
  const byNewest = new Map(equal.map((own) => [own.at(-1), own]));
  return byNewest.get(streams.findLast((stream) => byNewest.has(stream))) ?? [];
}
