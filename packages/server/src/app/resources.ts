import { RESOURCES as IAM } from "../iam/resources.ts";
import { RESOURCES as REGISTRY } from "../registry/resources.ts";
import { RESOURCES as VULNERABILITIES } from "../vulnerabilities/resources.ts";

/** Every resource of the contract, part by part. */
export const RESOURCES = { ...IAM, ...REGISTRY, ...VULNERABILITIES };
