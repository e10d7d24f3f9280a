export const auditTexts = {
  method: "Action",
  methodHint: "such as *RoleBinding*",
  actor: "Identity uid",
  outcome: "Outcome",
  outcomes: { succeeded: "succeeded", failed: "failed" },
  empty: "No entry",
  emptyText: "Nothing matches these filters.",
  ok: "succeeded",
  failed: "failed",
  system: "the service",
} as const;
