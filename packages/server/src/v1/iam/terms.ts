import { TermsService } from "@wharf/contract";
import { termsV1 } from "@wharf/contract/v1";
import { type AdaptedMethod, adapt, type Invoke } from "../adapter.ts";

/** The version 1 methods of terms of use. */
export function termsMethods(invoke: Invoke): AdaptedMethod[] {
  const { acceptTerms, listAccepted } = termsV1.Terms.method;
  return [
    adapt(invoke, {
      method: acceptTerms,
      target: TermsService.method.acceptTerms,
      request: ({ group, documentIds }) => ({ group, documentIds }),
      response: ({ group, documentIds }) => ({ group, documentIds }),
    }),
    adapt(invoke, {
      method: listAccepted,
      target: TermsService.method.listTermsAcceptances,
      request: ({ group }) => ({ group }),
      response: ({ termsAcceptances }) => ({
        items: termsAcceptances.map(({ docId }) => ({ docId })),
      }),
    }),
  ];
}
