// How deep a queue is, of all kinds together.
import type { KindDepth, Queue } from '../core/queue.ts';

export function totalDepth(kinds: readonly KindDepth[]): Awaited<ReturnType<Queue['depth']>> {
  const sum = (state: 'waiting' | 'running' | 'dead') => kinds.reduce((total, kind) => total + kind[state], 0);
  return { waiting: sum('waiting'), running: sum('running'), dead: sum('dead') };
}
