// pg-boss's jobs as a worker sees them. Any number of workers in any number of processes may look at once.

import type { JobKind } from '../core/queue.ts';
import { patiently } from '../db/postgres-repeat.ts';
import { endBossClaim } from './boss-ends.ts';
import type { BossJobData } from './boss-statements.ts';
import type { Claim } from './claims.ts';
import type { ClaimRequest, JobSource, LostClaim } from './job-source.ts';
import type { Boss } from './open-boss.ts';
import { mostEndsAt, SUSPECT_ENDS } from './suspects.ts';
import { OVERDUE_MS } from './urgency.ts';

interface SourceOptions {
  readonly boss: Boss;
  /** In place of the database's clock. */
  readonly now: (() => Date) | undefined;
  readonly leaseMs: number;
  readonly suspectMs: number;
  readonly kinds: readonly JobKind[];
}

/** For so long the end of a job is tried again where no server answers; then its lease has run out. */
const ENDING_MS = 10_000;
/** A look for the jobs of workers that are gone costs an update: once in so many milliseconds. */
const TEND_MS = 1_000;

interface ClaimRow {
  readonly id: string;
  readonly subject: string;
  readonly group: string;
  readonly organisation: string;
  readonly generation: number;
  readonly data: BossJobData;
}

export class BossSource implements JobSource {
  readonly #options: SourceOptions;
  readonly #begun = performance.now();
  readonly #listeners = new Set<(removed: boolean) => void>();
  #ear: AsyncDisposable | null = null;
  #tendAt = 0;
  #held: readonly string[] = [];
  /** Kinds where a suspect waits. */
  #suspected: ReadonlySet<JobKind> = new Set();
  /** Kinds where an automatic job has been due for long, and it was not yet looked whether one was claimed since. */
  #late = new Set<JobKind>();
  /** The one that this process tries, since it may be what ends it. */
  #suspect: string | null = null;

  constructor(options: SourceOptions) {
    this.#options = options;
  }

  async begin(): Promise<void> {
    const say = (change: string) => {
      for (const listener of this.#listeners) listener(change === 'removed');
    };
    this.#ear ??= await this.#options.boss.listen(say);
  }

  async tend(held: readonly Claim[]): Promise<void> {
    this.#held = held.map((claim) => claim.id);
    if (performance.now() < this.#tendAt) return;
    const { boss, kinds, leaseMs } = this.#options;
    await boss.ask(boss.statements.free, [kinds, this.#now(), leaseMs, this.#held]);
    this.#tendAt = performance.now() + Math.min(TEND_MS, leaseMs / 3);
  }

  async promising(kinds: readonly JobKind[]): Promise<readonly JobKind[]> {
    const { boss } = this.#options;
    const rows = await boss.ask<{
      readonly kind: JobKind;
      readonly due: boolean | null;
      readonly late: boolean | null;
      readonly suspects: boolean | null;
    }>(boss.statements.promising, [kinds, this.#now()]);
    this.#suspected = new Set(rows.filter((row) => row.suspects).map((row) => row.kind));
    this.#late = new Set(rows.filter((row) => row.late).map((row) => row.kind));
    const due = new Set(rows.filter((row) => row.due).map((row) => row.kind));
    return kinds.filter((kind) => due.has(kind));
  }

  async claim({ kind, perGroup, free, lastButFor }: ClaimRequest): Promise<readonly Claim[]> {
    const { boss } = this.#options;
    const ends = this.#suspect === null && this.#suspected.has(kind) ? this.#mostEnds() : 0;
    const behindLock = (statement: string, most: number, values: readonly (number | string | null)[]) =>
      boss.transact(async (db): Promise<readonly ClaimRow[]> => {
        await db.executeSql(boss.statements.lock, [`claim ${kind}`]);
        return (await db.executeSql(statement, [kind, perGroup, this.#now(), most, this.#held, ...values])).rows;
      });
    if (ends >= SUSPECT_ENDS) {
      const [suspect] = await behindLock(boss.statements.claimSuspect, 1, [ends]);
      this.#suspect = suspect?.id ?? null;
      if (suspect) return [claimOf(kind, suspect)];
    }
    const overdue = this.#late.delete(kind) ? await behindLock(boss.statements.claim, 1, [OVERDUE_MS, lastButFor]) : [];
    const rows = overdue.length > 0 ? overdue : await behindLock(boss.statements.claim, free, [0, lastButFor]);
    return rows.map((row) => claimOf(kind, row));
  }

  async end(held: Claim, end: Parameters<JobSource['end']>[1]): Promise<boolean> {
    try {
      return await patiently(ENDING_MS, () => endBossClaim(this.#options.boss, held, end));
    } finally {
      if (this.#suspect === held.id) this.#suspect = null;
    }
  }

  async lostAmong(held: readonly Claim[]): Promise<readonly LostClaim[]> {
    if (held.length === 0) return [];
    const { boss } = this.#options;
    const rows = await boss.ask<{ readonly id: string; readonly generation: number; readonly is_running: boolean }>(
      boss.statements.lookUp,
      [kindsOf(held), held.map((claim) => claim.id)],
    );
    const states = new Map(rows.map((row) => [row.id, row]));
    return held.flatMap((claim) => {
      const row = states.get(claim.id);
      if (row?.is_running && row.generation === claim.generation) return [];
      return [{ claim, removed: row === undefined }];
    });
  }

  async renew(held: readonly Claim[]): Promise<void> {
    if (held.length === 0) return;
    const { boss } = this.#options;
    const fences = held.map((claim) => `${claim.id}:${claim.generation}`);
    await boss.ask(boss.statements.renew, [kindsOf(held), this.#now(), fences, held.map((claim) => claim.id)]);
  }

  async isIdle(): Promise<boolean> {
    const { boss, kinds } = this.#options;
    return (await boss.ask(boss.statements.busy, [kinds, this.#now()])).length === 0;
  }

  onChange(listener: (removed: boolean) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ear?.[Symbol.asyncDispose]();
  }

  #now(): string | null {
    return this.#options.now?.().toISOString() ?? null;
  }

  #mostEnds(): number {
    return mostEndsAt(performance.now() - this.#begun, this.#options.suspectMs);
  }
}

function kindsOf(held: readonly Claim[]): readonly JobKind[] {
  return [...new Set(held.map((claim) => claim.kind))];
}

function claimOf(kind: JobKind, { id, subject, group, organisation, generation, data }: ClaimRow): Claim {
  const { base, failures } = data;
  return { id, kind, subject, group, organisation, generation, failures, attempt: generation + 1 - base };
}
