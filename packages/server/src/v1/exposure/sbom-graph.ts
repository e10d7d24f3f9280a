import type { MessageInitShape } from "@bufbuild/protobuf";
import { sbomV1 } from "@wharf/contract/v1";
import type { Edge, Sbom } from "../../exposure/sboms/sbom.ts";
import type { PackageRow } from "../../store/tables/exposure/packages/image-packages-list.ts";

type Graph = MessageInitShape<typeof sbomV1.ComponentGraphSchema>;

const { ComponentGraph_Edge_Type: Type } = sbomV1;

const TYPES: Readonly<Record<string, sbomV1.ComponentGraph_Edge_Type>> = {
  DESCRIBES: Type.DESCRIBES,
  CONTAINS: Type.CONTAINS,
  DEPENDS_ON: Type.DEPENDS_ON,
  GENERATED_FROM: Type.GENERATED_FROM,
};

/** The image of the packages, which is the root of their graph. */
export interface GraphRoot {
  readonly id: string;
  readonly name: string;
}

/** The graph of a document: its packages with their relationships, below the image. */
export function documentGraph({ packages, edges, roots }: Sbom, root: GraphRoot): Graph {
  const refs = new Set(packages.map(({ ref }) => ref));
  const above = new Set(roots);
  const idOf = (ref: string) => (above.has(ref) && !refs.has(ref) ? root.id : ref);
  const relationships = edges
    .map(([from, to, type]): Edge => [idOf(from), idOf(to), type])
    .filter(([from, to]) => (refs.has(from) || from === root.id) && refs.has(to));
  const contained = new Set(relationships.map(([, to]) => to));
  const direct = packages.filter(({ ref }) => !contained.has(ref));
  return {
    nodes: [
      nodeOf({ id: root.id, name: root.name }),
      ...packages.map(({ ref, name, version, purl = "", licenses = "", description = "" }) =>
        nodeOf({ id: ref, name, version, license: licenses, description, purl }),
      ),
    ],
    edges: [
      ...direct.map(({ ref }) => edgeOf(root.id, ref, Type.CONTAINS)),
      ...relationships.map(([from, to, type]) => edgeOf(from, to, TYPES[type] ?? Type.UNKNOWN)),
    ],
  };
}

/** The graph of packages that were read from layers. Those that another package has installed are in it. */
export function packagesGraph(
  packages: readonly PackageRow[],
  owners: ReadonlyMap<number, number>,
  root: GraphRoot,
): Graph {
  const ids = new Set(packages.map(({ id }) => id));
  const ownerOf = (id: number) => {
    const owner = owners.get(id) ?? 0;
    return ids.has(owner) && owner !== id ? idOf(owner) : root.id;
  };
  return {
    nodes: [
      nodeOf({ id: root.id, name: root.name }),
      ...packages.map(({ id, name, version, license, purl }) =>
        nodeOf({ id: idOf(id), name, version, license, purl }),
      ),
    ],
    edges: packages.map(({ id }) => edgeOf(ownerOf(id), idOf(id), Type.CONTAINS)),
  };
}

function idOf(version: number): string {
  return `package-${version}`;
}

function nodeOf(value: MessageInitShape<typeof sbomV1.Package2Schema>) {
  return { typedNode: { case: "package" as const, value } };
}

function edgeOf(subjectId: string, predicateId: string, type: sbomV1.ComponentGraph_Edge_Type) {
  return { subjectId, predicateId, type };
}
