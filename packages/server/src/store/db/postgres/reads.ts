import type { CostlyLane, Reader } from "../connection.ts";
import type { Connection, SessionLimits } from "./connection.ts";
import { COSTLY_CONNECTIONS, CostlyConnections } from "./costly-connections.ts";
import { ReadConnections, type ReadConnectionsDeps, type ShortReads } from "./read-connections.ts";
import { isPointRead, isWalk, WALK_SETTINGS } from "./short-reads.ts";
import { PostgresReader } from "./statements.ts";
import type { Timeouts } from "./timeouts.ts";

/** Connections for reads of unknown length. */
const READ_CONNECTIONS = 5;

/** Connections for reads of single rows. */
const POINT_CONNECTIONS = 1;

/** Connections for short pages of an index. */
const WALK_CONNECTIONS = 2;

/** All connections that read, in groups by the cost of their statements. */
export class Reads {
  readonly reader: Reader;
  readonly costly: CostlyLane;
  readonly #others: ReadConnections;
  readonly #costly: ReadConnections;
  readonly #short: readonly ReadConnections[];

  constructor(deps: ReadConnectionsDeps, timeouts: Timeouts, limits: SessionLimits) {
    const open = (size: number, short?: ShortReads) =>
      new ReadConnections(deps, { size, timeouts, limits, short });
    const others = open(READ_CONNECTIONS);
    const points = open(POINT_CONNECTIONS, { others });
    const walks = open(WALK_CONNECTIONS, { others, settings: WALK_SETTINGS });
    const costly = open(COSTLY_CONNECTIONS);
    this.reader = new PostgresReader((sql) =>
      isPointRead(sql) ? points : isWalk(sql) ? walks : others,
    );
    this.costly = new CostlyConnections(deps, costly, others);
    this.#others = others;
    this.#costly = costly;
    this.#short = [points, walks];
  }

  /** Reads of any length that wait for a connection. */
  get waiting(): number {
    return this.#others.waiting + this.#costly.waiting;
  }

  /** Adds an open connection. */
  add(connection: Connection): void {
    this.#others.add(connection);
  }

  async close(): Promise<void> {
    const groups = [this.#others, this.#costly, ...this.#short];
    await Promise.all(groups.map((group) => group.close()));
  }
}
