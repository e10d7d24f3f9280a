import { RegistryFront } from "../registry/proxy.ts";
import { RegistryStorage } from "../registry/storage.ts";
import { type TrackedOptions, TrackedWorld } from "./tracked-registry.ts";

/**
 * A world with a registry behind a proxy that tests control, whose files tests write. Reconcile passes run
 * on demand only.
 */
export class FrontedWorld {
  readonly front: RegistryFront;
  readonly tracked: TrackedWorld;
  readonly storage: RegistryStorage;

  private constructor(front: RegistryFront, tracked: TrackedWorld) {
    this.front = front;
    this.tracked = tracked;
    this.storage = new RegistryStorage(tracked.registry.storage);
  }

  /** @example const { front, tracked, storage } = await FrontedWorld.start({ tells: false }); */
  static async start(options: TrackedOptions): Promise<FrontedWorld> {
    const front = await RegistryFront.start();
    const flags = ["--reconcile-minutes", "0"];
    return new FrontedWorld(front, await TrackedWorld.start({ flags, ...options, front }));
  }

  /** The names of the tags of a repo, by its name. */
  async names(repo: string): Promise<string[]> {
    const uid = (await this.tracked.repo(repo)) as string;
    return (await this.tracked.tags(uid)).map((tag) => tag.name);
  }

  async stop(): Promise<void> {
    await this.tracked.stop();
    this.front.stop();
  }
}
