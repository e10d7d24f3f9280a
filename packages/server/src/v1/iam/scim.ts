import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import { IdentityProvidersService } from "@wharf/contract";
import { identityProvidersV1 } from "@wharf/contract/v1";
import { type AdaptedMethod, adapt, type Invoke, type Translation } from "../adapter.ts";
import { wireCompatible } from "../wire-compatible.ts";

const { IdentityProviders } = identityProvidersV1;

const NAMES = { identityProviderUid: "identityProviderId" };

/**
 * The version 1 methods of SCIM provisioning. They differ from version 2 only in the name of one field.
 */
export function scimMethods(invoke: Invoke): AdaptedMethod[] {
  const { method: old } = IdentityProviders;
  const { method: now } = IdentityProvidersService;
  return [
    same(invoke, old.generateScimToken, now.generateScimToken),
    same(invoke, old.regenerateScimToken, now.regenerateScimToken),
    same(invoke, old.revokeScimToken, now.revokeScimToken),
    same(invoke, old.setScimEnabled, now.setScimEnabled),
  ];
}

function same<
  In1 extends DescMessage,
  Out1 extends DescMessage,
  In2 extends DescMessage,
  Out2 extends DescMessage,
>(
  invoke: Invoke,
  method: DescMethodUnary<In1, Out1>,
  target: DescMethodUnary<In2, Out2>,
): AdaptedMethod {
  const [request, response] = [
    wireCompatible(method.input, target.input),
    wireCompatible(target.output, method.output),
  ];
  const translation = { method, target, request, response, names: NAMES };
  return adapt(invoke, translation as Translation<In1, Out1, In2, Out2>);
}
