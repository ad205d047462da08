// Writes what a look has found to its head; where it found nothing new, nothing is written and nobody is told.
import type { Head, HeadPlace } from '../../core/head.ts';
import { type Look, nowOf } from './deps.ts';
import type { Judged } from './judge-groups.ts';

type Seen = Pick<Head, 'state' | 'place' | 'findings' | 'leftOut' | 'stillWaiting' | 'endedAt'>;

const MOST_LEFT_OUT = 100;

export async function keepSeen(look: Look, seen: Seen): Promise<void> {
  const { id } = look.head;
  const wanted = { ...seen, leftOut: seen.leftOut.slice(0, MOST_LEFT_OUT) };
  if (isSame(look.head, wanted)) return;
  await look.deps.store.saveHead(id, wanted, nowOf(look));
}

/** What was found before stays: investigations of it go on, and what stands on GitHub is brought to its end. */
export async function setAside(look: Look, aside: Pick<Seen, 'state' | 'place' | 'leftOut'>): Promise<void> {
  const { findings, endedAt } = look.head;
  await keepSeen(look, { findings, endedAt, stillWaiting: [], ...aside, place: aside.place ?? look.head.place });
}

/**
 * Verdicts are kept before the ledger has the sightings: cut short after that, the next look would take this head's own for those of
 * others.
 */
export async function keepJudged(look: Look, place: HeadPlace, judged: readonly Judged[]): Promise<void> {
  if (judged.every(({ group }) => group.before !== null)) return;
  const findings = judged.map(({ finding }) => finding);
  const { leftOut, stillWaiting } = look.head;
  await keepSeen(look, { state: 'waiting', place, findings, leftOut, stillWaiting, endedAt: '' });
}

/** As both are stored. */
function isSame(one: Seen, other: Seen): boolean {
  const plain = ({ state, place, findings, leftOut, stillWaiting, endedAt }: Seen) =>
    JSON.stringify([state, ordered(place), findings.map(ordered), leftOut.map(ordered), stillWaiting, endedAt]);
  return plain(one) === plain(other);
}

/** With its keys in one order, whoever wrote it. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => [key, ordered(part)]);
}
