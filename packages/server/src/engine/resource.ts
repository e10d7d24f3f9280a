import {
  clone,
  type DescMessage,
  type DescMethod,
  fromBinary,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { fieldBehavior, rootOf, rulesOf } from "@wharf/contract";
import type { EventBody } from "../rpc/call.ts";
import { messageToJson } from "../rpc/json.ts";
import type { Reader } from "../store/db/connection.ts";
import { indexable } from "../store/resources/indexable.ts";
import type { Filter } from "../store/resources/query.ts";
import { ResourceTable } from "../store/resources/resource-table.ts";
import type { EncodedRow, ResourceRow } from "../store/resources/rows.ts";
import type { Term } from "../store/resources/terms/terms.ts";
import type { ResourceDefinition, ResourceMessage, TermDefinition } from "./definition.ts";
import type { TreeShape } from "./list/ranges.ts";
import { FieldRemover, schemaFingerprint } from "./shape.ts";

const OUTPUT_ONLY = new FieldRemover((field) => fieldBehavior(field).outputOnly);

const SECRETS = new FieldRemover((field) => {
  return (rulesOf(field)?.secret ?? false) || fieldBehavior(field).inputOnly;
});

type Verb = "Create" | "Update" | "Delete";

/** A copy of a message without the fields that the contract marks as secret or input-only. */
export function withoutSecrets<R extends Message>(schema: DescMessage, message: R): R {
  if (!SECRETS.appliesTo(schema)) return message;
  const copy = clone(schema, message) as Message as R;
  SECRETS.clear(schema, copy);
  return copy;
}

/** A definition with its table, and the mapping between messages and rows. */
export class Resource<R extends ResourceMessage = ResourceMessage> {
  readonly definition: ResourceDefinition<R>;
  readonly table: ResourceTable;
  readonly tree: TreeShape;
  /** The type's name in errors. */
  readonly typeName: string;
  /** The fingerprint of the schema that rows are encoded with. */
  readonly encoding: number;
  readonly #methods: Partial<Record<Verb, DescMethod>> = {};

  constructor(definition: ResourceDefinition<R>) {
    this.definition = definition;
    this.typeName = definition.schema.name;
    this.encoding = schemaFingerprint(definition.schema);
    const { tree = {}, index = {} } = definition;
    const { isScope = false, uidIsParent = false, rootsAreShared = false } = tree;
    this.tree = { isScope, uidIsParent, rootsAreShared };
    this.table = new ResourceTable({
      name: definition.table,
      isScope,
      hasChildren: (isScope || tree.hasChildren) ?? false,
      uidIsParent,
      uniqueNames: tree.uniqueNames ?? false,
      orderedByName: index.nameOf === undefined,
      isInGroups: index.partitions?.spanGroups ?? false,
      ...(index.partitions ? { partitions: index.partitions.all } : {}),
      childOrders: index.childOrders ?? [],
      hasTerms: index.terms !== undefined,
      ...(definition.grantsOf === undefined ? {} : { grantsOf: definition.grantsOf }),
      indexes: index.columns ?? [],
      filterColumns: (index.filters ?? []).flatMap(({ column, type, sparse = false }) =>
        type === "common" ? [] : [{ name: column, type, sparse }],
      ),
      filtersOf: (data) => this.#filtersOf(fromBinary(definition.schema, data)),
    });
  }

  /** The plural in messages. */
  get plural(): string {
    return this.definition.table.replaceAll("_", " ");
  }

  /** A standard method of its service. */
  method(verb: Verb): DescMethod {
    this.#methods[verb] ??= this.#findMethod(verb);
    return this.#methods[verb];
  }

  #findMethod(verb: Verb): DescMethod {
    const { service, schema } = this.definition;
    const method = service.methods.find((one) => one.name === `${verb}${schema.name}`);
    if (method === undefined) throw new Error(`${service.typeName} has no ${verb}${schema.name}`);
    return method;
  }

  eventBody(row: ResourceRow): EventBody {
    const { schema, eventFields } = this.definition;
    const json = row.json || messageToJson(schema, this.fromRow(row));
    if (eventFields === undefined) return { type: schema.typeName, json };
    const whole = JSON.parse(json) as Record<string, unknown>;
    const fields = eventFields.map((field) => [field, whole[field]]);
    return { type: schema.typeName, json: JSON.stringify(Object.fromEntries(fields)) };
  }

  /** The resource as it is stored. Rows have no secrets, so no response made from one can have any. */
  withoutSecrets(resource: R): R {
    return withoutSecrets(this.definition.schema, resource);
  }

  toRow(resource: R): ResourceRow {
    const { schema, index = {}, hydrate, storesJson } = this.definition;
    const { terms, partitions, nameOf } = index;
    const stored = this.withoutSecrets(resource);
    return {
      uid: resource.uid,
      parent: this.table.parentOf(resource.uid),
      root: rootOf(resource.uid),
      name: nameOf?.(resource) ?? resource.name ?? "",
      created: msOf(resource.createTime),
      updated: msOf(resource.updateTime),
      encoding: this.encoding,
      data: toBinary(schema, stored),
      // Hydrated responses are made from the data.
      json: hydrate === undefined || storesJson ? messageToJson(schema, stored) : "",
      ...(partitions ? { partition: partitions.of(resource) } : {}),
      filters: this.#filtersOf(resource),
      ...(terms ? { terms: terms.flatMap((one) => termsOf(one, resource)) } : {}),
    };
  }

  #filtersOf(resource: R): Record<string, string | number> {
    const { filters = [] } = this.definition.index ?? {};
    const values: Record<string, string | number> = {};
    for (const { column, of } of filters) if (of) values[column] = of(resource);
    return values;
  }

  fromRow(row: EncodedRow): R {
    return fromBinary(this.definition.schema, row.data);
  }

  async find(reader: Reader, uid: string): Promise<R | undefined> {
    const row = await this.table.find(reader, uid, "data");
    return row && this.fromRow(row);
  }

  /** The resources of these uids that exist, by uid. */
  async findMany(reader: Reader, uids: Iterable<string>): Promise<Map<string, R>> {
    const rows = await this.table.findMany(reader, [...new Set(uids)]);
    return new Map(rows.map((row) => [row.uid, this.fromRow(row)]));
  }

  /** The resources with a value in a sparse column, in its order. */
  async marked(reader: Reader, column: string, limit: number): Promise<R[]> {
    return (await this.table.marked(reader, column, limit)).map((row) => this.fromRow(row));
  }

  /** The resources with a value in a column. No stored text has NUL, which PostgreSQL rejects. */
  async where(reader: Reader, filter: Filter): Promise<R[]> {
    if (typeof filter.value === "string" && filter.value.includes("\0")) return [];
    return (await this.table.where(reader, filter)).map((row) => this.fromRow(row));
  }

  /** The resources with one of these texts in a column. */
  async whereIn(reader: Reader, column: string, values: readonly string[]): Promise<R[]> {
    return (await this.table.whereIn(reader, column, values)).map((row) => this.fromRow(row));
  }

  /** A new resource from a caller's input: output-only fields are cleared, times are set. */
  fromInput(input: R, now: number, keepsOutputOnly = false): R {
    const { schema } = this.definition;
    const created = clone(schema, input);
    if (!keepsOutputOnly) OUTPUT_ONLY.clear(schema, created);
    created.createTime = timestampFromMs(now);
    created.updateTime = timestampFromMs(now);
    return created;
  }
}

function termsOf<R>({ kind, of, isSearched = false }: TermDefinition<R>, resource: R): Term[] {
  return of(resource).map((value) => {
    const text = String(value);
    return { kind, value: indexable(text), ...(isSearched ? { searched: text } : {}) };
  });
}

function msOf(time: ResourceMessage["createTime"]): number {
  return time === undefined ? 0 : timestampMs(time);
}
