/** Server reflection, v1 and v1alpha, which differ in name only. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { ServerReflectionRequest } from "@wharf/contract/gen/grpc/reflection/v1/reflection_pb.js";
import {
  ServerReflection,
  ServerReflectionRequestSchema,
  ServerReflectionResponseSchema,
} from "@wharf/contract/gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionAlpha } from "@wharf/contract/gen/grpc/reflection/v1alpha/reflection_pb.js";
import { Health } from "@wharf/contract/gen/health/v1/health_pb.js";
import { invalidArgument } from "../../../lib/errors.ts";
import type { Descriptors } from "./descriptors.ts";
import type { StreamingMethod } from "./handler.ts";

/** The services beside the contract that every port has. Reflection describes them, too. */
export const SYSTEM_SERVICES = [Health, ServerReflection, ServerReflectionAlpha] as const;

type MessageResponse = NonNullable<
  MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]
>;

const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

/** The methods of both versions by path. Descriptors are loaded on first use. */
export function reflectionMethods(
  descriptors: () => Descriptors,
): [path: string, method: StreamingMethod][] {
  const method: StreamingMethod = (out) => ({
    message(bytes) {
      const request = read(bytes);
      const messageResponse = respond(descriptors(), request);
      const { host: validHost } = request;
      const response = { validHost, originalRequest: request, messageResponse };
      const message = create(ServerReflectionResponseSchema, response);
      out.send(toBinary(ServerReflectionResponseSchema, message));
    },
    end: () => out.finish(),
    closed() {},
  });
  return [ServerReflection, ServerReflectionAlpha].map((service) => [
    `/${service.typeName}/ServerReflectionInfo`,
    method,
  ]);
}

function read(bytes: Uint8Array): ServerReflectionRequest {
  try {
    return fromBinary(ServerReflectionRequestSchema, bytes);
  } catch {
    const description = "the message is not a valid ServerReflectionRequest";
    throw invalidArgument({ field: "", description });
  }
}

function respond(
  descriptors: Descriptors,
  { messageRequest: asked }: ServerReflectionRequest,
): MessageResponse {
  switch (asked.case) {
    case "listServices": {
      const service = descriptors.services.map((name) => ({ name }));
      return { case: "listServicesResponse", value: { service } };
    }
    case "fileByFilename":
      return files(descriptors.file(asked.value), asked.value);
    case "fileContainingSymbol":
      return files(descriptors.containing(asked.value), asked.value);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = asked.value;
      const found = descriptors.extension(containingType, extensionNumber);
      return files(found, `extension ${extensionNumber} of ${containingType}`);
    }
    case "allExtensionNumbersOfType": {
      const extensionNumber = descriptors.extensionNumbers(asked.value);
      if (!extensionNumber) return failure(NOT_FOUND, `${asked.value} is not known here`);
      const value = { baseTypeName: asked.value, extensionNumber };
      return { case: "allExtensionNumbersResponse", value };
    }
    default:
      return failure(UNIMPLEMENTED, "the question is not known here");
  }
}

function files(fileDescriptorProto: Uint8Array[] | undefined, what: string): MessageResponse {
  if (!fileDescriptorProto) return failure(NOT_FOUND, `${what} is not known here`);
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function failure(errorCode: number, errorMessage: string): MessageResponse {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
