/**
 * The comments of the proto files, by the full name of what they describe. The generated code has no comments at
 * runtime, and the API description needs them, which is generated from the proto files.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
  type ServiceDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import { tool } from "../step.ts";

// Numbers of the fields of descriptors, of which the paths of source locations consist.
const [MESSAGE, ENUM, SERVICE] = [4, 5, 6];
const [FIELD, NESTED, NESTED_ENUM] = [2, 3, 4];
const [VALUE, METHOD] = [2, 2];

type Comment = readonly [name: string, text: string];

/** The comments of the contract, by full name: `wharf.iam.v2beta1.Group.name`. */
export const COMMENTS: Readonly<Record<string, string>> = await readComments();

async function readComments(): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "wharf-comments-"));
  try {
    const file = join(folder, "descriptors.binpb");
    await tool("buf", "build", "--path", "proto/wharf", "--output", file);
    const set = fromBinary(FileDescriptorSetSchema, readFileSync(file));
    const ours = set.file.filter(({ name }) => /^wharf\/(?!annotations\/)/.test(name));
    return Object.fromEntries(ours.flatMap(commentsOf));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function commentsOf(file: FileDescriptorProto): Comment[] {
  const texts = new Map(
    file.sourceCodeInfo?.location.map(({ path, leadingComments, trailingComments }) => [
      path.join("."),
      textOf(leadingComments || trailingComments),
    ]),
  );
  const comments: Comment[] = [];
  const add = (path: readonly number[], name: string) => {
    const text = texts.get(path.join("."));
    if (text) comments.push([name, text]);
  };
  const addEnum = (desc: EnumDescriptorProto, path: number[], parent: string) => {
    const name = `${parent}.${desc.name}`;
    add(path, name);
    desc.value.forEach((value, n) => {
      add([...path, VALUE, n], `${name}.${value.name}`);
    });
  };
  const addMessage = (desc: DescriptorProto, path: number[], parent: string) => {
    const name = `${parent}.${desc.name}`;
    add(path, name);
    desc.field.forEach((field, n) => {
      add([...path, FIELD, n], `${name}.${field.name}`);
    });
    desc.nestedType.forEach((nested, n) => {
      addMessage(nested, [...path, NESTED, n], name);
    });
    desc.enumType.forEach((nested, n) => {
      addEnum(nested, [...path, NESTED_ENUM, n], name);
    });
  };
  const addService = (desc: ServiceDescriptorProto, path: number[], parent: string) => {
    const name = `${parent}.${desc.name}`;
    add(path, name);
    desc.method.forEach((method, n) => {
      add([...path, METHOD, n], `${name}.${method.name}`);
    });
  };
  const parent = file.package;
  file.messageType.forEach((desc, n) => {
    addMessage(desc, [MESSAGE, n], parent);
  });
  file.enumType.forEach((desc, n) => {
    addEnum(desc, [ENUM, n], parent);
  });
  file.service.forEach((desc, n) => {
    addService(desc, [SERVICE, n], parent);
  });
  return comments;
}

/** A comment as paragraphs: its lines are joined, except where a list begins. */
function textOf(comment: string): string {
  const paragraphs = comment.split(/\n\s*\n/);
  return paragraphs
    .map((paragraph) => paragraph.trim().replace(/\s*\n\s*(?!- )/g, " "))
    .filter(Boolean)
    .join("\n\n");
}
