/**
 * The descriptors that server reflection returns, by file, symbol or extension.
 *
 * Each alias of a service has a generated file that declares the service under that name with the original
 * messages, so that clients can call it by any name.
 */
import type { DescExtension, DescFile, DescMessage, DescService } from "@bufbuild/protobuf";
import { create, toBinary } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import type { FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import { FileDescriptorProtoSchema, ServiceDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { serviceNames } from "@wharf/contract";

export class Descriptors {
  readonly #files = new Map<string, Uint8Array>();
  readonly #dependencies = new Map<string, readonly string[]>();
  /** Symbol → name of the file that declares it. */
  readonly #symbols = new Map<string, string>();
  /** Extended message → extension number → file name. */
  readonly #extensions = new Map<string, Map<number, string>>();
  readonly #services: string[] = [];

  constructor(services: Iterable<DescService>) {
    for (const service of services) {
      this.#addFile(service.file);
      for (const name of serviceNames(service)) {
        this.#services.push(name);
        if (name !== service.typeName) this.#addAlias(service, name);
      }
    }
    this.#services.sort();
  }

  /** All names of all services. */
  get services(): readonly string[] {
    return this.#services;
  }

  /** A file and its transitive dependencies; each file comes before its dependencies. */
  file(name: string): Uint8Array[] | undefined {
    if (!this.#files.has(name)) return undefined;
    const names = new Set<string>();
    this.#visit(name, names);
    return [...names].reverse().map((each) => this.#files.get(each) as Uint8Array);
  }

  containing(symbol: string): Uint8Array[] | undefined {
    const name = this.#symbols.get(symbol);
    return name === undefined ? undefined : this.file(name);
  }

  extension(typeName: string, number: number): Uint8Array[] | undefined {
    const name = this.#extensions.get(typeName)?.get(number);
    return name === undefined ? undefined : this.file(name);
  }

  /** The extension numbers of a message; undefined if the message is unknown. */
  extensionNumbers(typeName: string): number[] | undefined {
    const numbers = this.#extensions.get(typeName);
    if (numbers) return [...numbers.keys()].sort((a, b) => a - b);
    return this.#symbols.has(typeName) ? [] : undefined;
  }

  /** Adds the dependencies of a file, then the file. */
  #visit(name: string, names: Set<string>): void {
    if (names.has(name)) return;
    for (const dependency of this.#dependencies.get(name) ?? []) this.#visit(dependency, names);
    names.add(name);
  }

  #addFile(file: DescFile): void {
    if (this.#files.has(file.proto.name)) return;
    this.#addProto(file.proto);
    for (const dependency of file.dependencies) this.#addFile(dependency);
    for (const type of nestedTypes(file)) {
      if (type.kind === "extension") this.#addExtension(type);
      else this.#symbols.set(type.typeName, file.proto.name);
      if (type.kind === "message") this.#addMembers(type);
      if (type.kind === "service") {
        for (const method of type.methods) {
          this.#symbols.set(`${type.typeName}.${method.name}`, file.proto.name);
        }
      }
    }
  }

  #addMembers(message: DescMessage): void {
    for (const field of message.fields) {
      this.#symbols.set(`${message.typeName}.${field.name}`, message.file.proto.name);
    }
  }

  #addExtension(extension: DescExtension): void {
    const file = extension.file.proto.name;
    const { typeName } = extension.extendee;
    const numbers = this.#extensions.get(typeName) ?? new Map<number, string>();
    numbers.set(extension.number, file);
    this.#extensions.set(typeName, numbers);
    this.#symbols.set(extension.typeName, file);
  }

  #addAlias(service: DescService, alias: string): void {
    const dot = alias.lastIndexOf(".");
    const name = `wharf/aliases/${alias}.proto`;
    const proto = create(FileDescriptorProtoSchema, {
      name,
      package: alias.slice(0, dot),
      syntax: "proto3",
      dependency: [service.file.proto.name, ...service.file.proto.dependency],
      service: [
        create(ServiceDescriptorProtoSchema, {
          name: alias.slice(dot + 1),
          method: service.proto.method,
        }),
      ],
    });
    this.#addProto(proto);
    this.#symbols.set(alias, name);
    for (const method of service.methods) this.#symbols.set(`${alias}.${method.name}`, name);
  }

  #addProto(proto: FileDescriptorProto): void {
    this.#files.set(proto.name, toBinary(FileDescriptorProtoSchema, proto));
    this.#dependencies.set(proto.name, proto.dependency);
  }
}
