// Records of every kind that a move must carry over, written by the store's own verbs.
import type { Store } from '../../src/db/store.ts';
import {
  acceptance,
  accepted,
  conclusion,
  delivery,
  githubGround,
  ground,
  NOW,
  opening,
  started,
  token,
} from './store-samples.ts';

/** `reports` reports, of which every third has ended in an Issue with steps and a webhook, every third runs, and the rest waits. */
export async function fillRecords(store: Store, reports: number): Promise<void> {
  const base = await ground(store);
  await store.addToken(token(base.account.id), 'hash of a token');
  for (let number = 0; number < reports; number++) await fillReport(store, base, number);
  const onGithub = await githubGround(store);
  await store.acceptDelivery(delivery('first'), { now: NOW, meaningSince: NOW });
  const thread = opening('thr_1');
  await store.accept(acceptance(onGithub, { fingerprint: 'on GitHub', origin: 'github-issue', thread }));
}

const PLENTY = { run: 1e9, repository: 1e9, all: 1e9 };

async function fillReport(store: Store, base: Awaited<ReturnType<typeof ground>>, number: number): Promise<void> {
  const text = `Report ${number}: 'quoted' "and" \\ back, umlauts äöü, 漢字 and 🛒\0 with a NUL`;
  const wanted = { fingerprint: `f${number}`, text, callbackUrl: 'https://caller.test/hook', reference: `r${number}` };
  const idempotency = { key: `key ${number}`, bodyHash: 'hash' };
  const { runId } = await accepted(store, acceptance(base, { ...wanted, idempotency }));
  if (number % 3 === 2) return;
  const run = await started(store, runId);
  await store.recordStep(run, { action: 'look', result: 'x'.repeat(200), analysis: 'found' }, NOW, () => 'an entry');
  await store.reserveMoney(run, { amount: 1_000 + number, limits: PLENTY, now: NOW });
  await store.settleMoney(run, { reserved: 400, spent: 300, now: NOW });
  if (number % 3 === 0) await store.conclude(run, conclusion(), NOW);
}
