import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

/**
 * The memory in bytes that the process can use: that of its container or machine, or twice the limit of the JavaScript
 * heap, which Node.js sets to about half of the memory unless an operator sets it lower.
 */
export function memoryLimit(): number {
  const container = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(totalmem(), container, 2 * getHeapStatistics().heap_size_limit);
}
