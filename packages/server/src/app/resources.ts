import { RESOURCES as IAM } from "../iam/resources.ts";
import { RESOURCES as REGISTRY } from "../registry/resources.ts";
import { RESOURCES as VULNERABILITIES } from "../vulnerabilities/resources.ts";

/** Every resource of the contract, area by area. */
export const RESOURCES = { ...IAM, ...REGISTRY, ...VULNERABILITIES };

type Resources = typeof RESOURCES;

declare module "../engine/catalog.ts" {
  interface Catalog extends Resources {}
}
