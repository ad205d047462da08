// Plays the story on the double and then on a GitHub, and says where they differ.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { comparePlays, type Difference, type PlayedStep } from './compare.ts';
import { openDoubleGround } from './double-ground.ts';
import type { Ground } from './ground.ts';
import { type PlayOptions, playStory } from './play.ts';
import type { Prepared } from './preflight.ts';
import { isOfMoment, renderTable, type TriedFacts } from './table.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const SCRIPT = path.join(ROOT, 'demo', 'corner-shop.script.json');
/** Plays the model where none is set, and on the double always. */
export const SCRIPTED = `scripted:${SCRIPT}`;
/** CI of the double takes seconds. */
const PATIENCE_WITH_DOUBLE_MS = 300_000;

export type Tried =
  | { readonly kind: 'problems'; readonly problems: readonly string[] }
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'tried';
      readonly differences: readonly Difference[];
      readonly isWhole: boolean;
      readonly table: string;
    };

/** `expected`: what was played on the double before; null: it is played first, before anything is written. */
export async function tryGithub(
  ground: Ground,
  options: PlayOptions & { readonly on: TriedFacts['on']; readonly expected: readonly PlayedStep[] | null },
): Promise<Tried> {
  let { expected } = options;
  const mayWrite = async (prepared: Prepared) => {
    if (!(await options.mayWrite(prepared))) return false;
    expected ??= await playOnDouble(options);
    return true;
  };
  const played = await playStory(ground, { ...options, mayWrite });
  if (played.kind !== 'played') return played;
  const { steps, left, costUsd } = played;
  const differences = comparePlays(expected ?? [], steps);
  const { version }: { version: string } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
  const model = ground.environment['MODEL']?.startsWith('scripted:') === true ? null : played.model;
  const day = new Date().toISOString().slice(0, 10);
  const table = renderTable({ version, day, model, costUsd, steps, differences, left, on: options.on });
  const counted = differences.filter((one) => !isOfMoment(one));
  return { kind: 'tried', differences: counted, table, isWhole: steps.every(({ end }) => end.kind === 'reached') };
}

/** What the double answers; throws where it does not come to the end. */
export async function playOnDouble({
  signal,
  tell,
}: Pick<PlayOptions, 'signal' | 'tell'>): Promise<readonly PlayedStep[]> {
  await using opened = await openDoubleGround({ MODEL: SCRIPTED });
  const patience = { budget: 1, patienceMs: PATIENCE_WITH_DOUBLE_MS, signal };
  const played = await playStory(opened.ground, {
    ...patience,
    tell: (line) => tell(`On the double: ${line}`),
    mayWrite: async () => true,
  });
  if (played.kind !== 'played') throw new Error(`The double is not ready: ${JSON.stringify(played)}`);
  const failed = played.steps.flatMap(({ name, end }) => (end.kind === 'failed' ? `${name}: ${end.why}` : []));
  if (failed.length > 0) throw new Error(`The story does not come to its end on the double: ${failed.join('; ')}`);
  return played.steps;
}
