export const identityTexts = {
  empty: "No identity here",
  emptyText:
    "An identity lets a workload sign in with the token of its own platform, without a stored secret.",
  kinds: {
    claimMatch: "token claims",
    staticKeys: "static keys",
    awsIdentity: "AWS",
    servicePrincipal: "service",
    person: "person",
  },
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: "Its role bindings are deleted with it, and its tokens stop working.",
  deleted: (name: string) => `${name} was deleted.`,
} as const;
