/** A database without a server, for tests of the store alone. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { RESOURCES } from "../../../src/app/resources.ts";
import type { Driver } from "../../../src/store/db/connection.ts";
import { openPostgres } from "../../../src/store/db/postgres.ts";
import { openSqlite } from "../../../src/store/db/sqlite.ts";
import { Store } from "../../../src/store/db/store.ts";
import { emptyDatabase } from "./postgres.ts";
import { scratchFolder } from "./scratch-folder.ts";
import type { StoreKind } from "./test-server.ts";

/** A database of its own, without a server: for tests of what the store does by itself. */
export class NewDatabase {
  readonly #connect: () => Promise<Driver>;
  readonly #discard: () => void;
  readonly #open: (() => Promise<void>)[] = [];

  /** Its folder, on SQLite. */
  readonly folder: string;

  private constructor(connect: () => Promise<Driver>, discard: () => void, folder = "") {
    this.#connect = connect;
    this.#discard = discard;
    this.folder = folder;
  }

  /** @example const database = await NewDatabase.of("sqlite"); */
  static async of(kind: StoreKind): Promise<NewDatabase> {
    if (kind === "postgres") {
      const url = await emptyDatabase();
      return new NewDatabase(
        () => openPostgres(url),
        () => {},
      );
    }
    const folder = scratchFolder("wharf-store-");
    return new NewDatabase(
      async () => openSqlite(join(folder, "wharf.db"), { maxAgeMs: 0 }),
      () => rmSync(folder, { recursive: true }),
      folder,
    );
  }

  /** A connection as a replica has it, to work on before there is a store. */
  async connect(): Promise<Driver> {
    const driver = await this.#connect();
    this.#open.push(() => driver.close());
    return driver;
  }

  /** The store, as another replica would open it each time. */
  async store(driver?: Driver): Promise<Store> {
    const tables = Object.values(RESOURCES).map((resource) => resource.table);
    const store = await Store.open(driver ?? (await this.#connect()), tables, { committed() {} });
    if (driver === undefined) this.#open.push(() => store.close());
    return store;
  }

  async close(): Promise<void> {
    for (const close of this.#open) await close();
    this.#discard();
  }
}
