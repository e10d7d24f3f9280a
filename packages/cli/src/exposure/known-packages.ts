import { setTimeout as sleep } from "node:timers/promises";
import type { PlatformInventory } from "@wharf/client";
import { InventoryState } from "@wharf/contract";
import type { Context } from "../context.ts";
import { failed } from "../errors.ts";
import { wordOf } from "./columns.ts";
import type { NamedImage } from "./image-argument.ts";

/** The packages of an image are read within seconds of its push, unless there is a queue. */
const MAX_WAIT_MS = 120_000;
const POLL_MS = 500;

const { KNOWN, WAITING } = InventoryState;

/** Warns of images without known packages: their lists are empty, which does not mean that nothing affects them. */
export async function warnOfUnknownPackages(context: Context, image: NamedImage): Promise<void> {
  for (const one of await platformsOf(context, image)) {
    if (one.state !== KNOWN) context.err.warn(describe(one));
  }
}

/** Waits until the packages of an image are read, and fails if they cannot be: an unknown image passes no check. */
export async function requireKnownPackages(
  context: Context,
  image: NamedImage,
  name: string,
): Promise<void> {
  const isRead = ({ state }: PlatformInventory) => state !== WAITING;
  const platforms = await waitForPackages(context, image, name, isRead);
  const unknown = platforms.find(({ state }) => state !== KNOWN);
  if (unknown === undefined && platforms.length > 0) return;
  const reason = unknown === undefined ? "it has no images" : describe(unknown);
  throw failed(
    `cannot check ${name}: ${reason}`,
    `attach an SBOM, or upload one with \`wharf sbom upload ${name} FILE\``,
  );
}

/** Waits until all platforms of an image are in a state, or for the longest time. */
export function waitForPackages(
  context: Context,
  image: NamedImage,
  name: string,
  isReady: (one: PlatformInventory) => boolean,
): Promise<PlatformInventory[]> {
  return context.progress(`waiting for the packages of ${name}`, async () => {
    const deadline = Date.now() + MAX_WAIT_MS;
    for (;;) {
      const found = await platformsOf(context, image);
      if (Date.now() > deadline || found.every(isReady)) return found;
      await sleep(POLL_MS, undefined, { signal: context.signal });
    }
  });
}

async function platformsOf(context: Context, image: NamedImage): Promise<PlatformInventory[]> {
  const { inventory } = await context.client();
  return (await inventory.getImage(image, { signal: context.signal })).platforms;
}

const TEXTS: Readonly<Record<number, string>> = {
  [WAITING]: "have not been read yet",
  [InventoryState.NONE]: "are unknown: there is no SBOM, and no database of packages in the layers",
};

/** The state of an image whose packages are not known, as a clause. */
export function describe({ platform, state, description }: PlatformInventory): string {
  const text = TEXTS[state] ?? `are unknown (${wordOf(InventoryState, state)})`;
  const reason = description === "" || state === InventoryState.NONE ? "" : `: ${description}`;
  return `the packages for ${platform || "its platform"} ${text}${reason}`;
}
