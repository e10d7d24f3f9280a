/** Encodes errors as google.rpc.Status: JSON for REST, binary for gRPC trailers. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { create, toBinary } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import { anyPack, DurationSchema } from "@bufbuild/protobuf/wkt";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
  RetryInfoSchema,
} from "@wharf/contract/gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "@wharf/contract/gen/google/rpc/status_pb.js";
import type { ErrorDetail, WharfError } from "../../lib/errors.ts";

/** The detail of an error before its encoding. */
interface TypedDetail<Desc extends DescMessage = DescMessage> {
  readonly schema: Desc;
  readonly fields: Readonly<Record<string, unknown>>;
  /** The fields in JSON, where they differ. */
  readonly json?: Readonly<Record<string, unknown>>;
}

/** The body of a REST error. */
export function statusJson(error: WharfError, domain: string): string {
  return JSON.stringify({
    code: error.number,
    message: error.message,
    details: detailsOf(error, domain).map(({ schema, fields, json = fields }) => ({
      "@type": `type.googleapis.com/${schema.typeName}`,
      ...json,
    })),
  });
}

/** The body of a Connect error. */
export function connectJson(error: WharfError, domain: string): string {
  return JSON.stringify({
    code: error.code === "CANCELLED" ? "canceled" : error.code.toLowerCase(),
    message: error.message,
    details: detailsOf(error, domain).map((detail) => {
      const { typeUrl, value } = pack(detail);
      // Without padding, as the protocol has it.
      const base64 = Buffer.from(value).toString("base64").replace(/=+$/, "");
      const type = typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
      return { type, value: base64, debug: detail.json ?? detail.fields };
    }),
  });
}

/** The value of `grpc-status-details-bin` before base64. */
export function statusBinary(error: WharfError, domain: string): Uint8Array {
  const details = detailsOf(error, domain).map(pack);
  const status = create(StatusSchema, { code: error.number, message: error.message, details });
  return toBinary(StatusSchema, status);
}

function pack({ schema, fields }: TypedDetail): Any {
  return anyPack(schema, create(schema, fields as MessageShape<DescMessage>));
}

/** Every error has an ErrorInfo, which comes first, and those to be retried have a RetryInfo. */
function detailsOf(error: WharfError, domain: string): TypedDetail[] {
  const { detail, retryAfterSeconds } = error;
  const reason = detail !== undefined && "reason" in detail ? detail.reason : error.code;
  const details: TypedDetail[] = [{ schema: ErrorInfoSchema, fields: { reason, domain } }];
  const specific = detail && detailOf(detail, domain);
  if (specific !== undefined) details.push(specific);
  if (retryAfterSeconds !== undefined) details.push(retryInfo(retryAfterSeconds));
  return details;
}

function detailOf(detail: ErrorDetail, domain: string): TypedDetail | undefined {
  if ("badRequest" in detail) {
    const fieldViolations = detail.badRequest.map((v) => ({
      field: v.field,
      description: v.description,
    }));
    return { schema: BadRequestSchema, fields: { fieldViolations } };
  }
  if ("preconditionFailure" in detail) {
    const violations = detail.preconditionFailure.map((v) => ({
      type: v.type,
      ...(v.subject === undefined ? {} : { subject: v.subject }),
      description: v.description,
    }));
    return { schema: PreconditionFailureSchema, fields: { violations } };
  }
  if (!("resourceInfo" in detail)) return undefined;
  const { type, name } = detail.resourceInfo;
  const resource = { resourceType: `${domain}/${type}`, resourceName: name };
  return { schema: ResourceInfoSchema, fields: { ...resource, owner: "", description: "" } };
}

function retryInfo(seconds: number): TypedDetail {
  return {
    schema: RetryInfoSchema,
    fields: { retryDelay: create(DurationSchema, { seconds: BigInt(seconds) }) },
    json: { retryDelay: `${seconds}s` },
  };
}
