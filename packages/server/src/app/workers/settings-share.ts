import { MIN_BODY_MEMORY } from "../../config/schema/network.ts";
import type { Settings } from "../../config/settings.ts";

/**
 * The settings of one worker: limits of the server are divided. Connections of each address go to all workers in turn,
 * so that equal shares add up to the limit.
 */
export function shareOf(settings: Settings): Settings {
  const { workers, maxConnections, maxConnectionsPerAddress, maxBodyMemory } = settings;
  return {
    ...settings,
    maxConnections: Math.ceil(maxConnections / workers),
    maxConnectionsPerAddress: Math.ceil(maxConnectionsPerAddress / workers),
    // Less would not hold the longest message.
    maxBodyMemory: Math.max(MIN_BODY_MEMORY, Math.floor(maxBodyMemory / workers)),
  };
}
