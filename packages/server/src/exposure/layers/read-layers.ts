import { extname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ChildProgram, FIRST_DESCRIPTOR } from "../../lib/child-program.ts";
import type { FailedInventory, LayerInventory } from "./inventory.ts";
import { failed, LayerChild } from "./layer-child.ts";
import type { LayerAnswer, LayerTask } from "./layer-task.ts";
import { LAYER_LIMITS, type LayerLimits } from "./limits.ts";
import { layerKind } from "./media-types.ts";
import { sandboxed } from "./sandbox.ts";

/** Beside this file, in the sources and in the build. */
const PROGRAM = join(import.meta.dirname, `layer-process${extname(import.meta.filename)}`);

/** The task has the first descriptor. */
const FIRST_LAYER = FIRST_DESCRIPTOR + 1;

/** A layer of an image. */
export interface LayerSource {
  readonly digest: string;
  readonly mediaType: string;
  /**
   * Opens its bytes once the layers below were read; undefined if they are missing. It may be called twice: targets of
   * hard links are known only after all layers.
   */
  readonly content: () => Promise<Readable | undefined>;
}

export interface LayerReaderOptions {
  readonly limits?: Partial<LayerLimits>;
  readonly signal?: AbortSignal;
}

/** Reads the package databases in the layers of images, each image in a process of its own. */
export class LayerReader {
  readonly #program: ChildProgram;

  /** @param program The layer process, or that of a test. */
  constructor(program: ChildProgram = new ChildProgram(PROGRAM)) {
    this.#program = program;
  }

  /**
   * Reads the layers, from the base of the image on. What is wrong with them, and each limit, is an outcome: this rejects
   * only when the signal is aborted.
   */
  async read(
    layers: readonly LayerSource[],
    { limits: changed = {}, signal }: LayerReaderOptions = {},
  ): Promise<LayerInventory> {
    const limits = { ...LAYER_LIMITS, ...changed };
    if (layers.length > limits.layers) {
      return failed("too_many_layers", `${layers.length} layers: more than ${limits.layers}`);
    }
    const unsupported = layers.find(({ mediaType }) => layerKind(mediaType) === "unsupported");
    if (unsupported !== undefined) {
      return failed("unsupported_media_type", unsupported.mediaType, unsupported.digest);
    }
    const first = await this.#read({ layers, linked: [], limits }, signal);
    if (first.outcome === "failed" || first.linked.length === 0) return publicPart(first);
    return publicPart(await this.#read({ layers, linked: first.linked, limits }, signal));
  }

  async #read(image: Image, signal: AbortSignal | undefined): Promise<LayerAnswer> {
    const readable = image.layers.filter(({ mediaType }) => layerKind(mediaType) === "layer");
    signal?.throwIfAborted();
    const child = this.#start(image, readable);
    return child instanceof LayerChild ? await answerOf(child, readable, signal) : child;
  }

  #start(image: Image, readable: readonly LayerSource[]): LayerChild | FailedInventory {
    const { limits } = image;
    const layers = image.layers.map((layer) => ({
      digest: layer.digest,
      isForeign: !readable.includes(layer),
    }));
    try {
      const process = this.#program.start([], {
        env: sandboxed(limits, this.#program.isSource),
        stdout: "pipe",
        stderr: "pipe",
        descriptors: ["pipe", ...readable.map(() => "pipe" as const)],
      });
      const child = new LayerChild(process, limits);
      child.pipe(FIRST_DESCRIPTOR).end(JSON.stringify({ ...image, layers } satisfies LayerTask));
      return child;
    } catch (error) {
      // Out of processes, descriptors or memory.
      return failed("crashed", (error as Error).message);
    }
  }
}

/** An image that is read. */
type Image = Omit<LayerTask, "layers"> & { readonly layers: readonly LayerSource[] };

function publicPart(answer: LayerAnswer): LayerInventory {
  if (answer.outcome === "failed") return answer;
  const { linked: _, ...inventory } = answer;
  return inventory;
}

async function answerOf(
  child: LayerChild,
  layers: readonly LayerSource[],
  signal: AbortSignal | undefined,
): Promise<LayerAnswer> {
  const abort = () => child.kill(failed("killed", "it was aborted"));
  signal?.addEventListener("abort", abort);
  try {
    const [inventory] = await Promise.all([child.answer(), feed(child, layers)]);
    signal?.throwIfAborted();
    return inventory;
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/** Writes the layers, one after the other, as the process reads them. */
async function feed(child: LayerChild, layers: readonly LayerSource[]): Promise<void> {
  for (const [index, { content, digest }] of layers.entries()) {
    if (child.hasEnded) return;
    const problem = await content().then(
      (bytes) => (bytes ? send(bytes, child.pipe(FIRST_LAYER + index)) : "it is not stored"),
      (error: Error) => error.message,
    );
    if (problem !== undefined) child.kill(failed("layer_unavailable", problem, digest));
  }
}

/**
 * Writes bytes to a pipe, which the process closes when it has read enough or has ended. Returns what is wrong with the
 * bytes, which are destroyed before the pipe is closed.
 */
async function send(bytes: Readable, pipe: Writable): Promise<string | undefined> {
  let isPipeClosed = false;
  const onClose = () => (isPipeClosed ||= !bytes.destroyed || bytes.readableEnded);
  pipe.once("error", onClose).once("close", onClose);
  try {
    await pipeline(bytes, pipe);
    return undefined;
  } catch (error) {
    return isPipeClosed ? undefined : (error as Error).message;
  }
}
