import { type ApiPart, parameter, type Schema, schemaRef, text } from "../part.ts";
import { COMMON_ERRORS, jsonResponse, protocolError } from "../responses.ts";

const TAGS = ["Registry"];
const SECURITY = [{}, { registryToken: [] }, { basic: [] }];
const BASE = "/v2/{repository}";
const INDEX = "application/vnd.oci.image.index.v1+json";
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const BYTES = "application/octet-stream";

const REPOSITORY = parameter("path", "repository", "Path of the repository, with slashes.");
const DIGEST = parameter("path", "digest", "Digest: `sha256:` or `sha512:`, and hex.");
const UPLOAD = parameter("path", "upload", "Id of the upload.");
const REFERENCE = parameter("path", "reference", "Tag or digest.");
const BLOB_DIGEST = parameter("query", "digest", "Digest that the blob must have.");

const JSON_ERROR = ["application/json", "RegistryErrors"] as const;
const UNAUTHORIZED = protocolError("Credentials are required or invalid:", JSON_ERROR, [
  "UNAUTHORIZED",
]);

type Codes = Readonly<Record<string, readonly string[]>>;

/** Of reads in repositories whose images come from an upstream that fails. */
const UPSTREAM_CODES: Codes = {
  "409": ["DENIED"],
  "502": ["UNKNOWN"],
  "503": ["UNAVAILABLE"],
  "504": ["UNAVAILABLE"],
};

/** Codes of the specification beside those that every operation has, by status. */
const MANIFEST_CODES: Codes = { "400": ["DIGEST_INVALID"], "404": ["MANIFEST_UNKNOWN"] };
const BLOB_CODES: Codes = { "400": ["DIGEST_INVALID"], "404": ["BLOB_UNKNOWN"] };
const UPLOAD_CODES: Codes = {
  "400": ["BLOB_UPLOAD_INVALID", "DIGEST_INVALID", "SIZE_INVALID"],
  "404": ["BLOB_UPLOAD_UNKNOWN"],
  "416": ["RANGE_INVALID"],
};
const CODES: Readonly<Record<string, Codes>> = {
  registryTags: { ...UPSTREAM_CODES, "400": ["SIZE_INVALID"] },
  registryReferrers: { ...UPSTREAM_CODES, "400": ["DIGEST_INVALID"] },
  registryGetManifest: { ...UPSTREAM_CODES, ...MANIFEST_CODES },
  registryPutManifest: {
    "400": ["DIGEST_INVALID", "MANIFEST_INVALID"],
    "404": ["MANIFEST_BLOB_UNKNOWN", "MANIFEST_UNKNOWN"],
    "409": ["DENIED"],
    "413": ["SIZE_INVALID"],
  },
  registryDeleteManifest: MANIFEST_CODES,
  registryGetBlob: {
    ...UPSTREAM_CODES,
    ...BLOB_CODES,
    "416": ["RANGE_INVALID"],
    "500": ["UNKNOWN"],
  },
  registryDeleteBlob: { ...BLOB_CODES, "405": ["UNSUPPORTED"] },
  registryStartUpload: UPLOAD_CODES,
  registryUploadProgress: UPLOAD_CODES,
  registryContinueUpload: UPLOAD_CODES,
  registryFinishUpload: UPLOAD_CODES,
  registryCancelUpload: UPLOAD_CODES,
};

function errorsOf(operationId: string): Schema {
  const codes = CODES[operationId] ?? {};
  const all: Codes = {
    ...codes,
    "400": ["DENIED", "NAME_INVALID", ...(codes["400"] ?? [])],
    "401": ["UNAUTHORIZED"],
    "403": ["DENIED"],
    "404": ["NAME_UNKNOWN", ...(codes["404"] ?? [])],
  };
  const responses = Object.entries(all).map(([status, reasons]) => [
    status,
    protocolError("The request is rejected:", JSON_ERROR, reasons),
  ]);
  return { ...Object.fromEntries(responses), ...COMMON_ERRORS };
}

const LOCATION = { Location: { description: "Where it is.", schema: { type: "string" } } };

function operation(
  operationId: string,
  summary: string,
  description: string,
  parameters: readonly Schema[],
  responses: Schema,
  more: Schema = {},
): Schema {
  return {
    operationId,
    summary,
    description,
    tags: TAGS,
    security: SECURITY,
    parameters: [REPOSITORY, ...parameters],
    ...more,
    responses: { ...responses, ...errorsOf(operationId) },
  };
}

function bytes(description: string): Schema {
  return { description, content: { [BYTES]: { schema: { type: "string", format: "binary" } } } };
}

const chunk = (required: boolean): Schema => ({
  requestBody: { required, content: { [BYTES]: { schema: { type: "string", format: "binary" } } } },
});

const done = (status: string, description: string): Schema => ({
  [status]: { description, headers: LOCATION },
});

const BASE_OPERATION: Schema = {
  operationId: "registryBase",
  summary: "Check the registry",
  description: "Whether this is a registry, and how to authenticate (`WWW-Authenticate`).",
  tags: TAGS,
  security: SECURITY,
  responses: {
    "200": jsonResponse("The credentials are valid.", { type: "object" }),
    "401": UNAUTHORIZED,
    ...COMMON_ERRORS,
  },
};

/** The OCI distribution API of the registry of this server. */
export const DISTRIBUTION_PART: ApiPart = {
  tags: [
    {
      name: "Registry",
      description:
        "The registry of this server: the OCI distribution API, for clients such as Docker.",
    },
  ],
  paths: {
    "/v2": { get: BASE_OPERATION },
    [`${BASE}/tags/list`]: {
      get: operation(
        "registryTags",
        "List tags of a repository",
        "Lists the tags in the order of their bytes. `Link` leads to the next page.",
        [
          parameter("query", "n", "Results per page.", { schema: { type: "integer", minimum: 0 } }),
          parameter("query", "last", "Last tag of the previous page."),
        ],
        { "200": jsonResponse("A page of tags.", schemaRef("RegistryTagList")) },
      ),
    },
    [`${BASE}/referrers/{digest}`]: {
      get: operation(
        "registryReferrers",
        "List referrers",
        "Lists the manifests that are attached to a digest, which need not exist.",
        [
          DIGEST,
          parameter("query", "artifactType", "Type of the manifests to list."),
          parameter("query", "last", "Last digest of the previous page."),
        ],
        {
          "200": {
            description: "An index of the manifests.",
            content: { [INDEX]: { schema: schemaRef("OciManifest") } },
          },
        },
      ),
    },
    [`${BASE}/manifests/{reference}`]: {
      get: operation("registryGetManifest", "Get manifest", "Returns a manifest.", [REFERENCE], {
        "200": {
          description: "The manifest, with its own media type.",
          content: { [MANIFEST]: { schema: schemaRef("OciManifest") } },
        },
      }),
      put: operation(
        "registryPutManifest",
        "Push manifest",
        "Stores a manifest whose blobs exist, and moves the tag to it.",
        [REFERENCE],
        done("201", "Stored."),
        {
          requestBody: {
            required: true,
            content: Object.fromEntries(
              [MANIFEST, INDEX].map((type) => [type, { schema: schemaRef("OciManifest") }]),
            ),
          },
        },
      ),
      delete: operation(
        "registryDeleteManifest",
        "Delete manifest or tag",
        "Deletes a tag, or a manifest with all its tags.",
        [REFERENCE],
        { "202": { description: "Deleted." } },
      ),
    },
    [`${BASE}/blobs/{digest}`]: {
      get: operation(
        "registryGetBlob",
        "Get blob",
        "Returns a blob, or a range of it.",
        [DIGEST, parameter("header", "Range", "The bytes to return, such as `bytes=0-99`.")],
        { "200": bytes("The blob."), "206": bytes("The range.") },
      ),
      delete: operation("registryDeleteBlob", "Delete blob", "Deletes a blob.", [DIGEST], {
        "202": { description: "Deleted." },
      }),
    },
    [`${BASE}/blobs/uploads`]: {
      post: operation(
        "registryStartUpload",
        "Start upload",
        "Starts an upload. With `digest` and a body, or with `mount`, the blob is complete at once.",
        [
          BLOB_DIGEST,
          parameter("query", "mount", "Digest of a blob of another repository."),
          parameter("query", "from", "Path of that repository."),
        ],
        { ...done("201", "The blob is stored."), ...done("202", "The upload has started.") },
        chunk(false),
      ),
    },
    [`${BASE}/blobs/uploads/{upload}`]: {
      get: operation(
        "registryUploadProgress",
        "Get upload",
        "Returns in `Range` the bytes that have arrived.",
        [UPLOAD],
        done("204", "The upload."),
      ),
      patch: operation(
        "registryContinueUpload",
        "Upload chunk",
        "Appends a chunk.",
        [
          UPLOAD,
          parameter("header", "Content-Range", "The position of the chunk, such as `0-99`."),
        ],
        done("202", "The chunk is stored."),
        chunk(true),
      ),
      put: operation(
        "registryFinishUpload",
        "Finish upload",
        "Appends the last chunk, if there is one, and stores the blob.",
        [UPLOAD, { ...BLOB_DIGEST, required: true }],
        done("201", "The blob is stored."),
        chunk(false),
      ),
      delete: operation(
        "registryCancelUpload",
        "Cancel upload",
        "Discards what has arrived.",
        [UPLOAD],
        { "204": { description: "Discarded." } },
      ),
    },
  },
  schemas: {
    RegistryTagList: {
      type: "object",
      description: "A page of tags.",
      required: ["name", "tags"],
      properties: {
        name: text("Path of the repository."),
        tags: { type: "array", items: { type: "string" }, description: "Names of tags." },
      },
    },
    OciManifest: {
      type: "object",
      description: "A manifest or an index of the OCI image specification.",
      required: ["schemaVersion"],
      properties: {
        schemaVersion: { type: "integer", description: "Always 2." },
        mediaType: text("Its media type."),
      },
      additionalProperties: true,
    },
  },
};
