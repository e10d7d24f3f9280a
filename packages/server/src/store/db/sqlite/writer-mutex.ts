import type { Driver } from "../connection.ts";

/** A fair mutex of the processes of one server: they write in the order in which they acquire it. */
export interface WriterMutex {
  acquire(): Promise<void>;
  release(): void;
}

/**
 * A driver whose transactions hold the mutex. SQLite's own lock has no queue: while one process commits batch
 * after batch, another that polls for the lock finds it taken, and its writes starve. The lock still decides who
 * writes; the mutex only makes sure that it is free.
 */
export function withWriterMutex(driver: Driver, mutex: WriterMutex): Driver {
  return {
    ...driver,
    begin: async (...batch) => {
      await mutex.acquire();
      try {
        await driver.begin(...batch);
      } catch (error) {
        mutex.release();
        throw error;
      }
    },
    // A failed commit is rolled back.
    commit: async () => {
      await driver.commit();
      mutex.release();
    },
    rollback: async () => {
      try {
        await driver.rollback();
      } finally {
        mutex.release();
      }
    },
  };
}
