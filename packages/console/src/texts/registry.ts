export const repoTexts = {
  empty: "No repository here",
  emptyText: "A repository appears with its first push, or when you create it.",
} as const;
