// Computes the digests that are not kept yet: read, digested in the thread and appended to their file, some batches at a time.
import { CausewayError, type ErrorCode } from '../core/errors.ts';
import type { Log } from '../log.ts';
import type { Batch, Digester } from './digester.ts';
import type { RecordFile } from './record-file.ts';
import { eachRecord, type PlacedRecord } from './records.ts';

/** Nothing of the repository can be had any more, so what is missing would be missing everywhere; any other error is about some files. */
const WHOLE_REPOSITORY: ReadonlySet<ErrorCode> = new Set([
  'revision_not_found',
  'repository_empty',
  'repository_unreachable',
  'access_lost',
]);

export interface MissingDeps {
  readonly digester: Digester;
  readonly log: Log;
}

/**
 * Calls `each` with every record that was made. What goes wrong with some files ends it with a word in the log: what came before holds. Throws
 * what says that the repository as a whole is away, and the signal's reason when aborted; the batches under way are still written then.
 */
export async function digestMissing(
  { digester, log }: MissingDeps,
  { batches, file }: { readonly batches: AsyncIterable<Batch>; readonly file: RecordFile },
  each: (record: PlacedRecord) => void,
  signal: AbortSignal,
): Promise<void> {
  async function digestOne(batch: Batch): Promise<void> {
    for (const records of await digester.digest(batch)) {
      eachRecord(records, each);
      await file.append(records);
    }
  }

  // While git starts too, and the first batch is gathered.
  digester.start();
  const underWay: Promise<void>[] = [];
  try {
    for await (const batch of batches) {
      if (underWay.length === digester.atOnce) await underWay.shift();
      signal.throwIfAborted();
      const one = digestOne(batch);
      one.catch(() => undefined);
      underWay.push(one);
    }
    await Promise.all(underWay);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CausewayError && WHOLE_REPOSITORY.has(error.code)) throw error;
    log.warn({ err: error }, 'not every file or commit could be digested; ranking goes without the others');
  }
  signal.throwIfAborted();
}
