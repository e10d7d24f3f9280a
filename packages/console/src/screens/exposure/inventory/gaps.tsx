import type { PlatformInventoryJson } from "@wharf/contract/messages";
import { gapsOf } from "./state-text.ts";

/** A note of what is not known of the packages of an image; of one among several, with its platform. */
export function Gaps({
  inventory,
  isOneOfMany = false,
}: {
  readonly inventory: PlatformInventoryJson | undefined;
  readonly isOneOfMany?: boolean;
}) {
  const gaps = gapsOf(inventory);
  if (gaps.length === 0) return null;
  return (
    <div className="note" role="status">
      {isOneOfMany && <strong>{inventory?.platform}</strong>}
      {gaps.map((gap) => (
        <p key={gap}>{gap}</p>
      ))}
    </div>
  );
}
