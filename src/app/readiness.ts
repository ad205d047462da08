// What `/readyz` says: does the database answer, does the queue, is there room on the disk. Asked as often as anybody likes.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadinessCheck } from '../api/api-deps.ts';
import { spaceText } from '../core/disk.ts';
import { type StoreFault, StoreUnusable } from '../core/errors.ts';
import type { Model } from '../core/model.ts';
import type { House } from './house.ts';
import { freeBytes, REQUIRED_BYTES, shortageOf } from './room.ts';

/** One answer serves all who ask within it: load balancers ask every second, each of them. */
const KEPT_MS = 1_000;
/** Whoever asks gives up after a few seconds, and a database that takes longer is no help to anybody. */
const BOUND_MS = 2_000;

export interface ReadinessOptions {
  readonly house: Pick<House, 'store' | 'queue'>;
  readonly dataDir: string;
  /** What is said besides; known already, and never waited for. */
  readonly others: () => readonly ReadinessCheck[];
  /** Milliseconds that one check may take (2,000). */
  readonly boundMs?: number;
}

export type Readiness = () => Promise<readonly ReadinessCheck[]>;

/** Never rejects, and never takes much longer than the bound. */
export function createReadiness({ house, dataDir, others, boundMs = BOUND_MS }: ReadinessOptions): Readiness {
  let kept: { readonly answer: Promise<readonly ReadinessCheck[]>; readonly until: number } | null = null;
  const ask = () => Promise.all(checks(house, dataDir).map(([name, look]) => check(name, look, boundMs)));
  return async () => {
    if (kept === null || performance.now() > kept.until) {
      kept = { answer: ask(), until: performance.now() + KEPT_MS };
    }
    return [...(await kept.answer), ...others()];
  };
}

export interface CheckedModel {
  /** Null: none is configured. */
  readonly model: Pick<Model, 'name' | 'calledThrough'> | null;
  /** False: this process takes no work, and the workers call the model. */
  readonly isCalledHere: boolean;
}

/** These come from the model itself, or from what was asked: the endpoint works. */
const ANSWERS: ReadonlySet<string> = new Set(['answered', 'refused', 'overflow']);

/** What `/readyz` says of the model, from the calls that are made anyway. Strangers may read it, so it names no address. */
export function modelCheck(
  { telemetry }: Pick<House, 'telemetry'>,
  { model, isCalledHere }: CheckedModel,
): ReadinessCheck {
  const said = (ok: boolean, detail: string): ReadinessCheck => ({ name: 'model', ok, isVital: false, detail });
  if (model === null) return said(true, 'none (search only)');
  const which = model.calledThrough === undefined ? 'a script' : `${model.name} through ${model.calledThrough()}`;
  if (!isCalledHere) return said(true, `${which}, called by the workers`);
  const last = telemetry.lastModelCall();
  if (last === null) return said(true, `${which}, not called yet`);
  return said(
    ANSWERS.has(last),
    ANSWERS.has(last) ? `${which}, last call answered` : `${which}, last call failed: ${last}`,
  );
}

interface Found {
  readonly ok: boolean;
  readonly detail: string;
}

type Look = () => Promise<Found>;

function checks({ store, queue }: ReadinessOptions['house'], dataDir: string): readonly (readonly [string, Look])[] {
  return [
    [
      'database',
      async () => {
        await store.check();
        return { ok: true, detail: 'answers' };
      },
    ],
    [
      'queue',
      async () => {
        const { waiting, running, dead } = await queue.depth();
        return { ok: true, detail: `${waiting} waiting, ${running} running, ${dead} dead` };
      },
    ],
    [
      'disk',
      async () => {
        const free = await freeBytes(dataDir);
        return { ok: shortageOf(free) === null, detail: spaceText({ free, required: REQUIRED_BYTES }) };
      },
    ],
  ];
}

async function check(name: string, look: Look, boundMs: number): Promise<ReadinessCheck> {
  const bound = new AbortController();
  try {
    const late = sleep(boundMs, null, { signal: bound.signal, ref: false });
    const found = await Promise.race([look(), late]);
    return { name, ...(found ?? { ok: false, detail: 'no answer in time' }) };
  } catch (error) {
    // The error's own message may contain paths or queries.
    return { name, ok: false, detail: error instanceof StoreUnusable ? FAULTS[error.fault] : FAILED };
  } finally {
    bound.abort();
  }
}

const FAULTS: Readonly<Record<StoreFault, string>> = {
  full: 'no space left on its disk',
  damaged: 'damaged: stop the service and restore a backup ("causeway restore FILE")',
  replaced:
    'its file was deleted or replaced while the service was running: stop the service, put the file back or restore a backup, start it again',
  not_writable: 'cannot be written: give the user of the service write access',
};
const FAILED = 'failed: "causeway doctor" says why';
