import { advisories } from "./advisories.ts";

/** Every resource of this part of the contract. A new one is added here. */
export const RESOURCES = { advisories };
