import type { PlatformInventoryJson } from "@wharf/contract/messages";
import { useListSearch } from "../../../app/location.ts";
import { inventoryTexts as words } from "../../../texts/inventory.ts";
import { usePlatform } from "./use-inventory.ts";

/** The platforms of an index; nothing of an image. */
export function PlatformChoice({
  platforms,
}: {
  readonly platforms: readonly PlatformInventoryJson[];
}) {
  const [, setSearch] = useListSearch();
  const current = usePlatform(platforms);
  if (platforms.length < 2) return <span />;
  return (
    <label>
      <span>{words.platform}</span>
      <select
        value={current?.platform}
        onChange={({ currentTarget }) => setSearch({ platform: currentTarget.value })}
      >
        {platforms.map(({ platform = "", digest }) => (
          <option key={digest} value={platform}>
            {platform}
          </option>
        ))}
      </select>
    </label>
  );
}
