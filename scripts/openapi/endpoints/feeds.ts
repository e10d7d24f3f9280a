import { type ApiPart, parameter, responseRef, type Schema } from "../part.ts";
import { COMMON_ERRORS } from "../responses.ts";

const JSON_TYPE = "application/json";
const ZIP = "application/zip";
const BASE = "/feeds/{group}";

const GROUP = parameter("path", "group", "UID of a group, or its path of names, with slashes.");

/** Public feeds need no credentials. */
const SECURITY = [{}, { bearer: [] }, { basic: [] }];

/** One file of a feed. */
function file(
  path: string,
  operationId: string,
  summary: string,
  type: string,
  description = "Contains the approved advisories of the group and of everything below it.",
  parameters: readonly Schema[] = [],
  responses: Readonly<Record<string, Schema>> = {},
): ApiPart["paths"] {
  const schema = type === JSON_TYPE ? {} : { type: "string" };
  return {
    [`${BASE}/${path}`]: {
      get: {
        operationId,
        summary,
        description,
        tags: ["Feeds"],
        security: SECURITY,
        parameters: [
          GROUP,
          ...parameters,
          parameter("header", "If-None-Match", "`ETag` of a file that the client has."),
        ],
        responses: {
          "200": { description: "The file.", content: { [type]: { schema } } },
          ...responses,
          "304": { description: "The file has not changed." },
          "401": responseRef("Unauthenticated"),
          "403": responseRef("PermissionDenied"),
          "404": responseRef("NotFound"),
          ...COMMON_ERRORS,
        },
      },
    },
  };
}

const one = (name: string, description: string) => parameter("path", name, description);

const ECOSYSTEM = one("ecosystem", "Ecosystem without release, such as Alpine.");
const PACKAGE = "Contains the advisories of one package.";
const CSAF_NAME = [one("year", "Year of the document."), one("document", "Name of the document.")];

/** The advisory feeds that scanners read. */
export const FEEDS_PART: ApiPart = {
  tags: [
    {
      name: "Feeds",
      description:
        "The approved advisories of a group as files for scanners: OSV, secdb, OpenVEX and CSAF.",
    },
  ],
  paths: {
    ...file(
      "osv/all.json",
      "feedOsvIndex",
      "OSV index",
      JSON_TYPE,
      "Ids and times of all records.",
    ),
    ...file("osv/all.zip", "feedOsvArchive", "OSV archive", ZIP),
    ...file("osv/all.tar.gz", "feedOsvTar", "OSV archive (tar)", "application/gzip"),
    ...file(
      "osv/modified_id.csv",
      "feedOsvChanges",
      "OSV changes",
      "text/csv",
      "Times and ids of all records, the last change first.",
    ),
    ...file(
      "osv/{id}.json",
      "feedOsvRecord",
      "OSV record",
      JSON_TYPE,
      "One record: of an advisory that was written here, or of all advisories that were imported from it.",
      [one("id", "Id of the record, or of an advisory.")],
      { "302": { description: "The record that the advisory was imported from (`Location`)." } },
    ),
    ...file(
      "osv/ecosystems.txt",
      "feedOsvEcosystems",
      "OSV ecosystems",
      "text/plain",
      "The ecosystems that have files of their own, one in each line.",
    ),
    ...file(
      "osv/{ecosystem}/all.zip",
      "feedOsvEcosystemArchive",
      "OSV archive of an ecosystem",
      ZIP,
      "The records of the ecosystem, as scanners read them offline.",
      [ECOSYSTEM],
    ),
    ...file(
      "osv/{ecosystem}/modified_id.csv",
      "feedOsvEcosystemChanges",
      "OSV changes of an ecosystem",
      "text/csv",
      "Times and ids of the records of the ecosystem, the last change first.",
      [ECOSYSTEM],
    ),
    ...file(
      "osv/{ecosystem}/{id}.json",
      "feedOsvEcosystemRecord",
      "OSV record of an ecosystem",
      JSON_TYPE,
      "One record with packages of the ecosystem.",
      [ECOSYSTEM, one("id", "Id of the record, or of an advisory.")],
      { "302": { description: "The record that the advisory was imported from (`Location`)." } },
    ),
    ...file("secdb/security.json", "feedSecdb", "secdb", JSON_TYPE),
    ...file(
      "secdb/{architecture}/security.json",
      "feedSecdbArchitecture",
      "secdb of an architecture",
      JSON_TYPE,
      "Contains the approved advisories for one architecture.",
      [one("architecture", "Architecture, such as x86_64.")],
    ),
    ...file("openvex/all.json", "feedOpenVex", "OpenVEX document", JSON_TYPE),
    ...file("openvex/all.zip", "feedOpenVexArchive", "OpenVEX archive", ZIP),
    ...file(
      "openvex/index.json",
      "feedOpenVexIndex",
      "OpenVEX index",
      JSON_TYPE,
      "The packages with a document.",
    ),
    ...file(
      "openvex/vex-repository.json",
      "feedVexRepository",
      "VEX repository",
      JSON_TYPE,
      "The manifest of the VEX repository.",
    ),
    ...file(
      "openvex/.well-known/vex-repository.json",
      "feedVexRepositoryWellKnown",
      "VEX repository (well-known)",
      JSON_TYPE,
      "The manifest of the VEX repository, where scanners look for it.",
    ),
    ...file(
      "openvex/pkg/{type}/{name}/vex.json",
      "feedOpenVexPackage",
      "OpenVEX document of a package",
      JSON_TYPE,
      PACKAGE,
      [one("type", "Type of the package URL."), one("name", "Name of the package.")],
    ),
    ...file(
      "csaf/provider-metadata.json",
      "feedCsafProvider",
      "CSAF provider metadata",
      JSON_TYPE,
      "Where the documents, the keys and the ROLIE feed are.",
    ),
    ...file(
      "csaf/index.txt",
      "feedCsafIndex",
      "CSAF index",
      "text/plain",
      "Paths of all documents.",
    ),
    ...file(
      "csaf/changes.csv",
      "feedCsafChanges",
      "CSAF changes",
      "text/csv",
      "Paths and times of all documents.",
    ),
    ...file("csaf/all.zip", "feedCsafArchive", "CSAF archive", ZIP),
    ...file(
      "csaf/{feed}.json",
      "feedCsafRolie",
      "ROLIE feed",
      JSON_TYPE,
      "The documents as a ROLIE feed.",
      [one("feed", "Name of the feed, as the provider metadata has it.")],
    ),
    ...file(
      "csaf/openpgp/{fingerprint}.asc",
      "feedCsafKey",
      "OpenPGP key",
      "application/pgp-keys",
      "The key that signs the documents.",
      [one("fingerprint", "Fingerprint of the key.")],
    ),
    ...file(
      "csaf/{year}/{document}.json",
      "feedCsafDocument",
      "CSAF document",
      JSON_TYPE,
      PACKAGE,
      CSAF_NAME,
    ),
    ...file(
      "csaf/{year}/{document}.json.{proof}",
      "feedCsafProof",
      "Hash or signature of a CSAF document",
      "text/plain",
      "The hash or the OpenPGP signature of a document.",
      [
        ...CSAF_NAME,
        parameter("path", "proof", "Which one.", {
          schema: { type: "string", enum: ["sha256", "sha512", "asc"] },
        }),
      ],
    ),
  },
};
