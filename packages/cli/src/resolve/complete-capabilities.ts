/** The names of capabilities, for the shell to complete. Loaded only when it does. */
export async function completeCapabilities(): Promise<string[]> {
  const { CAPABILITIES, namesOf } = await import("./capabilities.ts");
  return namesOf(CAPABILITIES);
}
