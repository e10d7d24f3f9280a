import { readSettings, type Settings } from "../../../src/config/settings.ts";
import { scratchFolder } from "./scratch-folder.ts";

/**
 * Settings of a test, with a data directory of its own unless the flags name one: the default is that of the
 * person who runs the tests. `npm run check` rejects tests that read settings in another way.
 */
export function testSettings(flags: readonly string[]): Promise<Settings> {
  return readSettings(["--data", scratchFolder("wharf-data-"), ...flags], {});
}
