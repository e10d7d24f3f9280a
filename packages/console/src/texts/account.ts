export const accountTexts = {
  sessions: "Sessions",
  current: "this one",
  end: "End",
  ended: "The session was ended.",
  manage: "Password and passkeys",
  manageText: "They are managed on a page of their own, which asks you to sign in again.",
  empty: "No session",
  emptyText: "You are signed in nowhere else.",
} as const;
