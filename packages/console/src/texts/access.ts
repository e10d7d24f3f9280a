export const accessTexts = {
  grant: "Grant access",
  granted: "Access was granted.",
  identity: "Identity",
  role: "Role",
  empty: "Nobody has access here",
  emptyText: "A role binding grants a role to an identity, here and below.",
  here: "here",
  revoke: "Revoke",
  revokeTitle: (who: string, role: string) => `Revoke ${role} from ${who}?`,
  revokeText: "Tokens that were issued already stop working with the next request.",
  revoked: "Access was revoked.",
  unnamed: "(not visible)",
} as const;
