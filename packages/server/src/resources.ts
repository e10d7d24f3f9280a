import { RESOURCES as IAM } from "./iam/resources.ts";
import { RESOURCES as REGISTRY } from "./registry/resources.ts";

/** Every resource of the contract, part by part. */
export const RESOURCES = { ...IAM, ...REGISTRY };
