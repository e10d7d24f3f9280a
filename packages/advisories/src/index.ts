/**
 * Advisory formats: read/ parses documents, publish/ writes them, source/ finds them in files and archives. The
 * package knows neither server nor store; this entry point has what needs no parser.
 */
export { advisoryIdOf } from "./advisory-id.ts";
export { isArtifactType } from "./artifact-types.ts";
export { isPackageUrl } from "./package-url.ts";
export * from "./publish/index.ts";
