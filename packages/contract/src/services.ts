/** The services of the contract and their names on the wire. */
import { type DescService, getOption } from "@bufbuild/protobuf";
import { also_known_as } from "../gen/wharf/annotations/annotations_pb.js";

export { SERVICES } from "../gen/services.ts";

/**
 * Every full name that a service answers to over gRPC: its own, the ones that existing clients use,
 * and each of these in version 2 without the beta.
 *
 * @example serviceNames(GroupsService)
 * // ["wharf.iam.v2beta1.GroupsService", "chainguard.platform.iam.v2beta1.GroupsService",
 * //  "wharf.iam.v2.GroupsService", "chainguard.platform.iam.v2.GroupsService"]
 */
export function serviceNames(service: DescService): string[] {
  const names = [service.typeName, ...getOption(service, also_known_as)];
  const stable = names.map((name) => name.replace(".v2beta1.", ".v2."));
  return [...new Set([...names, ...stable])];
}
