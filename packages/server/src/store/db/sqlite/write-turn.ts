import type { Driver } from "../connection.ts";

/** The right to write, of which the processes of one server have one: they get it in the order in which they ask. */
export interface WriteTurn {
  acquire(): Promise<void>;
  release(): void;
}

/**
 * A driver whose transactions wait for their turn. SQLite's own lock has no queue: while one process commits batch
 * after batch, another that polls for the lock finds it taken, and its writes starve. The lock still decides who
 * writes; turns only make sure that it is free.
 */
export function takingTurns(driver: Driver, turn: WriteTurn): Driver {
  return {
    ...driver,
    begin: async (...batch) => {
      await turn.acquire();
      try {
        await driver.begin(...batch);
      } catch (error) {
        turn.release();
        throw error;
      }
    },
    // A failed commit is rolled back.
    commit: async () => {
      await driver.commit();
      turn.release();
    },
    rollback: async () => {
      try {
        await driver.rollback();
      } finally {
        turn.release();
      }
    },
  };
}
