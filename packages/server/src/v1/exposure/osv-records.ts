import { fromJson, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { argosOsvV1 } from "@wharf/contract/v1";
import { objectsIn, textsIn } from "../../lib/json-values.ts";

const { OSVRecordSchema } = argosOsvV1;

/** An OSV document as the message of the contract, which has some of its members. */
export function recordOf(document: JsonObject): argosOsvV1.OSVRecord {
  const { id, schema_version, summary, details, aliases, severity, published } = document;
  const { modified, related, withdrawn } = document;
  const affected = objectsIn<JsonValue>(document.affected).map(affectedOf);
  const references = objectsIn<JsonValue>(document.references).map(({ type, url }) =>
    present({ type, url }),
  );
  const record = present({ id, schema_version, summary, details, published, modified, withdrawn });
  const json = {
    ...record,
    ...present({ aliases: textsIn(aliases), related: textsIn(related) }),
    severity: objectsIn<JsonValue>(severity).map(({ type, score }) => present({ type, score })),
    ...{ affected, references },
  };
  return fromJson(OSVRecordSchema, json, { ignoreUnknownFields: true });
}

function affectedOf(entry: JsonObject): JsonObject {
  const [named = {}] = objectsIn<JsonValue>([entry.package ?? null]);
  const { ecosystem, name, purl } = named;
  const [own = {}] = objectsIn<JsonValue>([entry.database_specific ?? null]);
  const cwes = textsIn(own.cwe_ids);
  const [specific] = objectsIn<JsonValue>([entry.ecosystem_specific ?? null]);
  return {
    package: present({ ecosystem, name, purl }),
    versions: textsIn(entry.versions),
    ranges: objectsIn<JsonValue>(entry.ranges).map(({ type, repo, events }) => ({
      ...present({ type, repo }),
      // A message has one of the events of an object.
      events: objectsIn<JsonValue>(events).flatMap((event) =>
        Object.entries(event).map(([kind, version]): JsonObject => ({ [kind]: String(version) })),
      ),
    })),
    ...(specific && { ecosystem_specific: specific }),
    ...(cwes.length > 0 && { database_specific: { cwe_ids: cwes } }),
  };
}

function present(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const set = Object.entries(members).filter(([, value]) => value !== undefined && value !== "");
  return Object.fromEntries(set) as JsonObject;
}
