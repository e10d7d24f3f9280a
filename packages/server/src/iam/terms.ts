import { create } from "@bufbuild/protobuf";
import {
  type AcceptTermsRequest,
  ListTermsAcceptancesResponseSchema,
  TermsService,
} from "@wharf/contract";
import { invalidArgument, notFound } from "../lib/errors.ts";
import type { HandlerRegistry } from "../rpc/handler-registry.ts";
import { messageReply } from "../rpc/reply.ts";

/** Binds the methods of TermsService, which clients of the public contract call: there are no terms to accept. */
export function registerTerms(handlers: HandlerRegistry): void {
  const { acceptTerms, listTermsAcceptances } = TermsService.method;
  handlers.bind(acceptTerms, async (_call, message) => {
    const [document] = (message as AcceptTermsRequest).documentIds;
    if (document === undefined)
      throw invalidArgument({ field: "documentIds", description: "documentIds is required" });
    throw notFound("Document", document);
  });
  handlers.bind(listTermsAcceptances, async () =>
    messageReply(ListTermsAcceptancesResponseSchema, create(ListTermsAcceptancesResponseSchema)),
  );
}
