/** The services of the contract and their names on the wire. */
import { type DescService, getOption } from "@bufbuild/protobuf";
import { also_known_as } from "../gen/wharf/annotations/annotations_pb.js";
import { cached } from "./cached.ts";

export { SERVICES } from "../gen/services.ts";

/**
 * All full names of a service in gRPC: its own, those that existing clients use (`also_known_as`), and for v2beta1 the
 * same names in v2.
 *
 * @example serviceNames(GroupsService)
 * // ["wharf.iam.v2beta1.GroupsService", "chainguard.platform.iam.v2beta1.GroupsService",
 * //  "wharf.iam.v2.GroupsService", "chainguard.platform.iam.v2.GroupsService"]
 */
export const serviceNames = /* @__PURE__ */ cached((service: DescService): readonly string[] => {
  const names = [service.typeName, ...getOption(service, also_known_as)];
  const stable = names.map((name) => name.replace(".v2beta1.", ".v2."));
  return [...new Set([...names, ...stable])];
});
