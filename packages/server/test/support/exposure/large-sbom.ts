/** A worker that reads a document with one package and 50 MB of files, and posts the names of the packages. */
import { parentPort } from "node:worker_threads";
import { MIB, readSbom, repeated } from "./documents.ts";

const START = '{"spdxVersion":"SPDX-2.3","files":[';
const FILE = `{"SPDXID":"SPDXRef-F","fileName":"${"x".repeat(300)}","checksums":[{}]},`;
const END = '{}],"packages":[{"SPDXID":"SPDXRef-a","name":"a","versionInfo":"1"}]}';

const sbom = await readSbom(repeated(START, FILE, 50 * MIB, END));
parentPort?.postMessage(sbom.packages.map(({ name }) => name));
