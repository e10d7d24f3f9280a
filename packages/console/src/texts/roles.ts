export const roleTexts = {
  builtIn: "built-in",
  custom: "custom",
  empty: "No role here",
  emptyText:
    "Built-in roles are available everywhere. A custom role collects the capabilities that you choose.",
  count: (count: number) => `${count} capabilities`,
} as const;
